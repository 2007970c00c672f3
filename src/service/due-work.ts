import { finishAdvance } from './advances.ts';
import type { ServiceContext } from './context.ts';
import { runDueTasks } from './tasks.ts';

/**
 * Does all that is due now, once; tells how much it was. An advance of a sandbox's clock that was cut off comes
 * first: what is due after it is not due yet.
 */
export async function doDueWork(context: ServiceContext): Promise<number> {
  if (context.turns.isInterrupted()) return 0;
  if (!context.sandbox) return runDueTasks(context);
  await context.clock.refresh();
  const done = await finishAdvance(context);
  return done + (await runDueTasks(context));
}
