/** Takes what a provider reports about a delivery: its status, driver, position, times and proof. */
import { deliveryFailure, type Effect, effectOf, isCanceled, isEnded } from '../../domain/delivery-states.ts';
import { hasErasedEnd } from '../../domain/erasure.ts';
import type { DueReport, Report } from '../../providers/port.ts';
import type { Connection, DeliveryRow } from '../../storage/database.ts';
import {
  insertReport,
  isKnownReport,
  knownReports,
  lockDeliveries,
  lockDelivery,
  lockEndsOfRoutes,
  lockFreeDeliveries,
} from '../../storage/deliveries.ts';
import { finishTask, insertTasks, lockEarlierTasks } from '../../storage/tasks.ts';
import type { ServiceContext, Task, TaskHandler } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { newTask, readTaskPayload } from '../runtime/task-kinds.ts';
import {
  applyTransition,
  saveDelivery,
  saveQuietly,
  type TransitionContext,
} from './delivery-transitions.ts';
import { type DeliveryRecord, deliveryRecord } from './delivery-view.ts';
import { scheduleLocations } from './publish-locations.ts';
import { changesIn, isNoticeable } from './report-changes.ts';

/** Schedules the reports of a simulated courier, each for its own delivery. */
export async function scheduleReports(
  { db, chance, now }: TransitionContext,
  deliveries: readonly DeliveryRow[],
  feed: readonly DueReport[],
): Promise<void> {
  const tasks = feed.flatMap(({ due_at, report }, index) => {
    const delivery = deliveries.find(({ order_id }) => order_id === report.order_id);
    if (delivery === undefined) return [];
    const { id: subject, account_id, test_mode } = delivery;
    const id = newId(chance, 'tsk', now, subject, report.id, String(index));
    const task = { id, account_id, test_mode, subject, due_at: Math.max(due_at, now) };
    return newTask('report.take', task, report);
  });
  await insertTasks(db, tasks);
}

export const reportTask: TaskHandler<'report.take'> = {
  run: takeReport,
  lockSubjects: lockFreeDeliveries,
  preload: preloadDeliveries,
};

async function preloadDeliveries(db: Connection, tasks: readonly Task<'report.take'>[]): Promise<void> {
  const delivery_ids = tasks.map(({ row }) => row.subject);
  const deliveries = await lockDeliveries(db, delivery_ids);
  // A report that ends a delivery may end its route.
  const ended = tasks.filter(({ payload: { status } }) => status !== null && isEnded(status));
  const ended_ids = new Set(ended.map(({ row }) => row.subject));
  const route_ids = new Set(deliveries.flatMap(({ id, route_id }) => (ended_ids.has(id) ? route_id : [])));
  await lockEndsOfRoutes(db, [...route_ids]);
  const reports = tasks.flatMap(({ row, payload: { id: provider_report_id } }) => {
    const delivery = deliveries.find(({ id }) => id === row.subject);
    return delivery === undefined
      ? []
      : { delivery_id: delivery.id, provider: delivery.service, provider_report_id };
  });
  await knownReports(db, reports);
}

/** Receives a scheduled report when it is due. Read committed: it locks the delivery that it is about. */
async function takeReport(service: ServiceContext, task: Task<'report.take'>): Promise<void> {
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    // Who ends a delivery locks it before its tasks.
    const row = await lockDelivery(db, task.row.subject);
    await task.finish(db);
    if (row === undefined) return;
    const context = { db, chance, now: task.now, providers: service.providers };
    await receiveReport(context, await takeEarlierReports(context, row, task), task.payload);
  }, 'read committed');
}

/**
 * Before a report that changes the status, or is not a valid step from the current one, applies the earlier scheduled
 * reports of the delivery: after it they would be too old. The worker that has claimed them may be slow, or dead; if it
 * is slow, it finds its tasks gone.
 */
async function takeEarlierReports(
  context: TransitionContext,
  row: DeliveryRow,
  { row: task, payload: report, is_first }: Task<'report.take'>,
): Promise<DeliveryRow> {
  const { db } = context;
  const { reported_at } = deliveryRecord(row);
  const effect = effectOf(report, { status: row.status, reported_at });
  if (effect !== 'not_a_step' && (is_first || effect !== 'moved')) return row;
  let current = row;
  for (const other of await lockEarlierTasks(db, task)) {
    const earlier = readTaskPayload('report.take', other);
    // The report is known if its task was executed in the same group: the task is deleted at the end of the group.
    const key = { delivery_id: row.id, provider: row.service, provider_report_id: earlier.id };
    if (await isKnownReport(db, key)) continue;
    await finishTask(db, other.id, other.claim);
    current = await receiveReport({ ...context, now: other.due_at }, current, earlier);
  }
  return current;
}

/**
 * Stores a provider's report and applies it, with the delivery locked: its status by `domain/delivery-states.ts`, the
 * rest by `report-changes.ts`. `raw` is the courier's request, if the report came in one.
 */
export async function receiveReport(
  context: TransitionContext,
  { id }: Pick<DeliveryRow, 'id'>,
  report: Report,
  raw: string | null = null,
): Promise<DeliveryRow> {
  const row = await lockDelivery(context.db, id);
  if (row === undefined) throw new Error(`there is no delivery ${id}`);
  const changed = await applyReport(context, row, { report, raw });
  if (isPublished(row, changed) || hasMoved(row, changed)) await scheduleLocations(context, changed);
  return changed;
}

export function isPublished(before: DeliveryRow, after: DeliveryRow): boolean {
  return before !== after && deliveryRecord(before).event_count !== deliveryRecord(after).event_count;
}

function hasMoved(before: DeliveryRow, after: DeliveryRow): boolean {
  return before !== after && deliveryRecord(before).way.at(-1)?.at !== deliveryRecord(after).way.at(-1)?.at;
}

async function applyReport(
  context: TransitionContext,
  row: DeliveryRow,
  received: { report: Report; raw: string | null },
): Promise<DeliveryRow> {
  const record = deliveryRecord(row);
  const { report, raw } = hasErasedEnd(record) ? withoutPeople(received) : received;
  const is_known = await isKnownReport(context.db, {
    delivery_id: row.id,
    provider: row.service,
    provider_report_id: report.id,
  });
  const effect = is_known
    ? 'repeated'
    : effectOf(report, { status: row.status, reported_at: record.reported_at });
  if (!is_known) await recordReport(context, row, { report, raw, effect });
  if (effect === 'moved' && report.status !== null) {
    const changes = changesIn(report, { row, record, status: report.status });
    const outcome = { ...endReason(report), reported_at: report.occurred_at };
    return applyTransition(context, row, report.status, { record: { ...changes, ...outcome } });
  }
  const changes = changesIn(report, { row, record, status: row.status, is_known });
  if (Object.keys(changes).length === 0) return row;
  const save = isNoticeable(changes, record) ? saveDelivery : saveQuietly;
  return save(context, row, { ...record, ...changes });
}

/**
 * A report without names, pictures and positions: a courier sends them once more with its final price, after the person
 * was erased.
 */
function withoutPeople({ report }: { report: Report }): { report: Report; raw: null } {
  const { id, order_id, status, occurred_at } = report;
  return { report: { id, order_id, status, occurred_at }, raw: null };
}

/** The reason of a status that needs one. A failure without a code gets the default code of its status. */
function endReason({ status, reason, failure_reason: code }: Report): Partial<DeliveryRecord> {
  if (status === null) return {};
  if (isCanceled(status)) return reason === undefined ? {} : { cancellation_reason: reason };
  if (status === 'failed') return deliveryFailure(code ?? 'courier_failed', reason);
  if (status === 'enroute_to_return') return deliveryFailure(code ?? 'handover_failed', reason);
  const isExplained = status === 'returned' && (reason ?? code) !== undefined;
  return isExplained ? deliveryFailure(code ?? 'handover_failed', reason) : {};
}

async function recordReport(
  context: TransitionContext,
  row: DeliveryRow,
  { report, raw, effect }: { report: Report; raw: string | null; effect: Effect },
): Promise<void> {
  await insertReport(context.db, {
    provider: row.service,
    provider_report_id: report.id,
    account_id: row.account_id,
    delivery_id: row.id,
    status: report.status,
    effect,
    occurred_at: report.occurred_at,
    received_at: context.now,
    // An applied report is in the event of its change.
    record: effect === 'moved' || effect === 'none' ? null : JSON.stringify(report),
    raw,
  });
}
