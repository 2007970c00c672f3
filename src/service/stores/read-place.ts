import { type Fault, Problem } from '../../contract/errors.ts';
import { type NormalAddress, normalizeAddress } from '../../domain/addresses.ts';
import { findCity, type Gazetteer } from '../../domain/cities.ts';
import type { Point } from '../../domain/geography.ts';
import { addressRule, phoneRule } from '../../domain/order-rules.ts';
import { findCentroid } from '../../domain/zips.ts';
import type { CallBase } from '../http/handler.ts';

/** What reading addresses and phone numbers needs. */
export interface PlaceReading {
  now: number;
  gazetteer: Gazetteer;
  normalizePhone: (text: string) => string | null;
}

/** What reading places and phones needs; the table of the world's phone numbers is loaded only where it is used. */
export async function placeReading({ service, now }: CallBase): Promise<PlaceReading> {
  const { normalizePhone } = await import('../../domain/phones.ts');
  return { now, gazetteer: await service.gazetteer(), normalizePhone };
}

const nowhere: Point = { lat: 0, lng: 0 };

export function placeOf(line: string, path: string, gazetteer: Gazetteer, unplaced: Fault[]) {
  const normal = normalizeAddress(line);
  const point = normal === null ? null : pointOf(normal, gazetteer);
  if (normal !== null && point !== null) return { address: normal.address, point };
  unplaced.push({ path, message: normal === null ? addressRule : unknownPlace(normal) });
  return { address: line, point: nowhere };
}

/** Without a ZIP code an address lies in the middle of its city. */
function pointOf(normal: NormalAddress, { zips, cities }: Gazetteer): Point | null {
  const zip = normal.zip ?? findCity(cities, normal);
  return zip === null ? null : findCentroid(zips, zip);
}

function unknownPlace(normal: NormalAddress): string {
  if (normal.zip !== null) return `has a ZIP code that is not known: ${normal.zip}`;
  return `has no ZIP code, and its city is not known: ${normal.city}, ${normal.state}`;
}

export function phoneOf(
  normalizePhone: PlaceReading['normalizePhone'],
  text: string,
  path: string,
  faults: Fault[],
): string {
  const phone = normalizePhone(text);
  if (phone !== null) return phone;
  faults.push({ path, message: phoneRule });
  return text;
}

interface Refusals {
  before?: readonly Fault[];
  read: readonly { faults: readonly Fault[]; unplaced: readonly Fault[] }[];
  unknownStores?: readonly Fault[];
}

/** Throws all faults at once, in the order of the request; nothing where there are none. */
export function throwFaults({ before = [], read, unknownStores = [] }: Refusals): void {
  const ofOrders = read.flatMap(({ faults, unplaced }) => [...faults, ...unplaced]);
  const all = [...before, ...unknownStores, ...ofOrders];
  if (before.length > 0 || read.some(({ faults }) => faults.length > 0)) {
    throw new Problem('invalid_request', 'The body breaks the contract.', all);
  }
  if (ofOrders.length > 0) throw new Problem('address_not_geocodable', 'An address cannot be placed.', all);
  const [first] = unknownStores;
  if (first !== undefined) throw new Problem('record_not_found', `${first.message}.`, all);
}
