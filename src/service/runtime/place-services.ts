/**
 * Clients of the geocoder and the router that the operator may set. The service works without them: a fault of a server is
 * reported once, and then less exact tables and straight lines are used until it answers.
 */
import type { Dispatcher } from 'undici';
import { type Point, placeKey, wayKey } from '../../domain/geography.ts';
import type { GeocoderSetting } from '../../domain/operator-settings.ts';
import type { CourierHttpResponse } from '../../providers/courier.ts';
import { geocoderAdapter } from '../../providers/directory.ts';
import {
  type AddressParts,
  type Candidate,
  max_points,
  NotAnAnswer,
  readTable,
  tablePath,
} from '../../providers/place-services.ts';
import { ProviderFault } from '../../providers/port.ts';
import type { ServiceConfig } from './context.ts';
import { openAgent, sendOnce } from './outgoing-calls.ts';
import type { Geocoder, Router } from './service-ports.ts';
import { type Clock, pause } from './time.ts';

type Parts = Pick<ServiceConfig, 'web' | 'timers' | 'circuits' | 'onFault'>;

/** A server that the operator has set: a geocoder or a router. The service works without it. */
interface OperatorServer {
  /**
   * Sends a GET request and reads the response; null if there is none in time, if `read` throws, or while the server
   * has failed repeatedly. The first fault in a row is reported.
   */
  ask: <T>(path: string, read: (response: CourierHttpResponse) => T) => Promise<T | null>;
  /** Whether the latest request had no answer. */
  isFailing: () => boolean;
}

/** The circuit breaker of the server belongs to no account. */
const scope = { account_id: '', test_mode: false };

/** `effect` says what happens without the server, as the end of the report. */
function createOperatorServer(
  { url, limit_ms, what, effect }: { url: string; limit_ms: number; what: string; effect: string },
  parts: Parts,
): OperatorServer {
  const base = new URL(url);
  const prefix = base.pathname.replace(/\/+$/, '');
  const breaker = parts.circuits.of(scope, base.host);
  let agent: Promise<Dispatcher> | undefined;
  let hasFailed = false;
  const headers = { 'user-agent': 'waybill', accept: 'application/json' };
  return {
    isFailing: () => hasFailed,
    ask: async (path, read) => {
      if (breaker.enter() > 0) return null;
      try {
        agent ??= openAgent({ ...parts, allows_private: true }, limit_ms);
        const place = { url, origin: base.origin, path: `${prefix}${path}` };
        const response = await sendOnce(await agent, { method: 'GET', headers, limit_ms, ...place }, parts);
        const answer = read(response);
        breaker.recordSuccess();
        hasFailed = false;
        return answer;
      } catch (fault) {
        breaker.recordFault();
        if (!hasFailed) parts.onFault?.(`${what} ${reasonIn(fault, base.host)}; ${effect}`, null);
        hasFailed = true;
        return null;
      }
    },
  };
}

/** Why a request failed, with the host: a `ProviderFault` names it already. */
function reasonIn(fault: unknown, host: string): string {
  if (fault instanceof ProviderFault) return fault.message;
  return `${host}: ${fault instanceof Error ? fault.message : String(fault)}`;
}

/** The Census takes up to 14 seconds; a background task counts as hung after 12. */
const geocoder_timeout_ms = 8_000;

/** Asks the geocoder that is set, at most as often as it permits. Concurrent lookups of one address share a request. */
export function createGeocoder(
  { name, url, per_second }: GeocoderSetting,
  parts: Parts & Pick<ServiceConfig, 'monotonic'>,
): Geocoder {
  const server = createOperatorServer(
    {
      url,
      limit_ms: geocoder_timeout_ms,
      what: 'geocoder',
      effect: 'places are known by ZIP code only until it answers',
    },
    parts,
  );
  const interval_ms = 1_000 / per_second;
  const reserve = createPace(parts.monotonic, interval_ms);
  const running = new Map<string, Promise<readonly Candidate[] | null>>();
  const request = async (address: AddressParts, wait_ms: number) => {
    if (wait_ms > 0) await pause(parts.timers, wait_ms);
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

/** How long a plan waits for the router; after that, straight lines are used. */
const router_timeout_ms = 1_000;
/** Driving times do not expire: above this number, the oldest are dropped. */
const max_ways = 200_000;

/** Asks the router that is set, and keeps the times that it has answered. */
export function createDrivingRouter(url: string, parts: Parts): Router {
  const server = createOperatorServer(
    {
      url,
      limit_ms: router_timeout_ms,
      what: 'router',
      effect: 'driving times are estimated by straight lines until it answers',
    },
    parts,
  );
  const known = new Map<string, number>();
  const learn = async (all: readonly Point[]): Promise<void> => {
    const points = [...new Map(all.map((point) => [placeKey(point), point])).values()].slice(0, max_points);
    const isKnown = (from: Point, to: Point) => from === to || known.has(wayKey(from, to));
    const sources = [...points.keys()].filter((index) => {
      const from = points[index];
      return from !== undefined && points.some((to) => !isKnown(from, to) || !isKnown(to, from));
    });
    if (sources.length === 0) return;
    const table = await server.ask(tablePath(points, sources), ({ body }) => readTable(body));
    for (const [row, source] of sources.entries()) {
      for (const [column, to] of points.entries()) {
        const [from, seconds] = [points[source], table?.[row]?.[column] ?? null];
        if (from !== undefined && seconds !== null) known.set(wayKey(from, to), Math.round(seconds * 1_000));
      }
    }
    for (const oldest of known.keys()) {
      if (known.size <= max_ways) break;
      known.delete(oldest);
    }
  };
  return { known, learn, isFailing: server.isFailing };
}
