import type { Adjustment } from '../contract/accounts.ts';
import { halfUp } from './money.ts';

/** The fee adjustments of an account; null if not configured. */
export interface Adjustments {
  upsell: Adjustment | null;
  subsidy: Adjustment | null;
}

/** The displayed amounts beside the charged ones, in cents. */
export interface ShownFee {
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
