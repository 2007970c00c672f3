import type { Client } from '../../../client/client.ts';
import { ifSupported, unlessMissing } from '../../../client/errors.ts';
import { pages } from '../../../client/pages.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import type { AnyDelivery } from '../../../contract/delivery-details.ts';
import type { Order } from '../../../contract/orders.ts';
import { isEnded } from '../../../domain/delivery-states.ts';
import { isLate, promiseIn } from '../../../domain/lateness.ts';
import { lengthText } from '../../kit/output/times.ts';
import { invocation } from '../../kit/result/message.ts';
import { deliveryLateBy, movedText } from '../deliveries/due-text.ts';
import { canRetry } from '../deliveries/next-steps.ts';
import { endingText } from '../orders/delivery-ending.ts';
import { storeZone } from '../orders/store-zone.ts';
import { type Found, firstRecords, type Problem, type ProblemKind } from './problem.ts';

/** The period that is checked, as ISO times. */
export interface Period {
  /** Deliveries that ended before this time are left out. */
  ended_after: string;
  /** Deliveries and orders that were created before this time are not read. */
  created_after: string;
}

type Query = NonNullable<NonNullable<Parameters<Client['deliveries']['list']>[0]>['query']>;

async function readDeliveries(client: Client, query: Query) {
  return firstRecords(pages(client.deliveries.listDetailed, { ...query, limit: 100 }));
}

/**
 * Lists deliveries that failed, were canceled by the courier or the operator, or go back, unless their order was tried
 * again.
 */
export async function endedProblems(client: Client, period: Period): Promise<Found> {
  const { created_after, ended_after } = period;
  const statuses = ['failed', 'provider_canceled', 'burq_canceled'] as const;
  const read = [];
  for (const status of statuses) read.push(await readDeliveries(client, { status: [status], created_after }));
  const recent = read
    .flatMap((each) => each.records)
    .filter(
      (delivery) => !isEnded(delivery.status) || Date.parse(sinceOf(delivery)) >= Date.parse(ended_after),
    );
  const isOpen = untried(client);
  const problems: Problem[] = [];
  for (const delivery of recent) if (await isOpen(delivery)) problems.push(endedProblem(delivery));
  return {
    problems,
    isCut: read.some(({ isCut }) => isCut),
  };
}

/**
 * Returns a check that is true if a delivery is the last of its order and auto dispatch does not try the order again.
 */
function untried(client: Client): (delivery: Delivery) => Promise<boolean> {
  const pending = new Map<string, Promise<readonly string[]>>();
  const pendingOf = (batch_id: string) => {
    const found = pending.get(batch_id) ?? ifSupported(pendingOrders(client, batch_id), []);
    pending.set(batch_id, found);
    return found;
  };
  return async (delivery) => {
    const order = canRetry(delivery) ? await orderOf(client, delivery) : null;
    if (order === null) return true;
    if (order.delivery_id !== null && order.delivery_id !== delivery.id) return false;
    return order.batch_id === null || !(await pendingOf(order.batch_id)).includes(order.id);
  };
}

/** Null if the service does not list orders. */
async function orderOf(client: Client, { order_id }: Delivery): Promise<Order | null> {
  if (order_id === '') return null;
  const call = client.orders.get({ params: { order_id } }).then(({ data }) => data);
  return unlessMissing(ifSupported(call, null));
}

async function pendingOrders(client: Client, batch_id: string): Promise<string[]> {
  const { data } = await client.batches.get({ params: { batch_id } });
  return data.orders.filter(({ status }) => status === 'pending').map(({ order_id }) => order_id);
}

function endedProblem(delivery: Delivery): Problem {
  const { id, order_id, status } = delivery;
  if (status === 'returned') {
    const next = invocation('deliveries create', [], { like: order_id, initiate: true });
    return problemOf('returned', delivery, { ...next, when: 'send the same again, as a new delivery' });
  }
  if (status === 'enroute_to_return') {
    const next = invocation('deliveries explain', [id]);
    return problemOf('returned', delivery, { ...next, when: 'see why it goes back' });
  }
  const next = {
    ...invocation('deliveries retry', [id]),
    when: 'try the same order again, with fresh quotes',
  };
  return problemOf(status === 'failed' ? 'failed' : 'canceled', delivery, next);
}

function problemOf(kind: ProblemKind, delivery: Delivery, next: Problem['next']): Problem {
  const { id, external_order_ref } = delivery;
  const what = endingText(delivery).replace(/\.+$/, '');
  const zone = storeZone(delivery);
  return { ...{ kind, id, external_order_ref, what }, since: sinceOf(delivery), zone, next };
}

/** When it entered its status. */
function sinceOf({ status, status_history, updated_at }: Delivery): string {
  return status_history.findLast((entry) => entry.status === status)?.created_at ?? updated_at;
}

/** Lists active deliveries that have not changed for a while, or are past their promised time. One that is both is stuck. */
export async function activeProblems(
  client: Client,
  unchanged_since: string,
  serviceNow: () => number,
): Promise<Found> {
  const stuck = await readDeliveries(client, { unchanged_since });
  const late = await readDeliveries(client, { late: true });
  const now = serviceNow();
  const isDue = ({ status, pickup_eta }: Delivery) =>
    status !== 'scheduled' || !(Date.parse(pickup_eta) > now);
  const still = stuck.records.filter(isDue);
  const stuckIds = new Set(still.map(({ id }) => id));
  const others = late.records.filter(({ id }) => !stuckIds.has(id));
  return {
    problems: [
      ...still.map((delivery) => activeProblem('stuck', delivery, now)),
      ...others.map((delivery) => activeProblem('late', delivery, now)),
    ],
    isCut: stuck.isCut || late.isCut,
  };
}

function activeProblem(kind: 'stuck' | 'late', delivery: AnyDelivery, now: number): Problem {
  const { id, external_order_ref, status, updated_at } = delivery;
  const late_ms = deliveryLateBy(delivery, now) ?? 0;
  const late = isLate(late_ms) ? `${lengthText(late_ms)} late` : '';
  const unchanged = `${status} without a change`;
  const what = kind === 'late' ? `is ${late || 'late'}: ${status}` : `is ${unchanged}${late && `, ${late}`}`;
  const since = kind === 'late' ? promiseIn(delivery) : updated_at || null;
  const moved = (clock: (iso: string) => string) => movedText(delivery, now, clock);
  const next = { ...invocation('deliveries explain', [id]), when: 'see its timeline and courier' };
  return { kind, id, external_order_ref, what, since, moved, zone: storeZone(delivery), next };
}
