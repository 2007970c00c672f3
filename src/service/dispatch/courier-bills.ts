/** Charges what a courier bills beyond what was agreed, and gives back what it bills less. */
import { addToBill, adjustmentsOf, type CourierBill } from '../../domain/charges.ts';
import { day_ms } from '../../domain/durations.ts';
import type { CourierReport } from '../../providers/courier.ts';
import { bookingsOfDispatch, writeBill } from '../../storage/couriers.ts';
import type { CourierBookingRow, DeliveryRow } from '../../storage/database.ts';
import { chargesOfDelivery } from '../../storage/deliveries.ts';
import { dispatchesOfRoute } from '../../storage/routes.ts';
import { charge, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';

/** How long after the end of a delivery the courier's amounts are still charged. */
const settling_ms = 30 * day_ms;

/** Keeps the amounts of a report; returns the booking with its bill. */
export async function recordCosts(
  { db }: TransitionContext,
  booking: CourierBookingRow,
  report: CourierReport,
): Promise<CourierBookingRow> {
  const known = billOf(booking);
  const bill = JSON.stringify(addToBill(known, report.costs, report.status));
  if (bill === JSON.stringify(known)) return booking;
  await writeBill(db, booking, bill);
  return { ...booking, bill };
}

function billOf({ bill }: CourierBookingRow): CourierBill {
  return bill === null ? {} : JSON.parse(bill);
}

/** Charges or gives back what the courier's bill of a delivery differs from its charges. */
export async function settleBill(
  context: TransitionContext,
  row: DeliveryRow,
  booking: CourierBookingRow,
): Promise<void> {
  const { state, cost, cancellation_fee } = booking;
  const isSettled = row.ended_at !== null && context.now - row.ended_at > settling_ms;
  if (state === 'planned' || state === 'refused' || isSettled) return;
  const charged = await chargesOfDelivery(context.db, row.id);
  const adjustments = adjustmentsOf({
    bill: billOf(booking),
    booked: { cost, cancellation_fee },
    agreed: deliveryRecord(row),
    status: row.status,
    charged,
  });
  await charge(context, row, adjustments, charged);
}

/** Charges what the courier of a route bills beyond what was agreed, by the latest dispatch or a given one. */
export async function settleBills(
  context: TransitionContext,
  rows: readonly DeliveryRow[],
  dispatch_id?: string,
): Promise<void> {
  const billed = rows.filter(({ service }) =>
    context.providers.some(({ name, reporting }) => name === service && reporting !== undefined),
  );
  const [first] = billed;
  if (first === undefined) return;
  const dispatched = dispatch_id ?? (await dispatchesOfRoute(context.db, first.route_id)).at(-1)?.id;
  const bookings = dispatched === undefined ? [] : await bookingsOfDispatch(context.db, dispatched);
  for (const row of billed) {
    const booking = bookings.find(({ order_id }) => order_id === row.order_id);
    if (booking !== undefined) await settleBill(context, row, booking);
  }
}
