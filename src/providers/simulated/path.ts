import type { Point } from '../../domain/geography.ts';
import type { Waypoint } from '../../domain/positions.ts';

const START_MILES = 2;
const MILES_PER_DEGREE = 69.094;

/** The parts of a driver's schedule that a path is made of. Times are milliseconds since the epoch. */
export interface Drive {
  assigned_at: number;
  start: Point;
  visits: readonly (Point & { set_out_at: number; arrived_at: number; left_at: number })[];
}

/**
 * Where a driver starts: two miles from the first pickup in a straight line, in a direction given as a fraction of a
 * full turn clockwise from north. Over this distance the earth's curvature is ignored.
 */
export function startOf(pickup: Point, direction: number): Point {
  const angle = direction * 2 * Math.PI;
  const degrees = START_MILES / MILES_PER_DEGREE;
  const widening = Math.cos((pickup.lat * Math.PI) / 180);
  return {
    lat: sixDecimals(pickup.lat + degrees * Math.cos(angle)),
    lng: sixDecimals(pickup.lng + (degrees * Math.sin(angle)) / widening),
  };
}

/** The start, arrivals and departures up to a time; no two waypoints share a time. */
export function pathOf({ assigned_at, start, visits }: Drive, until: number): Waypoint[] {
  const departed_at = visits[0]?.set_out_at ?? assigned_at;
  const halts = visits.flatMap(({ lat, lng, arrived_at, left_at }) => [
    { lat, lng, at: arrived_at },
    { lat, lng, at: left_at },
  ]);
  const path = [{ ...start, at: assigned_at }, { ...start, at: departed_at }, ...halts];
  return path.filter(({ at }, index) => at <= until && at !== path[index - 1]?.at);
}

function sixDecimals(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
