import type { GeocoderSetting } from '../../domain/place-services.ts';
import type { CourierHttpResponse } from '../../providers/courier.ts';
import { geocoderAdapter } from '../../providers/directory.ts';
import { type AddressParts, type Candidate, NotAnAnswer } from '../../providers/geocoders/geocoder.ts';
import type { Geocoder, ServiceConfig } from './context.ts';
import { createOperatorServer } from './operator-server.ts';
import type { Clock } from './time.ts';

/** The Census takes up to 14 seconds; a background task counts as hung after 12. */
const limit_ms = 8_000;

/** Asks the geocoder that is set, at most as often as it permits. Concurrent lookups of one address share a request. */
export function createGeocoder(
  { name, url, per_second }: GeocoderSetting,
  parts: Pick<ServiceConfig, 'web' | 'timers' | 'circuits' | 'onFault' | 'monotonic'>,
): Geocoder {
  const server = createOperatorServer(
    { url, limit_ms, what: 'geocoder', effect: 'places are known by ZIP code only until it answers' },
    parts,
  );
  const interval_ms = 1_000 / per_second;
  const reserve = createPace(parts.monotonic, interval_ms);
  const running = new Map<string, Promise<readonly Candidate[] | null>>();
  const request = async (address: AddressParts, wait_ms: number) => {
    if (wait_ms > 0) await new Promise<void>((resolve) => parts.timers.after(wait_ms, resolve));
    const adapter = await geocoderAdapter(name);
    return server.ask(adapter.pathOf(address), (response) => {
      requireAnswer(response);
      return response.status === 400 ? [] : adapter.read(response.body, address);
    });
  };
  return {
    name,
    interval_ms,
    find: (address, max_wait_ms) => {
      const key = JSON.stringify(address);
      const shared = running.get(key);
      if (shared !== undefined) return shared;
      const wait_ms = reserve(max_wait_ms);
      if (wait_ms === null) return Promise.resolve('busy' as const);
      const found = request(address, wait_ms).finally(() => running.delete(key));
      running.set(key, found);
      return found;
    },
  };
}

/** 400 is an answer about the address: it is too long, for example. */
function requireAnswer({ status }: CourierHttpResponse): void {
  if (status !== 200 && status !== 400) throw new NotAnAnswer(`it answered ${status}`);
}

/** Reserves the next free time of a request; returns the wait until then, or null if it is longer than permitted. */
function createPace(monotonic: Clock, interval_ms: number): (max_wait_ms: number) => number | null {
  let next = Number.NEGATIVE_INFINITY;
  return (max_wait_ms) => {
    const now = monotonic.now();
    const at = Math.max(now, next);
    if (at - now > max_wait_ms) return null;
    next = at + interval_ms;
    return at - now;
  };
}
