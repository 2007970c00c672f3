import { Unsupported } from '../../../client/errors.ts';
import { availableSteps } from '../../errors/error-report.ts';
import { invocation, type StepObject } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { activeProblems, disputeProblems, driverProblems, endedProblems } from './delivery-problems.ts';
import { orderProblems, waitingProblems } from './order-problems.ts';
import { type Found, type Problem, type ProblemKind, problemKinds, type Times } from './problem.ts';
import { providerProblems, webhookProblems } from './service-problems.ts';

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
    ...{ waiting: 0, off_duty: 0, locked: 0, failed: 0, canceled: 0, unfulfilled: 0, unsent: 0, returned: 0 },
    ...{ stuck: 0, late: 0, disputed: 0, webhook: 0, provider: 0 },
  };
  for (const { kind } of items) counts[kind] += 1;
  return counts;
}
