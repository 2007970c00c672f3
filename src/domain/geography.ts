/**
 * Positions on the earth, by subject: distances; areas and positions in time; driving times; places and their coordinates
 * in the API; which positions can be right.
 */
import type { Fault } from '../contract/errors.ts';
import type { DriverVehicle, Precision } from '../contract/vocabulary.ts';

/** A position on the earth, in degrees. */
export interface Point {
  lat: number;
  lng: number;
}

// Distances.

const earth_radius_miles = 3958.8;

/** Road distance is about 1.3 times the great-circle distance; legs are in tenths of a mile. */
const road_tenths_per_mile = 13;
const min_leg_tenths = 3;

/** Great-circle distance in miles, by the haversine formula. */
export function greatCircleMiles(from: Point, to: Point): number {
  const half =
    haversine(to.lat - from.lat) +
    Math.cos(radians(from.lat)) * Math.cos(radians(to.lat)) * haversine(to.lng - from.lng);
  return 2 * earth_radius_miles * Math.asin(Math.min(1, Math.sqrt(half)));
}

function haversine(degrees: number): number {
  return Math.sin(radians(degrees) / 2) ** 2;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** The road distance between two different addresses in tenths of a mile, at least three. */
export function legTenths(from: Point, to: Point): number {
  return Math.max(min_leg_tenths, Math.round(greatCircleMiles(from, to) * road_tenths_per_mile));
}

/** Formats tenths of a mile: `10.9 mi`, `10 mi`. */
export function miles(tenths: number): string {
  return `${tenths / 10} mi`;
}

// Areas, and positions in time.

/** The middle of an area such as a ZIP code, which stands for every address in it. */
export interface AreaCentre extends Point {
  /** The road distance across half of the area in tenths of a mile; absent in records of earlier versions. */
  spread_tenths?: number;
}

/** Five minutes of driving in a city, and half an hour. */
const min_spread_tenths = 15;
const max_spread_tenths = 90;

/** The `spread_tenths` of an area with a radius in miles. */
export function spreadTenths(radius_miles: number): number {
  const tenths = Math.round(radius_miles * road_tenths_per_mile);
  return Math.min(max_spread_tenths, Math.max(min_spread_tenths, tenths));
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

// Driving times, and the keys by which they are looked up.

/** The driving times between points in milliseconds, by `wayKey`; a way that is not in it is estimated. */
export type DrivingTimes = ReadonlyMap<string, number>;

/** Four decimals of a degree are about 10 metres. */
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

// Places, and their coordinates in the API.

/** Coordinates that are more precise than the centre of a ZIP code. */
export interface Coordinates extends Point {
  precision: Exclude<Precision, 'zip'>;
}

/** The pickup or dropoff of an order. */
export interface Place {
  address: string;
  point: AreaCentre;
  /** Absent if only the centre of the ZIP code is known. */
  coordinates?: Coordinates | undefined;
}

/** The best known position of a place; the centre of its ZIP code says how large the ZIP code is. */
export function positionOfPlace({ point, coordinates }: Omit<Place, 'address'>): AreaCentre {
  if (coordinates !== undefined) return { lat: coordinates.lat, lng: coordinates.lng };
  return { spread_tenths: min_spread_tenths, ...point };
}

export function readPrecision({ coordinates }: Pick<Place, 'coordinates'>): Precision {
  return coordinates?.precision ?? 'zip';
}

/** The best known position of a place, as returned by the API. */
export function coordinateFields(place: Omit<Place, 'address'>) {
  const { lat: latitude, lng: longitude } = positionOfPlace(place);
  return { latitude, longitude, precision: readPrecision(place) };
}

/** Whether a courier can be sent to the coordinates. */
export function isHouse(precision: Precision): boolean {
  return precision === 'exact' || precision === 'house';
}

/** The coordinates of a request. */
export interface GivenCoordinates {
  latitude?: number | undefined;
  longitude?: number | undefined;
}

/** Coordinates as given; undefined without both. */
export function givenCoordinates({
  latitude: lat,
  longitude: lng,
}: GivenCoordinates): Coordinates | undefined {
  return lat === undefined || lng === undefined ? undefined : { lat, lng, precision: 'exact' };
}

// Which positions can be right.

/** A courier that knows no position may send 0,0, or latitude and longitude swapped. */
const max_miles_from_stops = 100;

/** Whether a driver of an order can be at a point: it is near one of the places of the order. */
export function isNearStops(
  point: Point,
  { pickup, dropoff }: Readonly<Record<'pickup' | 'dropoff', Omit<Place, 'address'>>>,
): boolean {
  return [pickup, dropoff].some(
    (place) => greatCircleMiles(point, positionOfPlace(place)) <= max_miles_from_stops,
  );
}

/** Nearly every ZIP code of the country is smaller. */
const max_miles_off = 25;

export function isNearEnough(point: Point, centre: Point): boolean {
  return greatCircleMiles(point, centre) <= max_miles_off;
}

/** How far coordinates are from an area, as the end of a sentence; null if they may lie in it. */
export function distanceFault(
  point: Point,
  { point: centre, area }: { point: Point; area: string },
): string | null {
  if (isNearEnough(point, centre)) return null;
  return `is ${Math.round(greatCircleMiles(point, centre))} miles from the centre of ${area}: at most ${max_miles_off} are allowed`;
}

/** The fault of coordinates of which only one was given; `prefix` is the beginning of their names. */
export function pairFaults({ latitude, longitude }: GivenCoordinates, prefix: string): Fault[] {
  if ((latitude === undefined) === (longitude === undefined)) return [];
  const [missing, given] = latitude === undefined ? ['latitude', 'longitude'] : ['longitude', 'latitude'];
  return [{ path: `${prefix}${missing}`, message: `is required together with ${prefix}${given}` }];
}
