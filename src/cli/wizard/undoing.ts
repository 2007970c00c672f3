import { type Result, words } from '../result.ts';
import { closeOrder } from './order-making.ts';
import { withoutOrder } from './plan.ts';
import { dropRoute } from './route-making.ts';
import type { Run } from './run.ts';

/** Takes back what was made here: the draft route, and the orders. Those that were open before stay. */
export async function undo(run: Run): Promise<void> {
  await dropRoute(run);
  for (const { id, isOurs, number } of run.plan.orders) {
    if (id !== null && isOurs) await closeOrder(run, id);
    run.keep(withoutOrder(run.plan, number));
  }
  run.keep({ ...run.plan, draft: null });
}

/** The same, as an end. */
export async function undone(run: Run): Promise<Result> {
  await undo(run);
  return words('Nothing was dispatched, and nothing that was made here stays open.');
}
