import { deliveryStatusNames } from '../../../contract/vocabulary.ts';
import { late_tolerance_ms } from '../../../domain/lateness.ts';
import { choices, flag, text } from '../../kit/args/flags.ts';
import { moment } from '../../kit/args/time-arguments.ts';
import { isForPeople } from '../../kit/output/destination.ts';
import { lengthText } from '../../kit/output/times.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { defineCommand } from '../../session/command.ts';
import { checkProvider } from '../../session/known-providers.ts';
import { createdFlags, createdQuery, explainNoMatch, listing, pagingFlags } from '../../session/listing.ts';
import { pastInstantOf } from '../../session/service-instants.ts';
import { checkWatchedList, waitingOf, watchedLimit, watchFlags } from '../../waiting/waiting-flags.ts';
import { deliveryListColumns } from './delivery-columns.ts';
import { deliveryTexts } from './find-delivery.ts';
import { phone, phoneInUse } from './phones.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List deliveries, newest first',
  description: [
    'A name that is both a status and a group, such as failed, means the group. --late and --stuck leave out',
    'deliveries that have ended or were never initiated. PRICE excludes the tip; deliveries explain shows the final',
    'amount. --watch prints a line for each change until every listed delivery ends. With --json each line is a',
    'delivery with a type: delivery.current first, then delivery.updated.',
  ].join('\n'),
  flags: {
    status: choices({
      summary: 'Filter by statuses or status groups (comma-separated)',
      choices: deliveryStatusNames,
      placeholder: 'STATUSES',
    }),
    late: flag({ summary: 'Only deliveries more than 5 min past the time that was promised at dispatch' }),
    stuck: moment({
      isPast: true,
      summary: 'Only active deliveries without a change for this long, such as 20m',
      aliases: ['unchanged-since'],
    }),
    externalOrderRef: text({ summary: 'Filter by your reference', aliases: ['ref'], placeholder: 'REF' }),
    service: text({ summary: 'Filter by provider', aliases: ['provider'], placeholder: 'PROVIDER' }),
    phone: phone({ summary: 'Filter by pickup or dropoff phone number' }),
    search: text({
      summary: 'Search names, addresses, units, notes, items, references, phone endings and IDs',
      aliases: ['q'],
    }),
    ...createdFlags,
    ...watchFlags('every delivery ends'),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill deliveries list --status in_transit', summary: 'List deliveries in transit' },
    { command: 'waybill deliveries list --late', summary: 'List late deliveries' },
    { command: 'waybill deliveries list --stuck 20m', summary: 'List deliveries without recent progress' },
    { command: 'waybill deliveries list --phone +13125550142', summary: 'Find deliveries by phone number' },
    {
      command: "waybill deliveries list --search 'muller 0142'",
      summary: 'Search names, addresses, phone numbers and more',
    },
    {
      command: 'waybill deliveries list --status failed,canceled --since 1d --json',
      summary: 'List failed and canceled deliveries since yesterday',
    },
    {
      command: 'waybill deliveries list --status in_transit --watch',
      summary: 'Follow deliveries in transit',
    },
  ],
  columns: deliveryListColumns(() => 0, null, { isSearched: true }),
  effect: 'read',
  async run(context, { flags }) {
    const { status, externalOrderRef, service, search, since, until } = flags;
    checkWatchedList(context, flags);
    await checkProvider(context, service);
    const client = await context.client();
    const number = flags.phone && (await phoneInUse(context, flags.phone));
    const created = await createdQuery(context, { since, until });
    const stuck = flags.stuck && (await pastInstantOf(context, flags.stuck, { flag: '--stuck' }));
    const late = flags.late || undefined;
    const query = {
      ...{ status, external_order_ref: externalOrderRef, service, phone: number, q: search, late },
      ...{ unchanged_since: stuck, ...created },
    };
    const filters = {
      ...{
        status: status?.join(','),
        late,
        stuck,
        externalOrderRef,
        service,
        phone: number && `+${number}`,
        search,
      },
      ...{ since: created.created_after, until: created.created_before },
    };
    if (flags.watch) {
      const { watchDeliveries } = await import('./delivery-waitable.ts');
      const limit = watchedLimit(flags.limit);
      return watchDeliveries(context, { query: { ...query, limit }, filters }, waitingOf(flags));
    }
    return listing({
      list: client.deliveries.listDetailed,
      query,
      paging: flags,
      columns: deliveryListColumns(() => context.serviceNow(), context.output.times, {
        isSearched: search !== undefined,
        isLateList: late === true,
        inStoreZone: isForPeople(context.output.format),
      }),
      command: invocation('deliveries list'),
      filters,
      ...(search === undefined
        ? {}
        : { explainEmpty: () => explainNoMatch(search, (q) => deliveryTexts(context, q)) }),
      empty: late ? noneLate(filters) : 'No deliveries found.',
      start: phrase`No deliveries yet. Send the first: ${invocation('ship')}`,
    });
  },
});

function noneLate(filters: Readonly<Record<string, unknown>>): string {
  const isAlone = Object.values(filters).filter((value) => value !== undefined).length === 1;
  return `No ${isAlone ? '' : 'matching '}delivery is more than ${lengthText(late_tolerance_ms)} past its promised time.`;
}
