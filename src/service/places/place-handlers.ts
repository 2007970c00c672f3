import type { FoundPlace, findPlaces } from '../../contract/places.ts';
import { createLocator } from '../../domain/locate-address.ts';
import { coordinateFields, type Place } from '../../domain/places.ts';
import type { Handler } from '../http/handler.ts';
import { findPlaces as find, keyOf, placed, request_timeout_ms } from './find-places.ts';

/** Addresses are looked up as those of a single order; nothing else is stored. */
export const findAddresses: Handler<typeof findPlaces> = async ({ service, body }) => {
  const locate = createLocator(await service.gazetteer());
  const located = body.addresses.map((address) => ({ address, found: locate(address) }));
  const lines = located.flatMap(({ found }) => ('fault' in found ? [] : [found.address]));
  const findings = await find(service, lines, { timeout_ms: request_timeout_ms, is_low_priority: true });
  const data = located.map(({ address, found }): FoundPlace => {
    if ('fault' in found) {
      return { address, latitude: null, longitude: null, precision: 'zip', problem: 'unknown_address' };
    }
    const place = placed<Place>(found, findings);
    const finding = findings.get(keyOf(found.address));
    const unasked = service.geocoder === null ? null : 'not_asked';
    const problem = finding === undefined ? unasked : 'problem' in finding ? finding.problem : null;
    return { address, ...coordinateFields(place), problem };
  });
  return { object: 'found_places', data };
};
