import { type Drive, type PlannedStop, planArrivals } from '../../domain/driver-plans.ts';
import type { Point } from '../../domain/geography.ts';
import type { Report } from '../../providers/port.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { lockDeliveries, updateDelivery } from '../../storage/deliveries.ts';
import { loadDriver } from '../../storage/drivers.ts';
import { columnsOf, saveDelivery, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { acceptedDeliveries, type DriverLoad, loadDriverLoad, positionOf } from './driver-load.ts';

type Times = Pick<Report, 'pickup_eta' | 'dropoff_eta'>;

/** The expected times of each order of a plan, of which these are the deliveries. */
export function expectedTimes(
  plan: readonly PlannedStop[],
  deliveries: readonly DeliveryRow[],
  drive: Omit<Drive, 'readyAt'>,
): (order_id: string) => Times {
  const ready = new Map(deliveries.map((row) => [row.order_id, deliveryRecord(row).pickup.at ?? 0]));
  const readyAt = ({ kind, order_ids }: PlannedStop) =>
    kind === 'pickup' ? Math.max(...order_ids.map((id) => ready.get(id) ?? 0)) : null;
  const arrivals = planArrivals(plan, { ...drive, readyAt });
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

const minute_ms = 60_000;
/** Merchants and recipients get a new estimate when it has moved by this since the last one that they got. */
export const announced_ms = 5 * minute_ms;

/** Reads a driver's plan, and estimates its times again, from `at` or else the last position of the driver. */
export async function estimatePlan(context: TransitionContext, driver_id: string, at?: Point): Promise<void> {
  const driver = await loadDriver(context.db, driver_id);
  if (driver === undefined) return;
  const load = await loadDriverLoad(context.db, driver);
  await estimateTimes(context, load, at ?? positionOf(driver), minute_ms);
}

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
