/** `orders list`: the filters of orders, which of them the service has, and what is said about paused stores. */
import type { Order } from '../../../contract/orders.ts';
import {
  activeStatuses,
  deliveryStatusNames,
  expandStatusNames,
  orderStatuses,
} from '../../../contract/vocabulary.ts';
import {
  choicesFlag,
  integerFlag,
  moneyFlag,
  moneyText,
  switchFlag,
  textFlag,
} from '../../kit/args/flags.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { findGivenBatch } from '../../nouns/batch.ts';
import { findStoreId, storeFlag } from '../../nouns/find-by-name.ts';
import { listFlagHints } from '../../nouns/list-flag-hints.ts';
import { isPreorder, isUnsent, isWaiting, keepRepeated } from '../../nouns/order.ts';
import { pausedText, pausedWithWaiting } from '../../nouns/store-pause.ts';
import { type Context, defineCommand, type FlagValues, isOwnService } from '../../session/command.ts';
import { createdFlags } from '../../session/created-periods.ts';
import { dueFlags, listPeriods, refuseContradiction } from '../../session/list-periods.ts';
import { listing, pagingFlags, periodPaging } from '../../session/listing.ts';
import { type Filter, withConditions } from '../../session/record-filter.ts';
import type { Sort } from '../../session/record-sort.ts';
import { explainNoneListed } from '../../session/search-explanation.ts';
import { listColumns, matchedColumn } from './order-list-columns.ts';

const listFlags = {
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
};

type Filters = FlagValues<typeof listFlags>;

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List orders, newest first',
  description: [
    'For people STATUS is that of the latest delivery, once there is one; JSON has it as delivery_status.',
    '--on, --since and --until are about the creation; --due is about the promise of its delivery, or else its own time,',
    '--delivered about the arrival, and --ended about the end of any kind.',
  ].join('\n'),
  flags: listFlags,
  flagHints: {
    ...listFlagHints,
    '--active': phrase`Did you mean ${invocation('orders list', [], { status: 'active' })}?`,
    '--late': phrase`Did you mean ${invocation('deliveries list', [], { late: true })}?`,
    '--driver': phrase`Did you mean ${invocation('deliveries list', [], { driver: 'VALUE' })}?`,
    '--provider': phrase`Did you mean ${invocation('deliveries list', [], { provider: 'VALUE' })}?`,
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
  calls: ['orders.list', 'stores.list', 'stores.get', 'deliveries.list', 'batches.get', 'batches.list'],
  answers: ({ each }) => [each('orders.list')],
  related: ['orders get', 'orders create'],
  async run(context, { flags }) {
    const { status, search } = flags;
    const { store, query, keep, typed } = await readFilters(context, flags);
    const filter = withConditions(flags.filter, columnConditions(flags), listColumns);
    const client = await context.client();
    return listing(context, {
      list: client.orders.list,
      query: { ...query, ...(isOwnService(context) ? { expand: 'deliveries' as const } : {}) },
      keep,
      keepOf: flags.repeated ? keepRepeated : undefined,
      ...(await orderNotes(context, flags, store)),
      statuses: status,
      command: invocation('orders list'),
      filters: typed,
      paging: { ...periodPaging(context, flags, flags), filter, sort: flags.sort ?? usualSort(flags) },
      ...(search === undefined
        ? { columns: listColumns }
        : {
            columns: [...listColumns, matchedColumn],
            explainEmpty: () => explainNoneListed(search, (q) => orderTexts(context, q)),
          }),
      empty: selectsOrders(flags, filter)
        ? 'No orders found.'
        : phrase`No orders found. What auto dispatch still tries is in \`${invocation('today')}\`.`,
      start: phrase`No orders yet. Create one: ${invocation('orders create')}`,
    });
  },
});

/** Reads the filters: what the service is asked for, what is kept of its answer, and how they were typed. */
async function readFilters(context: Context, flags: Filters) {
  const { status, externalOrderRef, search, repeated, scheduled, waiting } = flags;
  refuseContradiction(flags, status?.flatMap(deliveryStatusesOf) ?? [], `--status ${status?.join(',')}`);
  await context.client();
  const store = flags.store && (await findStoreId(context, flags.store));
  const batch = flags.batch && (await findGivenBatch(context, flags.batch)).batch_id;
  const periods = await listPeriods(context, flags, { store });
  const wanted = filterStatuses(context, status);
  return {
    store,
    query: {
      status: wanted.status,
      external_order_ref: externalOrderRef,
      batch_id: batch,
      q: search,
      store_id: store,
      ...periods.query,
    },
    keep: keptBy(context, flags, wanted.keep),
    typed: {
      status: status?.join(','),
      externalOrderRef,
      batch,
      search,
      store,
      repeated: repeated || undefined,
      scheduled: scheduled || undefined,
      waiting: waiting || undefined,
      ...periods.filters,
    },
  };
}

/** Whether an order meets each filter that the service does not have; undefined if none is set. */
function keptBy(
  context: Context,
  { scheduled, waiting }: Filters,
  hasStatus: ((order: Order) => boolean) | undefined,
) {
  if (!scheduled && !waiting) return hasStatus;
  return (order: Order) =>
    hasStatus?.(order) !== false &&
    (!scheduled || isPreorder(order)) &&
    (!waiting || isWaiting(order, context.serviceNow()));
}

/** Whether the list is of some orders only, and not of all in a period or of a store. */
function selectsOrders(flags: Filters, filter: Filter | undefined): boolean {
  const { search, externalOrderRef, delivered, ended, repeated, scheduled, waiting } = flags;
  const typed = [filter, search, externalOrderRef, delivered, ended];
  return typed.some((each) => each !== undefined) || repeated || scheduled || waiting;
}

const repeated_why =
  'Repeated is the same reference, or the same recipient, phone and address within 6 hours. Stores and items may differ.';

/** Says below a list why orders count as repeated, and of what is not sent yet which stores of it are paused. */
async function orderNotes(
  context: Context,
  { waiting, status, repeated, search }: Filters,
  store: string | undefined,
): Promise<{ onListed(order: Order): void; notes(): Text[] }> {
  const asksUnsent =
    store !== undefined || waiting || status?.some((name) => name === 'open' || name === 'routed');
  // A list may have only the newest of those that wait.
  const paused = asksUnsent && !context.output.json ? await pausedWithWaiting(context, store) : [];
  const listed = new Set<string | null>();
  const matched: string[] = [];
  return {
    onListed: (order) => {
      matched.push(order.matched ?? '');
      if (isUnsent(order)) listed.add(order.pickup_store_id);
    },
    notes: () => [
      ...(repeated && matched.length > 0 ? [repeated_why] : []),
      ...(search === undefined ? [] : matchNotes(search, matched)),
      ...paused.flatMap((each) => (listed.has(each.id) ? [pausedText(each, each.waiting_orders)] : [])),
    ],
  };
}

/** A note if every match is by the name of the driver: then nobody of that name is a recipient. */
function matchNotes(search: string, matched: readonly string[]): Text[] {
  const isOfDrivers = matched.length > 0 && matched.every((fields) => fields === 'driver');
  return isOfDrivers
    ? [`No recipient is called ${oneLine(search)}: these match by the name of their driver.`]
    : [];
}

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

/** The maximum number of orders whose texts are compared with a misspelled search. */
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
