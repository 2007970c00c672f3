import {
  insertStops,
  type OfferTerms,
  type PlannedStop,
  planArrivals,
  planTenths,
} from '../../domain/driver-plans.ts';
import { minute_ms } from '../../domain/durations.ts';
import type { DrivingTimes } from '../../domain/geography.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { type DriverLoad, planInsertion } from './driver-load.ts';

/** Compares the plan of a driver with and without these stops of these deliveries. */
export function offerTerms(
  load: DriverLoad,
  { stops, rows }: { stops: readonly PlannedStop[]; rows: readonly DeliveryRow[] },
  drive: { now: number; times?: DrivingTimes | undefined },
): OfferTerms {
  const insertion = planInsertion(load, { now: drive.now, times: drive.times });
  const { start, kept } = insertion;
  const plan = insertStops(load.stops, stops, insertion);
  const endOf = (each: readonly PlannedStop[]) =>
    planArrivals(each, { ...kept, start, times: drive.times }).at(-1) ?? drive.now;
  return {
    minutes: Math.max(1, Math.round((endOf(plan) - endOf(load.stops)) / minute_ms)),
    tenths: Math.max(0, planTenths(plan, start) - planTenths(load.stops, start)),
    tip: rows.reduce((sum, row) => sum + (deliveryRecord(row).tip ?? 0), 0),
  };
}
