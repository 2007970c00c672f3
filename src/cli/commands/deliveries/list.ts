/** The list of deliveries: its filters and sorts, and why it is empty. */
import type { AnyDelivery } from '../../../contract/deliveries.ts';
import { expandStatusNames } from '../../../contract/vocabulary.ts';
import { isPickedUp } from '../../../domain/delivery-states.ts';
import { sameForAll } from '../../../domain/fields.ts';
import { canBeLate, findArrival, promiseIn } from '../../../domain/lateness.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { isForPeople } from '../../kit/result/result.ts';
import { deliveryListColumns } from '../../nouns/delivery.ts';
import { watchDeliveries } from '../../nouns/delivery-waiting.ts';
import { deliveryTexts, similarDrivers } from '../../nouns/find-delivery.ts';
import { listFlagHints } from '../../nouns/list-flag-hints.ts';
import { type Context, defineCommand, isOwnService } from '../../session/command.ts';
import { statusesMeant } from '../../session/filter-conditions.ts';
import { bindFilter } from '../../session/list-view.ts';
import { listing, pagingFlags, periodPaging } from '../../session/listing.ts';
import type { Filter } from '../../session/record-filter.ts';
import { type Sort, sortFlag } from '../../session/record-sort.ts';
import { explainNoneListed } from '../../session/search-explanation.ts';
import { checkWatchedList, toWaiting, watchedLimit, watchFlags } from '../../waiting/waiting-flags.ts';
import { listExamples } from './list-examples.ts';
import { filterFlags, readFilters } from './list-filters.ts';
import { badEnds, listedLate, listedLateOfPeriod, listedTries, periodOfPromise } from './tries-notes.ts';

type Query = Awaited<ReturnType<typeof readFilters>>['query'];

/** The sorts of `--sort` that are not those of a column. */
const deliverySorts = {
  due: bySoonest(promiseIn),
  eta: bySoonest((delivery) => findArrival(delivery) ?? delivery.dropoffs[0]?.dropoff_eta),
  /** The most first; what cannot be late last, all alike: the difference of two infinities is NaN. */
  late: (left: AnyDelivery, right: AnyDelivery) => lateBy(right) - lateBy(left) || 0,
  /** Deliveries that are picked up come last. */
  pickup: bySoonest(({ status, pickup_eta }) => (isPickedUp(status) ? null : pickup_eta)),
};

/** Other names that people type for these sorts. */
const sortAliases = {
  due: 'promised promised_at deadline',
  eta: 'arrival arriving dropoff_eta soonest',
  late: 'lateness delay delayed',
  pickup: 'pickup_eta pickup_due pickup_at',
};

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List deliveries, newest first',
  description: [
    'A name that is both a status and a group, such as failed, means the group; active are all that are under way, and',
    'not_picked_up ("not picked up", "waiting for pickup") those of them before the pickup, also with a driver coming.',
    'A period is that of the creation; in a list of late ones it is that of the promise: --late --on yesterday lists what',
    'was promised for yesterday and came late, as report yesterday counts it. --due, --delivered and --ended are about the promise,',
    'the arrival and the end of any kind. --stuck, and --late without a period, leave out deliveries that have ended.',
    'CHARGED is what was charged, less refunds (total_cost); agreed_price_cents (payment_amount) is the price of the quote.',
    'The tries of an order are deliveries of their own: --search with its ID lists them. --watch prints a line for each',
    'change until every listed delivery ends; with --json each line has a type, delivery.current first. What a day or a',
    'later refund changes in costs: waybill help support-desk.',
  ].join('\n'),
  flags: {
    ...filterFlags,
    ...watchFlags('every delivery ends'),
    ...pagingFlags,
    sort: sortFlag({
      own: sortAliases,
      summary:
        'Sort by any column, the most and the latest first, texts from A (COLUMN:asc, :desc), or by due, eta or pickup, soonest first, late, price, wait (minutes without a driver, so far or until one came) or tip, most first (default: late with --late, due with --due)',
    }),
  },
  flagHints: {
    ...listFlagHints,
    '--min-value': phrase`Did you mean ${invocation('orders list', [], { minValue: 'VALUE' })}?`,
    ...sameForAll(
      ['--repeated', '--twice', '--duplicates'],
      phrase`Did you mean ${invocation('orders list', [], { repeated: true, on: 'today' })}?`,
    ),
    '--tries': phrase`Did you mean ${invocation('orders list', [], { tries: '2' })}?`,
    '--took-over': phrase`Did you mean ${invocation('deliveries list', [], { filter: 'minutes > VALUE' })}?`,
  },
  examples: listExamples,
  columns: deliveryListColumns(noTime, null, { isSearched: true }),
  effect: 'read',
  calls: ['deliveries.listDetailed', 'deliveries.getDetailed', 'stores.list', 'stores.get'],
  answers: ({ each }) => [each('deliveries.listDetailed')],
  errors: ['still_pending'],
  related: ['deliveries explain', 'deliveries get', 'deliveries watch'],
  async run(context, { flags }) {
    checkWatchedList(context, flags);
    const { query, local, typed, phone, isPast } = await readFilters(context, flags);
    const { keep, filter, compared } = local;
    if (flags.watch) {
      const bound = await bindFilter(context, filter, compared, { store: query.store_id });
      const isKeptHere = keep !== undefined || bound !== undefined;
      const kept = (each: AnyDelivery) => keep?.(each) !== false && bound?.keep(each) !== false;
      const limited = { ...query, limit: watchedLimit(flags.limit) };
      const filters = { ...typed, filter: filter?.typed };
      return watchDeliveries(
        context,
        { query: limited, filters, keep: isKeptHere ? kept : undefined },
        toWaiting(flags),
      );
    }
    const client = await context.client();
    const sort = flags.sort ?? usualSort(context, flags);
    return listing(context, {
      list: client.deliveries.listDetailed,
      statuses: query.status,
      ...listedTries({ search: flags.search, isSorted: sort !== undefined }),
      ...(query.late ? listedLate(() => context.serviceNow()) : {}),
      ...(query.was_late && !context.output.json ? listedLateOfPeriod() : {}),
      keep,
      compared,
      orders: deliverySorts,
      query,
      paging: { ...periodPaging(context, flags, flags), filter, sort },
      columns: listColumns(context, flags),
      command: invocation('deliveries list'),
      filters: typed,
      explainEmpty: () => explainNone(context, query),
      empty: flags.late
        ? noneLate({ ...typed, filter: filter?.typed }, isPast)
        : noneFound(query, phone, flags.scheduled),
      start: phrase`No deliveries yet. Send the first: ${invocation('ship')}`,
    });
  },
});

/** For the heads of columns: cells alone depend on the time. */
function noTime(): never {
  throw new Error('a column without a list has no cells');
}

/** The default order: the latest first with `--late`, the soonest due first with `--due`; not after a cursor. */
function usualSort(
  context: Pick<Context, 'has'>,
  { late, due, cursor }: { late: boolean; due: unknown; cursor: string | undefined },
): Sort | undefined {
  if (cursor !== undefined || !isOwnService(context)) return undefined;
  const name = late ? 'late' : 'due';
  return late || due !== undefined ? { name, typed: undefined, isOwn: true, direction: null } : undefined;
}

/** Why a list is empty: the order has no delivery yet, or a word is misspelled. */
async function explainNone(
  context: Context,
  { q, driver_name, external_order_ref, status }: Query,
): Promise<string | null> {
  if (status?.join() === 'arrived_at_pickup') return arrivalsText(context);
  if (q !== undefined) return explainNoneListed(q, (search) => deliveryTexts(context, search));
  if (driver_name !== undefined)
    return explainNoneListed(driver_name, (name) => similarDrivers(context, name));
  if (external_order_ref === undefined) return null;
  const client = await context.client();
  const { data } = await client.deliveries.listDetailed({ query: { external_order_ref, limit: 1 } });
  if (data.data.length > 0) return null;
  const { orderWithoutDelivery } = await import('../../nouns/undelivered-order.ts');
  return (await orderWithoutDelivery(context, external_order_ref))?.message ?? null;
}

/** How many of the latest deliveries are searched for a reported arrival at the store. */
const max_reports = 100;

/** A note if no courier has reported an arrival at a store lately: a driver may wait there unreported. */
async function arrivalsText(context: Context): Promise<string | null> {
  const client = await context.client();
  const { data } = await client.deliveries.listDetailed({ query: { limit: max_reports } });
  const isReported = data.data.some((each) =>
    each.status_history.some(({ status }) => status === 'arrived_at_pickup'),
  );
  return isReported
    ? null
    : 'No courier of the latest deliveries reported its arrival at a store: who waits there is not known. Who is coming: --status not_picked_up.';
}

function noneFound(
  { external_order_ref: ref, status }: Query,
  phone: string | undefined,
  isOfPreorders: boolean,
): Text {
  if (isOfPreorders)
    return phrase`No pre-orders found. Not sent yet: ${invocation('orders list', [], { scheduled: true })}`;
  const isList = ref?.includes(',') === true;
  if (status?.join() === 'initial') {
    const before = invocation('deliveries list', [], { status: 'not_picked_up' });
    return phrase`No deliveries found: initial are those without a driver yet. With the drivers on the way to the pickup: ${before}`;
  }
  if (phone !== undefined)
    return phrase`No deliveries found: --phone is that of pickup and dropoff. A driver's: ${invocation('deliveries list', [], { search: phone })}`;
  return `No deliveries found.${isList ? ` --ref takes one reference, and is the whole of "${ref}".` : ''}`;
}

function listColumns(
  { output, serviceNow }: Pick<Context, 'output' | 'serviceNow'>,
  {
    search,
    store,
    filter,
    status = statusesOf(filter),
  }: Record<'search' | 'store', string | undefined> & {
    status: string[] | undefined;
    filter: Filter | undefined;
  },
) {
  const ended = expandStatusNames(status.flatMap(statusesMeant));
  return deliveryListColumns(() => serviceNow(), output.times, {
    isSearched: search !== undefined,
    isStoreList: store !== undefined,
    isOfBadEnds: ended.length > 0 && ended.every((each) => badEnds.includes(each)),
    isFile: !isForPeople(output.format),
  });
}

/** The statuses that a filter wants. */
function statusesOf(filter: Filter | undefined): string[] {
  const conditions = filter?.parts.flat(2) ?? [];
  return conditions.flatMap(({ names, equal }) =>
    names.includes('status') ? (equal?.split(',') ?? []) : [],
  );
}

function noneLate(filters: Readonly<Record<string, unknown>>, isPast: boolean): string {
  if (isPast) return `None of these deliveries is or was late. ${periodOfPromise}`;
  const isAlone = Object.values(filters).filter((value) => value !== undefined).length === 1;
  return isAlone
    ? 'Nothing is late.'
    : 'None of these deliveries is late, or will be. Add a period for what came late: --on today.';
}

/** The soonest first: deliveries under way, then those that arrived, then others such as canceled ones. */
function bySoonest(timeOf: (delivery: AnyDelivery) => string | null | undefined) {
  const placeOf = (delivery: AnyDelivery): [group: number, at: number] => {
    const group = canBeLate(delivery.status) ? 0 : findArrival(delivery) === null ? 2 : 1;
    return [group, Date.parse(timeOf(delivery) ?? '') || Number.MAX_SAFE_INTEGER];
  };
  return (left: AnyDelivery, right: AnyDelivery) => {
    const [[group, at], [otherGroup, otherAt]] = [placeOf(left), placeOf(right)];
    return group - otherGroup || at - otherAt;
  };
}

function lateBy({ details }: AnyDelivery): number {
  return details?.late_seconds ?? Number.NEGATIVE_INFINITY;
}
