import { type Drive, type PlannedStop, planArrivals } from '../../domain/driver-plans.ts';
import type { Point } from '../../domain/geography.ts';
import type { Report } from '../../providers/port.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { lockDeliveries, updateDelivery } from '../../storage/deliveries.ts';
import { loadDriver } from '../../storage/drivers.ts';
import { deleteTasksOfSubject, insertTasks, tasksOfSubject } from '../../storage/tasks.ts';
import { columnsOf, saveDelivery, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import type { TaskKind } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { acceptedDeliveries, arrivedAt, type DriverLoad, loadDriverLoad, positionOf } from './driver-load.ts';

type Times = Pick<Report, 'pickup_eta' | 'dropoff_eta'>;

/** The expected times of each order of a plan, of which these are the deliveries. */
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
    return {
      ...(pickup_eta !== undefined && { pickup_eta }),
      ...(dropoff_eta !== undefined && { dropoff_eta }),
    };
  };
}

/** The arrivals at the stops of a plan, of which these are the deliveries: a driver waits for an agreed pickup. */
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

const minute_ms = 60_000;
/** Merchants and recipients get a new estimate when it has moved by this since the last one that they got. */
export const announced_ms = 5 * minute_ms;

/** Reads a driver's plan, and estimates its times again, from `at` or else the last position of the driver. */
export async function estimatePlan(context: TransitionContext, driver_id: string, at?: Point): Promise<void> {
  const driver = await loadDriver(context.db, driver_id);
  if (driver === undefined) return;
  const load = await loadDriverLoad(context.db, driver);
  const start = at ?? positionOf(driver);
  await estimateTimes(context, load, start, minute_ms);
  await scheduleCheck(context, load, { start, checks: 0 });
}

/** How long after its expected time a stop is late. */
const late_ms = minute_ms;
/** The shortest wait before a plan is estimated again without news of its driver; it doubles each time. */
const first_wait_ms = 20_000;
/** The waits add up to 11 hours: after so long without news of its driver, a plan is not estimated again. */
const max_checks = 10;

interface CheckPayload {
  /** How often the plan was estimated since the last news of the driver. */
  checks: number;
}

/**
 * Schedules another estimate of the plan for when its next stop is late, or earlier if one is scheduled. `checks` is
 * 0 after a tap or a position of the driver: the next wait is the shortest again.
 */
async function scheduleCheck(
  { db, chance, now, times }: TransitionContext,
  { driver, stops, deliveries }: DriverLoad,
  { start, checks }: { start: Point | null; checks: number },
): Promise<void> {
  if (stops.length === 0 || checks > max_checks) return;
  const drive = { start, now, times, vehicle: driver.vehicle_type };
  const [next = now] = arrivalsOf(stops.slice(0, 1), deliveries, drive);
  const latest = Math.max(next + late_ms, now + first_wait_ms * 2 ** checks);
  const [planned] = await tasksOfSubject(db, driver.id, check_kind);
  if (planned !== undefined && planned.due_at <= latest && checks > 0) return;
  const due_at = Math.min(latest, planned?.due_at ?? latest);
  if (planned !== undefined) await deleteTasksOfSubject(db, driver.id, [check_kind]);
  const { id: subject, test_mode } = driver;
  const id = newId(chance, 'tsk', now, 'check', subject, String(due_at));
  const payload: CheckPayload = { checks };
  const task = { id, test_mode, kind: check_kind, subject, due_at };
  await insertTasks(db, [{ ...task, payload: JSON.stringify(payload) }]);
}

const check_kind = 'fleet.check';

/** Estimates a plan again whose next stop is late. */
export const checkTask: TaskKind = {
  run: async (service, task) => {
    const { checks }: CheckPayload = JSON.parse(task.row.payload);
    const { storage, providers, router } = service;
    const chance = await service.chance();
    await storage.transaction(async (db) => {
      await task.finish(db);
      const driver = await loadDriver(db, task.row.subject);
      if (driver === undefined) return;
      const context = { db, chance, now: task.now, providers, times: router?.known };
      const load = await loadDriverLoad(db, driver);
      const start = positionOf(driver);
      await estimateTimes(context, load, start, minute_ms);
      const isHeardOf = (positionOf(driver)?.at ?? 0) > task.now - first_wait_ms * 2 ** checks;
      await scheduleCheck(context, load, { start, checks: isHeardOf ? 0 : checks + 1 });
    });
  },
};

/** Estimates the times of a plan from a place, and writes those that have moved by `least_ms` or more. */
export async function estimateTimes(
  context: TransitionContext,
  load: DriverLoad,
  start: Point | null,
  least_ms: number,
): Promise<void> {
  const { db, now } = context;
  const drive = { start, now, vehicle: load.driver.vehicle_type, times: context.times };
  const times = expectedTimes(load.stops, load.deliveries, drive);
  const moved = acceptedDeliveries(load).filter((row) => differenceOf(row, times(row.order_id)) >= least_ms);
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
  const change = { ...columnsOf(record), record: JSON.stringify(record) };
  const now = Math.max(context.now, row.updated_at);
  await updateDelivery(context.db, { id: row.id, from: row.status, change, now });
}
