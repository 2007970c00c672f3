import type { Point } from '../../domain/geography.ts';
import type { Waypoint } from '../../domain/positions.ts';

const START_MILES = 2;
const MILES_PER_DEGREE = 69.094;

/** What a driver does, as a way is made of it. Instants in milliseconds since the epoch. */
export interface Drive {
  assigned_at: number;
  start: Point;
  visits: readonly (Point & { set_out_at: number; arrived_at: number; left_at: number })[];
}

/**
 * Where a driver comes from: two miles off the first pickup in a straight line, at a share of a full turn from
 * north by east. Over so short a way the earth is flat.
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

/** Start, arrivals and departures up to an instant, no two at one time. */
export function waypointsOf({ assigned_at, start, visits }: Drive, until: number): Waypoint[] {
  const setOut = visits[0]?.set_out_at ?? assigned_at;
  const halts = visits.flatMap(({ lat, lng, arrived_at, left_at }) => [
    { lat, lng, at: arrived_at },
    { lat, lng, at: left_at },
  ]);
  const way = [{ ...start, at: assigned_at }, { ...start, at: setOut }, ...halts];
  return way.filter(({ at }, index) => at <= until && at !== way[index - 1]?.at);
}

function sixDecimals(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}
