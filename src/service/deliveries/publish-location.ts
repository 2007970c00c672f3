import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { positionAt } from '../../domain/positions.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { loadDelivery } from '../../storage/deliveries.ts';
import { insertTasks, type NewTask, tasksAbout } from '../../storage/tasks.ts';
import { isWanted, mayBeWanted } from '../events/location-subscriptions.ts';
import { type Telling, tellPosition } from '../events/publish-event.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import type { Task } from '../tasks/task-runner.ts';
import { deliveryRecord } from './delivery-view.ts';

const kind = 'location.tell';
const interval_ms = 60_000;

/** Statuses in which a courier drives; some report no arrival, and then it drives until the next that they report. */
const driving: readonly DeliveryStatus[] = [
  'enroute_pickup',
  'pickup_complete',
  'enroute_dropoff',
  'enroute_to_return',
];

/**
 * The number of a position among those of its delivery. Each report that starts a series has an event of its own,
 * whose count names the series.
 */
interface LocationPayload {
  series: number;
  number: number;
}

/** Begins to tell where the courier of a delivery is, if it drives, somebody asks, and it is not told already. */
export async function planLocations({ db, chance, now }: Telling, row: DeliveryRow): Promise<void> {
  if (!driving.includes(row.status) || !(await mayBeWanted(db, row))) return;
  const planned = await tasksAbout(db, row.id, kind);
  if (planned.length === 0) {
    const first = { series: deliveryRecord(row).event_count, number: 1 };
    await insertTasks(db, [taskAt(chance, row, now, first)]);
  }
}

/** Tells where the courier is, and plans to do so again while it drives on and somebody asks. */
export async function tellLocation(service: ServiceContext, task: Task): Promise<void> {
  const chance = await service.chance();
  const { now } = task;
  // A task that an older version has planned has no number.
  const { series = 0, number = 0 }: Partial<LocationPayload> = JSON.parse(task.row.payload);
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    const row = await loadDelivery(db, task.row.subject);
    if (row === undefined || !driving.includes(row.status) || !(await isWanted(db, row, service))) return;
    const { driver, way } = deliveryRecord(row);
    const position = driver === null ? null : positionAt(way, now);
    if (position !== null) {
      await tellPosition({ db, chance, now }, row, { ...position, number: `${series} ${number}` });
    }
    const goesOn = (way.at(-1)?.at ?? 0) > now;
    const next = { series, number: number + 1 };
    if (goesOn) await insertTasks(db, [taskAt(chance, row, now + interval_ms, next)]);
  });
}

function taskAt(
  chance: Telling['chance'],
  delivery: DeliveryRow,
  due_at: number,
  payload: LocationPayload,
): NewTask {
  const { series, number } = payload;
  const { id: subject, test_mode } = delivery;
  const id = newId(chance, 'tsk', due_at, kind, subject, String(series), String(number));
  return { id, test_mode, kind, subject, due_at, payload: JSON.stringify(payload) };
}
