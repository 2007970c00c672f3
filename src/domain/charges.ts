import type { Adjustment } from '../contract/accounts.ts';
import type { ChargeKind, DeliveryStatus } from '../contract/vocabulary.ts';
import { isCanceled, isPickedUp } from './delivery-states.ts';
import { halfUp } from './money.ts';

/** One charge or refund in cents; refunds are negative. */
export interface Movement {
  kind: ChargeKind;
  amount: number;
  /** The reason for an adjustment, for people; absent or null for other kinds. */
  reason?: string | null;
}

/** The charges of a dispatch. */
export function paymentOf(payment_amount: number, tip: number | null): Movement[] {
  return withoutZeros([
    { kind: 'delivery', amount: payment_amount },
    { kind: 'tip', amount: tip ?? 0 },
  ]);
}

/**
 * The charges and refunds of entering a status, given the payments so far: a cancellation refunds everything and
 * charges its fee, a return charges its price, a failure refunds everything. A parcel that is canceled on its way back was
 * carried: what was charged stays. So it does if a courier with a bill of its own loses a parcel that it has picked up:
 * the courier says what it gives back.
 */
export function movementsAt(
  { from, to }: { from: DeliveryStatus; to: DeliveryStatus },
  paid: number,
  price: { cancellation_fee: number; return_price: number; has_bill?: boolean },
): Movement[] {
  const refund: Movement = { kind: 'refund', amount: -paid };
  const isLost = isPickedUp(from) && (to === 'failed' || to === 'provider_canceled');
  if (isLost && price.has_bill === true) return [];
  if (to === 'failed') return withoutZeros([refund]);
  if (to === 'returned') return withoutZeros([{ kind: 'return', amount: price.return_price }]);
  if (!isCanceled(to) || from === 'enroute_to_return') return [];
  return withoutZeros([refund, { kind: 'cancellation', amount: price.cancellation_fee }]);
}

export function sumOf(movements: readonly { amount: number }[]): number {
  return movements.reduce((sum, { amount }) => sum + amount, 0);
}

function withoutZeros(movements: readonly Movement[]): Movement[] {
  return movements.filter(({ amount }) => amount !== 0);
}

/** The fee adjustments of an account; null if not configured. */
interface Adjustments {
  upsell: Adjustment | null;
  subsidy: Adjustment | null;
}

/** The displayed amounts beside the charged ones, in cents. */
interface ShownFee {
  fee: number;
  upsell: number | null;
  subsidized: number | null;
}

/** `fee` = max(0, payment + upsell - subsidized); for display only. */
export function shownFee(payment_amount: number, { upsell, subsidy }: Adjustments): ShownFee {
  const added = amountOf(upsell, payment_amount);
  const taken = amountOf(subsidy, payment_amount);
  return {
    fee: Math.max(0, payment_amount + (added ?? 0) - (taken ?? 0)),
    upsell: added,
    subsidized: taken,
  };
}

function amountOf(adjustment: Adjustment | null, payment_amount: number): number | null {
  if (adjustment === null) return null;
  return adjustment.kind === 'fixed' ? adjustment.value : halfUp(payment_amount * adjustment.value, 100);
}
