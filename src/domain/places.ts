import type { Fault } from '../contract/errors.ts';
import type { Precision } from '../contract/vocabulary.ts';
import { greatCircleMiles, type Point } from './geography.ts';

/** Coordinates that are more precise than the centre of a ZIP code. */
export interface Coordinates extends Point {
  precision: Exclude<Precision, 'zip'>;
}

/** The pickup or dropoff of an order. */
export interface Place {
  address: string;
  /** The centre of the ZIP code. */
  point: Point;
  /** Absent if only the centre of the ZIP code is known. */
  coordinates?: Coordinates | undefined;
}

/** The best known position of a place. */
export function positionOfPlace({ point, coordinates }: Omit<Place, 'address'>): Point {
  return coordinates === undefined ? point : { lat: coordinates.lat, lng: coordinates.lng };
}

export function precisionOf({ coordinates }: Pick<Place, 'coordinates'>): Precision {
  return coordinates?.precision ?? 'zip';
}

/** The best known position of a place, as returned by the API. */
export function coordinateFields(place: Omit<Place, 'address'>) {
  const { lat: latitude, lng: longitude } = positionOfPlace(place);
  return { latitude, longitude, precision: precisionOf(place) };
}

/** Whether a courier can be sent to the coordinates. */
export function isHouse(precision: Precision): boolean {
  return precision === 'exact' || precision === 'house';
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

/** The latitude and longitude of a request. */
export interface GivenCoordinates {
  latitude?: number | undefined;
  longitude?: number | undefined;
}

/** The fault of coordinates of which only one was given; `prefix` is the beginning of their names. */
export function pairFaults({ latitude, longitude }: GivenCoordinates, prefix: string): Fault[] {
  if ((latitude === undefined) === (longitude === undefined)) return [];
  const [missing, given] = latitude === undefined ? ['latitude', 'longitude'] : ['longitude', 'latitude'];
  return [{ path: `${prefix}${missing}`, message: `is required together with ${prefix}${given}` }];
}

/** Coordinates as given; undefined without both. */
export function givenCoordinates({
  latitude: lat,
  longitude: lng,
}: GivenCoordinates): Coordinates | undefined {
  return lat === undefined || lng === undefined ? undefined : { lat, lng, precision: 'exact' };
}
