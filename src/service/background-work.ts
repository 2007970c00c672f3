import { StorageUnavailable } from '../storage/errors.ts';
import type { ServiceContext } from './runtime/context.ts';
import { finishAdvance } from './sandbox/advance-job.ts';
import { runInOrder, tidy } from './tasks/task-runner.ts';

/** So long an advance that was cut off is worked at before others have their turn. */
const share_ms = 1_000;

/**
 * Does all that is due now, once; tells how much it was. An advance of a sandbox's clock that was cut off comes
 * first: what is due after it is not due yet. With a patience, what is not done by then is left for the next time.
 */
export async function doDueWork(context: ServiceContext, max_duration_ms?: number): Promise<number> {
  if (context.mutex.isInterrupted()) return 0;
  if (!context.sandbox) return runDueTasks(context, max_duration_ms);
  await context.clock.refresh();
  const done = await finishAdvance(context, max_duration_ms ?? share_ms).catch(async (fault: unknown) => {
    // Time stands still until the advance can be ended; what is due by now is done all the same.
    if (!(fault instanceof StorageUnavailable)) await runDueTasks(context, max_duration_ms);
    throw fault;
  });
  if (context.clock.state().advance === null) return done + (await runDueTasks(context, max_duration_ms));
  // Others may have their turn before it goes on.
  context.wakeup.notify();
  return done;
}

async function runDueTasks(context: ServiceContext, max_duration_ms?: number): Promise<number> {
  const done = await run(context, max_duration_ms);
  if (done > 0) await tidy(context);
  return done;
}

/** Where all providers answer within this process there is nothing that goes on side by side. */
async function run(context: ServiceContext, max_duration_ms?: number): Promise<number> {
  if (!context.providers.some(({ is_remote }) => is_remote)) return runInOrder(context, max_duration_ms);
  const { runInLanes } = await import('./tasks/concurrency.ts');
  return runInLanes(context);
}
