/** Everything that needs attention, worst first. */
import type { Client } from '../../client/client.ts';
import { Unsupported } from '../../client/errors.ts';
import { max_ahead_ms } from '../../domain/order-rules.ts';
import { availableSteps } from '../errors/error-codes.ts';
import { invocation, type StepObject } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';
import { shownZone } from '../session/list-view.ts';
import { readPastInstant, toApiInstant } from '../session/service-times.ts';
import { type Moment, readMoment } from '../session/time-arguments.ts';
import { orderProblems, waitingProblems } from './order-problems.ts';
import {
  activeProblems,
  type CheckResult,
  disputeProblems,
  driverProblems,
  endedProblems,
  type Problem,
  type ProblemKind,
  problemKinds,
  providerProblems,
  type Times,
  unverifiedProblems,
  webhookProblems,
} from './problems.ts';
import { type PausedStore, pausedWithWaiting } from './store-pause.ts';

/** A check, as one or more requests of the service. */
export const problemChecks = [
  'waiting_orders',
  'deliveries',
  'drivers',
  'orders',
  'disputes',
  'webhooks',
  'providers',
] as const;
type Check = (typeof problemChecks)[number];

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
  /** The stores from which nothing is dispatched: on purpose, so that they are no problems. */
  paused_stores: (PausedStore & { waiting_orders: number })[];
}

/** A problem whose command uses the same account as this run. */
export type ShownProblem = Omit<Problem, 'next'> & { next: StepObject; step: Problem['next'] };

/**
 * Collects what needs attention, of all stores or of one. Deliveries and orders may have ended since the given time, by
 * default a day ago.
 */
export async function collectProblems(
  context: Context,
  since: Moment = readMoment('1d'),
  store_id?: string,
): Promise<Problems> {
  const ended_after = await readPastInstant(context, since, { store: store_id });
  const unchanged_since = await toApiInstant(context, readMoment('20m'), 'ago');
  // Deliveries that ended in the period may be older: they can be scheduled 30 days ahead.
  const created_after = new Date(Date.parse(ended_after) - max_ahead_ms).toISOString();
  const times: Times = { ended_after, created_after, unchanged_since };
  const client = await context.client();
  const runs: readonly (readonly [Check, () => Promise<CheckResult>])[] = [
    ['waiting_orders', () => waitingProblems(client, context.serviceNow)],
    ['deliveries', () => endedProblems(client, times, context.serviceNow)],
    ['deliveries', () => activeProblems(client, context.serviceNow)],
    ['drivers', () => driverProblems(client)],
    ['drivers', () => unverifiedProblems(client, times)],
    ['orders', () => orderProblems(client, times, context.serviceNow)],
    ['disputes', () => disputeProblems(client)],
    ['webhooks', () => webhookProblems(client, context.serviceNow)],
    ['providers', () => providerProblems(client, () => shownZone(context))],
  ];
  const problems: Problem[] = [];
  const unchecked: Check[] = [];
  const incomplete: Check[] = [];
  for (const [check, run] of runs) {
    const found = await run().catch(nullIfUnsupported);
    const left = found === null ? unchecked : found.isCut ? incomplete : null;
    if (left?.includes(check) === false) left.push(check);
    problems.push(...(found?.problems ?? []));
  }
  const all = problems.sort(byUrgency).filter(isWorstOfRecord);
  const worst = store_id === undefined ? all : await ofStore(client, all, store_id);
  const items = worst.map((each) => {
    const step = availableStep(context, each);
    return { ...each, step, next: context.stepObject(step) };
  });
  const paused_stores = await pausedWithWaiting(context, store_id);
  return { object: 'problems', counts: countsOf(items), items, unchecked, incomplete, paused_stores };
}

/** The problems of the orders and deliveries of a store: endpoints and providers belong to none. */
async function ofStore(client: Client, problems: readonly Problem[], store_id: string): Promise<Problem[]> {
  const stores = await Promise.all(problems.map(({ id }) => storeOfRecord(client, id)));
  return problems.filter((_, index) => stores[index] === store_id);
}

async function storeOfRecord(client: Client, id: string): Promise<string | null> {
  if (id.startsWith('dlv_'))
    return (await client.deliveries.get({ params: { deliveryid: id } })).data.store_id;
  return id.startsWith('ord_')
    ? (await client.orders.get({ params: { order_id: id } })).data.pickup_store_id
    : null;
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

/** True for the worst problem of a record. */
function isWorstOfRecord({ id }: Problem, index: number, sorted: readonly Problem[]): boolean {
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
    late: 0,
    stuck: 0,
    failed: 0,
    canceled: 0,
    unfulfilled: 0,
    unsent: 0,
    returned: 0,
    returning: 0,
    unverified: 0,
    disputed: 0,
    webhook: 0,
    provider: 0,
  };
  for (const { kind } of items) counts[kind] += 1;
  return counts;
}
