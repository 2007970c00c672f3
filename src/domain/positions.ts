import type { Point } from './geography.ts';

/** A driver's position at a time, in milliseconds since the epoch. */
export interface Waypoint extends Point {
  at: number;
}

/** The position at a time on a path of waypoints ordered by time, interpolated between two; null before the first. */
export function positionAt(way: readonly Waypoint[], at: number): Point | null {
  const next = way.findIndex((waypoint) => waypoint.at > at);
  const before = next === -1 ? way.at(-1) : way[next - 1];
  const after = next === -1 ? undefined : way[next];
  if (before === undefined) return null;
  if (after === undefined) return { lat: before.lat, lng: before.lng };
  const share = (at - before.at) / (after.at - before.at);
  return { lat: between(before.lat, after.lat, share), lng: between(before.lng, after.lng, share) };
}

/** Rounds to six decimals, about 10 cm. */
function between(from: number, to: number, share: number): number {
  return Math.round((from + (to - from) * share) * 1e6) / 1e6;
}
