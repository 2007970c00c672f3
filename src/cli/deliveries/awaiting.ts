import type { Delivery } from '../../contract/deliveries.ts';
import { deliverySummary } from '../columns/deliveries.ts';
import type { Context } from '../context.ts';
import type { FailureDetails, NextStep, StillPending } from '../failures/failure.ts';
import { type Remarks, remarksFor } from '../following/remarks.ts';
import { type Result, record } from '../result.ts';
import { looksAtAll } from './following.ts';
import { type Goal, outcomeOf } from './goals.ts';
import { endedBadly, ranOut } from './watching.ts';

/** How long somebody waits, and the command that waits on. */
export interface Patience {
  timeout_ms: number;
  again: string;
}

/**
 * Waits until a delivery has reached a status, and answers with it. Fails with exit 9 at once where it is given up,
 * and with exit 8 when time ran out; programs get the delivery all the same.
 */
export async function awaitDelivery(
  context: Context,
  first: Delivery,
  goal: Goal,
  { timeout_ms, again }: Patience,
): Promise<Result> {
  const answer = ([last = first]: readonly Delivery[]) => record(last, deliverySummary());
  // People read the reason; programs take the record apart.
  const failed = context.output.json ? answer : () => undefined;
  return answer(await awaitAll(context, [first], goal, { timeout_ms, again: () => again, failed }));
}

/** How long somebody waits for several, what waits on for one of them, and what is answered where it fails. */
export interface PatienceWithAll {
  timeout_ms: number;
  again(delivery: Delivery): string;
  failed(last: readonly Delivery[]): Result | undefined;
}

/**
 * Waits until each of the deliveries has reached a status, and gives them as they are then. Fails with exit 9 as soon
 * as one is given up, and with exit 8 when time ran out.
 */
export async function awaitAll(
  context: Context,
  first: readonly Delivery[],
  goal: Goal,
  patience: PatienceWithAll,
): Promise<readonly Delivery[]> {
  let last = first;
  let progress = await context.progress(waitingText(last));
  // A line is written where no spinner is.
  const note = async (line: string) => {
    progress.stop();
    context.note(line);
    progress = await context.progress(waitingText(last));
  };
  const remarks = remarksFor(context, { note, isEndless: false });
  const following = { timeout_ms: patience.timeout_ms, remarks };
  const isOpen = (delivery: Delivery) => outcomeOf(delivery, goal) === 'open';
  try {
    for await (const seen of looksAtAll(context, first, following)) {
      last = seen;
      progress.say(waitingText(last));
      const lost = last.find((delivery) => outcomeOf(delivery, goal) === 'lost');
      if (lost !== undefined) throw endedBadly(lost, answerOf(patience, last));
      if (!last.some(isOpen)) return last;
    }
    throw outOfTime(last, last.filter(isOpen), patience, remarks);
  } finally {
    progress.stop();
  }
}

function outOfTime(
  last: readonly Delivery[],
  open: readonly Delivery[],
  patience: PatienceWithAll,
  remarks: Remarks,
): StillPending {
  const { timeout_ms, again } = patience;
  const { next, ...hint } = remarks.details();
  const goOn = open.map((each): NextStep => ({ command: again(each), when: 'go on waiting' }));
  const details: FailureDetails = { ...hint, next: [...next, ...goOn], ...answerOf(patience, last) };
  return ranOut(open, timeout_ms, details);
}

function waitingText(deliveries: readonly Delivery[]): string {
  const [only] = deliveries;
  return deliveries.length === 1 && only !== undefined
    ? `Waiting for ${only.id}: ${only.status}`
    : `Waiting for ${deliveries.length} deliveries: ${statusesOf(deliveries)}`;
}

/** `2 delivered, 1 enroute_dropoff` */
function statusesOf(deliveries: readonly Delivery[]): string {
  const statuses = [...new Set(deliveries.map(({ status }) => status))];
  return statuses
    .map((status) => `${deliveries.filter((each) => each.status === status).length} ${status}`)
    .join(', ');
}

function answerOf(patience: PatienceWithAll, last: readonly Delivery[]): { answer?: Result } {
  const answer = patience.failed(last);
  return answer === undefined ? {} : { answer };
}
