/** What a delivery costs, from its dispatch to its refund. */
import type { Adjustment } from '../contract/accounts.ts';
import type { ChargeKind, DeliveryStatus } from '../contract/vocabulary.ts';
import { hasEndedBadly, isCanceled, isPickedUp } from './delivery-states.ts';
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

export function sumAmounts(movements: readonly { amount: number }[]): number {
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

/** `fee` = payment + upsell - subsidized, for display only; no more is subsidized than there is. */
export function shownFee(payment_amount: number, { upsell, subsidy }: Adjustments): ShownFee {
  const added = amountOf(upsell, payment_amount);
  const price = payment_amount + (added ?? 0);
  const given = amountOf(subsidy, payment_amount);
  const subsidized = given === null ? null : Math.min(given, price);
  return { fee: price - (subsidized ?? 0), upsell: added, subsidized };
}

function amountOf(adjustment: Adjustment | null, payment_amount: number): number | null {
  if (adjustment === null) return null;
  return adjustment.kind === 'fixed' ? adjustment.value : halfUp(payment_amount * adjustment.value, 100);
}

// The bill of a courier for a delivery, as reported so far, and the adjustments that make our charges add up to it.
// Couriers report in any order: of each amount the newest one counts, by the courier's own time.

interface Amount {
  /** In cents. */
  amount: number;
  /** When the courier charged it, in milliseconds. */
  at: number;
}

/** The amounts that a courier has reported for a delivery, by what they are for. */
export interface CourierBill {
  price?: Amount | undefined;
  /** The price that a canceled delivery has at the courier, which may be the one that it had before. */
  canceled_price?: Amount | undefined;
  cancellation?: Amount | undefined;
  return?: Amount | undefined;
  /** The courier's refunds by their IDs. */
  refunds?: Readonly<Record<string, Amount>> | undefined;
  /** How far the courier has carried the parcel: to its end, or not known to the end. */
  carried?: 'begun' | 'done' | undefined;
}

/** The amounts of one report of a courier, in cents; unknown ones are absent. */
export interface ReportedCosts {
  /** When the courier charged it, by its own time; milliseconds since the epoch. */
  at: number;
  /** The price of a delivery that is not canceled, without the tip. */
  price?: number;
  /** The price that the courier shows for a canceled delivery, without the tip. */
  canceled_price?: number;
  cancellation?: number;
  return?: number;
  refunds?: readonly { id: string; amount: number }[];
}

/** The bill with what a courier has reported together with a status. */
export function addToBill(
  bill: CourierBill,
  costs: ReportedCosts | undefined,
  status: DeliveryStatus | null,
): CourierBill {
  const { at, price, canceled_price, cancellation, return: back, refunds = [] } = costs ?? { at: 0 };
  const refunded = refunds.map(({ id, amount }) => [id, newer(bill.refunds?.[id], amount, at)] as const);
  const latest = (known: Amount | undefined, amount: number | undefined) =>
    amount === undefined ? known : newer(known, amount, at);
  return {
    price: latest(bill.price, price),
    canceled_price: latest(bill.canceled_price, canceled_price),
    cancellation: latest(bill.cancellation, cancellation),
    return: latest(bill.return, back),
    refunds: refunded.length === 0 ? bill.refunds : { ...bill.refunds, ...Object.fromEntries(refunded) },
    carried: bill.carried === 'done' ? 'done' : (carriedAt(status) ?? bill.carried),
  };
}

function carriedAt(status: DeliveryStatus | null): CourierBill['carried'] {
  if (status === null) return undefined;
  if (status === 'delivered' || status === 'returned') return 'done';
  return isPickedUp(status) || status === 'failed' ? 'begun' : undefined;
}

function newer(known: Amount | undefined, amount: number, at: number): Amount {
  return known !== undefined && known.at > at ? known : { amount, at };
}

const reasons = {
  price: 'price reported by the courier',
  carried: 'delivery carried out although it had ended here',
  cancellation: 'cancellation fee reported by the courier',
  return: 'return delivery',
  refund: 'refund reported by the courier',
};

/** A charge as stored. */
interface Charged extends Movement {
  reason: string | null;
}

/** The amount charged for the delivery itself, which is refunded if it is not carried out. */
export function refundable(charged: readonly Charged[]): number {
  return sumAmounts(charged.filter(({ kind, reason }) => kind !== 'adjustment' || reason === reasons.price));
}

interface Settlement {
  bill: CourierBill;
  /** The price at booking, and what the courier took for the cancellation that was asked for; null if unknown. */
  booked: { cost: number | null; cancellation_fee: number | null };
  /** The courier's price and the whole price as agreed at dispatch. */
  agreed: { cost_of_delivery: number; payment_amount: number };
  status: DeliveryStatus;
  charged: readonly Charged[];
}

/**
 * Computes the charges and refunds that are missing for the charges to add up to the courier's bill. The refund of a
 * dispute counts as paid: it is not refunded again.
 */
export function adjustmentsOf(settlement: Settlement): Movement[] {
  const { charged, status } = settlement;
  const refunds = charged.filter(({ kind }) => kind === 'refund');
  let given = hasEndedBadly(status) ? 0 : -sumAmounts(refunds);
  return owedAmounts(settlement).flatMap(([reason, amount]) => {
    const difference = amount === null ? 0 : amount - chargedFor(reason, charged);
    const known = Math.min(given, Math.max(0, -difference));
    given -= known;
    const missing = difference + known;
    return missing === 0 ? [] : [{ kind: 'adjustment' as const, amount: missing, reason }];
  });
}

type Owed = readonly [reason: string, amount: number | null];

/** The amounts by which a courier's bill differs from what was agreed, by reason; null while one is unknown. */
function owedAmounts({ bill, booked, agreed, status, charged }: Settlement): Owed[] {
  const { cost_of_delivery, payment_amount } = agreed;
  const { price, cancellation_fee } = latestPrices(bill, booked, cost_of_delivery);
  const refunds = Object.entries(bill.refunds ?? {}).map(
    ([id, { amount }]): Owed => [id === '' ? reasons.refund : `${reasons.refund} (${id})`, -amount],
  );
  const others: Owed[] = [[reasons.return, bill.return?.amount ?? null], ...refunds];
  const isRefunded = charged.some(({ kind }) => kind === 'refund');
  const isTakenBack = isRefunded && hasEndedBadly(status);
  if (!isTakenBack) return [[reasons.price, price - cost_of_delivery], ...others];
  // A courier that has taken a cancellation carries the parcel no further.
  const isAsked = status === 'customer_canceled' || status === 'burq_canceled';
  const isCarried = bill.carried === 'done' || (bill.carried === 'begun' && !isAsked);
  if (!isCarried) return [[reasons.carried, 0], [reasons.cancellation, cancellation_fee], ...others];
  const tip = sumAmounts(charged.filter(({ kind }) => kind === 'tip'));
  const carried = payment_amount - cost_of_delivery + price + tip;
  return [[reasons.carried, carried], [reasons.cancellation, 0], ...others];
}

/** The courier's latest price of the delivery, and its fee for the cancellation; null if that is not known. */
function latestPrices(bill: CourierBill, booked: Settlement['booked'], agreed_cost: number) {
  const { price, canceled_price } = bill;
  const known = price?.amount ?? booked.cost ?? agreed_cost;
  const isCanceledLast = canceled_price !== undefined && canceled_price.at > (price?.at ?? 0);
  // A price that did not change with the cancellation does not say what the cancellation costs.
  const changed = canceled_price?.amount === known ? undefined : canceled_price?.amount;
  return {
    price: isCanceledLast ? canceled_price.amount : known,
    cancellation_fee: bill.cancellation?.amount ?? changed ?? booked.cancellation_fee,
  };
}

/** The amount charged for a reason; a cancellation fee that was known is a charge of its own kind. */
function chargedFor(reason: string, charged: readonly Charged[]): number {
  return sumAmounts(
    charged.filter(
      (each) => each.reason === reason || (reason === reasons.cancellation && each.kind === 'cancellation'),
    ),
  );
}

/** The fee of a cancellation, as known at the cancellation or as reported. */
export function cancellationFeeOf(charged: readonly Charged[]): number {
  return chargedFor(reasons.cancellation, charged);
}

/** Whether a cancellation fee was charged, as known at the cancellation or as reported. */
export function hasCancellationFee(charged: readonly Charged[]): boolean {
  return charged.some(({ kind, reason }) => kind === 'cancellation' || reason === reasons.cancellation);
}
