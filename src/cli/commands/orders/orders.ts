/** The commands that list, show, await and cancel orders, and that list the attempts of auto dispatch. */
import { ifSupported } from '../../../client/errors.ts';
import type { LeftOut, Try } from '../../../contract/batches.ts';
import type { Cancellation } from '../../../contract/delivery-changes.ts';
import type { Order } from '../../../contract/orders.ts';
import {
  activeStatuses,
  deliveryStatusNames,
  expandStatusNames,
  orderStatuses,
} from '../../../contract/vocabulary.ts';
import {
  choiceFlag,
  choicesFlag,
  integerFlag,
  moneyFlag,
  moneyText,
  switchFlag,
  textFlag,
} from '../../kit/args/flags.ts';
import { alignedRows } from '../../kit/output/aligned-rows.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { foldedLines } from '../../kit/output/terminal-lines.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { type Column, type Formatters, isForPeople, recordResult, wide } from '../../kit/result/result.ts';
import { repeatsText } from '../../nouns/batch.ts';
import { agreeToTerms, canceledFee, canceledText, cancellationTerms } from '../../nouns/cancellation.ts';
import { findStoreId, storeFlag } from '../../nouns/find-by-name.ts';
import { findOrderId, orderWord } from '../../nouns/find-order.ts';
import { listFlagHints } from '../../nouns/list-flag-hints.ts';
import {
  costText,
  fetchCharges,
  getOrder,
  isPreorder,
  isUnsent,
  isWaiting,
  keepRepeated,
  orderColumns,
  sumOrderCost,
  zoneOfStore,
} from '../../nouns/order.ts';
import { pausedStores, pausedText, pausedWithWaiting } from '../../nouns/store-pause.ts';
import { type Context, defineCommand, isOwnService, positional } from '../../session/command.ts';
import { createdFlags } from '../../session/created-periods.ts';
import { dueFlags, listPeriods, refuseContradiction } from '../../session/list-periods.ts';
import { listing, pagingFlags, periodPaging } from '../../session/listing.ts';
import { withConditions } from '../../session/record-filter.ts';
import type { Sort } from '../../session/record-sort.ts';
import { explainNoneListed } from '../../session/search-explanation.ts';
import { statusTarget, targetFlags } from '../../waiting/status-targets.ts';
import { paceFlags, waitOptions } from '../../waiting/waiting-flags.ts';

/** Columns of orders: people read what became of one that was dispatched, the status of its latest delivery. */
const shownColumns: readonly Column<Order>[] = orderColumns.flatMap((column): Column<Order>[] =>
  column.field === 'status'
    ? [
        { ...column, field: 'status', only: 'people', value: shownOrderStatus },
        { ...column, only: 'programs' },
      ]
    : [column],
);

function shownOrderStatus({ status, delivery_status, delivery }: Order): string {
  return status === 'dispatched' ? (delivery_status ?? delivery?.status ?? status) : status;
}

/** Only lists show the cost and the number of deliveries of an order. */
const listColumns: readonly Column<Order>[] = [
  ...shownColumns,
  { field: 'total_cost', header: 'Charged', kind: 'money', unlessEmpty: true, spare: 3 },
  { field: 'delivery_status', header: 'Delivery status', kind: 'status', only: 'programs', wide: true },
  { field: 'delivery_count', header: 'Deliveries', kind: 'count', only: 'programs', wide: true },
  {
    field: 'delivery_count',
    header: 'Deliveries',
    kind: 'count',
    only: 'people',
    unlessEmpty: true,
    spare: 4,
    value: ({ delivery_count: count = 0 }) => (count > 1 ? count : null),
  },
];

const matchedColumn: Column<Order> = { field: 'matched', header: 'Matched', kind: 'text' };

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List orders, newest first',
  description: [
    'For people STATUS is that of the latest delivery, once there is one; JSON has it as delivery_status.',
    '--on, --since and --until are about the creation; --due is about the promise of its delivery, or else its own time,',
    '--delivered about the arrival, and --ended about the end of any kind.',
  ].join('\n'),
  flags: {
    status: choicesFlag({
      summary: 'Filter by statuses of orders or of their latest deliveries (comma-separated)',
      choices: [...new Set([...orderStatuses, 'active', ...deliveryStatusNames])],
      placeholder: 'STATUSES',
    }),
    externalOrderRef: textFlag({
      summary: 'Filter by your reference',
      aliases: ['ref'],
      placeholder: 'REF',
    }),
    search: textFlag({
      summary:
        'Search names, addresses, units, notes, items, references, IDs and the last digits of a phone (at least four)',
      aliases: ['q', 'customer', 'name', 'email', 'address'],
    }),
    store: storeFlag(),
    repeated: switchFlag({
      summary: 'Only what seems sent twice: the same reference, or recipient and address within 6 hours',
      aliases: ['twice', 'duplicates', 'duplicate', 'double', 'doubles'],
    }),
    tries: integerFlag({ summary: 'Only orders with at least this many deliveries', minimum: 1 }),
    minValue: moneyFlag({
      summary: 'Only orders of at least this value, such as 50',
      aliases: ['min-order-value', 'min-goods'],
    }),
    minTip: moneyFlag({ summary: 'Only orders with a tip of at least this' }),
    waiting: switchFlag({
      summary:
        'Only what waits for a driver, the longest first: not sent yet, between two tries, or sent and without one; a pre-order from an hour ahead of its time',
    }),
    scheduled: switchFlag({
      summary: 'Only pre-orders: orders with an agreed time',
      aliases: ['preorders', 'pre-orders'],
    }),
    batch: textFlag({ summary: 'Filter by batch', aliases: ['batch-id'], placeholder: 'BATCH' }),
    ...dueFlags,
    ...createdFlags,
    ...pagingFlags,
  },
  flagHints: {
    ...listFlagHints,
    '--active': phrase`Did you mean ${invocation('orders list', [], { status: 'active' })}?`,
    '--late': phrase`Did you mean ${invocation('deliveries list', [], { late: true })}?`,
  },
  examples: [
    {
      command: 'waybill orders list --waiting',
      summary: 'Which orders have no driver yet and are waiting longest for a courier?',
    },
    { command: 'waybill orders list --status open', summary: 'List orders that are not in a route' },
    {
      command: 'waybill orders list --batch BATCH --status unfulfilled',
      summary: 'List orders of a batch that no courier took',
    },
    { command: 'waybill orders list --min-value 50 --on today', summary: "Today's orders over $50" },
    { command: 'waybill orders list --repeated --on today', summary: 'Which may have been sent twice' },
    { command: 'waybill orders list --tries 2 --on today', summary: 'Which were tried more than once' },
    {
      command: "waybill orders list --filter 'tip > 5 and !dropoff_unit'",
      summary: 'Conditions on any columns',
    },
    { command: 'waybill orders list --due tomorrow', summary: 'Pre-orders for tomorrow' },
    { command: "waybill orders list --search 'muller wacker'", summary: 'Search by words' },
    {
      command: 'waybill orders list --on yesterday --all -o csv --no-raw',
      summary: 'A row for each order in dollars, with its store, tip and cost after refunds',
    },
  ],
  columns: [...listColumns, matchedColumn],
  effect: 'read',
  calls: ['orders.list', 'stores.list', 'stores.get', 'deliveries.list'],
  answers: ({ each }) => [each('orders.list')],
  related: ['orders get', 'orders create'],
  async run(context, { flags }) {
    const { status, externalOrderRef, search, batch } = flags;
    refuseContradiction(flags, status?.flatMap(deliveryStatusesOf) ?? [], `--status ${status?.join(',')}`);
    const client = await context.client();
    const store = flags.store && (await findStoreId(context, flags.store));
    const periods = await listPeriods(context, flags, { store });
    const wanted = filterStatuses(context, status);
    const filter = withConditions(flags.filter, columnConditions(flags), listColumns);
    const isOfSome =
      [filter, search, externalOrderRef, flags.delivered, flags.ended].some((each) => each !== undefined) ||
      flags.repeated ||
      flags.scheduled ||
      flags.waiting;
    const { scheduled, waiting } = flags;
    const keep = (order: Order) =>
      wanted.keep?.(order) !== false &&
      (!scheduled || isPreorder(order)) &&
      (!waiting || isWaiting(order, context.serviceNow()));
    const query = {
      status: wanted.status,
      external_order_ref: externalOrderRef,
      batch_id: batch,
      q: search,
      store_id: store,
      ...periods.query,
    };
    const asksUnsent =
      store !== undefined || flags.waiting || status?.some((name) => name === 'open' || name === 'routed');
    // A list may have only the newest of those that wait.
    const paused = asksUnsent && !context.output.json ? await pausedWithWaiting(context, store) : [];
    const listed = new Set<string | null>();
    return listing(context, {
      list: client.orders.list,
      onListed: (order) => (isUnsent(order) ? listed.add(order.pickup_store_id) : null),
      notes: () =>
        paused.flatMap((each) => (listed.has(each.id) ? [pausedText(each, each.waiting_orders)] : [])),
      query: { ...query, ...(isOwnService(context) ? { expand: 'deliveries' as const } : {}) },
      keep: scheduled || waiting ? keep : wanted.keep,
      keepOf: flags.repeated ? keepRepeated : undefined,
      statuses: status,
      command: invocation('orders list'),
      filters: {
        status: status?.join(','),
        externalOrderRef,
        batch,
        search,
        store,
        repeated: flags.repeated || undefined,
        scheduled: scheduled || undefined,
        waiting: waiting || undefined,
        ...periods.filters,
      },
      paging: { ...periodPaging(context, flags, flags), filter, sort: flags.sort ?? usualSort(flags) },
      ...(search === undefined
        ? { columns: listColumns }
        : {
            columns: [...listColumns, matchedColumn],
            explainEmpty: () => explainNoneListed(search, (q) => orderTexts(context, q)),
          }),
      empty: isOfSome
        ? 'No orders found.'
        : phrase`No orders found. What auto dispatch still tries is in \`${invocation('today')}\`.`,
      start: phrase`No orders yet. Create one: ${invocation('orders create')}`,
    });
  },
});

/** The default order: what waits for a driver, the longest first; not after a cursor. */
function usualSort({ waiting, cursor }: { waiting: boolean; cursor: string | undefined }): Sort | undefined {
  if (!waiting || cursor !== undefined) return undefined;
  return { name: 'created_at', typed: undefined, isOwn: false, direction: 'asc' };
}

/** The filters that are conditions on columns, as for `--filter`. */
function columnConditions({
  tries,
  minValue,
  minTip,
}: Record<'tries' | 'minValue' | 'minTip', number | undefined>) {
  return [
    tries !== undefined && `delivery_count >= ${tries}`,
    minValue !== undefined && `order_value >= ${moneyText(minValue)}`,
    minTip !== undefined && `tip >= ${moneyText(minTip)}`,
  ];
}

/**
 * The filter for `--status`. Statuses that only orders have are filtered by the service; any other name is compared with
 * the status of the order's latest delivery, which is what the list shows.
 */
function filterStatuses(context: Pick<Context, 'has'>, names: readonly string[] | undefined) {
  const own = orderStatuses.filter((status) => names?.includes(status));
  const isOfDelivery = names?.some((name) => !orderOnly.some((status) => status === name)) === true;
  if (!isOfDelivery || !isOwnService(context)) return { status: names && own };
  const statuses = expandStatusNames(names.flatMap((name) => (name === 'active' ? activeStatuses : name)));
  const keep = ({ status, delivery_status: latest }: Order) =>
    own.includes(status) || statuses.some((each) => each === latest);
  return { status: undefined, keep };
}

/** The statuses that the latest delivery of such an order may have: of one that is open again, it failed. */
function deliveryStatusesOf(name: string): readonly string[] {
  if (name === 'active') return activeStatuses;
  if (name === 'dispatched') return deliveryStatusNames;
  return orderOnly.some((status) => status === name) ? ['failed'] : [name];
}

/** The statuses that only orders have. */
const orderOnly: readonly Order['status'][] = ['open', 'routed', 'dispatched', 'unfulfilled'];

/** So many orders are searched for texts like a misspelled one. */
const max_texts = 50;

/** The texts of orders that a search finds: names, addresses, items and the reference. */
async function orderTexts(context: Context, q: string): Promise<string[]> {
  const client = await context.client();
  const { data } = await client.orders.list({ query: { q, limit: max_texts } });
  return data.data.flatMap((order) => [
    ...[order.pickup_name, order.pickup_address, order.dropoff_name, order.dropoff_address],
    ...[order.external_order_ref, ...(order.items ?? []).map(({ name }) => name)],
  ]);
}

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show an order',
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: {
    expand: choiceFlag({
      summary: 'Include its delivery in the JSON',
      choices: ['delivery'],
      placeholder: 'RECORD',
    }),
  },
  examples: [
    { command: 'waybill orders get ORDER', summary: 'Show an order' },
    { command: 'waybill orders get "#1042"', summary: 'Find it by your own reference' },
    { command: 'waybill orders get ORDER --expand delivery --json', summary: 'Include its latest delivery' },
  ],
  columns: shownColumns,
  effect: 'read',
  calls: ['orders.get', 'orders.list', 'deliveries.get', 'stores.get'],
  answers: ({ one }) => [one('orders.get')],
  related: ['orders wait', 'orders attempts', 'deliveries get', 'routes create', 'orders cancel'],
  async run(context, { flags, positionals }) {
    const client = await context.client();
    const params = { order_id: await findOrderId(context, positionals.order) };
    const isRead = isForPeople(context.output.format) && isOwnService(context);
    const expand = flags.expand ?? (isRead ? 'delivery' : undefined);
    const { data } = await client.orders.get({ params, query: { expand } });
    const paused =
      isUnsent(data) && data.pickup_store_id ? await pausedStores(context, data.pickup_store_id) : [];
    return recordResult(data, shownColumns, {
      notes: [...attemptsNotes(data), ...paused.map((each) => pausedText(each, 0))],
    });
  },
});

/** The attempts of an order in a batch show why it is not dispatched. */
function attemptsNotes({ id, batch_id, status }: Order): Text[] {
  if (batch_id === null || status === 'dispatched') return [];
  return [phrase`See its auto-dispatch attempts: ${invocation('orders attempts', [id])}`];
}

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until an order is dispatched or no longer can be',
  description: [
    'The exit code is 0 when the order reaches that status or a later one (open, routed, dispatched), 9 as soon as it',
    'is unfulfilled, failed or canceled or reaches a status of --fail-on, and 8 after a timeout. Auto-dispatch',
    'retries are waited for. To wait for the delivery of a dispatched order, pass its reference to deliveries wait.',
  ].join('\n'),
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: {
    ...targetFlags({ statuses: orderStatuses }, 'dispatched'),
    ...paceFlags('30m, or the time limit of its batch'),
  },
  examples: [
    { command: 'waybill orders wait ORDER', summary: 'Wait until it is dispatched' },
    {
      command: 'waybill orders wait ORDER --until routed --timeout 5m --json',
      summary: 'In a script, wait until it is in a route',
    },
  ],
  effect: 'read',
  calls: ['orders.get', 'orders.list', 'batches.get', 'deliveries.get'],
  exits: { 9: '--until can no longer be reached, or a status of --fail-on was reached' },
  errors: ['still_pending', 'order_STATUS'],
  answers: ({ one }) => [one('orders.get')],
  related: ['orders get', 'orders attempts', 'batches wait', 'deliveries wait'],
  async run(context, { flags, positionals: { order } }) {
    const { orderTimeout, orderWaitable } = await import('../../nouns/order-waiting.ts');
    const { waitForAnswer } = await import('../../waiting/service-waiting.ts');
    const first = await getOrder(context, await findOrderId(context, order));
    const timeout_ms = flags.timeout ?? (await orderTimeout(context, first));
    const options = waitOptions(context, ['orders wait', first.id], flags, timeout_ms);
    return waitForAnswer(context, orderWaitable(context, first, statusTarget(flags)), options);
  },
});

export const cancel = defineCommand({
  name: 'cancel',
  summary: 'Cancel an order and its delivery',
  description: [
    'If the order has a delivery, its cancellation fee is shown first and must be confirmed at a prompt or with',
    '--yes. If it is more than --max-fee, nothing is canceled and the exit code is 6. What was canceled already is',
    'not changed, and the exit code is 0.',
  ].join('\n'),
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: {
    maxFee: moneyFlag({ summary: 'Maximum cancellation fee in dollars, such as 5.00' }),
  },
  examples: [
    { command: 'waybill orders cancel ORDER', summary: 'Cancel an order' },
    { command: 'waybill orders cancel ORDER --yes --max-fee 5.00', summary: 'In a script' },
  ],
  effect: 'write',
  confirms: true,
  calls: ['orders.cancel', 'orders.get', 'orders.list', 'deliveries.get', 'charges.list'],
  answers: (of) => [
    of.one(
      of.withFields({ cancellation_fee: 'integer', given_back: 'integer' }, of.answerOf('orders.cancel')),
    ),
  ],
  errors: ['above_max_fee', 'fee_not_agreed'],
  related: ['orders get', 'deliveries cancel', 'batches cancel'],
  async run(context, { positionals, flags: { maxFee } }) {
    const client = await context.client();
    const params = { order_id: await findOrderId(context, positionals.order) };
    const { data: order } = await client.orders.get({ params });
    // With a key the service repeats its first response.
    const isRepeated = order.status === 'canceled' && context.globals.idempotencyKey === undefined;
    const terms = isRepeated ? null : await confirmCancellation(context, order, maxFee);
    const { data } = isRepeated
      ? { data: order }
      : await client.orders.cancel({ params, idempotencyKey: context.idempotencyKey() });
    const { text, ...money } = await canceledMoney(context, order, terms);
    const done = isRepeated ? `Order ${order.id} was canceled already.` : `Canceled order ${data.id}.`;
    const notes = context.output.json ? [] : [done, ...text];
    // Keep the prototype: it holds the default values of fields that another service leaves out.
    const canceled = Object.assign(Object.create(Object.getPrototypeOf(data)), data, money);
    return recordResult(canceled, canceledColumns, { notes });
  },
});

const canceledColumns: readonly Column<Order & { cancellation_fee: number; given_back: number }>[] = [
  ...orderColumns,
  { field: 'cancellation_fee', header: 'Cancellation fee', kind: 'money' },
  { field: 'given_back', header: 'You get back', kind: 'money' },
];

/**
 * The fee and refund of a canceled order, as quoted if they cannot be read. Of one that was canceled before they are those
 * of then. Never fails: the order is canceled.
 */
async function canceledMoney(context: Context, order: Order, terms: Cancellation | null) {
  const { fee, refund } = terms ?? { fee: 0, refund: 0 };
  const quoted = { cancellation_fee: fee, given_back: refund - fee, text: [] };
  const deliveryid = terms?.delivery_id ?? (order.status === 'canceled' ? order.delivery_id : null);
  if (deliveryid === null) return quoted;
  const client = await context.client();
  const call = client.deliveries.get({ params: { deliveryid } });
  const delivery = await call.then(({ data }) => data).catch(() => null);
  if (delivery === null || (terms === null && delivery.status !== 'customer_canceled')) return quoted;
  const cancellation_fee = await canceledFee(context, delivery, { fee });
  const text = [canceledText(delivery, cancellation_fee, terms ?? {})];
  return { cancellation_fee, given_back: delivery.refunded_amount - cancellation_fee, text };
}

/** Only an order with a delivery under way can cost a fee: gives its terms, or null. */
async function confirmCancellation(
  context: Context,
  order: Order,
  max_fee: number | undefined,
): Promise<Cancellation | null> {
  const { status, route_id, delivery_id } = order;
  const isUnderWay = status === 'dispatched' || (status === 'routed' && route_id === null);
  if (!isUnderWay || delivery_id === null) return null;
  const terms = await cancellationTerms(context, delivery_id);
  const command = invocation('orders cancel', [order.id]);
  await agreeToTerms(context, terms, {
    what: `${order.id} and its delivery ${delivery_id}`,
    max_fee,
    command,
  });
  return terms;
}

/** Columns of attempts for programs; people see each as a small page. */
const tryColumns: readonly Column<Try>[] = [
  { field: 'id', header: 'ID', kind: 'id' },
  { field: 'number', header: 'Try', kind: 'count' },
  { field: 'created_at', header: 'Began', kind: 'time' },
  { field: 'ended_at', header: 'Ended', kind: 'time' },
  { field: 'status', header: 'Status', kind: 'status' },
  { field: 'provider', header: 'Provider', kind: 'text' },
  { field: 'reason', header: 'Why', kind: 'text' },
  { field: 'left_out', header: 'Left out', kind: 'text', value: ({ left_out }) => left_out.map(leftOutText) },
  { field: 'repeats', header: 'Repeats', kind: 'count' },
  { field: 'last_at', header: 'Last', kind: 'time' },
  ...wide([
    { field: 'route_id', header: 'Route', kind: 'id' },
    { field: 'quote_id', header: 'Quote', kind: 'id' },
    { field: 'delivery_id', header: 'Delivery', kind: 'id' },
    { field: 'order_id', header: 'Order', kind: 'id' },
    { field: 'batch_id', header: 'Batch', kind: 'id' },
  ]),
];

export const attempts = defineCommand({
  name: 'attempts',
  aliases: ['tries'],
  summary: 'List auto-dispatch attempts of an order',
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: pagingFlags,
  examples: [
    { command: 'waybill orders attempts ORDER', summary: 'Show attempts, newest first' },
    { command: 'waybill orders attempts ORDER --json', summary: 'Print attempts as JSON' },
  ],
  columns: tryColumns,
  effect: 'read',
  calls: ['tries.list', 'orders.list', 'deliveries.get'],
  answers: ({ each }) => [each('tries.list')],
  related: ['orders get', 'deliveries explain', 'batches get'],
  async run(context, { flags, positionals: { order } }) {
    const client = await context.client();
    const order_id = await findOrderId(context, order);
    const isShown = isForPeople(context.output.format);
    const zone = isShown ? await zoneOfStore(client, { order_id }) : null;
    const charges = isShown ? await ifSupported(fetchCharges(context, { order_id }), []) : [];
    /** The attempts that left out the same couriers as the one above them, for the same reasons. */
    const repeating = new Set<string>();
    let above = '';
    return listing(context, {
      list: (input) => client.tries.list({ ...input, params: { order_id } }),
      onListed: ({ id, left_out }) => {
        const text = left_out.map(leftOutText).join();
        if (text !== '' && text === above) repeating.add(id);
        above = text;
      },
      query: {},
      paging: flags,
      columns: tryColumns,
      draw: (attempt, show) => tryText(attempt, show.inZone(zone), repeating.has(attempt.id)),
      command: invocation('orders attempts', [order_id]),
      filters: {},
      notes: () => (charges.length === 0 ? [] : [costText(sumOrderCost(charges))]),
      empty: `${order_id} has no attempts yet: only auto dispatch makes them, and batches get says when.`,
    });
  },
});

function leftOutText({ provider, reason }: LeftOut): string {
  return `${provider}: ${reason}`;
}

/**
 * Formats an attempt for people: its time, outcome and reason, and below it the excluded providers with the reasons.
 */
function tryText(attempt: Try, show: Formatters, isRepeating: boolean): string {
  const { number, created_at, status, provider, reason, left_out, delivery_id, route_id } = attempt;
  const made = provider === null ? '' : `  ${oneLine(provider)}`;
  const head = `${show.strong(`Try ${number}`)}  ${show.clock(created_at)}  ${show.status(status)}${made}`;
  const rows = left_out.map((each) => [
    { text: oneLine(each.provider), paint: show.dim },
    { text: oneLine(each.reason) },
  ]);
  return [
    head,
    ...foldedLines(oneLine(reason), show),
    ...foldedLines(oneLine(repeatsText(attempt, show)), show),
    `  ${show.dim(delivery_id ?? route_id)}`,
    ...(isRepeating
      ? [`    ${show.dim('left out as above')}`]
      : alignedRows(rows, { room: show.room, indent: 4 })),
  ].join('\n');
}
