import type { ChargeKind } from '../../../src/contract/vocabulary.ts';
import { adjustmentsOf, type CourierBill } from '../../../src/domain/charges.ts';
import { isCanceled, isPickedUp } from '../../../src/domain/delivery-states.ts';
import type { DeliveryRecord } from '../../../src/service/deliveries/delivery-view.ts';
import type { ChargeRow, CourierBookingRow, DeliveryRow } from '../../../src/storage/database.ts';
import type { Storage } from '../../../src/storage/storage.ts';

type Charged = Pick<ChargeRow, 'kind' | 'amount' | 'reason'>;

/** What is wrong with the charges of each delivery, one sentence each: they add up to its record, and none is double. */
export async function moneyFaults(storage: Storage): Promise<string[]> {
  const { deliveries, charges, disputes, bookings } = await storage.run(async (db) => ({
    deliveries: await db.selectFrom('deliveries').selectAll().execute(),
    charges: await db.selectFrom('charges').selectAll().execute(),
    disputes: await db.selectFrom('disputes').selectAll().execute(),
    bookings: await db
      .selectFrom('courier_bookings')
      .innerJoin('dispatches', 'dispatches.id', 'courier_bookings.dispatch_id')
      .selectAll('courier_bookings')
      .select('route_id')
      .execute(),
  }));
  const rowsOf = Map.groupBy(charges, ({ delivery_id }) => delivery_id);
  return deliveries.flatMap((row) => {
    const own = rowsOf.get(row.id) ?? [];
    const refunded = disputes.find(({ id }) => id === row.id)?.amount ?? 0;
    const booking = bookings.find(
      ({ route_id, order_id }) => route_id === row.route_id && order_id === row.order_id,
    );
    return [...faultsOf(row, own, refunded), ...billFaults(row, own, booking)].map(
      (fault) => `${row.id} (${row.status}, ${row.service}): ${fault}`,
    );
  });
}

function faultsOf(row: DeliveryRow, charges: readonly Charged[], disputed: number): string[] {
  const record: DeliveryRecord = JSON.parse(row.record);
  const { payment_amount, tip, refunded_amount } = record;
  const paid = isPaid(row, record) ? [payment_amount, tip ?? 0] : [0, 0];
  const [price = 0, tips = 0] = paid;
  // A parcel that is canceled on its way back was carried.
  const isCarried = record.status_history.at(-2)?.status === 'enroute_to_return';
  // A courier with a bill of its own says what it gives back of a parcel that it has lost after the pickup.
  const isLost = row.service === 'scripted' && ['failed', 'provider_canceled'].includes(row.status);
  const isKept = isLost && record.status_history.some(({ status }) => isPickedUp(status));
  const isTakenBack = (row.status === 'failed' || (isCanceled(row.status) && !isCarried)) && !isKept;
  // A price that the courier changed before it canceled was adjusted, and the rest of it is refunded.
  const changed = sum(charges.filter(({ reason }) => reason === 'price reported by the courier'));
  const expected = {
    delivery: price,
    tip: tips,
    refund: isTakenBack ? -(price + tips + changed) : -disputed,
  };
  const amount = (kind: ChargeKind) => sum(charges.filter((each) => each.kind === kind));
  const fees = { cancellation: isCanceled(row.status), return: row.status === 'returned' };
  return [
    ...Object.entries(expected).flatMap(([kind, wanted]) => {
      const found = sum(charges.filter((each) => each.kind === kind));
      return found === wanted ? [] : [`${kind} ${found} instead of ${wanted}`];
    }),
    ...(['delivery', 'refund', 'cancellation', 'return'] as const).flatMap((kind) => {
      const { length } = charges.filter((each) => each.kind === kind);
      return length > 1 ? [`${length} times ${kind}`] : [];
    }),
    ...(['cancellation', 'return'] as const).flatMap((kind) =>
      fees[kind] || amount(kind) === 0 ? [] : [`${kind} ${amount(kind)}`],
    ),
    ...(refunded_amount === -amount('refund') ? [] : [`refunded_amount is ${refunded_amount}`]),
  ];
}

/** Whether a delivery was dispatched with a payment that was not declined. */
function isPaid({ status }: DeliveryRow, { status_history, failure_reason }: DeliveryRecord): boolean {
  const isDispatched = status_history.some((each) => ['delivery_created', 'scheduled'].includes(each.status));
  return status !== 'request' && isDispatched && failure_reason !== 'payment_declined';
}

function sum(charges: readonly Charged[]): number {
  return charges.reduce((total, { amount }) => total + amount, 0);
}

/** What the courier has reported and was not charged; adjustments of other couriers. */
function billFaults(
  row: DeliveryRow,
  charged: readonly Charged[],
  booking: CourierBookingRow | undefined,
): string[] {
  const isAdjusted = charged.some(({ kind }) => kind === 'adjustment');
  if (booking === undefined) return isAdjusted ? ['an adjustment without a courier'] : [];
  if (booking.state === 'planned' || booking.state === 'refused') return [];
  const bill: CourierBill = booking.bill === null ? {} : JSON.parse(booking.bill);
  const record: DeliveryRecord = JSON.parse(row.record);
  const missing = adjustmentsOf({ bill, booked: booking, agreed: record, status: row.status, charged });
  return missing.map(({ amount, reason }) => `${amount} not charged: ${reason}`);
}
