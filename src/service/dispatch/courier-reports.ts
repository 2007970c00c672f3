/**
 * Applies the reports of couriers outside of the process, which were pushed or polled. They arrive late, repeatedly and
 * in any order; the history of a delivery stays legal all the same: see `domain/delivery-states.ts`.
 */
import { Problem } from '../../contract/errors.ts';
import { courier_report } from '../../contract/vocabulary.ts';
import { isEnded, orderedTime, skippedStatuses } from '../../domain/delivery-states.ts';
import { hour_ms, minute_ms } from '../../domain/durations.ts';
import { hasErasedEnd } from '../../domain/erasure.ts';
import type { CourierProof, CourierReport } from '../../providers/courier.ts';
import type { Provider, Report } from '../../providers/port.ts';
import {
  bookingsOfDispatch,
  findBooking,
  findCourier,
  findCourierByToken,
  lockBooking,
  writeBooking,
  writePush,
} from '../../storage/couriers.ts';
import type { CourierBookingRow, CourierRow, DeliveryRow, Scope } from '../../storage/database.ts';
import {
  isKnownReport,
  knownReports,
  loadDelivery,
  lockDelivery,
  lockDeliveryOf,
} from '../../storage/deliveries.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { saveQuietly, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { changesIn } from '../deliveries/report-changes.ts';
import { isPublished, receiveReport } from '../deliveries/take-report.ts';
import type { Answer } from '../http/answers.ts';
import { createAuditTrail, type RecordChange } from '../http/audit.ts';
import type { CourierPush, PushAddress } from '../http/fetch.ts';
import type { ServiceContext, SharedContext, Task, TaskHandler, WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { withTimeout } from '../runtime/outgoing-calls.ts';
import { newTask, type TaskPayloads } from '../runtime/task-kinds.ts';
import { recordCosts, settleBill } from './courier-bills.ts';
import { newProofs, scheduleProofCopies } from './proof-copies.ts';

/** The largest request of a courier: a picture of the handover may be in it. */
const max_push_bytes = 4 * 1024 * 1024;
const push_precision_ms = minute_ms;

/** Finds the address of a connection, to which its courier sends requests: `POST /couriers/{push_token}`. */
export async function findPushAddress(shared: SharedContext, token: string): Promise<PushAddress> {
  const row = await shared.storage.run((db) => findCourierByToken(db, token));
  if (row === undefined) throw new Problem('record_not_found', 'There is no courier at this address.');
  const service = shared.inMode(row.test_mode);
  const provider = service.providers.find(({ name }) => name === row.name);
  const reporting = provider?.reporting;
  if (reporting === undefined) {
    throw new Problem('record_not_found', `The courier ${row.name} sends no reports.`);
  }
  return {
    owner: row,
    max_bytes: max_push_bytes,
    receive: (push) => receivePush(service, { row, reporting }, push),
  };
}

/**
 * Receives a courier's request. It needs no key; its signature covers the body as received. Reports about deliveries
 * that are not known here are accepted and ignored. Throws `unauthorized` for a refused request.
 */
async function receivePush(
  service: ServiceContext,
  { row, reporting }: { row: CourierRow; reporting: NonNullable<Provider['reporting']> },
  { headers, body: raw, client_address }: CourierPush,
): Promise<Answer> {
  const scope = { account_id: row.account_id, test_mode: row.test_mode === 1 };
  const push = { headers, body: Buffer.from(raw), now: service.wall.now() };
  const answer = await reporting.receive(scope, push);
  if (answer.kind === 'refused')
    throw new Problem('unauthorized', `The request was refused: ${answer.reason}.`);
  await service.clock.refresh();
  await notePush(service, row);
  const chance = await service.chance();
  const recordChange = createCourierTrail(service, row.name, client_address);
  // Read committed: each report locks the delivery that it is about. A courier of one account reports many a second.
  const problems = await service.storage.transaction(async (db) => {
    const now = service.clock.now();
    const context = { db, chance, now, providers: service.providers };
    const { account_id, test_mode, name } = row;
    return applyCourierReports(context, {
      scope: { account_id, test_mode },
      provider: name,
      reports: answer.reports,
      raw,
      recordChange,
    });
  }, 'read committed');
  for (const problem of problems) service.onFault?.(new Error(problem), null);
  service.changes.notify();
  service.wakeup.notify();
  return { status: 200, body: '{}', headers: {} };
}

/** Writes when a courier last reported, at most once a minute: all of its reports would wait for the one row. */
async function notePush({ storage, clock }: ServiceContext, courier: CourierRow): Promise<void> {
  const now = clock.now();
  const unless_after = now - push_precision_ms;
  if ((courier.last_push_at ?? 0) > unless_after) return;
  await storage.write((db) => writePush(db, courier, { now, unless_after }));
}

/** While something moves. */
const moving_interval_ms = minute_ms / 2;
/** While nothing moves, or the courier reports by itself: polls only find what got lost. */
const idle_interval_ms = 5 * minute_ms;
/** A delivery without a change for this long does not move. */
const idle_after_ms = 30 * minute_ms;

/** After the end of a delivery it is asked so late for what its courier has charged since. */
const final_polls_ms = [hour_ms, 24 * hour_ms, 7 * 24 * hour_ms];

type PollPayload = TaskPayloads['courier.poll'];

/** Schedules the first poll of each delivery at its courier. */
export async function schedulePolls(
  context: WriteContext,
  deliveries: readonly DeliveryRow[],
  dispatched: Omit<PollPayload, 'number'>,
): Promise<void> {
  for (const row of deliveries) {
    await schedulePoll(context, row, { ...dispatched, number: 1 }, moving_interval_ms);
  }
}

async function schedulePoll(
  { db, chance, now }: WriteContext,
  row: DeliveryRow,
  payload: PollPayload,
  wait_ms: number,
): Promise<void> {
  const id = newId(chance, 'tsk', now, 'poll', row.id, payload.dispatch_id, String(payload.number));
  const { account_id, test_mode, id: subject } = row;
  const task = { id, account_id, test_mode, lane: payload.provider, subject, due_at: now + wait_ms };
  await insertTasks(db, [newTask('courier.poll', task, payload)]);
}

export const pollTask: TaskHandler<'courier.poll'> = { run: pollCourier, abandon: skipPoll };

/** Asks a courier for the state of a delivery, and after its end for its price. Rejects if the courier does not respond. */
async function pollCourier(service: ServiceContext, task: Task<'courier.poll'>): Promise<void> {
  const { provider: name, dispatch_id } = task.payload;
  const provider = service.providers.find((each) => each.name === name);
  const row = await service.storage.run((db) => loadDelivery(db, task.row.subject));
  const bookings = await service.storage.run((db) => bookingsOfDispatch(db, dispatch_id));
  const booking = bookings.find(({ order_id }) => order_id === row?.order_id);
  if (provider?.reporting === undefined || row === undefined || booking?.reference == null) {
    return service.storage.transaction((db) => task.finish(db), 'read committed');
  }
  const { key, reference } = booking;
  const { account_id, test_mode, status } = row;
  const scope = { account_id, test_mode: test_mode === 1 };
  const asked = provider.reporting.poll(scope, { key, reference, status, now: task.now });
  const reports = await withTimeout(service, asked, provider);
  const chance = await service.chance();
  const now = Math.max(task.now, service.clock.now());
  const recordChange = createCourierTrail(service, name, null);
  // Read committed: what a poll decides by is the delivery. It is locked before the task, which its end deletes.
  const problems = await service.storage.transaction(async (db) => {
    await lockDelivery(db, task.row.subject);
    await task.finish(db);
    const context = { db, chance, now, providers: service.providers };
    const found = await applyCourierReports(context, {
      scope: { account_id, test_mode },
      provider: name,
      reports,
      raw: null,
      recordChange,
    });
    await scheduleNext(context, task);
    return found;
  }, 'read committed');
  for (const problem of problems) service.onFault?.(new Error(problem), null);
}

/** A courier that does not respond is asked again later. */
async function skipPoll(service: ServiceContext, task: Task<'courier.poll'>): Promise<void> {
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    await lockDelivery(db, task.row.subject);
    await task.finish(db);
    await scheduleNext({ db, chance, now: Math.max(task.now, service.clock.now()) }, task);
  }, 'read committed');
}

async function scheduleNext(context: WriteContext, task: Task<'courier.poll'>): Promise<void> {
  const { row: planned, payload } = task;
  const row = await loadDelivery(context.db, planned.subject);
  if (row === undefined) return;
  if (row.ended_at !== null) {
    const { ended_at } = row;
    const next = final_polls_ms.find((after) => ended_at + after > context.now);
    if (next === undefined) return;
    const wait_ms = ended_at + next - context.now;
    return schedulePoll(context, row, { ...payload, number: payload.number + 1 }, wait_ms);
  }
  const courier = await findCourier(context.db, row, payload.provider);
  const isPushing = (courier?.last_push_at ?? 0) > context.now - idle_interval_ms;
  const isIdle = row.status === 'scheduled' || context.now - row.updated_at > idle_after_ms;
  const wait_ms = isPushing || isIdle ? idle_interval_ms : moving_interval_ms;
  await schedulePoll(context, row, { ...payload, number: payload.number + 1 }, wait_ms);
}

/** The audit entries of what a courier reports. */
function createCourierTrail(
  { wall }: ServiceContext,
  actor_name: string,
  address: string | null,
): RecordChange {
  return createAuditTrail(wall, { actor: 'courier', actor_name, operation: courier_report, address });
}

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
async function applyCourierReports(context: TransitionContext, received: ReceivedReports): Promise<string[]> {
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
    const booked = { booking: current, report: attributed(current, report), raw };
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
  const { bill, ...found } = { ...booking, state: 'booked' as const, reference, updated_at: now };
  await writeBooking(db, found);
  return { ...found, bill };
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

/** Applies a report; returns whether the delivery was changed by more than a position. */
async function applyReport(
  context: TransitionContext,
  delivery_id: string,
  { booking, report, raw }: BookedReport,
): Promise<boolean> {
  // An earlier report of the same request may have changed it.
  const row = await lockDelivery(context.db, delivery_id);
  if (row === undefined) return false;
  const own = reportOf(booking, report);
  if (isPosition(report)) {
    await savePosition(context, row, own);
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
    const { order_id, driver } = own;
    const passed = { id: `${own.id} ${earlier}`, order_id, status: earlier, occurred_at };
    current = await receiveReport(context, current, { ...passed, ...(driver !== undefined && { driver }) });
  }
  const proofs = newProofs(deliveryRecord(current), report.proofs ?? []);
  const proven = { ...own, ...proofOf(proofs, report), occurred_at };
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

/** The report of the service. */
function reportOf(booking: CourierBookingRow, given: CourierReport): Report {
  const { key, reference, live, costs, proofs, signer, position, ...report } = given;
  const at = report.occurred_at;
  return {
    ...report,
    id: reportId(booking, report.id),
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
async function savePosition(context: TransitionContext, row: DeliveryRow, report: Report): Promise<void> {
  const record = deliveryRecord(row);
  if (record.driver === null || hasErasedEnd(record)) return;
  const changes = changesIn(report, { row, record, status: row.status });
  if (Object.keys(changes).length > 0) await saveQuietly(context, row, { ...record, ...changes });
}
