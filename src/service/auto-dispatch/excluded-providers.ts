import type { Provider } from '../../providers/port.ts';
import { changePending } from '../../storage/batch-orders.ts';
import { type PendingOrder, refusalsOf } from '../batches/order-outcomes.ts';
import { orderRecord } from '../orders/order-view.ts';
import { askedBy } from '../quotes/quote-rounds.ts';
import type { WriteContext } from '../runtime/context.ts';

/** Who is left out of a round: those who refused, unless nobody else could be asked. */
export function excludedFrom(
  { entry, order, settings }: PendingOrder,
  providers: readonly Provider[],
): string[] {
  const refusals = refusalsOf(entry).filter(({ isExcluded }) => isExcluded);
  const excluded = refusals.flatMap(({ provider }) => provider ?? []);
  const { simulation } = orderRecord(order);
  const askable = askedBy(providers, { providers: settings.providers, simulated: simulation.provider });
  return askable.every(({ name }) => excluded.includes(name)) ? [] : excluded;
}

/** Nobody else quotes: those who refused before are asked again. */
export async function forgive({ db, now }: WriteContext, { entry, order }: PendingOrder): Promise<void> {
  const refusals = refusalsOf(entry).map((refusal) => ({ ...refusal, isExcluded: false }));
  if (refusals.length === 0) return;
  await changePending(db, { order_id: order.id, to: { refusals: JSON.stringify(refusals) }, now });
}
