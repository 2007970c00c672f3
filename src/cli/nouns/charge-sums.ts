/** The sums below a list of charges: in all, of each kind and store, and of each delivery of an order. */
import type { Charge } from '../../contract/accounting.ts';
import { chargeKinds } from '../../contract/vocabulary.ts';
import { amountsText, dollars } from '../../domain/money.ts';
import { costText, sumOrderCost } from './order.ts';

/** The totals of the listed charges, in cents. */
export interface Sum {
  /** Whether those after the listed ones are in it. */
  isOfAll: boolean;
  count: number;
  charged: number;
  back: number;
  /** The charges that were refunded in full. */
  given_back: number;
  /** The sum of each kind. */
  kinds: Map<string, number>;
  /** The sum of each store. */
  stores: Map<string, number>;
  /** The part of the prices that is the service fee. */
  fees: number;
}

export function addAmount(sum: Sum, charge: Charge): void {
  const { amount, given_back, kind, service_fee } = charge;
  const store = charge.store_name ?? charge.store_id ?? 'no store';
  sum.count += 1;
  sum.fees += service_fee;
  sum.kinds.set(kind, (sum.kinds.get(kind) ?? 0) + amount);
  sum.stores.set(store, (sum.stores.get(store) ?? 0) + amount);
  if (given_back) sum.given_back += amount;
  if (amount < 0) sum.back -= amount;
  else sum.charged += amount;
}

/** Notes on a list without refunds, which are rows of their own: its total is that before them. */
export function kindNotes(
  { count, charged, given_back }: Sum,
  kinds: readonly string[] | undefined,
): string[] {
  if (count === 0 || kinds === undefined || kinds.includes('refund')) return [];
  const kept = `Without those of failed and canceled deliveries, which were given back: ${dollars(charged - given_back)}.`;
  return ['Refunds are a kind of their own: this is before them.', ...(given_back > 0 ? [kept] : [])];
}

/** The total, and the sum of each kind and store; of a single row only its service fee. */
export function sumNotes({ isOfAll, count, charged, back, kinds, stores, fees }: Sum): string[] {
  if (count < 2 && fees === 0) return [];
  const parts = back === 0 ? '' : ` (${dollars(charged)} charged, ${dollars(back)} refunded)`;
  const total = `Total of ${isOfAll ? 'all' : 'these'} ${count}: ${dollars(charged - back)}${parts}.`;
  const byStore = stores.size < 2 ? [] : [`By store: ${amountsText(stores)}.`];
  if (kinds.size < 2 && fees === 0) return [total, ...byStore];
  const each = chargeKinds.flatMap((kind) => {
    const amount = kinds.get(kind);
    const inPrices = kind === 'delivery' && fees > 0 ? ` (${dollars(fees)} of it service fees)` : '';
    return amount === undefined ? [] : [`${kind} ${dollars(amount)}${inPrices}`];
  });
  return [...(count < 2 ? [] : [total]), `By kind: ${each.join(', ')}.`, ...byStore];
}

/** The cost of each delivery of an order; none for a single one, which the total covers. */
export function attemptNotes(charges: readonly Charge[]): string[] {
  const cost = sumOrderCost(charges);
  return cost.attempts.length < 2 ? [] : [costText(cost)];
}
