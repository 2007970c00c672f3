import type { DriverVehicle } from '../contract/vocabulary.ts';

/** A position on the earth, in degrees. */
export interface Point {
  lat: number;
  lng: number;
}

const EARTH_RADIUS_MILES = 3958.8;

/** Road distance is about 1.3 times the great-circle distance; legs are in tenths of a mile. */
const ROAD_TENTHS_PER_MILE = 13;
const SHORTEST_LEG_TENTHS = 3;

/** Great-circle distance in miles, by the haversine formula. */
export function greatCircleMiles(from: Point, to: Point): number {
  const half =
    haversine(to.lat - from.lat) +
    Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * haversine(to.lng - from.lng);
  return 2 * EARTH_RADIUS_MILES * Math.asin(Math.min(1, Math.sqrt(half)));
}

/** The road distance between two different addresses in tenths of a mile, at least three. */
export function legTenths(from: Point, to: Point): number {
  return Math.max(SHORTEST_LEG_TENTHS, Math.round(greatCircleMiles(from, to) * ROAD_TENTHS_PER_MILE));
}

/** Formats tenths of a mile: `10.9 mi`, `10 mi`. */
export function miles(tenths: number): string {
  return `${tenths / 10} mi`;
}

function haversine(degrees: number): number {
  return Math.sin(radians(degrees) / 2) ** 2;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

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
