import type { Point } from './geography.ts';

/** Where a driver is at an instant, in milliseconds since the epoch. */
export interface Waypoint extends Point {
  at: number;
}

/** Where a driver is at an instant on a way of waypoints in order of time: between two, on the line; null before the first. */
export function positionAt(way: readonly Waypoint[], at: number): Point | null {
  const next = way.findIndex((waypoint) => waypoint.at > at);
  const before = next === -1 ? way.at(-1) : way[next - 1];
  const after = next === -1 ? undefined : way[next];
  if (before === undefined) return null;
  if (after === undefined) return { lat: before.lat, lng: before.lng };
  const share = (at - before.at) / (after.at - before.at);
  return { lat: between(before.lat, after.lat, share), lng: between(before.lng, after.lng, share) };
}

/** Six decimals, as everywhere: a hand's breadth. */
function between(from: number, to: number, share: number): number {
  return Math.round((from + (to - from) * share) * 1e6) / 1e6;
}
