/**
 * Applies the reports of couriers outside of the process. They arrive late, repeatedly and in any order; the history
 * of a delivery stays legal all the same: see `domain/reports.ts`.
 */
import { orderedTime, skippedStatuses } from '../../domain/reports.ts';
import type { CourierProof, CourierReport } from '../../providers/courier.ts';
import type { Report } from '../../providers/port.ts';
import { findBooking, writeBooking } from '../../storage/courier-bookings.ts';
import type { Connection, CourierBookingRow, DeliveryRow, Scope } from '../../storage/database.ts';
import { deliveriesOfRoute, updateDelivery } from '../../storage/deliveries.ts';
import { findDispatch } from '../../storage/dispatches.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { receiveReport } from '../deliveries/take-report.ts';
import { newProofs, scheduleProofCopies } from './copy-proof.ts';

/** Reports of one courier, for one of the accounts that have connected it. */
export interface ReceivedReports {
  scope: Scope;
  provider: string;
  reports: readonly CourierReport[];
  /** The body of the courier's request; null if the reports were polled. */
  raw: string | null;
}

/**
 * Applies reports in order; returns the problems that a person must know of. A report about a delivery that is not
 * known here is ignored: couriers also report what was booked elsewhere.
 */
export async function applyCourierReports(
  context: TransitionContext,
  { scope, provider, reports, raw }: ReceivedReports,
): Promise<string[]> {
  const problems: string[] = [];
  for (const report of reports) {
    const booking = await findBooking(context.db, { ...scope, provider }, report);
    const row = booking === undefined ? undefined : await deliveryOf(context.db, booking);
    if (booking === undefined || row === undefined) continue;
    if (report.live !== undefined && report.live === (scope.test_mode === 1)) {
      const [got, used] = report.live ? ['a live', 'test'] : ['a test', 'live'];
      problems.push(`${provider} reported ${got} delivery for ${used} delivery ${row.id}: it is ignored`);
      continue;
    }
    await recordBooking(context, booking, report);
    await applyReport(context, row, { booking, report: attributed(booking, report), raw });
  }
  return problems;
}

async function deliveryOf(db: Connection, booking: CourierBookingRow): Promise<DeliveryRow | undefined> {
  const dispatch = await findDispatch(db, booking.dispatch_id);
  const rows = dispatch === undefined ? [] : await deliveriesOfRoute(db, dispatch.route_id);
  return rows.find(({ order_id }) => order_id === booking.order_id);
}

/** Keeps the courier's reference and cost; a report about a booking without a response says that it was made. */
async function recordBooking(
  { db, now }: TransitionContext,
  booking: CourierBookingRow,
  { reference, cost }: CourierReport,
): Promise<void> {
  const isFound = booking.state === 'asking' && reference !== null;
  if (!isFound && (cost === undefined || cost === booking.cost)) return;
  await writeBooking(db, {
    ...booking,
    ...(isFound && { state: 'booked', reference }),
    ...(cost !== undefined && { cost }),
    updated_at: now,
  });
}

/** A cancellation that was asked for is the merchant's, although the courier reports it before it has responded. */
function attributed({ state, reason }: CourierBookingRow, report: CourierReport): CourierReport {
  const isAsked = (state === 'booked' || state === 'canceled') && reason !== null;
  return isAsked && report.status === 'provider_canceled'
    ? { ...report, status: 'customer_canceled' }
    : report;
}

interface BookedReport {
  booking: CourierBookingRow;
  report: CourierReport;
  raw: string | null;
}

async function applyReport(
  context: TransitionContext,
  row: DeliveryRow,
  { booking, report, raw }: BookedReport,
): Promise<void> {
  const own = reportOf(booking, report);
  if (isPosition(report)) return savePosition(context, row, own);
  const { reported_at } = deliveryRecord(row);
  const occurred_at = orderedTime(report, { status: row.status, reported_at });
  const skipped = report.status === null ? [] : skippedStatuses(row.status, report.status);
  let current = row;
  // A report that is too old to count has skipped nothing.
  if (occurred_at >= reported_at) {
    for (const status of skipped) {
      const { order_id, driver } = own;
      const passed = { id: `${own.id} ${status}`, order_id, status, occurred_at };
      current = await receiveReport(context, current, { ...passed, ...(driver !== undefined && { driver }) });
    }
  }
  const proofs = newProofs(deliveryRecord(current), report.proofs ?? []);
  const proven = { ...own, ...proofOf(proofs, report), occurred_at };
  const changed = await receiveReport(context, current, proven, raw);
  if (changed !== current) await scheduleProofCopies(context, changed, proofs);
}

/** A proof is shown at once with the courier's link, if it has one. */
function proofOf(proofs: readonly CourierProof[], { signer = '' }: CourierReport): Partial<Report> {
  const signature = proofs.find(({ type }) => type === 'signature');
  return {
    ...(proofs.length > 0 && { proof: proofs.map(({ type, url = '' }) => ({ type, url })) }),
    ...(signature !== undefined && { signature: { name: signer, image_url: signature.url ?? '' } }),
  };
}

/** The report of the service: ids of couriers are only unique within a delivery. */
function reportOf(booking: CourierBookingRow, given: CourierReport): Report {
  const {
    key: _,
    reference: __,
    live: ___,
    cost: ____,
    proofs: _____,
    signer: ______,
    position,
    ...report
  } = given;
  const at = report.occurred_at;
  return {
    ...report,
    id: `${booking.key} ${report.id}`,
    order_id: booking.order_id,
    ...(position !== undefined && { way: [{ at, ...position }] }),
  };
}

/** Whether a report says nothing but where the driver is. */
function isPosition({
  status,
  position,
  driver,
  proofs,
  pickup_eta,
  dropoff_eta,
  pin,
}: CourierReport): boolean {
  if (status !== null || position === undefined) return false;
  return [driver, proofs, pickup_eta, dropoff_eta, pin].every((part) => part === undefined);
}

/** Positions come every few seconds: they are kept without a report and an event of their own. */
async function savePosition(
  { db, now }: TransitionContext,
  row: DeliveryRow,
  { way = [] }: Report,
): Promise<void> {
  const record = deliveryRecord(row);
  const latest = record.way.at(-1);
  if (record.driver === null || (latest !== undefined && latest.at > (way.at(-1)?.at ?? 0))) return;
  const change = { record: JSON.stringify({ ...record, way }) };
  await updateDelivery(db, { id: row.id, from: row.status, change, now: Math.max(now, row.updated_at) });
}
