/** The checks of `today` but those of orders: each lists the records of one kind that need attention, with their next command. */
import type { Answer } from '../../client/answers.ts';
import type { Client } from '../../client/client.ts';
import { ApiError, ifSupported, unlessMissing } from '../../client/errors.ts';
import { pages } from '../../client/pages.ts';
import type { AnyDelivery, Delivery, DeliveryNote } from '../../contract/deliveries.ts';
import type { WebhookEndpoint } from '../../contract/events.ts';
import type { Order } from '../../contract/orders.ts';
import type { Driver } from '../../contract/providers.ts';
import type { SandboxProvider } from '../../contract/sandbox.ts';
import type { Page } from '../../contract/schema.ts';
import { closed_tag, unverified_tag } from '../../contract/vocabulary.ts';
import { hasEndedBadly, isEnded } from '../../domain/delivery-states.ts';
import { findArrival, isLate, overdueBy, promiseIn, stuck_after_ms } from '../../domain/lateness.ts';
import { max_wrong_pins } from '../../domain/order-rules.ts';
import { statusPhrase } from '../../domain/status-words.ts';
import { readEachOnce } from '../kit/once.ts';
import { lengthText } from '../kit/output/times.ts';
import { type Invocation, invocation } from '../kit/result/message.ts';
import { isCutShort } from '../session/list-reader.ts';
import { unreturnedText } from './courier-contact.ts';
import { endingText, enteredStatusAt } from './delivery.ts';
import { handoverSteps } from './delivery-steps.ts';
import { deliveryLateBy, lateLength, promisedAndNowText } from './delivery-times.ts';
import { type RetryFacts, readRetryFacts } from './earlier-tries.ts';
import { storeZone } from './order.ts';
import { createLimitReader, noLimits, type OrderLimits } from './order-limits.ts';
import { copyStep, retryInvocation, retryReason } from './retry-steps.ts';

/** The kinds of problems, worst first. */
export const problemKinds = [
  'waiting',
  'off_duty',
  'locked',
  'late',
  'stuck',
  'failed',
  'canceled',
  'unfulfilled',
  'unsent',
  'returned',
  'returning',
  'unverified',
  'disputed',
  'webhook',
  'provider',
] as const;
export type ProblemKind = (typeof problemKinds)[number];

/** A record that needs attention. */
export interface Problem {
  kind: ProblemKind;
  /** The ID of the delivery, order or webhook endpoint, or the name of the provider. */
  id: string;
  external_order_ref: string | null;
  /** The courier of a delivery. */
  service?: string | undefined;
  /** Whom it concerns, for people: the recipient or the driver. */
  who?: string | undefined;
  /** Follows the ID: `failed: the courier had an accident`. */
  what: string;
  /** The same for people, if a time is in it. */
  whatText?(clock: (iso: string) => string): string;
  /** An ISO time; null if the service does not say it. */
  since: string | null;
  /** The times of a late delivery, or of an order that is due, for people; null if they are not known. */
  timesText?(clock: (iso: string) => string): string | null;
  /** Whether the promised time is still ahead, of a delivery that will be late. */
  isAhead?: boolean;
  /** The IANA zone in which people read its time; null: their own. */
  zone: string | null;
  next: Invocation & { when: string };
}

export interface CheckResult {
  problems: Problem[];
  /** True if the service has more records than were read. */
  isCut: boolean;
}

const max_read = 1000;

/** Reads records up to the limit. */
export async function firstRecords<T>(
  list: AsyncIterable<Answer<Page<T>>>,
): Promise<{ records: T[]; isCut: boolean }> {
  const records: T[] = [];
  for await (const answer of list) {
    records.push(...answer.data.data);
    if (records.length > max_read || isCutShort(answer))
      return { records: records.slice(0, max_read), isCut: true };
  }
  return { records, isCut: false };
}

/** The limits of the checks, as ISO times. */
export interface Times {
  /** Deliveries that ended before this time are left out. */
  ended_after: string;
  /** Deliveries and orders that were created before this time are not read. */
  created_after: string;
  /** Orders without an agreed time that have not changed since then should have been dispatched. */
  unchanged_since: string;
}

/** Lists webhook endpoints that are disabled, whose events were given up, or that have taken none for a while. */
export async function webhookProblems(client: Client, serviceNow: () => number): Promise<CheckResult> {
  const { records: endpoints, isCut } = await firstRecords(pages(client.webhooks.list, { limit: 100 }));
  const problems: Problem[] = [];
  for (const endpoint of endpoints) {
    if (endpoint.status === 'disabled') problems.push(disabledProblem(endpoint));
    else if (endpoint.exhausted > 0) problems.push(await exhaustedProblem(client, endpoint));
    else if (endpoint.waiting > 0) problems.push(...(await silentProblem(client, endpoint, serviceNow)));
  }
  return { problems, isCut };
}

/** An endpoint whose attempts have all failed for as long as makes a delivery stuck. */
async function silentProblem(
  client: Client,
  { id, url, waiting }: WebhookEndpoint,
  serviceNow: () => number,
): Promise<Problem[]> {
  const params = { webhook_endpoint_id: id };
  const latest = (await client.webhooks.attempts({ params, query: { limit: 100 } })).data.data;
  const taken = latest.findIndex(({ status }) => status === 'succeeded');
  const failed = taken === -1 ? latest : latest.slice(0, taken);
  const since = failed.at(-1)?.created_at ?? null;
  if (since === null || serviceNow() - Date.parse(since) < stuck_after_ms) return [];
  const events = waiting === 1 ? '1 event waits' : `${waiting} events wait`;
  const what = `takes nothing, and ${events} (${url}): ${failed[0]?.reason ?? ''}`;
  const next = { ...invocation('webhooks attempts', [id], { failed: true }), when: 'see how it answered' };
  return [{ kind: 'webhook', id, external_order_ref: null, what, since, zone: null, next }];
}

function disabledProblem(endpoint: WebhookEndpoint): Problem {
  const { id, url, disabled_reason, waiting, updated_at } = endpoint;
  const why = disabled_reason === '' ? '' : `: ${disabled_reason}`;
  const what = `is disabled (${url})${why}${waiting === 0 ? '' : `, ${waiting} waiting`}`;
  const next = { ...invocation('webhooks update', [id], { enable: true }), when: 'enable it again' };
  return { kind: 'webhook', id, external_order_ref: null, what, since: updated_at, zone: null, next };
}

/** The time of the problem is that of the oldest among the last hundred events that were given up. */
async function exhaustedProblem(client: Client, { id, url, exhausted }: WebhookEndpoint): Promise<Problem> {
  const query = { status: 'failed', last: true, limit: 100 } as const;
  const params = { webhook_endpoint_id: id };
  const { data } = await client.webhooks.attempts({ params, query });
  const events = exhausted === 1 ? '1 event' : `${exhausted} events`;
  return {
    kind: 'webhook',
    id,
    external_order_ref: null,
    what: `did not receive ${events}, and retries have ended (${url})`,
    since: data.data.at(-1)?.created_at ?? null,
    zone: null,
    next: {
      ...invocation('webhooks attempts', [id], { exhausted: true }),
      when: 'see which events, and how it answered',
    },
  };
}

/** Lists simulated providers that do not work normally. Other services do not report the state of a provider. */
export async function providerProblems(
  client: Client,
  readZone: () => Promise<string | null>,
): Promise<CheckResult> {
  const { data: account } = await client.account.get();
  const problems: Problem[] = [];
  if (!account.sandbox || !account.test_mode) return { problems, isCut: false };
  for (const name of account.providers) {
    const data = await fetchSimulatedProvider(client, name);
    if (data === null || data.state === 'up') continue;
    const whatUntil = (time: string | null) =>
      `is ${data.state.replace('_', ' ')}${time === null ? '' : ` until ${time}`}`;
    problems.push({
      kind: 'provider',
      id: name,
      external_order_ref: null,
      what: whatUntil(data.until),
      whatText: (clock) => whatUntil(data.until && clock(data.until)),
      since: null,
      zone: await readZone(),
      next: { ...invocation('sandbox provider', [name], { up: true }), when: 'end the simulated failure' },
    });
  }
  return { problems, isCut: false };
}

/** The state of a simulated provider; null for a courier or the own fleet, which are not simulated. */
async function fetchSimulatedProvider(client: Client, name: string): Promise<SandboxProvider | null> {
  try {
    return (await client.sandbox.provider({ params: { name } })).data;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'record_not_found') return null;
    throw error;
  }
}

/**
 * Lists deliveries that failed, were canceled by the courier or the operator, or go back, unless their order was tried
 * again.
 */
export async function endedProblems(
  client: Client,
  times: Times,
  serviceNow: () => number,
): Promise<CheckResult> {
  const { created_after, ended_after } = times;
  const statuses = ['failed', 'provider_canceled', 'burq_canceled'] as const;
  const read = [];
  for (const status of statuses) read.push(await readDeliveries(client, { status: [status], created_after }));
  const recent = read
    .flatMap((each) => each.records)
    .filter(
      (delivery) =>
        !isEnded(delivery.status) || Date.parse(enteredStatusAt(delivery)) >= Date.parse(ended_after),
    );
  const isOrderOpen = createOpenOrderCheck(client);
  const limitsOf = createLimitReader(client);
  const problems: Problem[] = [];
  for (const delivery of recent) {
    if (isClosed(delivery) || isStuckReturn(delivery, serviceNow()) || !(await isOrderOpen(delivery)))
      continue;
    const order = delivery.status === 'enroute_to_return' ? null : await fetchOrderOf(client, delivery);
    const [limits, facts] =
      order === null
        ? [noLimits, {}]
        : await Promise.all([limitsOf(order), readRetryFacts(client, delivery)]);
    problems.push(endedProblem(delivery, { ...limits, ...facts }));
  }
  return {
    problems,
    isCut: read.some(({ isCut }) => isCut),
  };
}

/** A parcel on its way back that is not reported any more is stuck, by another check. */
function isStuckReturn(delivery: Delivery, now: number): boolean {
  return delivery.status === 'enroute_to_return' && overdueBy(delivery, now) >= stuck_after_ms;
}

type Query = NonNullable<NonNullable<Parameters<Client['deliveries']['list']>[0]>['query']>;

async function readDeliveries(client: Client, query: Query) {
  return firstRecords(pages(client.deliveries.listDetailed, { ...query, limit: 100 }));
}

/**
 * Returns a check that is true if a delivery is the last of its order, the order was not closed after it failed, and auto
 * dispatch does not try it again.
 */
function createOpenOrderCheck(client: Client): (delivery: Delivery) => Promise<boolean> {
  const pendingOf = readEachOnce(
    (batch_id): Promise<readonly string[]> => ifSupported(pendingOrders(client, batch_id), []),
  );
  return async (delivery) => {
    if ((await laterOrder(client, delivery)) !== null) return false;
    if (!hasEndedBadly(delivery.status)) return true;
    const order = await fetchOrderOf(client, delivery);
    if (order === null) return true;
    if (order.delivery_id !== null && order.delivery_id !== delivery.id) return false;
    if (delivery.status === 'failed' && order.status === 'canceled') return false;
    return order.batch_id === null || !(await pendingOf(order.batch_id)).includes(order.id);
  };
}

/** The order with the same reference that came after this one, or that of a delivery: the same was sent again as a new one. */
export async function laterOrder(
  client: Client,
  { external_order_ref, order_id }: Pick<Delivery, 'external_order_ref' | 'order_id'>,
): Promise<Order | null> {
  if (external_order_ref === '') return null;
  const call = client.orders.list({ query: { external_order_ref, limit: 1 } }).then(({ data }) => data.data);
  const [newest] = await ifSupported(call, []);
  return newest === undefined || newest.id === order_id || newest.status === 'canceled' ? null : newest;
}

/** Null if the service does not list orders. */
async function fetchOrderOf(client: Client, { order_id }: Delivery): Promise<Order | null> {
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

function endedProblem(delivery: AnyDelivery, limits: OrderLimits & RetryFacts): Problem {
  const { id, status } = delivery;
  if (status === 'returned') {
    return deliveryProblem('returned', delivery, copyStep(delivery, limits));
  }
  if (status === 'enroute_to_return') {
    const next = invocation('deliveries explain', [id]);
    return deliveryProblem('returning', delivery, { ...next, when: 'see why it goes back' });
  }
  const held = unreturnedText(delivery);
  // Another courier would be sent to a pickup whose parcel is gone.
  const next =
    held === null
      ? { ...retryInvocation(delivery, limits), when: retryReason(delivery, limits) }
      : { ...invocation('deliveries explain', [id]), when: held };
  return deliveryProblem(status === 'failed' ? 'failed' : 'canceled', delivery, next);
}

function deliveryProblem(kind: ProblemKind, delivery: Delivery, next: Problem['next']): Problem {
  const { id, external_order_ref, service } = delivery;
  const what = endingText(delivery).replace(/\.+$/, '');
  const zone = storeZone(delivery);
  const record = { id, external_order_ref, service, who: recipientOf(delivery), zone };
  return { kind, ...record, what, since: enteredStatusAt(delivery), next };
}

function recipientOf({ dropoffs }: AnyDelivery): string | undefined {
  return dropoffs?.[0]?.dropoff_name ?? undefined;
}

/** Lists active deliveries that are past their promised time, or whose next report is overdue. One that is both is late. */
export async function activeProblems(client: Client, serviceNow: () => number): Promise<CheckResult> {
  const late = await readDeliveries(client, { late: true });
  const stuck = await readDeliveries(client, { overdue: stuck_after_ms / 1000 });
  const now = serviceNow();
  const lateIds = new Set(late.records.map(({ id }) => id));
  const others = stuck.records.filter(({ id }) => !lateIds.has(id));
  return {
    problems: [
      ...late.records.map((delivery) => activeProblem('late', delivery, now)),
      ...others.map((delivery) => activeProblem('stuck', delivery, now)),
    ],
    isCut: stuck.isCut || late.isCut,
  };
}

function activeProblem(kind: 'stuck' | 'late', delivery: AnyDelivery, now: number): Problem {
  const { id, external_order_ref, service, status, updated_at } = delivery;
  const late = isLate(deliveryLateBy(delivery, now)) ? `${lateLength(delivery, now)} late` : 'late';
  const isForecast = promisedAndNowText(delivery, now, String) !== null;
  const stuckText = `is ${statusPhrase(status)}, and its next report is ${lengthText(overdueBy(delivery, now))} overdue`;
  const what =
    kind === 'stuck' ? stuckText : `${isForecast ? 'will be' : 'is'} ${late}: ${statusPhrase(status)}`;
  const since = kind === 'late' ? promiseIn(delivery) : updated_at || null;
  const timesText = (clock: (iso: string) => string) => promisedAndNowText(delivery, now, clock);
  const next = { ...invocation('deliveries explain', [id]), when: 'see its timeline and courier' };
  const record = { id, external_order_ref, service, who: recipientOf(delivery), zone: storeZone(delivery) };
  const isAhead = Date.parse(promiseIn(delivery) ?? '') >= now;
  return { kind, ...record, what, since, timesText, isAhead, next };
}

/**
 * Lists deliveries of own drivers whose handover wrong PINs have locked, and what a driver who is off duty still has or
 * should pick up.
 */
export async function driverProblems(client: Client): Promise<CheckResult> {
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
  const record = { id, external_order_ref, who: driver.name, what, since: null, zone: null };
  return handoverSteps(id, driver.id, all)
    .slice(0, 1)
    .map((next) => ({ kind: 'off_duty', ...record, next }));
}

function lockProblem({ name }: Driver, { id, external_order_ref }: OwnDelivery): Problem {
  const next = { ...invocation('deliveries unlock', [id]), when: 'let the driver try again' };
  const what = `is locked after ${max_wrong_pins} wrong PINs at ${name}`;
  return { kind: 'locked', id, external_order_ref, who: name, what, since: null, zone: null, next };
}

/** Lists handovers by own drivers without a proof that was asked for, until someone notes what came of it. */
export async function unverifiedProblems(client: Client, { created_after }: Times): Promise<CheckResult> {
  const about = await firstRecords(
    pages(client.notes.list, { tag: unverified_tag, created_after, limit: 100 }),
  );
  const oldest = about.records.at(-1);
  if (oldest === undefined) return { problems: [], isCut: about.isCut };
  const before = new Date(Date.parse(oldest.created_at) - 1).toISOString();
  const later = await firstRecords(pages(client.notes.list, { created_after: before, limit: 100 }));
  const isAnswered = ({ delivery_id, created_at }: DeliveryNote) =>
    later.records.some(
      (each) =>
        each.delivery_id === delivery_id &&
        each.created_at >= created_at &&
        !each.tags.includes(unverified_tag),
    );
  const problems: Problem[] = [];
  for (const note of about.records.filter((each) => !isAnswered(each))) {
    const params = { deliveryid: note.delivery_id };
    const { data } = await client.deliveries.getDetailed({ params });
    if (data.status === 'delivered') problems.push(unverifiedProblem(data, note));
  }
  return { problems, isCut: about.isCut || later.isCut };
}

function unverifiedProblem(delivery: Delivery, { text }: DeliveryNote): Problem {
  const { id, external_order_ref, service } = delivery;
  const what = `was ${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
  const next = {
    ...invocation('deliveries note', [id, 'TEXT']),
    when: 'ask the recipient, and note the answer',
  };
  const zone = storeZone(delivery);
  const record = { id, external_order_ref, service, who: recipientOf(delivery), zone };
  return { kind: 'unverified', ...record, what, since: findArrival(delivery), next };
}

export async function disputeProblems(client: Client): Promise<CheckResult> {
  const query = { status: 'open', limit: 100 } as const;
  const { records: disputes, isCut } = await firstRecords(pages(client.disputes.list, query));
  const disputed = { status: ['disputed' as const], limit: 100 };
  const about = disputes.length === 0 ? [] : (await client.deliveries.list({ query: disputed })).data.data;
  const problems = disputes.map(({ delivery_id, reason, created_at }): Problem => {
    const delivery = about.find(({ id }) => id === delivery_id);
    const next = {
      ...invocation('disputes resolve', [delivery_id]),
      when: 'set how its dispute ended: refunded, rejected or redelivered',
    };
    const what = reason === '' ? 'is disputed' : `is disputed: ${reason}`;
    return {
      kind: 'disputed',
      id: delivery_id,
      external_order_ref: delivery?.external_order_ref ?? null,
      service: delivery?.service,
      who: delivery && recipientOf(delivery),
      what,
      since: created_at,
      zone: delivery === undefined ? null : storeZone(delivery),
      next,
    };
  });
  return { problems, isCut };
}
