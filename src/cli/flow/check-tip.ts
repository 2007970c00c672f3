import { tipFault } from '../../domain/order-rules.ts';
import { UsageError } from '../kit/errors/failure.ts';
import type { Context } from '../session/context.ts';

/** Refuses a tip in cents above the limit of the account, before anything is created. */
export async function checkTip(
  context: Context,
  tip: number | undefined,
  orders: readonly { order_value?: number }[],
): Promise<void> {
  if (tip === undefined || !context.has('account') || context.globals.dryRun) return;
  const client = await context.client();
  const { tip_limit } = (await client.account.get()).data;
  const fault = tipFault(tip, orders, tip_limit);
  if (fault !== null) throw new UsageError(`--tip ${fault}.`, { code: 'bad_value', param: '--tip' });
}
