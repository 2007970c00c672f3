import { halfUp } from './money.ts';

/** What a provider charges: money in cents, ways in tenths of a mile. */
export interface Tariff {
  base: number;
  per_mile: number;
  minimum: number;
  /** The first part of the way, contained in the base price. */
  included_tenths: number;
  /** For each stop beyond the first pickup and the last dropoff. */
  extra_stop: number;
}

/**
 * A provider's cost in cents for a way of so many tenths of a mile with so many stops (two or more):
 * base and miles, at least the minimum, and the fee for each extra stop on top.
 */
export function costOfDelivery(tariff: Tariff, distance_tenths: number, stops: number): number {
  const charged_tenths = Math.max(0, distance_tenths - tariff.included_tenths);
  const way = tariff.base + halfUp(tariff.per_mile * charged_tenths, 10);
  return Math.max(tariff.minimum, way) + Math.max(0, stops - 2) * tariff.extra_stop;
}
