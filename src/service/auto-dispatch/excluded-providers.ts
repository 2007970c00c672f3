import type { Provider } from '../../providers/port.ts';
import { changePending } from '../../storage/batch-orders.ts';
import { type PendingOrder, refusalsOf } from '../batches/order-outcomes.ts';
import { orderRecord } from '../orders/order-view.ts';
import { askableProviders } from '../quotes/quote-rounds.ts';
import type { WriteContext } from '../runtime/context.ts';

/** The providers to exclude from a round: those that refused, unless no other is left. */
export function excludedProviders(
  { entry, order, settings }: PendingOrder,
  providers: readonly Provider[],
): string[] {
  const refusals = refusalsOf(entry).filter(({ isExcluded }) => isExcluded);
  const excluded = refusals.flatMap(({ provider }) => provider ?? []);
  const { simulation } = orderRecord(order);
  const askable = askableProviders(providers, {
    providers: settings.providers,
    simulated: simulation.provider,
  });
  return askable.every(({ name }) => excluded.includes(name)) ? [] : excluded;
}

/** Includes the providers again that refused before, because no other offers a quote. */
export async function includeRefusingProviders(
  { db, now }: WriteContext,
  { entry, order }: PendingOrder,
): Promise<void> {
  const refusals = refusalsOf(entry).map((refusal) => ({ ...refusal, isExcluded: false }));
  if (refusals.length === 0) return;
  await changePending(db, { order_id: order.id, to: { refusals: JSON.stringify(refusals) }, now });
}
