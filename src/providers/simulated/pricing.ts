import { halfUp } from '../../domain/money.ts';

/** A provider's prices: amounts in cents, distances in tenths of a mile. */
export interface Tariff {
  base: number;
  per_mile: number;
  minimum: number;
  /** The distance that the base price includes. */
  included_tenths: number;
  /** For each stop in addition to the first pickup and the last dropoff. */
  extra_stop: number;
}

/**
 * A provider's cost in cents for a route of two or more stops: base price and miles, at least the minimum, plus the
 * fee for each extra stop.
 */
export function costOfDelivery(tariff: Tariff, distance_tenths: number, stops: number): number {
  const charged_tenths = Math.max(0, distance_tenths - tariff.included_tenths);
  const way = tariff.base + halfUp(tariff.per_mile * charged_tenths, 10);
  return Math.max(tariff.minimum, way) + Math.max(0, stops - 2) * tariff.extra_stop;
}
