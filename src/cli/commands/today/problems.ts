import type { Client } from '../../../client/client.ts';
import { ApiError, Unsupported } from '../../../client/errors.ts';
import { pages } from '../../../client/pages.ts';
import type { WebhookEndpoint } from '../../../contract/events.ts';
import type { Order, WaitingOrder } from '../../../contract/orders.ts';
import type { SandboxProvider } from '../../../contract/sandbox.ts';
import { availableSteps } from '../../errors/codes.ts';
import { lengthText } from '../../kit/output/times.ts';
import { invocation, type StepObject } from '../../kit/result/message.ts';
import { storeZone } from '../../nouns/order.ts';
import type { Context } from '../../session/command.ts';
import { activeProblems, disputeProblems, driverProblems, endedProblems } from './delivery-problems.ts';
import {
  type Found,
  firstRecords,
  type Problem,
  type ProblemKind,
  problemKinds,
  type Times,
} from './problem.ts';

/** A check, as one or more requests of the service. */
const checks = [
  'waiting_orders',
  'deliveries',
  'drivers',
  'orders',
  'disputes',
  'webhooks',
  'providers',
] as const;
type Check = (typeof checks)[number];

/** Everything that needs attention. */
export interface Problems {
  object: 'problems';
  counts: Record<ProblemKind, number>;
  /** Worst first, then the oldest first. */
  items: ShownProblem[];
  /** The checks that the service does not support. */
  unchecked: Check[];
  /** The checks that left out older records. */
  incomplete: Check[];
}

/** A problem whose command uses the same account as this run. */
export type ShownProblem = Omit<Problem, 'next'> & { next: StepObject };

/** The problem as programs get it, whose time is in UTC. */
export function problemData({ zone: _, timesText: __, ...problem }: ShownProblem) {
  return problem;
}

/** Collects what needs attention. */
export async function collectProblems(context: Context, times: Times): Promise<Problems> {
  const client = await context.client();
  const runs: readonly (readonly [Check, () => Promise<Found>])[] = [
    ['waiting_orders', () => waitingProblems(client, context.serviceNow)],
    ['deliveries', () => endedProblems(client, times)],
    ['deliveries', () => activeProblems(client, times.unchanged_since, context.serviceNow)],
    ['drivers', () => driverProblems(client)],
    ['orders', () => orderProblems(client, times, context.serviceNow)],
    ['disputes', () => disputeProblems(client)],
    ['webhooks', () => webhookProblems(client)],
    ['providers', () => providerProblems(client)],
  ];
  const problems: Problem[] = [];
  const unchecked: Check[] = [];
  const incomplete: Check[] = [];
  for (const [check, run] of runs) {
    const found = await run().catch(nullIfUnsupported);
    if (found === null) unchecked.push(check);
    else problems.push(...found.problems);
    if (found?.isCut && !incomplete.includes(check)) incomplete.push(check);
  }
  const worst = problems.sort(byUrgency).filter(isFirst);
  const items = worst.map((each) => ({ ...each, next: context.stepObject(availableStep(context, each)) }));
  return { object: 'problems', counts: countsOf(items), items, unchecked, incomplete };
}

/** The next step, or `deliveries explain` if the service is not known to support it. */
function availableStep({ has }: Context, { id, next }: Problem): Problem['next'] {
  const look = { ...invocation('deliveries explain', [id]), when: 'see its history' };
  return availableSteps([next], has)[0] ?? look;
}

function nullIfUnsupported(error: unknown): null {
  if (error instanceof Unsupported) return null;
  throw error;
}

function byUrgency(left: Problem, right: Problem): number {
  const kinds = problemKinds.indexOf(left.kind) - problemKinds.indexOf(right.kind);
  return kinds === 0 ? timeOf(left) - timeOf(right) : kinds;
}

/** True for the worst problem of a record: a return can be late, too. */
function isFirst({ id }: Problem, index: number, sorted: readonly Problem[]): boolean {
  return sorted.findIndex((each) => each.id === id) === index;
}

function timeOf({ since }: Problem): number {
  return since === null ? 0 : Date.parse(since);
}

function countsOf(items: readonly ShownProblem[]): Record<ProblemKind, number> {
  const counts = {
    waiting: 0,
    off_duty: 0,
    locked: 0,
    failed: 0,
    canceled: 0,
    unfulfilled: 0,
    unsent: 0,
    returned: 0,
    stuck: 0,
    late: 0,
    disputed: 0,
    webhook: 0,
    provider: 0,
  };
  for (const { kind } of items) counts[kind] += 1;
  return counts;
}

/** Lists orders that auto dispatch gave up, and orders that are not dispatched in time. */
async function orderProblems(client: Client, times: Times, serviceNow: () => number): Promise<Found> {
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
async function waitingProblems(client: Client, serviceNow: () => number): Promise<Found> {
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

/** Lists webhook endpoints that are disabled or whose events were given up. */
async function webhookProblems(client: Client): Promise<Found> {
  const { records: endpoints, isCut } = await firstRecords(pages(client.webhooks.list, { limit: 100 }));
  const problems: Problem[] = [];
  for (const endpoint of endpoints) {
    if (endpoint.status === 'disabled') problems.push(disabledProblem(endpoint));
    else if (endpoint.exhausted > 0) problems.push(await exhaustedProblem(client, endpoint));
  }
  return { problems, isCut };
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
async function providerProblems(client: Client): Promise<Found> {
  const { data: account } = await client.account.get();
  const problems: Problem[] = [];
  if (!account.sandbox || !account.test_mode) return { problems, isCut: false };
  for (const name of account.providers) {
    const data = await simulatedState(client, name);
    if (data === null || data.state === 'up') continue;
    const until = data.until === null ? '' : ` until ${data.until}`;
    problems.push({
      kind: 'provider',
      id: name,
      external_order_ref: null,
      what: `is ${data.state.replace('_', ' ')}${until}`,
      since: null,
      zone: null,
      next: { ...invocation('sandbox provider', [name], { up: true }), when: 'end the simulated failure' },
    });
  }
  return { problems, isCut: false };
}

/** The state of a simulated provider; null for a courier or the own fleet, which are not simulated. */
async function simulatedState(client: Client, name: string): Promise<SandboxProvider | null> {
  try {
    return (await client.sandbox.provider({ params: { name } })).data;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'record_not_found') return null;
    throw error;
  }
}
