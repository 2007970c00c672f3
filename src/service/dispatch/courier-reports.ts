/**
 * Applies the reports of couriers outside of the process (`pushes-and-polls.ts`). They arrive late, repeatedly and in any
 * order; the history of a delivery stays legal all the same: see `domain/delivery-states.ts`.
 */
import { isEnded, orderedTime, skippedStatuses } from '../../domain/delivery-states.ts';
import { hasErasedEnd } from '../../domain/erasure.ts';
import type { CourierProof, CourierReport } from '../../providers/courier.ts';
import type { Report } from '../../providers/port.ts';
import { findBooking, lockBooking, writeBooking } from '../../storage/couriers.ts';
import type { CourierBookingRow, DeliveryRow, Scope } from '../../storage/database.ts';
import { isKnownReport, knownReports, lockDelivery, lockDeliveryOf } from '../../storage/deliveries.ts';
import { saveQuietly, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { scheduleLocations } from '../deliveries/publish-locations.ts';
import { changesIn } from '../deliveries/report-changes.ts';
import { isPublished, receiveReport } from '../deliveries/take-report.ts';
import type { RecordChange } from '../http/audit.ts';
import { recordCosts, settleBill } from './courier-bills.ts';
import { newProofs, scheduleProofCopies } from './proof-copies.ts';

/** Reports of one courier, for one of the accounts that have connected it. */
interface ReceivedReports {
  scope: Scope;
  provider: string;
  reports: readonly CourierReport[];
  /** The body of the courier's request; null if the reports were polled. */
  raw: string | null;
  /** Records the reports that change something. */
  recordChange: RecordChange;
}

/**
 * Applies reports in order; returns the problems that a person must know of. A report about a delivery that is not
 * known here is ignored: couriers also report what was booked elsewhere. Reports of one delivery wait for each other: it is
 * locked, and then its booking, before they are read. Couriers send what they have reported before once more: it is
 * not kept again.
 */
export async function applyCourierReports(
  context: TransitionContext,
  received: ReceivedReports,
): Promise<string[]> {
  const problems: string[] = [];
  const byBooking = Map.groupBy(received.reports, ({ key, reference }) => JSON.stringify([key, reference]));
  for (const reports of byBooking.values())
    problems.push(...(await applyToDelivery(context, { ...received, reports })));
  return problems;
}

/** Applies the reports that name the same booking. */
async function applyToDelivery(
  context: TransitionContext,
  { scope, provider, reports, raw, recordChange }: ReceivedReports,
): Promise<string[]> {
  const { db } = context;
  const [first] = reports;
  const found = first && (await findBooking(db, { ...scope, provider }, first));
  const row = found && (await lockDeliveryOf(db, found));
  const booking = row && (await lockBooking(db, found));
  if (booking === undefined || row === undefined) return [];
  const keyOf = ({ id }: CourierReport) => ({
    delivery_id: row.id,
    provider: row.service,
    provider_report_id: reportId(booking, id),
  });
  await knownReports(db, reports.map(keyOf));
  const problems: string[] = [];
  let current = booking;
  for (const report of reports) {
    const is_known = await isKnownReport(db, keyOf(report));
    // Facts that come again, later, count again: an estimate may go back to an earlier value.
    if (is_known && report.status !== null) continue;
    if (report.live !== undefined && report.live === (scope.test_mode === 1)) {
      const [got, used] = report.live ? ['a live', 'test'] : ['a test', 'live'];
      problems.push(`${provider} reported ${got} delivery for ${used} delivery ${row.id}: it is ignored`);
      continue;
    }
    const before = current;
    current = await recordBooking(context, before, report);
    const booked = { booking: current, report: attributeCancellation(current, report), raw };
    const isApplied = await applyReport(context, row.id, booked);
    current = await settleReport(context, row.id, current, report);
    if (current === before && !isApplied) continue;
    await recordChange(db, { scope: row, record_id: row.id, detail: report.status });
  }
  return problems;
}

/** Keeps the courier's reference: a report about a booking without a response says that it was made. */
async function recordBooking(
  { db, now }: TransitionContext,
  booking: CourierBookingRow,
  { reference }: CourierReport,
): Promise<CourierBookingRow> {
  if (booking.state !== 'asking' || reference === null) return booking;
  const { bill, ...booked } = { ...booking, state: 'booked' as const, reference, updated_at: now };
  await writeBooking(db, booked);
  return { ...booked, bill };
}

/** Keeps the courier's amounts, and charges what they differ from ours; the delivery is read after the report. */
async function settleReport(
  context: TransitionContext,
  delivery_id: string,
  booking: CourierBookingRow,
  report: CourierReport,
): Promise<CourierBookingRow> {
  if (isPosition(report)) return booking;
  const billed = await recordCosts(context, booking, report);
  const row = await lockDelivery(context.db, delivery_id);
  const isToSettle = row !== undefined && (billed !== booking || isEnded(row.status));
  if (isToSettle) await settleBill(context, row, billed);
  return billed;
}

/**
 * Attributes a canceled delivery to the merchant if we asked for its cancellation: the courier may report it before it
 * responds to the request. The reason of a booking in these states is that of a cancellation, not of a refusal.
 */
function attributeCancellation({ state, reason }: CourierBookingRow, report: CourierReport): CourierReport {
  const isCancelRequested = (state === 'booked' || state === 'canceled') && reason !== null;
  return isCancelRequested && report.status === 'provider_canceled'
    ? { ...report, status: 'customer_canceled' }
    : report;
}

interface BookedReport {
  booking: CourierBookingRow;
  report: CourierReport;
  raw: string | null;
}

/** Applies a report; returns whether the delivery was changed by more than a position. */
async function applyReport(
  context: TransitionContext,
  delivery_id: string,
  { booking, report, raw }: BookedReport,
): Promise<boolean> {
  // An earlier report of the same request may have changed it.
  const row = await lockDelivery(context.db, delivery_id);
  if (row === undefined) return false;
  const converted = reportOf(booking, report, context.now);
  if (isPosition(report)) {
    await savePosition(context, row, converted);
    return false;
  }
  const { reported_at } = deliveryRecord(row);
  const occurred_at = orderedTime(report, { status: row.status, reported_at });
  const { status } = report;
  // A report that is too old to count has skipped nothing.
  const isCounted = status !== null && occurred_at >= reported_at;
  const skipped = isCounted ? skippedStatuses(row.status, status) : [];
  let current = row;
  for (const earlier of skipped) {
    const { order_id, driver } = converted;
    const passed = { id: `${converted.id} ${earlier}`, order_id, status: earlier, occurred_at };
    current = await receiveReport(context, current, { ...passed, ...(driver !== undefined && { driver }) });
  }
  const proofs = newProofs(deliveryRecord(current), report.proofs ?? []);
  const proven = { ...converted, ...proofOf(proofs, report), occurred_at };
  const changed = await receiveReport(context, current, proven, raw);
  if (isPublished(current, changed)) await scheduleProofCopies(context, changed, proofs);
  return isPublished(row, changed);
}

/** A proof is shown at once with the courier's link, if it has one. */
function proofOf(proofs: readonly CourierProof[], { signer = '' }: CourierReport): Partial<Report> {
  const signature = proofs.find(({ type }) => type === 'signature');
  return {
    ...(proofs.length > 0 && { proof: proofs.map(({ type, url = '' }) => ({ type, url })) }),
    ...(signature !== undefined && { signature: { name: signer, image_url: signature.url ?? '' } }),
  };
}

/** Ids of couriers are only unique within a delivery. */
function reportId({ key }: CourierBookingRow, id: string): string {
  return `${key} ${id}`;
}

/** Converts a courier's report. A courier's clock may be ahead: a position is never later than now. */
function reportOf(booking: CourierBookingRow, source: CourierReport, now: number): Report {
  const { key, reference, live, costs, proofs, signer, position, ...report } = source;
  const at = Math.min(report.occurred_at, now);
  return {
    ...report,
    id: reportId(booking, report.id),
    order_id: booking.order_id,
    ...(position !== undefined && { way: [{ at, ...position }] }),
  };
}

/** Whether a report contains only the position of the driver. */
function isPosition({
  status,
  position,
  driver,
  proofs,
  pickup_eta,
  dropoff_eta,
  pin,
  costs,
}: CourierReport): boolean {
  if (status !== null || position === undefined) return false;
  return [driver, proofs, pickup_eta, dropoff_eta, pin, costs].every((part) => part === undefined);
}

/** Positions come every few seconds: they are kept without a report and an event of their own. */
async function savePosition(context: TransitionContext, row: DeliveryRow, report: Report): Promise<void> {
  const record = deliveryRecord(row);
  if (record.driver === null || hasErasedEnd(record)) return;
  const changes = changesIn(report, { row, record, status: row.status });
  if (Object.keys(changes).length === 0) return;
  await scheduleLocations(context, await saveQuietly(context, row, { ...record, ...changes }));
}
