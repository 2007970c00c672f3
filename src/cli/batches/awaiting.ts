import type { Batch, BatchSettings } from '../../contract/batches.ts';
import type { Context } from '../context.ts';
import { type FailureDetails, StillPending } from '../failures/failure.ts';
import type { Invocation } from '../kit/output/invocation.ts';
import { durationText } from '../line/flags.ts';
import type { DrawingResult } from '../result.ts';
import { awaited, goingOn } from '../waiting/wait.ts';
import { batchDrawing } from './batch-text.ts';
import { batchLooks } from './batch-waitable.ts';
import { countsText, endingOf } from './counts.ts';
import { type BatchGoal, isReached, lostEarly, lostOrder } from './goals.ts';

/** The last try begins at the end of the window; by then its couriers have answered, too. */
const lastTry_ms = 900_000;

/** How long a batch is waited for where nobody says it. */
export function patienceFor({ retry_window }: Pick<BatchSettings, 'retry_window'>): number {
  return retry_window * 1000 + lastTry_ms;
}

/** How a batch is waited for. */
export interface BatchPatience {
  goal: BatchGoal;
  /** Without it, as long as its tries can take. */
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
  /** The command that waits on. */
  again: Invocation;
}

/**
 * Waits until a batch is complete, and answers with it where all of it was dispatched. Else fails with exit 9 or 10,
 * and with exit 8 when time ran out; the batch is shown all the same, but to people only where it is complete. With an
 * order at which waiting is given up it is exit 9 at once.
 */
export async function awaitBatch(
  context: Context,
  first: Batch,
  { goal, timeout_ms = patienceFor(first.settings), interval_ms, again }: BatchPatience,
): Promise<DrawingResult> {
  const shown = (batch: Batch) => (context.output.json ? { answer: answerOf(batch) } : {});
  const { last, isSettled, remarks } = await awaited(context, {
    first,
    looks: (made) => batchLooks(context, first, { timeout_ms, interval_ms, remarks: made }),
    text: (batch) => countsText(batch),
    isSettled: (batch) => {
      const lost = lostOrder(batch, goal);
      if (lost !== undefined) throw lostEarly(lost, shown(batch));
      return isReached(batch, goal);
    },
  });
  if (!isSettled) throw ranOut(last, timeout_ms, { ...goingOn(remarks, [again]), ...shown(last) });
  const answer = answerOf(last);
  const ending = last.status === 'complete' ? endingOf(last, { answer }) : null;
  if (ending !== null) throw ending;
  return answer;
}

function answerOf(batch: Batch): DrawingResult {
  return batchDrawing(batch, { brief: true });
}

/** Exit 8: where it stands by now. */
export function ranOut(batch: Batch, timeout_ms: number, details: FailureDetails): StillPending {
  return new StillPending(`Time ran out after ${durationText(timeout_ms)}: ${countsText(batch)}.`, details);
}
