/** Where addresses are: what the geocoder has answered before, and asking it. */
import type { FoundPlace, findPlaces as findPlacesOperation } from '../../contract/places.ts';
import { day_ms } from '../../domain/durations.ts';
import { coordinateFields, type Place } from '../../domain/geography.ts';
import { createLocator, type Located } from '../../domain/locator.ts';
import {
  type AddressParts,
  addressParts,
  type Candidate,
  choosePlace,
  type Finding,
} from '../../providers/place-services.ts';
import { geocodedPlaces, writeGeocodedPlace } from '../../storage/places.ts';
import type { Handler } from '../http/handler.ts';
import type { SharedContext } from '../runtime/context.ts';
import type { Geocoder } from '../runtime/service-ports.ts';
import { atMost, pause } from '../runtime/time.ts';

/** How long a request waits for the geocoder. */
export const request_timeout_ms = 2_000;
/** A house that is not on the map today may be there next week. */
const missing_ms = 7 * day_ms;

type Service = Pick<
  SharedContext,
  'geocoder' | 'gazetteer' | 'storage' | 'wall' | 'timers' | 'retention' | 'observe' | 'onFault'
>;

/** The answers of the geocoder by the address in lower case; an address that is absent was not looked up. */
export type Findings = ReadonlyMap<string, Finding>;

/** The stored answers of the geocoder about addresses. */
export async function knownPlaces(
  { geocoder, storage, wall, retention }: Service,
  addresses: readonly string[],
): Promise<Findings> {
  const keys = [...new Set(addresses.map(keptAddress))];
  if (geocoder === null || keys.length === 0) return new Map();
  const now = wall.now();
  const query = { geocoder: geocoder.name, addresses: keys, since: now - retention.places_ms };
  const rows = await storage.read((db) => geocodedPlaces(db, query));
  return new Map(
    rows.flatMap(({ address, found, found_at }) => {
      const finding: Finding = JSON.parse(found);
      const isOld = 'problem' in finding && found_at < now - missing_ms;
      return isOld ? [] : [[address, finding] as const];
    }),
  );
}

interface Lookup {
  timeout_ms: number;
  /** Whether lookups of single orders go first. */
  is_low_priority?: boolean;
}

/**
 * Finds addresses: those that are known, and others by asking the geocoder for at most `timeout_ms`. Its later answers
 * are kept for the next time.
 */
export async function findPlaces(
  service: Service,
  addresses: readonly string[],
  lookup: Lookup,
): Promise<Findings> {
  const { geocoder, timers } = service;
  const found = new Map(await knownPlaces(service, addresses));
  const missing = new Map(addresses.map((address) => [keptAddress(address), address]));
  for (const key of found.keys()) missing.delete(key);
  if (geocoder === null || missing.size === 0) return found;
  const asked = Promise.all(
    [...missing].map(async ([key, address]) => {
      const finding = await lookUp(service, geocoder, address, lookup);
      if (finding !== null) found.set(key, finding);
    }),
  );
  await atMost<unknown>(timers, lookup.timeout_ms, asked, () => {});
  return new Map(found);
}

/** Asks about an address and keeps the answer; null without one. Never rejects. */
async function lookUp(
  service: Service,
  geocoder: Geocoder,
  address: string,
  lookup: Lookup,
): Promise<Finding | null> {
  const { gazetteer, storage, wall, observe, onFault } = service;
  try {
    const parts = addressParts(address);
    const located = createLocator(await gazetteer())(address);
    if (parts === null || 'fault' in located) return null;
    const candidates = await candidatesOf(service, geocoder, parts, lookup);
    const finding = candidates === null ? null : choosePlace(candidates, located);
    observe?.({ type: 'geocoding', outcome: outcomeOf(finding) });
    if (finding === null) return null;
    const row = { address: keptAddress(address), geocoder: geocoder.name, found: JSON.stringify(finding) };
    await storage.write((db) => writeGeocodedPlace(db, { ...row, found_at: wall.now() }));
    return finding;
  } catch (fault) {
    onFault?.(fault, null);
    return null;
  }
}

/**
 * Waits for the turn of a lookup and asks. A lookup with low priority reserves no turn after the next one; while that is
 * taken, it tries again later. So the queue stays short for single orders.
 */
async function candidatesOf(
  { timers }: Service,
  geocoder: Geocoder,
  parts: AddressParts,
  { timeout_ms, is_low_priority = false }: Lookup,
): Promise<readonly Candidate[] | null> {
  const { interval_ms } = geocoder;
  let left_ms = timeout_ms;
  for (;;) {
    const max_wait_ms = is_low_priority ? Math.min(interval_ms, left_ms) : timeout_ms;
    const found = await geocoder.find(parts, max_wait_ms);
    if (found !== 'busy') return found;
    left_ms -= interval_ms;
    if (!is_low_priority || left_ms <= 0) return null;
    await pause(timers, interval_ms);
  }
}

function outcomeOf(finding: Finding | null) {
  if (finding === null) return 'no_answer' as const;
  return 'problem' in finding ? finding.problem : finding.precision;
}

/** The form in which an address is kept. */
export function keptAddress(address: string): string {
  return address.toLowerCase();
}

/** A place with the coordinates that were found, unless it has some. */
export function placed<T extends Place>(place: T, findings: Findings): T {
  const finding = findings.get(keptAddress(place.address));
  if (place.coordinates !== undefined || finding === undefined || 'problem' in finding) return place;
  const { lat, lng, precision } = finding;
  return { ...place, coordinates: { lat, lng, precision } };
}

/** Addresses are looked up as those of a single order; nothing else is stored. */
export const findAddresses: Handler<typeof findPlacesOperation> = async ({ service, body }) => {
  const locate = createLocator(await service.gazetteer());
  const located = body.addresses.map((address) => ({ address, found: locate(address) }));
  const lines = located.flatMap(({ found }) => ('fault' in found ? [] : [found.address]));
  const findings = await findPlaces(service, lines, {
    timeout_ms: request_timeout_ms,
    is_low_priority: true,
  });
  const data = located.map(({ address, found }): FoundPlace => {
    if ('fault' in found) {
      const nowhere = {
        latitude: null,
        longitude: null,
        precision: 'zip',
        problem: 'unknown_address',
      } as const;
      return { address, ...nowhere, ...readFields(found) };
    }
    const place = placed<Place>(found, findings);
    const finding = findings.get(keptAddress(found.address));
    const unasked = service.geocoder === null ? null : 'not_asked';
    const problem = finding === undefined ? unasked : 'problem' in finding ? finding.problem : null;
    return { address, ...coordinateFields(place), problem, ...readFields(found) };
  });
  return { object: 'found_places', data };
};

/** How an address was read: in one line with its parts, or why it is refused. */
function readFields(found: Located): Pick<FoundPlace, 'understood' | 'warnings'> {
  if ('fault' in found) return { understood: null, warnings: [found.fault] };
  return { understood: found.address, warnings: [...found.warnings, ...found.changes] };
}
