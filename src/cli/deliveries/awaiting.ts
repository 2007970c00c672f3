import type { Delivery } from '../../contract/deliveries.ts';
import { deliverySummary } from '../columns/deliveries.ts';
import type { Context } from '../context.ts';
import { type Result, record } from '../result.ts';
import { looksAt } from './following.ts';
import { type Goal, outcomeOf } from './goals.ts';
import { remarksFor } from './remarks.ts';
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
  let progress = await context.progress(waitingText(first));
  let last = first;
  // A line is written where no spinner is.
  const note = async (line: string) => {
    progress.stop();
    context.note(line);
    progress = await context.progress(waitingText(last));
  };
  const remarks = remarksFor(context, { note, isEndless: false });
  try {
    for await (const delivery of looksAt(context, first, { timeout_ms, remarks })) {
      last = delivery;
      progress.say(waitingText(delivery));
      const outcome = outcomeOf(delivery, goal);
      if (outcome === 'reached') return record(delivery, deliverySummary());
      if (outcome === 'lost') throw endedBadly(delivery, answerFor(context, delivery));
    }
    const { next, ...hint } = remarks.details();
    const goOn = { command: again, when: 'go on waiting' };
    throw ranOut(last, timeout_ms, { ...hint, next: [...next, goOn], ...answerFor(context, last) });
  } finally {
    progress.stop();
  }
}

function waitingText({ id, status }: Delivery): string {
  return `Waiting for ${id}: ${status}`;
}

/** People read the reason; programs take the record apart. */
function answerFor({ output }: Context, delivery: Delivery): { answer?: Result } {
  return output.json ? { answer: record(delivery, deliverySummary()) } : {};
}
