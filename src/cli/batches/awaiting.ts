import type { Batch, BatchSettings } from '../../contract/batches.ts';
import type { Context } from '../context.ts';
import { StillPending } from '../failures/failure.ts';
import { remarksFor } from '../following/remarks.ts';
import { commandLine } from '../line/command-line.ts';
import { durationText } from '../line/flags.ts';
import type { DrawingResult } from '../result.ts';
import { batchDrawing } from './batch-text.ts';
import { countsText, endingOf } from './counts.ts';
import { batchLooks } from './following.ts';

/** The last try begins at the end of the window; by then its couriers have answered, too. */
const lastTry_ms = 900_000;

/** How long a batch is waited for where nobody says it. */
export function patienceFor({ retry_window }: Pick<BatchSettings, 'retry_window'>): number {
  return retry_window * 1000 + lastTry_ms;
}

/**
 * Waits until a batch is complete, and answers with it where all of it was dispatched. Else fails with exit 9 or 10,
 * and with exit 8 when time ran out; the batch is shown all the same, but to people only where it is complete.
 */
export async function awaitBatch(
  context: Context,
  first: Batch,
  timeout_ms: number = patienceFor(first.settings),
): Promise<DrawingResult> {
  let progress = await context.progress(countsText(first));
  let last = first;
  // A line is written where no spinner is.
  const note = async (line: string) => {
    progress.stop();
    context.note(line);
    progress = await context.progress(countsText(last));
  };
  const remarks = remarksFor(context, { note, isEndless: false });
  try {
    for await (const batch of batchLooks(context, first, { timeout_ms, remarks })) {
      last = batch;
      progress.say(countsText(batch));
    }
  } finally {
    progress.stop();
  }
  const answer = batchDrawing(last, { brief: true });
  if (last.status === 'processing') {
    const { next, ...hint } = remarks.details();
    const goOn = {
      command: commandLine(['batches', 'get', first.batch_id], { wait: true }),
      when: 'go on waiting',
    };
    throw ranOut(last, timeout_ms, {
      ...hint,
      next: [...next, goOn],
      ...(context.output.json ? { answer } : {}),
    });
  }
  const ending = endingOf(last, { answer });
  if (ending !== null) throw ending;
  return answer;
}

type Details = ConstructorParameters<typeof StillPending>[1];

/** Exit 8: where it stands by now. */
export function ranOut(batch: Batch, timeout_ms: number, details: Details): StillPending {
  return new StillPending(`Time ran out after ${durationText(timeout_ms)}: ${countsText(batch)}.`, details);
}
