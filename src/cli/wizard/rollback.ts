import { type Result, words } from '../result.ts';
import { closeOrder } from './create-order.ts';
import { dropRoute } from './create-route.ts';
import { withoutOrder } from './plan.ts';
import type { Run } from './run.ts';

/**
 * Takes back what was made here: the draft route, and the orders. Those that were open before stay. False where some
 * of it is not ours to take back any more.
 */
export async function undo(run: Run): Promise<boolean> {
  let isWhole = true;
  await dropRoute(run);
  for (const { id, isOurs, number } of run.plan.orders) {
    if (id !== null && isOurs && !(await closeOrder(run, id))) isWhole = false;
    run.keep(withoutOrder(run.plan, number));
  }
  run.keep({ ...run.plan, draft: null });
  return isWhole;
}

/** The same, as an end. */
export async function undone(run: Run): Promise<Result> {
  const isWhole = await undo(run);
  return words(
    isWhole
      ? 'Nothing was dispatched, and everything created here was undone.'
      : 'Nothing was dispatched from here. What someone else changed stays as it is.',
  );
}
