import { type Fault, Problem } from '../../contract/errors.ts';
import type { Point } from '../../domain/geography.ts';
import { createLocator, type Located } from '../../domain/locate-address.ts';
import type { CallBase } from '../http/handler.ts';

/** The context of reading addresses and phone numbers. */
export interface PlaceReading {
  now: number;
  locate: (line: string) => Located;
  phones: Pick<typeof import('../../domain/phones.ts'), 'normalizePhone' | 'phoneFault'>;
}

/** The context of reading addresses and phone numbers; the phone number metadata is loaded only where it is used. */
export async function placeReading({ service, now }: CallBase): Promise<PlaceReading> {
  const { normalizePhone, phoneFault } = await import('../../domain/phones.ts');
  const gazetteer = await service.gazetteer();
  const locate = oncePerText(createLocator(gazetteer));
  return { now, locate, phones: { normalizePhone: oncePerText(normalizePhone), phoneFault } };
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

const nowhere: Point = { lat: 0, lng: 0 };

export function placeOf(line: string, path: string, locate: PlaceReading['locate'], unplaced: Fault[]) {
  const located = locate(line);
  if (!('fault' in located)) return located;
  unplaced.push({ path, message: located.fault });
  return { address: line, point: nowhere };
}

export function phoneOf(phones: PlaceReading['phones'], text: string, path: string, faults: Fault[]): string {
  const phone = phones.normalizePhone(text);
  if (phone !== null) return phone;
  faults.push({ path, message: phones.phoneFault(text) });
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
    throw new Problem('invalid_request', 'The body is invalid.', all);
  }
  if (ofOrders.length > 0)
    throw new Problem('address_not_geocodable', 'An address could not be located.', all);
  const [first] = unknownStores;
  if (first !== undefined) throw new Problem('record_not_found', `${first.message}.`, all);
}
