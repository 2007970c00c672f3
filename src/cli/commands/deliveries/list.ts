import { deliveryStatuses, groupNames } from '../../../contract/vocabulary.ts';
import { late_tolerance_ms } from '../../../domain/lateness.ts';
import { deliveryListColumns } from '../../columns/deliveries.ts';
import { defineCommand } from '../../command.ts';
import { phone, phoneInUse } from '../../deliveries/phones.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { choice, flag, text } from '../../line/flags.ts';
import { createdFlags, createdQuery, listing, pagingFlags } from '../../line/listing.ts';
import { instantOf, moment } from '../../line/moments.ts';
import { lengthText } from '../../output/times.ts';
import { checkWatchedList, waitingOf, watchedLimit, watchFlags } from '../../waiting/waiting-flags.ts';

const statuses = [...groupNames, ...deliveryStatuses.filter((status) => status !== 'failed')] as const;

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List deliveries, newest first',
  description: [
    'A name that is a status and a group, such as failed, is the group.',
    '--late and --stuck leave out what has ended, and what nobody has initiated.',
    'PRICE is that of the delivery, without its tip; deliveries explain says what was paid in the end.',
    '--watch follows those of the list: a line for each change, until each has ended. With --json each line is a',
    'delivery with a type: delivery.current first, then delivery.updated.',
  ].join('\n'),
  flags: {
    status: choice({ summary: 'A status, or a group of them', choices: statuses, placeholder: 'STATUS' }),
    late: flag({ summary: 'More than 5 min past their dropoff ETA, and not there yet' }),
    stuck: moment({
      summary: 'Under way, but not changed for 20m, or since an instant',
      aliases: ['unchanged-since'],
    }),
    externalOrderRef: text({ summary: 'With this reference of yours', aliases: ['ref'], placeholder: 'REF' }),
    service: text({ summary: 'Handled by this provider', aliases: ['provider'], placeholder: 'PROVIDER' }),
    phone: phone({ summary: 'With this number at either end' }),
    search: text({ summary: 'Whose name or address, at either end, begins so', aliases: ['q'] }),
    ...createdFlags,
    ...watchFlags('each has ended'),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill deliveries list --status in_transit', summary: 'Those on their way' },
    { command: 'waybill deliveries list --late', summary: 'Those that should be there by now' },
    { command: 'waybill deliveries list --stuck 20m', summary: 'Those that nothing is heard of' },
    { command: 'waybill deliveries list --phone +13125550142', summary: 'Those of a person' },
    {
      command: 'waybill deliveries list --status failed --since 1d --json',
      summary: 'What failed since yesterday',
    },
    {
      command: 'waybill deliveries list --status in_transit --watch',
      summary: 'All that is on its way, live',
    },
  ],
  effect: 'read',
  async run(context, { flags }) {
    const { status, externalOrderRef, service, search, since, until } = flags;
    checkWatchedList(context, flags);
    const client = await context.client();
    const number = flags.phone && (await phoneInUse(context, flags.phone));
    const created = await createdQuery(context, { since, until });
    const stuck = flags.stuck && (await instantOf(context, flags.stuck, 'ago'));
    const late = flags.late || undefined;
    const query = {
      ...{ status, external_order_ref: externalOrderRef, service, phone: number, q: search, late },
      ...{ unchanged_since: stuck, ...created },
    };
    const filters = {
      ...{ status, late, stuck, externalOrderRef, service, phone: number && `+${number}`, search },
      ...{ since: created.created_after, until: created.created_before },
    };
    if (flags.watch) {
      const { watchDeliveries } = await import('../../deliveries/delivery-list-waitable.ts');
      const limit = watchedLimit(flags.limit);
      return watchDeliveries(context, { query: { ...query, limit }, filters }, waitingOf(flags));
    }
    return listing({
      list: client.deliveries.list,
      query,
      paging: flags,
      columns: deliveryListColumns(() => context.serviceNow(), context.output.times),
      command: invocation('deliveries list'),
      filters,
      empty: late ? noneLate(filters) : 'No deliveries found.',
    });
  },
});

function noneLate(filters: Readonly<Record<string, unknown>>): string {
  const isAlone = Object.values(filters).filter((value) => value !== undefined).length === 1;
  return `No ${isAlone ? '' : 'such '}delivery is more than ${lengthText(late_tolerance_ms)} past its ETA.`;
}
