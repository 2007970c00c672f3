import type { Client } from '../../../client/client.ts';
import { ifSupported, unlessMissing } from '../../../client/errors.ts';
import { pages } from '../../../client/pages.ts';
import type { AnyDelivery, Delivery } from '../../../contract/deliveries.ts';
import type { Order } from '../../../contract/orders.ts';
import type { Driver } from '../../../contract/providers.ts';
import { closed_tag } from '../../../contract/vocabulary.ts';
import { isEnded } from '../../../domain/delivery-states.ts';
import { isLate, promiseIn } from '../../../domain/delivery-times.ts';
import { max_wrong_pins } from '../../../domain/order-rules.ts';
import { invocation } from '../../kit/result/message.ts';
import { deliveryLateBy, endingText, lateLength, movedText } from '../../nouns/delivery.ts';
import { canRetry } from '../../nouns/delivery-steps.ts';
import { handoverSteps } from '../../nouns/drivers-and-stores.ts';
import { storeZone } from '../../nouns/order.ts';
import { type Found, firstRecords, type Problem, type ProblemKind, type Times } from './problems.ts';

/**
 * Lists deliveries that failed, were canceled by the courier or the operator, or go back, unless their order was tried
 * again.
 */
export async function endedProblems(client: Client, times: Times): Promise<Found> {
  const { created_after, ended_after } = times;
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
  for (const delivery of recent)
    if (!isClosed(delivery) && (await isOpen(delivery))) problems.push(endedProblem(delivery));
  return {
    problems,
    isCut: read.some(({ isCut }) => isCut),
  };
}

type Query = NonNullable<NonNullable<Parameters<Client['deliveries']['list']>[0]>['query']>;

async function readDeliveries(client: Client, query: Query) {
  return firstRecords(pages(client.deliveries.listDetailed, { ...query, limit: 100 }));
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
    if (!canRetry(delivery)) return !(await isSentAgain(client, delivery));
    const order = await orderOf(client, delivery);
    if (order === null) return true;
    if (order.delivery_id !== null && order.delivery_id !== delivery.id) return false;
    return order.batch_id === null || !(await pendingOf(order.batch_id)).includes(order.id);
  };
}

/** Whether an order with the same reference came after that of a delivery: the same was sent again, as a new one. */
async function isSentAgain(client: Client, { external_order_ref, order_id }: Delivery): Promise<boolean> {
  if (external_order_ref === '') return false;
  const call = client.orders.list({ query: { external_order_ref, limit: 1 } }).then(({ data }) => data.data);
  const [newest] = await ifSupported(call, []);
  return newest !== undefined && newest.id !== order_id && newest.status !== 'canceled';
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

/** Whether someone decided, with a note, that nothing more is to be done. */
function isClosed({ details }: AnyDelivery): boolean {
  return details?.notes.some(({ tags }) => tags.includes(closed_tag)) === true;
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
  return { kind, id, external_order_ref, what, since: sinceOf(delivery), zone, next };
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
  const stuckIds = new Set(stuck.records.map(({ id }) => id));
  const others = late.records.filter(({ id }) => !stuckIds.has(id));
  return {
    problems: [
      ...stuck.records.map((delivery) => activeProblem('stuck', delivery, now)),
      ...others.map((delivery) => activeProblem('late', delivery, now)),
    ],
    isCut: stuck.isCut || late.isCut,
  };
}

function activeProblem(kind: 'stuck' | 'late', delivery: AnyDelivery, now: number): Problem {
  const { id, external_order_ref, status, updated_at } = delivery;
  const late_ms = deliveryLateBy(delivery, now) ?? 0;
  const late = isLate(late_ms) ? `${lateLength(delivery, now)} late` : '';
  const unchanged = `${status} without a change`;
  const what = kind === 'late' ? `is ${late || 'late'}: ${status}` : `is ${unchanged}${late && `, ${late}`}`;
  const since = kind === 'late' ? promiseIn(delivery) : updated_at || null;
  const timesText = (clock: (iso: string) => string) => movedText(delivery, now, clock);
  const next = { ...invocation('deliveries explain', [id]), when: 'see its timeline and courier' };
  return { kind, id, external_order_ref, what, since, timesText, zone: storeZone(delivery), next };
}

/**
 * Lists deliveries of own drivers whose handover wrong PINs have locked, and what a driver who is off duty still has or
 * should pick up.
 */
export async function driverProblems(client: Client): Promise<Found> {
  const { records: drivers, isCut } = await firstRecords(pages(client.drivers.list, { limit: 100 }));
  const problems = drivers.flatMap((driver) =>
    driver.deliveries.flatMap((delivery) => [
      ...(!driver.on_duty ? offDutyProblems(driver, delivery, drivers) : []),
      ...(delivery.pin_locked ? [lockProblem(driver, delivery)] : []),
    ]),
  );
  return { problems, isCut };
}

type OwnDelivery = Driver['deliveries'][number];

function offDutyProblems(
  driver: Driver,
  { id, external_order_ref, picked_up }: OwnDelivery,
  all: Driver[],
): Problem[] {
  const what = picked_up
    ? `is with ${driver.name}, who went off duty`
    : `waits for ${driver.name}, who is off duty`;
  const record = { id, external_order_ref, what, since: null, zone: null };
  return handoverSteps(id, driver.id, all)
    .slice(0, 1)
    .map((next) => ({ kind: 'off_duty', ...record, next }));
}

function lockProblem({ name }: Driver, { id, external_order_ref }: OwnDelivery): Problem {
  const next = { ...invocation('deliveries unlock', [id]), when: 'let the driver try again' };
  const what = `is locked after ${max_wrong_pins} wrong PINs at ${name}`;
  return { kind: 'locked', id, external_order_ref, what, since: null, zone: null, next };
}

/** Lists open disputes. */
export async function disputeProblems(client: Client): Promise<Found> {
  const query = { status: 'open', limit: 100 } as const;
  const { records: disputes, isCut } = await firstRecords(pages(client.disputes.list, query));
  const disputed = { status: ['disputed' as const], limit: 100 };
  const about = disputes.length === 0 ? [] : (await client.deliveries.list({ query: disputed })).data.data;
  const problems = disputes.map(({ delivery_id, reason, created_at }): Problem => {
    const delivery = about.find(({ id }) => id === delivery_id);
    const next = {
      ...invocation('disputes resolve', [delivery_id], { outcome: 'OUTCOME' }),
      when: 'set how its dispute ended',
    };
    const what = reason === '' ? 'is disputed' : `is disputed: ${reason}`;
    return {
      kind: 'disputed',
      id: delivery_id,
      external_order_ref: delivery?.external_order_ref ?? null,
      what,
      since: created_at,
      zone: delivery === undefined ? null : storeZone(delivery),
      next,
    };
  });
  return { problems, isCut };
}
