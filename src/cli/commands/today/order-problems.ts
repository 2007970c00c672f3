import type { Client } from '../../../client/client.ts';
import { pages } from '../../../client/pages.ts';
import type { Order, WaitingOrder } from '../../../contract/orders.ts';
import { lengthText } from '../../kit/output/times.ts';
import { invocation } from '../../kit/result/message.ts';
import { storeZone } from '../../nouns/order.ts';
import { type Found, firstRecords, type Problem, type Times } from './problem.ts';

/** Lists orders that auto dispatch gave up, and orders that are not dispatched in time. */
export async function orderProblems(client: Client, times: Times, serviceNow: () => number): Promise<Found> {
  const { created_after, ended_after } = times;
  const status = ['unfulfilled', 'open', 'routed'] as const;
  const query = { status: [...status], created_after, limit: 100 };
  const { records: orders, isCut } = await firstRecords(pages(client.orders.list, query));
  const problems = orders.flatMap((order): Problem[] => {
    if (order.status !== 'unfulfilled') return unsentProblem(order, times, serviceNow());
    const { id, external_order_ref, updated_at } = order;
    if (Date.parse(updated_at) < Date.parse(ended_after)) return [];
    const next = { ...invocation('ship', [id], { cheapest: true }), when: 'ask the couriers once more' };
    const what = 'was not taken by any courier';
    const record = { id, external_order_ref, zone: storeZone(order) };
    return [{ kind: 'unfulfilled', ...record, what, since: updated_at, next }];
  });
  return { problems, isCut };
}

/** An order is due this long before its agreed time. */
const due_ahead_ms = 3_600_000;

/** Lists an order that is due, or has no agreed time and has not changed for a while. Auto dispatch retries its own orders. */
function unsentProblem(order: Order, { ended_after, unchanged_since }: Times, now: number): Problem[] {
  const { id, external_order_ref, status, batch_id, route_id, updated_at } = order;
  if (status === 'open' && batch_id !== null) return [];
  const due = order.dropoff_at ?? order.pickup_at;
  const latest = due === null ? Date.parse(unchanged_since) : now + due_ahead_ms;
  const since = Date.parse(due ?? updated_at);
  if (!(since <= latest && since >= Date.parse(ended_after))) return [];
  const next =
    route_id === null
      ? { ...invocation('ship', [id], { cheapest: true }), when: 'dispatch it' }
      : { ...invocation('routes quote', [route_id]), when: 'ask the couriers, and then dispatch it' };
  const what = route_id === null ? 'was not dispatched' : `is in draft route ${route_id}`;
  const timesText = (clock: (iso: string) => string) => (due === null ? null : `due at ${clock(due)}`);
  const record = { id, external_order_ref, zone: storeZone(order), timesText };
  return [{ kind: 'unsent', ...record, what, since: updated_at, next }];
}

/** Lists orders of auto dispatch whose last attempt found no courier. */
export async function waitingProblems(client: Client, serviceNow: () => number): Promise<Found> {
  const { records: waiting, isCut } = await firstRecords(pages(client.waitingOrders.list, { limit: 100 }));
  const now = serviceNow();
  const problems = waiting
    .filter(({ reason }) => reason !== '')
    .map((each): Problem => {
      const { order, waiting_since: since } = each;
      const { id, external_order_ref } = order;
      const next = { ...invocation('orders tries', [id]), when: 'see who was asked, and why not' };
      const record = { id, external_order_ref, zone: storeZone(order) };
      return { kind: 'waiting', ...record, what: whatOf(each, now), since, next };
    });
  return { problems, isCut };
}

/** `waits for a courier, tried again in 3 min (no provider offered a quote)` */
function whatOf({ next_attempt_at, reason }: WaitingOrder, now: number): string {
  const left_ms = next_attempt_at === null ? 0 : Date.parse(next_attempt_at) - now;
  const next = left_ms > 0 ? `tried again in ${lengthText(left_ms)}` : 'being tried again';
  return `waits for a courier, ${next} (${reason})`;
}
