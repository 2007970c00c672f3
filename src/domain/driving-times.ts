import type { DriverVehicle } from '../contract/vocabulary.ts';
import type { Point } from './geography.ts';

/** The driving times between points in milliseconds, by `wayKey`; a way that is not in it is estimated. */
export type DrivingTimes = ReadonlyMap<string, number>;

/** About 10 metres. */
const decimals = 4;

/** The key of the way from a point to another. */
export function wayKey(from: Point, to: Point): string {
  return `${placeKey(from)} ${placeKey(to)}`;
}

export function placeKey({ lat, lng }: Point): string {
  return `${lat.toFixed(decimals)},${lng.toFixed(decimals)}`;
}

/** The times that hold for a vehicle: routers know the ways of cars. */
export function timesOfVehicle(
  vehicle: DriverVehicle,
  times: DrivingTimes | undefined,
): DrivingTimes | undefined {
  return vehicle === 'bicycle' ? undefined : times;
}
