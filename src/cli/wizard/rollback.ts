import { type Result, words } from '../result.ts';
import { cancelOrder } from './create-order.ts';
import { deleteRoute } from './create-route.ts';
import { withoutOrder } from './plan.ts';
import type { Run } from './run.ts';

/**
 * Undoes what this wizard created: the draft route and the orders. Orders that were open before stay. False if someone
 * else uses some of it by now.
 */
export async function rollBack(run: Run): Promise<boolean> {
  let isWhole = true;
  await deleteRoute(run);
  for (const { id, isOurs, number } of run.plan.orders) {
    if (id !== null && isOurs && !(await cancelOrder(run, id))) isWhole = false;
    run.keep(withoutOrder(run.plan, number));
  }
  run.keep({ ...run.plan, draft: null });
  return isWhole;
}

/** Rolls back and ends the wizard. */
export async function rollBackAndEnd(run: Run): Promise<Result> {
  const isWhole = await rollBack(run);
  return words(
    isWhole
      ? 'Nothing was dispatched, and everything created here was rollBackAndEnd.'
      : 'Nothing was dispatched from here. What someone else changed stays as it is.',
  );
}
