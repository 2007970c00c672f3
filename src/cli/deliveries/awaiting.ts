import type { Delivery } from '../../contract/deliveries.ts';
import { deliverySummary } from '../columns/deliveries.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../kit/output/invocation.ts';
import { type Result, record } from '../result.ts';
import { awaited, goingOn } from '../waiting/wait.ts';
import { type DeliveryGoal, outcomeOf } from './delivery-targets.ts';
import { looksAtAll } from './delivery-waitable.ts';
import { endedBadly, ranOut } from './watching.ts';

/** How long somebody waits, and the command that waits on. */
export interface Patience {
  timeout_ms: number;
  /** What somebody gave, where part of it is over. */
  given_ms?: number | undefined;
  interval_ms: number | undefined;
  again: Invocation;
}

/**
 * Waits until a delivery has reached a status, and answers with it. Fails with exit 9 at once where it is given up,
 * and with exit 8 when time ran out; programs get the delivery all the same.
 */
export async function awaitDelivery(
  context: Context,
  first: Delivery,
  goal: DeliveryGoal,
  { again, ...patience }: Patience,
): Promise<Result> {
  const answer = ([last = first]: readonly Delivery[]) => record(last, deliverySummary());
  // People read the reason; programs take the record apart.
  const failed = context.output.json ? answer : () => undefined;
  return answer(await awaitAll(context, [first], goal, { ...patience, again: () => again, failed }));
}

/** How long somebody waits for several, what waits on for one of them, and what is answered where it fails. */
export interface PatienceWithAll extends Omit<Patience, 'again'> {
  again(delivery: Delivery): Invocation;
  failed(last: readonly Delivery[]): Result | undefined;
}

/**
 * Waits until each of the deliveries has reached a status, and gives them as they are then. Fails with exit 9 as soon
 * as one is given up, and with exit 8 when time ran out.
 */
export async function awaitAll(
  context: Context,
  first: readonly Delivery[],
  goal: DeliveryGoal,
  patience: PatienceWithAll,
): Promise<readonly Delivery[]> {
  const { timeout_ms, given_ms = timeout_ms, interval_ms, again } = patience;
  const isOpen = (delivery: Delivery) => outcomeOf(delivery, goal) === 'open';
  const { last, isSettled, remarks } = await awaited(context, {
    first,
    looks: (made) => looksAtAll(context, first, { timeout_ms, interval_ms, remarks: made }),
    text: waitingText,
    isSettled: (seen) => {
      const lost = seen.find((delivery) => outcomeOf(delivery, goal) === 'lost');
      if (lost !== undefined) throw endedBadly(lost, answerOf(patience, seen));
      return !seen.some(isOpen);
    },
  });
  if (isSettled) return last;
  const open = last.filter(isOpen);
  throw ranOut(open, given_ms, { ...goingOn(remarks, open.map(again)), ...answerOf(patience, last) });
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
