import { ApiError } from '../../../client/errors.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import { deliveryStatusNames, handoverFailures, reportableStatuses } from '../../../contract/vocabulary.ts';
import { isEnded } from '../../../domain/delivery-states.ts';
import { late_tolerance_ms } from '../../../domain/lateness.ts';
import { choice, choices, flag, text } from '../../kit/args/flags.ts';
import { moment } from '../../kit/args/time-arguments.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { isForPeople } from '../../kit/output/destination.ts';
import { streamFormats } from '../../kit/output/formats.ts';
import { lengthText } from '../../kit/output/times.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { checkProvider } from '../../nouns/courier.ts';
import { deliveryListColumns, deliverySummary } from '../../nouns/delivery.ts';
import {
  deliveriesWaitable,
  deliveryTargetFlags,
  endFlags,
  watchDeliveries,
  watchDelivery,
} from '../../nouns/delivery-waiting.ts';
import { driverWord, findDriverId } from '../../nouns/driver.ts';
import { canRetry, disputableUntil } from '../../nouns/explanation.ts';
import {
  deliveryTexts,
  deliveryWord,
  findDelivery,
  findDeliveryId,
  foundBy,
  phone,
  phoneInUse,
} from '../../nouns/find-delivery.ts';
import { findStoreId } from '../../nouns/named-record.ts';
import { fetchRoute } from '../../nouns/route.ts';
import { type Context, defineCommand, positional, word } from '../../session/command.ts';
import {
  createdFlags,
  createdQuery,
  explainNoMatch,
  listing,
  pagingFlags,
  pastInstantOf,
} from '../../session/listing.ts';
import { waitForAnswer } from '../../waiting/service-waiting.ts';
import { targetOf } from '../../waiting/status-records.ts';
import {
  checkWatchedList,
  followFlags,
  paceFlags,
  waitingOf,
  waitOptions,
  watchedLimit,
  watchFlags,
} from '../../waiting/waiting-flags.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List deliveries, newest first',
  description: [
    'A name that is both a status and a group, such as failed, means the group; active are all that are under way.',
    '--late and --stuck leave out deliveries that have ended or were never initiated. PRICE excludes the tip; deliveries',
    'explain shows the final amount. --watch prints a line for each change until every listed delivery ends. With --json',
    'each line is a delivery with a type: delivery.current first, then delivery.updated.',
  ].join('\n'),
  flags: {
    status: choices({
      summary: 'Filter by statuses or status groups (comma-separated)',
      choices: ['active', ...deliveryStatusNames],
      placeholder: 'STATUSES',
    }),
    active: flag({ summary: 'Only deliveries under way, the same as --status active', aliases: ['open'] }),
    late: flag({ summary: 'Only deliveries more than 5 min past the time that was promised at dispatch' }),
    stuck: moment({
      isPast: true,
      summary: 'Only active deliveries without a change for this long, such as 20m',
      aliases: ['unchanged-since'],
    }),
    externalOrderRef: text({ summary: 'Filter by your reference', aliases: ['ref'], placeholder: 'REF' }),
    service: text({ summary: 'Filter by provider', aliases: ['provider'], placeholder: 'PROVIDER' }),
    store: text({ summary: 'Filter by store: its name, or ID', placeholder: 'STORE', aliases: ['store-id'] }),
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
    {
      command: "waybill deliveries list --store 'Ohio Street Grill' --status active",
      summary: 'What a store has under way, with its pickup times',
    },
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
  calls: ['deliveries.listDetailed', 'deliveries.getDetailed', 'stores.list'],
  answers: ({ each }) => [each('deliveries.listDetailed')],
  errors: ['still_pending'],
  related: ['deliveries explain', 'deliveries get', 'deliveries watch'],
  async run(context, { flags }) {
    const { externalOrderRef, service, search, since, until } = flags;
    const named = flags.active ? [...(flags.status ?? []), 'active' as const] : flags.status;
    const status = named?.flatMap((name) => (name === 'active' ? [...activeStatuses] : [name]));
    checkWatchedList(context, flags);
    const store_id = flags.store && (await findStoreId(context, flags.store));
    await checkProvider(context, service);
    const client = await context.client();
    const number = flags.phone && (await phoneInUse(context, flags.phone));
    const created = await createdQuery(context, { since, until });
    const stuck = flags.stuck && (await pastInstantOf(context, flags.stuck, { flag: '--stuck' }));
    const late = flags.late || undefined;
    const query = {
      ...{ status, external_order_ref: externalOrderRef, service, phone: number, q: search, late },
      ...{ unchanged_since: stuck, store_id, ...created },
    };
    const filters = {
      ...{
        status: status?.join(','),
        late,
        stuck,
        externalOrderRef,
        service,
        store: store_id,
        phone: number && `+${number}`,
        search,
      },
      ...{ since: created.created_after, until: created.created_before },
    };
    if (flags.watch) {
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
        isStoreList: store_id !== undefined,
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

/** The statuses and groups of deliveries under way: dispatched, and not ended. */
const activeStatuses = ['delivery_created', 'scheduled', 'in_transit', 'enroute_to_return'] as const;

function noneLate(filters: Readonly<Record<string, unknown>>): string {
  const isAlone = Object.values(filters).filter((value) => value !== undefined).length === 1;
  return `No ${isAlone ? '' : 'matching '}delivery is more than ${lengthText(late_tolerance_ms)} past its promised time.`;
}

/** The default timeout. */
const default_timeout_ms = 1_800_000;

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until a delivery reaches a status or can no longer reach it',
  description: [
    'The exit code is 0 when the delivery reaches that status or a later one (couriers may skip some), 9 as soon as',
    'it can no longer do so or reaches a status of --fail-on, and 8 after a timeout. --until and --fail-on take',
    'comma-separated statuses and groups. A name that is both, such as failed, means the group: failed,',
    'enroute_to_return, returned. delivery_created and scheduled are equivalent. An unreachable service is retried',
    'until the timeout, then the exit code is 7.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: { ...deliveryTargetFlags, ...paceFlags('30m') },
  examples: [
    { command: 'waybill deliveries wait DELIVERY', summary: 'Wait until delivered' },
    {
      command:
        'waybill deliveries wait DELIVERY --until delivered --fail-on canceled,failed,returned --timeout 30m',
      summary: 'The same with every option',
    },
    {
      command: 'waybill deliveries wait DELIVERY --until pickup_complete && echo "on its way"',
      summary: 'In a script',
    },
  ],
  effect: 'read',
  answers: ({ one }) => [one('deliveries.getDetailed')],
  exits: { 9: '--until can no longer be reached, or a status of --fail-on was reached' },
  errors: ['still_pending', 'delivery_STATUS'],
  related: ['deliveries watch', 'deliveries explain', 'sandbox advance'],
  async run(context, { flags, positionals }) {
    const delivery = await findDelivery(context, positionals.delivery);
    const options = waitOptions(context, ['deliveries wait', delivery.id], flags, default_timeout_ms);
    const waitable = {
      ...deliveriesWaitable(context, [delivery], targetOf(flags)),
      answer: ([last = delivery]: readonly Delivery[]) => record(last, deliverySummary()),
    };
    return waitForAnswer(context, waitable, options);
  },
});

export const watch = defineCommand({
  name: 'watch',
  aliases: ['follow', 'tail'],
  summary: 'Follow a delivery until it ends',
  description: [
    'Prints a line for each change. The exit code is 0 once the delivery is delivered, or reaches a status of --until',
    'or a later one, and 9 if it ends otherwise or reaches a status of --fail-on. With --json each line is the',
    'delivery with a type: delivery.current first, then delivery.updated.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: { ...endFlags, ...followFlags() },
  examples: [
    { command: 'waybill deliveries watch DELIVERY', summary: 'Follow until it ends' },
    {
      command: 'waybill deliveries watch DELIVERY --until pickup_complete',
      summary: 'Follow until pickup',
    },
    { command: 'waybill deliveries watch DELIVERY --changes-only --json', summary: 'Stream changes as JSON' },
  ],
  effect: 'read',
  formats: streamFormats,
  calls: ['deliveries.getDetailed'],
  answers: ({ lines, withFields, answerOf }) => [
    lines(
      withFields({ type: '"delivery.current" | "delivery.updated"' }, answerOf('deliveries.getDetailed')),
    ),
  ],
  exits: { 9: 'ended without being delivered' },
  errors: ['still_pending', 'delivery_STATUS'],
  related: ['deliveries wait', 'deliveries explain', 'events tail'],
  async run(context, { flags, positionals }) {
    const delivery = await findDelivery(context, positionals.delivery);
    return watchDelivery(context, delivery, flags, ['deliveries watch', {}]);
  },
});

export const unlock = defineCommand({
  name: 'unlock',
  summary: 'Let a driver try PINs again after five wrong ones',
  description: [
    'Five wrong PINs lock the handover of a delivery of your own fleet: the driver cannot report it as delivered, even',
    `with the right PIN. The PIN stays the same after the lock is lifted. ${foundBy}`,
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  examples: [{ command: 'waybill deliveries unlock DELIVERY', summary: 'Lift the lock' }],
  effect: 'write',
  calls: ['deliveries.unlock', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('deliveries.unlock')],
  related: ['today', 'deliveries explain'],
  async run(context, { positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery, { changes: true });
    const client = await context.client();
    const { data } = await client.deliveries.unlock({
      params: { deliveryid },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, deliverySummary(), { notes: [`Unlocked ${data.id}: the driver may try again.`] });
  },
});

export const assign = defineCommand({
  name: 'assign',
  aliases: ['reassign'],
  summary: 'Give a delivery of your own fleet to one of your drivers',
  description: [
    'The driver gets it without being asked, with the rest of its route, in place of the driver who had it. After the',
    `pickup its status, PIN and charges stay the same: one driver hands the parcel over to the other. ${foundBy}`,
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    driver: text({
      summary: driverWord,
      placeholder: 'DRIVER',
      aliases: ['driver-id'],
      required: true,
      question: 'Which driver?',
    }),
  },
  examples: [
    { command: 'waybill deliveries assign DELIVERY --driver DRIVER', summary: 'Assign to a driver' },
  ],
  effect: 'write',
  calls: ['drivers.assign', 'drivers.list', 'deliveries.listDetailed', 'deliveries.get', 'routes.get'],
  answers: ({ one }) => [one('drivers.assign')],
  related: ['drivers list', 'deliveries report', 'deliveries explain'],
  async run(context, { flags, positionals }) {
    const delivery_id = await findDeliveryId(context, positionals.delivery, { changes: true });
    const driver_id = await findDriverId(context, flags.driver);
    const client = await context.client();
    const body = { delivery_id };
    const { data } = await client.drivers
      .assign({ params: { driver_id }, body, idempotencyKey: context.idempotencyKey() })
      .catch(async (error: unknown) => {
        if (!(error instanceof ApiError) || error.code !== 'delivery_not_assignable') throw error;
        throw await waysToDriver(context, error, { delivery_id, driver: flags.driver });
      });
    const route = data.route_id === null ? null : await fetchRoute(context, data.route_id);
    const count = route?.order_ids.length ?? 1;
    const what = count > 1 ? `all ${count} deliveries of route ${data.route_id}` : data.id;
    const note =
      data.status === 'scheduled'
        ? `Scheduled: ${flags.driver} gets ${what} 45 minutes before the agreed time.`
        : `Assigned ${what} to ${data.courier_name}.`;
    return record(data, deliverySummary(), { notes: [note] });
  },
});

/** The error with the commands that still give the delivery to the driver, if a courier company has or had it. */
async function waysToDriver(
  context: Context,
  error: ApiError,
  { delivery_id, driver }: { delivery_id: string; driver: string },
): Promise<unknown> {
  const client = await context.client();
  const { data } = await client.deliveries.get({ params: { deliveryid: delivery_id } });
  const cancel = {
    ...invocation('deliveries cancel', [delivery_id]),
    when: 'cancel it at its courier, and then',
  };
  const retry = {
    ...invocation('deliveries retry', [delivery_id], { driver }),
    when: 'give it to the driver',
  };
  if (!isEnded(data.status)) return new Failure(6, error.code, error.message, { next: [cancel, retry] });
  return canRetry(data) ? new Failure(6, error.code, error.message, { next: [retry] }) : error;
}

export const report = defineCommand({
  name: 'report',
  summary: 'Report a status for one of your drivers, such as one whose phone is dead',
  description: [
    'As if the driver had tapped it, without a PIN or a proof. What could not be handed over is enroute_to_return, then',
    'returned; what could not be picked up, or is lost, is failed. Statuses that must have been passed are reported with',
    `it. The note is kept as an internal note, and the audit log has the report. ${foundBy}`,
  ].join('\n'),
  positionals: {
    delivery: positional('delivery', { summary: deliveryWord }),
    status: word({ choices: reportableStatuses, summary: 'What happened' }),
  },
  flags: {
    note: text({
      summary: 'How you know',
      placeholder: 'TEXT',
      required: true,
      question: 'How do you know?',
    }),
    failureReason: choice({
      choices: handoverFailures,
      summary: 'With enroute_to_return: why it could not be handed over',
      placeholder: 'REASON',
    }),
  },
  examples: [
    {
      command: "waybill deliveries report DELIVERY delivered --note 'Sam called from the door'",
      summary: 'Report a handover',
    },
    {
      command:
        "waybill deliveries report DELIVERY enroute_to_return --failure-reason recipient_unreachable --note 'Rang twice'",
      summary: 'Report that it comes back',
    },
  ],
  effect: 'write',
  calls: ['deliveries.report', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('deliveries.report')],
  related: ['deliveries assign', 'today', 'deliveries explain'],
  async run(context, { flags: { note, failureReason }, positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery, { changes: true });
    const client = await context.client();
    const { data } = await client.deliveries.report({
      params: { deliveryid },
      body: {
        ...{ status: positionals.status, note },
        ...(failureReason === undefined ? {} : { failure_reason: failureReason }),
      },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, deliverySummary(), { notes: [`Reported ${data.id} as ${data.status}.`] });
  },
});

export const dispute = defineCommand({
  name: 'dispute',
  aliases: ['complain', 'contest'],
  summary: 'Dispute a completed delivery (within 30 days)',
  description: foundBy,
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    reason: text({ summary: 'What went wrong', required: () => true, isAskedLater: true }),
  },
  examples: [
    {
      command: "waybill deliveries dispute DELIVERY --reason 'It never came'",
      summary: 'Dispute a delivery that never arrived',
    },
  ],
  effect: 'write',
  calls: ['deliveries.dispute', 'deliveries.getDetailed', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('deliveries.dispute')],
  related: ['disputes resolve', 'deliveries explain', 'charges list'],
  async run(context, { flags: { reason }, positionals }) {
    const deliveryid = await disputableId(context, positionals.delivery);
    const client = await context.client();
    const { data } = await client.deliveries.dispute({
      params: { deliveryid },
      body: { reason: reason ?? (await askReason(context)) },
      idempotencyKey: context.idempotencyKey(),
    });
    const next = invocation('disputes resolve', [data.id], { outcome: 'OUTCOME' });
    return record(data, deliverySummary(), { notes: [`Disputed ${data.id}.`, phrase`Next: ${next}`] });
  },
});

/**
 * Checks that the delivery can be disputed before the user is asked anything. A repeated request is left to the
 * service, which repeats its response.
 */
async function disputableId(context: Context, text: string): Promise<string> {
  if (context.globals.dryRun || context.globals.idempotencyKey !== undefined)
    return findDeliveryId(context, text, { changes: true });
  const delivery = await findDelivery(context, text, { changes: true });
  const { id, status } = delivery;
  const until = disputableUntil(delivery);
  if (status === 'delivered' && (until === null || until > context.serviceNow())) return id;
  const why =
    status === 'delivered'
      ? 'was delivered more than 30 days ago'
      : `is ${status}: only a completed delivery can be disputed`;
  throw new Failure(6, 'delivery_not_disputable', `Delivery ${id} ${why}.`, {
    next: [{ ...invocation('deliveries explain', [id]), when: 'see where it stands' }],
  });
}

async function askReason(context: Context): Promise<string> {
  const prompts = await context.prompts();
  const check = (text: string) => (text.trim() === '' ? 'Describe what went wrong.' : null);
  return prompts.text('What went wrong?', { check });
}
