/** Reads the addresses, phone numbers and names of a request, and collects their faults. */
import { type Fault, invalidRequest, Problem } from '../../contract/errors.ts';
import {
  distanceFault,
  type GivenCoordinates,
  givenCoordinates,
  type Place,
} from '../../domain/geography.ts';
import { createLocator, type Located } from '../../domain/locator.ts';
import { readContact } from '../../domain/phone-notes.ts';
import type { PhoneReading } from '../../domain/phone-text.ts';
import { normalizeReference } from '../../domain/references.ts';
import { invalidField } from '../http/answers.ts';
import type { CallBase } from '../http/handler.ts';

export interface PlaceReading {
  now: number;
  locate: (line: string) => Located;
  readPhone: (text: string) => PhoneReading;
  remarks: Set<string>;
}

/** The context of reading addresses and phone numbers; the phone number metadata is loaded only where it is used. */
export async function placeReading({ service, now, remarks }: CallBase): Promise<PlaceReading> {
  const { readPhone } = await import('../../domain/phones.ts');
  const gazetteer = await service.gazetteer();
  const locate = oncePerText(createLocator(gazetteer));
  return { now, locate, readPhone: oncePerText(readPhone), remarks };
}

/** Reads each text once: many orders of a request have the same pickup. */
function oncePerText<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const value = read(text);
    known.set(text, value);
    return value;
  };
}

/** A pickup or dropoff in a request. */
interface GivenPlace extends GivenCoordinates {
  line: string;
  /** The beginning of the paths of its fields: `orders[0].pickup_`. */
  at: string;
  faults: Fault[];
  /** Gets the fault of an address that cannot be located. */
  unplaced: Fault[];
}

export function readPlace(
  { locate, remarks }: Pick<PlaceReading, 'locate' | 'remarks'>,
  { line, at, faults, unplaced, ...given }: GivenPlace,
): Place {
  const located = locate(line);
  if ('fault' in located) {
    unplaced.push({ path: `${at}address`, message: located.fault });
    return { address: line, point: { lat: 0, lng: 0 } };
  }
  const { address, point } = located;
  for (const said of [...located.warnings, ...located.changes]) remarks.add(`${at}address: ${said}`);
  const coordinates = givenCoordinates(given);
  const message = coordinates === undefined ? null : distanceFault(coordinates, located);
  if (message !== null) faults.push({ path: `${at}latitude`, message });
  return { address, point, coordinates };
}

/** A phone number in a request, and the notes of its end. */
interface GivenPhone {
  text: string;
  notes: string;
  path: string;
  faults: Fault[];
}

/** The digits of a phone number, and the notes with what was written beside it. */
export function readPlaceContact(
  readPhone: PlaceReading['readPhone'],
  { text, notes, path, faults }: GivenPhone,
): { phone: string; notes: string } {
  const contact = readContact(readPhone(text), notes);
  if (!('fault' in contact)) return { phone: contact.number.slice(1), notes: contact.notes };
  faults.push({ path, message: contact.fault });
  return { phone: text, notes };
}

/** The digits of a phone number that has no notes beside it. */
export function readPhoneDigits(
  readPhone: PlaceReading['readPhone'],
  text: string,
  path: string,
  faults: Fault[],
): string {
  const phone = readPhone(text);
  if (!('fault' in phone) && phone.extra === '') return phone.number.slice(1);
  const message =
    'fault' in phone ? phone.fault : `has "${phone.extra}" beside the number: write only one number`;
  faults.push({ path, message });
  return text;
}

interface Refusals {
  before?: readonly Fault[];
  read: readonly { faults: readonly Fault[]; unplaced: readonly Fault[] }[];
  unknownStores?: readonly Fault[];
}

/** Throws all errors together, in the order of the request; does nothing if there are none. */
export function throwFaults({ before = [], read, unknownStores = [] }: Refusals): void {
  const ofOrders = read.flatMap(({ faults, unplaced }) => [...faults, ...unplaced]);
  const all = [...before, ...unknownStores, ...ofOrders];
  if (before.length > 0 || read.some(({ faults }) => faults.length > 0)) {
    throw invalidRequest(all);
  }
  if (ofOrders.length > 0)
    throw new Problem('address_not_geocodable', 'An address could not be located.', all);
  const [first] = unknownStores;
  if (first !== undefined) throw new Problem('record_not_found', `${first.message}.`, all);
}

/** A name as it is stored and found. Throws `invalid_request` if it has nothing that can be seen. */
export function readName(text: string): string {
  const name = normalizeReference(text);
  if (name === '') throw invalidField('name', 'must not be blank');
  return name;
}
