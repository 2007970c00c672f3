/**
 * The expected times of a driver's plan. They are estimated again when the driver taps or moves (`estimatePlan`,
 * `estimateTimes`), and without news of the driver once the next stop is late (task `fleet.check`), each time after twice
 * the wait. Small moves are not written; large ones are published.
 */
import { type Drive, type PlannedStop, planArrivals, type Start } from '../../domain/driver-plans.ts';
import { minute_ms } from '../../domain/durations.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import type { Report } from '../../providers/port.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { lockDeliveries } from '../../storage/deliveries.ts';
import { loadDriver } from '../../storage/drivers.ts';
import { deleteTasksOfSubject, insertTasks, tasksOfSubject } from '../../storage/tasks.ts';
import { saveDelivery, saveQuietly, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import type { TaskHandler } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { newTask } from '../runtime/task-kinds.ts';
import { timeOfPeople } from '../runtime/time.ts';
import {
  acceptedDeliveries,
  arrivedAt,
  type DriverLoad,
  lastPosition,
  loadDriverLoad,
} from './driver-load.ts';

type Times = Pick<Report, 'pickup_eta' | 'dropoff_eta'>;

/** The expected times of each order of a plan; `deliveries` are those of the orders. */
export function expectedTimes(
  plan: readonly PlannedStop[],
  deliveries: readonly DeliveryRow[],
  drive: Omit<Drive, 'readyAt'>,
): (order_id: string) => Times {
  const arrivals = arrivalsOf(plan, deliveries, drive);
  const arrivalAt = (kind: PlannedStop['kind'], order_id: string) =>
    arrivals[plan.findIndex((stop) => stop.kind === kind && stop.order_ids.includes(order_id))];
  return (order_id) => {
    const [pickup_eta, dropoff_eta] = [arrivalAt('pickup', order_id), arrivalAt('dropoff', order_id)];
    return withoutAbsent({ pickup_eta, dropoff_eta });
  };
}

/** The arrivals at the stops of a plan. A driver waits for an agreed pickup. */
function arrivalsOf(
  plan: readonly PlannedStop[],
  deliveries: readonly DeliveryRow[],
  drive: Omit<Drive, 'readyAt'>,
): number[] {
  const ready = new Map(deliveries.map((row) => [row.order_id, deliveryRecord(row).pickup.at ?? 0]));
  const readyAt = ({ kind, order_ids }: PlannedStop) =>
    kind === 'pickup' ? Math.max(...order_ids.map((id) => ready.get(id) ?? 0)) : null;
  return planArrivals(plan, { ...drive, readyAt, arrived_at: arrivedAt(plan, deliveries) });
}

/** Merchants and recipients are told a new estimate once it differs by this from the last one that they were told. */
export const announced_ms = 5 * minute_ms;

/** Estimates the times of a driver's plan again, from `at` or else the last position of the driver. */
export async function estimatePlan(context: TransitionContext, driver_id: string, at?: Start): Promise<void> {
  const driver = await loadDriver(context.db, driver_id);
  if (driver === undefined) return;
  const load = await loadDriverLoad(context.db, driver);
  const start = at ?? lastPosition(driver);
  await estimateTimes(context, load, start, minute_ms);
  await scheduleCheck(context, load, { start, checks: 0 });
}

/** Estimates the times of a plan from a place, and writes those that have moved by `min_move_ms` or more. */
export async function estimateTimes(
  context: TransitionContext,
  load: DriverLoad,
  start: Start,
  min_move_ms: number,
): Promise<void> {
  const { db, now } = context;
  const drive = { start, now, vehicle: load.driver.vehicle_type, times: context.times };
  const times = expectedTimes(load.stops, load.deliveries, drive);
  const moved = acceptedDeliveries(load).filter(
    (row) => differenceOf(row, times(row.order_id)) >= min_move_ms,
  );
  const ids = moved.map(({ id }) => id);
  for (const row of await lockDeliveries(db, ids)) await saveTimes(context, row, times(row.order_id));
}

/** By how much the expected times of a delivery move, in milliseconds. */
function differenceOf(row: DeliveryRow, { pickup_eta, dropoff_eta }: Times): number {
  const { pickup, dropoff } = deliveryRecord(row);
  return Math.max(
    Math.abs((pickup_eta ?? pickup.eta) - pickup.eta),
    Math.abs((dropoff_eta ?? dropoff.eta) - dropoff.eta),
  );
}

async function saveTimes(
  context: TransitionContext,
  row: DeliveryRow,
  { pickup_eta, dropoff_eta }: Times,
): Promise<void> {
  const before = deliveryRecord(row);
  const record = {
    ...before,
    pickup: { ...before.pickup, eta: pickup_eta ?? before.pickup.eta },
    dropoff: { ...before.dropoff, eta: dropoff_eta ?? before.dropoff.eta },
    announced_eta: before.announced_eta ?? before.dropoff.eta,
  };
  if (Math.abs(record.dropoff.eta - record.announced_eta) >= announced_ms) {
    await saveDelivery(context, row, record);
    return;
  }
  await saveQuietly(context, row, record);
}

/** How long after its expected time a stop is late. */
const late_ms = minute_ms;
/** The shortest wait before a plan is estimated again without news of its driver; it doubles each time. */
const first_wait_ms = 20_000;
/** The waits add up to 11 hours: after so long without news of its driver, a plan is not estimated again. */
const max_checks = 10;

const check_kind = 'fleet.check';

/**
 * Schedules another estimate of the plan for when its next stop is late, or earlier if one is scheduled. `checks` is
 * 0 after a tap or a position of the driver: the next wait is the shortest again.
 */
async function scheduleCheck(
  { db, chance, now, times }: TransitionContext,
  { driver, stops, deliveries }: DriverLoad,
  { start, checks }: { start: Start; checks: number },
): Promise<void> {
  if (stops.length === 0 || checks > max_checks) return;
  const drive = { start, now, times, vehicle: driver.vehicle_type };
  const [next = now] = arrivalsOf(stops.slice(0, 1), deliveries, drive);
  const latest = Math.max(next + late_ms, now + first_wait_ms * 2 ** checks);
  const [planned] = await tasksOfSubject(db, driver.id, check_kind);
  if (planned !== undefined && planned.due_at <= latest && checks > 0) return;
  const due_at = Math.min(latest, planned?.due_at ?? latest);
  if (planned !== undefined) await deleteTasksOfSubject(db, driver.id, [check_kind]);
  const { id: subject, account_id, test_mode } = driver;
  const id = newId(chance, 'tsk', now, 'check', subject, String(due_at));
  await insertTasks(db, [newTask(check_kind, { id, account_id, test_mode, subject, due_at }, { checks })]);
}

/** Estimates the plan of a driver again because its next stop is late. */
export const checkTask: TaskHandler<'fleet.check'> = {
  run: async (service, task) => {
    const { checks } = task.payload;
    const { storage, providers, router } = service;
    const chance = await service.chance();
    await storage.transaction(async (db) => {
      await task.finish(db);
      const driver = await loadDriver(db, task.row.subject);
      if (driver === undefined) return;
      const now = timeOfPeople(service, task);
      const context = { db, chance, now, providers, times: router?.known };
      const load = await loadDriverLoad(db, driver);
      const start = lastPosition(driver);
      await estimateTimes(context, load, start, minute_ms);
      const hasNews = (lastPosition(driver)?.at ?? 0) > now - first_wait_ms * 2 ** checks;
      await scheduleCheck(context, load, { start, checks: hasNews ? 0 : checks + 1 });
    });
  },
};
