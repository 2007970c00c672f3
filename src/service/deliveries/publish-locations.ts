/** Publishes the position of a courier each minute while it drives, if there are subscribers. */
import type { CourierLocation } from '../../contract/events.ts';
import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { minute_ms } from '../../domain/durations.ts';
import { type Point, positionAt } from '../../domain/geography.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { lockDelivery, lockFreeDeliveries } from '../../storage/deliveries.ts';
import { insertTasks, tasksOfSubject } from '../../storage/tasks.ts';
import { hasSubscribers, mayHaveSubscribers } from '../events/location-subscriptions.ts';
import { publishEvent } from '../events/publish-event.ts';
import type { ServiceContext, Task, TaskHandler, WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { newTask, type TaskPayloads } from '../runtime/task-kinds.ts';
import { instant } from '../runtime/time.ts';
import { deliveryRecord } from './delivery-view.ts';

/** Statuses in which a courier drives; those that report no arrival drive until their next report. */
const driving: readonly DeliveryStatus[] = [
  'enroute_pickup',
  'pickup_complete',
  'enroute_dropoff',
  'enroute_to_return',
];
const task_kind = 'location.tell';

/** Schedules the positions of a delivery's courier if it drives, there are subscribers, and none is scheduled yet. */
export async function scheduleLocations({ db, chance, now }: WriteContext, row: DeliveryRow): Promise<void> {
  if (!driving.includes(row.status) || !(await mayHaveSubscribers(db, row))) return;
  const planned = await tasksOfSubject(db, row.id, task_kind);
  if (planned.length === 0) {
    const first = { series: deliveryRecord(row).event_count, number: 1 };
    await insertLocationTask({ db, chance }, row, now, first);
  }
}

export const locationTask: TaskHandler<'location.tell'> = {
  run: publishLocation,
  lockSubjects: lockFreeDeliveries,
};

/**
 * Publishes the courier's position, and schedules the next one while it drives and there are subscribers. Read committed:
 * it locks the delivery that it is about.
 */
async function publishLocation(service: ServiceContext, task: Task<'location.tell'>): Promise<void> {
  const chance = await service.chance();
  const { now } = task;
  const { series, number } = task.payload;
  await service.storage.transaction(async (db) => {
    // Who ends a delivery locks it before its tasks.
    const row = await lockDelivery(db, task.row.subject);
    await task.finish(db);
    if (row === undefined || !driving.includes(row.status) || !(await hasSubscribers(db, row, service)))
      return;
    const { driver, way } = deliveryRecord(row);
    const position = driver === null ? null : positionAt(way, now);
    // A path is planned ahead; a single position, of which couriers report many a minute, is where the driver was.
    const last_at = way.at(-1)?.at ?? 0;
    const goesOn = (way.length === 1 ? last_at + minute_ms : last_at) > now;
    if (position !== null && (goesOn || way.length > 1 || number === 1)) {
      await publishPosition({ db, chance, now }, row, { ...position, number: `${series} ${number}` });
    }
    const next = { series, number: number + 1 };
    if (goesOn) await insertLocationTask({ db, chance }, row, now + minute_ms, next);
  }, 'read committed');
}

/** Publishes the courier's position; `number` identifies it within the delivery. */
async function publishPosition(
  context: WriteContext,
  row: DeliveryRow,
  { lat, lng, number }: Point & { number: string },
): Promise<void> {
  const { account_id, test_mode } = row;
  const data: CourierLocation = {
    delivery_id: row.id,
    external_order_ref: row.external_order_ref,
    courier_location_lat: lat,
    courier_location_lng: lng,
    recorded_at: instant(context.now),
  };
  const id_parts = [row.id, 'location', number];
  const type = 'delivery.location_updated';
  await publishEvent(context, { account_id, test_mode, type, id_parts, delivery_id: row.id, data });
}

/** A position is known by its number in a series, which begins whenever none is scheduled. */
async function insertLocationTask(
  { db, chance }: Pick<WriteContext, 'db' | 'chance'>,
  { id: subject, account_id, test_mode }: DeliveryRow,
  due_at: number,
  payload: TaskPayloads['location.tell'],
): Promise<void> {
  const { series, number } = payload;
  const id = newId(chance, 'tsk', due_at, task_kind, subject, String(series), String(number));
  await insertTasks(db, [newTask(task_kind, { id, account_id, test_mode, subject, due_at }, payload)]);
}
