/**
 * Place services: geocoders, which return the coordinates of addresses, and routers, which return distances and travel
 * times. The service sends the requests, chooses and stores.
 */
import { storedAddressFields } from '../domain/addresses.ts';
import { greatCircleMiles, isNearEnough, type Point } from '../domain/geography.ts';
import type { GeocoderName } from '../domain/operator-settings.ts';
import { listAt, parseFields, textAt } from './json-messages.ts';

/** A geocoder: it makes the request for an address and reads the answer. */
export interface GeocoderAdapter {
  name: GeocoderName;
  /** The path and query of the request for an address, behind the address of the server. */
  pathOf(address: AddressParts): string;
  /** The places in an answer, best first. Throws `NotAnAnswer` for any other body. */
  read(body: string, address: AddressParts): Candidate[];
}

/** An address in the parts that servers ask for; empty if unknown. */
export interface AddressParts {
  /** With the house number in front. */
  street: string;
  house_number: string;
  city: string;
  /** The postal code of the state. */
  state: string;
  zip: string;
}

/** A place that a server has found. */
export interface Candidate extends Point {
  precision: 'house' | 'street';
  /** The postal code of the state; null for a place outside of the USA, or if it is unknown. */
  state: string | null;
}

/** The body of a response is not what the server documents: a page of a proxy, for example. */
export class NotAnAnswer extends Error {}

const unitAtEnd = /\s+(?:apt|apartment|unit|suite|ste|floor|fl|room|rm)\b\.?\s*\S+$|\s*#\s*\S+$/i;

/** The parts of a stored address that servers ask for; null without a street. */
export function addressParts(address: string): AddressParts | null {
  const parts = storedAddressFields(address);
  if (parts === null) return null;
  const { city, state, zip } = parts;
  const lines = parts.street.split(', ');
  // A name or a building may stand in front of the street.
  const line = lines.find((each) => /^\d/.test(each)) ?? lines[0] ?? '';
  const street = line.replace(unitAtEnd, '');
  if (street === '') return null;
  const house_number = /^\d+[a-z]?(?:-\d+)?(?=\s)/i.exec(street)?.[0] ?? '';
  return { street, house_number, city, state, zip: zip ?? '' };
}

/** The position that was found for an address, or why there is none. */
export type Finding =
  | (Point & { precision: Candidate['precision'] })
  | { problem: 'not_found' | 'other_state' | 'too_far' };

/** Where an address lies by its ZIP code or city. */
export interface Area {
  point: Point;
  /** The postal code of the state; null if it is unknown. */
  state: string | null;
}

/** The most precise candidate in the area of an address, the nearest of several. */
export function choosePlace(candidates: readonly Candidate[], { point, state }: Area): Finding {
  if (candidates.length === 0) return { problem: 'not_found' };
  const inState = candidates.filter((each) => state === null || each.state === state);
  if (inState.length === 0) return { problem: 'other_state' };
  const near = inState.filter((each) => isNearEnough(each, point));
  const [best] = near.toSorted(
    (left, right) =>
      rank(left) - rank(right) || greatCircleMiles(left, point) - greatCircleMiles(right, point),
  );
  if (best === undefined) return { problem: 'too_far' };
  const { lat, lng, precision } = best;
  return { lat, lng, precision };
}

function rank({ precision }: Candidate): number {
  return precision === 'house' ? 0 : 1;
}

// The router has the table service of OSRM: https://github.com/Project-OSRM/osrm-backend/blob/master/docs/http.md.
// Coordinates have the longitude first, and errors have a `code` whatever their status is.

/** The most coordinates of a request, by the default of the server. */
export const max_points = 100;

/** The path and query of the request for the times from some of the points, by their indexes, to all of them. */
export function tablePath(points: readonly Point[], sources: readonly number[]): string {
  const coordinates = points.map(({ lat, lng }) => `${lng.toFixed(6)},${lat.toFixed(6)}`).join(';');
  const query = `sources=${sources.join(';')}&destinations=all&annotations=duration&skip_waypoints=true`;
  return `/table/v1/driving/${coordinates}?${query}&generate_hints=false`;
}

/** The seconds from each source to each point; null where there is no way. Empty if the server has no table for them. */
export function readTable(body: string): (number | null)[][] {
  const fields = parseFields(body);
  const code = textAt(fields, 'code');
  if (code === null) throw new Error('it answered without a code');
  if (code !== 'Ok') return [];
  return listAt(fields, 'durations').map((row) =>
    Array.isArray(row) ? row.map((cell: unknown) => (isDuration(cell) ? cell : null)) : [],
  );
}

/** No way of a driver takes longer than a day. */
const max_seconds = 86_400;

function isDuration(cell: unknown): cell is number {
  return typeof cell === 'number' && cell >= 0 && cell <= max_seconds;
}
