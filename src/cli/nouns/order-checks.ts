import { ifSupported } from '../../client/errors.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import type { Order, OrderRequest } from '../../contract/orders.ts';
import type { FoundPlace } from '../../contract/places.ts';
import { isCanceled } from '../../domain/delivery-states.ts';
import { switchFlag } from '../kit/args/flags.ts';
import { readMoment } from '../kit/args/time-arguments.ts';
import { Declined, Failure } from '../kit/errors/failure.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { timePhrase, timesInNotes } from '../kit/output/times.ts';
import { type Invocation, invocation, type NextStep } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';
import { instantOf } from '../session/service-times.ts';
import { fetchOrder, storeZone } from './order.ts';

/** Checks before orders are sent or dispatched: references that recent orders have, and addresses that are not found. */

/** The flag that allows a second order with a reference of the last day. */
export const duplicateRefFlag = switchFlag({
  summary: 'Allow a reference that another order of the last 24 hours has',
});

/** More orders are an import, whose references are not looked up one by one. */
const max_checked_refs = 25;

interface CheckOptions {
  allowDuplicateRef: boolean;
  like?: string | undefined;
  /** A reference that was given beside --like. */
  externalOrderRef?: string | undefined;
  /** The name of `allowDuplicateRef` for the user; `--allow-duplicate-ref` without it. */
  flag?: string;
}

/**
 * Asks before another order with the same reference is created within a day; without a terminal it is exit 6. A copy
 * made with --like is a repeat on purpose, unless it is given a reference of its own: the earlier order is only named.
 * True if the user agreed to another one.
 */
export async function checkDuplicateRefs(
  context: Context,
  requests: readonly OrderRequest[],
  options: CheckOptions,
): Promise<boolean> {
  let isAgreed = false;
  for (const ref of refsToCheck(context, requests, options)) {
    const [earlier] = await fetchRecentRecords(context, ref);
    if (earlier === undefined) continue;
    if (isCopy(options))
      context.warn(`${duplicateText(context, earlier)} The copy is another order with this reference.`);
    else {
      await agreeToDuplicate(context, earlier, options);
      isAgreed = true;
    }
  }
  return isAgreed;
}

function isCopy({ like, externalOrderRef }: CheckOptions): boolean {
  return like !== undefined && externalOrderRef === undefined;
}

/** Names such orders before requests with an idempotency key, which may be the repeat of the run that created them. */
export async function noteDuplicateRefs(
  context: Context,
  requests: readonly OrderRequest[],
  options: CheckOptions,
): Promise<void> {
  for (const ref of refsToCheck(context, requests, options)) {
    const [earlier] = await fetchRecentRecords(context, ref);
    if (earlier !== undefined)
      context.warn(
        `${duplicateText(context, earlier)} Unless this repeats that run, it makes another order.`,
      );
  }
}

/**
 * Asks before orders are dispatched that were just created: another run may have created one at the same time, or their
 * idempotency key was taken before. Another order is one that was created before them: if this is a repeat, its own
 * orders are found again by the key.
 */
export async function checkCreatedRefs(
  context: Context,
  orders: readonly Order[],
  options: CheckOptions,
): Promise<void> {
  const refs = isCopy(options) ? [] : refsToCheck(context, orders, options);
  for (const order of orders.filter(({ external_order_ref: ref }) => refs.includes(ref))) {
    const recent = await fetchRecentRecords(context, order.external_order_ref);
    const isEarlier = (each: RecentRecord) =>
      !orders.some(({ id }) => id === each.id) && creationOf(each) < creationOf(order);
    const earlier = recent.find(isEarlier);
    // A repeat gets the order as it was created. If it is on a route by now, the earlier run was allowed to go on.
    if (earlier !== undefined && (await fetchOrder(context, order.id))?.status === 'open')
      await agreeToDuplicate(context, earlier, options, order.id);
  }
}

/** Sorts orders by their creation. */
function creationOf({ created_at, id }: Pick<Order, 'created_at' | 'id'>): string {
  return `${created_at} ${id}`;
}

function refsToCheck(
  { globals }: Pick<Context, 'globals'>,
  requests: readonly Pick<OrderRequest, 'external_order_ref'>[],
  { allowDuplicateRef }: CheckOptions,
): string[] {
  if (allowDuplicateRef || globals.dryRun) return [];
  const refs = [...new Set(requests.flatMap(({ external_order_ref: ref }) => ref || []))];
  return refs.length > max_checked_refs ? [] : refs;
}

/** An order of the last day, or a delivery where orders cannot be looked up. */
interface RecentRecord {
  id: string;
  created_at: string;
  external_order_ref: string;
  dropoff_name: string;
  /** `An order` or `A delivery`. */
  noun: string;
  /** `dispatched, dlv_1` */
  state: string;
  zone: string | null;
  look: Invocation;
}

/** The orders of the last day with this reference that were not canceled and did not fail, newest first. */
async function fetchRecentRecords(context: Context, external_order_ref: string): Promise<RecentRecord[]> {
  const client = await context.client();
  const created_after = await instantOf(context, readMoment('1d'), 'ago');
  const query = { external_order_ref, created_after, limit: 10 };
  const orders = await ifSupported(client.orders.list({ query }), null);
  if (orders !== null) return orders.data.data.filter(isActive).map(recentOrder);
  const deliveries = await client.deliveries.list({ query });
  return deliveries.data.data.filter(isUnderWayOrDone).map(recentDelivery);
}

function isActive({ status }: Order): boolean {
  return ['open', 'routed', 'dispatched'].includes(status);
}

function isUnderWayOrDone({ status }: Delivery): boolean {
  return status !== 'failed' && !isCanceled(status);
}

function recentOrder(order: Order): RecentRecord {
  const { id, created_at, external_order_ref, dropoff_name, status, delivery_id } = order;
  return {
    id,
    created_at,
    external_order_ref,
    dropoff_name,
    noun: 'An order',
    zone: storeZone(order),
    state: delivery_id === null ? status : `${status}, ${delivery_id}`,
    look: delivery_id === null ? invocation('orders get', [id]) : invocation('deliveries get', [delivery_id]),
  };
}

function recentDelivery(delivery: Delivery): RecentRecord {
  const { id, created_at, external_order_ref, dropoffs, status } = delivery;
  return {
    id,
    created_at,
    external_order_ref,
    dropoff_name: dropoffs[0]?.dropoff_name ?? '',
    noun: 'A delivery',
    state: status,
    zone: storeZone(delivery),
    look: invocation('deliveries get', [id]),
  };
}

/** A service may leave out the name and the time. */
function duplicateText(context: Context, recent: RecentRecord): string {
  const { id, state, noun, external_order_ref, dropoff_name, created_at, zone } = recent;
  const recipient = dropoff_name === '' ? '' : ` for ${oneLine(dropoff_name)}`;
  const what = `${noun} "${oneLine(external_order_ref)}"${recipient}`;
  if (Number.isNaN(Date.parse(created_at))) return `${what} exists: ${id} (${state}).`;
  const times = timesInNotes(context.output) ?? 'relative';
  const created = timePhrase(created_at, { now: context.serviceNow(), times, zone });
  return `${what} was created ${created}: ${id} (${state}).`;
}

/** `made` is the order that this run has created already. */
async function agreeToDuplicate(
  context: Context,
  recent: RecentRecord,
  { flag: name = '--allow-duplicate-ref' }: CheckOptions,
  made?: string,
): Promise<void> {
  const message = duplicateText(context, recent);
  if (context.interactive && !context.globals.yes) {
    const prompts = await context.prompts();
    const question = made === undefined ? 'Create another one?' : `Dispatch ${made} too?`;
    if (!(await prompts.confirm(`${message} ${question}`)))
      throw made === undefined
        ? new Declined()
        : new Declined(`Order ${made} is open; nothing was dispatched.`);
    return;
  }
  const undo: NextStep[] =
    made === undefined ? [] : [{ ...invocation('orders cancel', [made]), when: 'cancel the new one' }];
  throw new Failure(6, 'duplicate_ref', message, {
    hint:
      made === undefined
        ? `Pass ${name} to create another one. Nothing was created.`
        : `Order ${made} was created and is open; nothing was dispatched. Pass ${name} to dispatch it.`,
    next: [{ ...recent.look, when: 'see it' }, ...undo],
  });
}

/** Warnings about addresses that can be sent all the same. Each continues a sentence that begins with the address. */
const placeWarnings: Partial<Record<NonNullable<FoundPlace['problem']>, string>> = {
  not_found: 'is not found by the geocoder',
  other_state: 'is found in another state only',
  too_far: 'is found far from its ZIP code only',
};

interface CheckedPlaces {
  /** By the address as given. */
  warnings: ReadonlyMap<string, string>;
  /** How many addresses were not looked up. */
  unchecked: number;
}

/** The most addresses of a request. */
const max_addresses = 20;

/**
 * Has the service's geocoder look addresses up, for at most `limit_ms`. Null if the service has none, or cannot be
 * asked: such a check is not necessary.
 */
export async function checkPlaces(
  context: Context,
  addresses: readonly string[],
  limit_ms: number,
): Promise<CheckedPlaces | null> {
  try {
    const client = await context.client({ reads: true });
    const account = await ifSupported(client.account.get(), null);
    if (!account?.data.geocoder) return null;
    const found = new Map<string, string>();
    const until = context.now() + limit_ms;
    let left = [...new Set(addresses)];
    do {
      const asked = left.slice(0, max_addresses);
      const { data } = (await client.places.find({ body: { addresses: asked } })).data;
      const isOpen = ({ problem }: FoundPlace) => problem === 'not_asked';
      for (const { address, problem } of data) {
        const warning = problem === null ? undefined : placeWarnings[problem];
        if (warning !== undefined) found.set(address, warning);
      }
      const open = data.filter(isOpen).map(({ address }) => address);
      left = [...open, ...left.slice(max_addresses)];
      // A geocoder that does not answer at all is not asked about the rest.
      if (open.length === asked.length) break;
    } while (left.length > 0 && context.now() < until);
    return { warnings: found, unchecked: left.length };
  } catch {
    return null;
  }
}
