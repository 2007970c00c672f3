import type { Dispatcher } from 'undici';
import { readRetryAfter } from '../../contract/errors.ts';
import { defaultRetention } from '../../domain/service-limits.ts';
import type { BookingEntry, CourierBookings } from '../../providers/courier-bookings.ts';
import type { CourierHttp } from '../../providers/courier-provider.ts';
import { connectableCouriers, courierProviders, simulatedProviders } from '../../providers/directory.ts';
import { type CourierRecords, ProviderBusy, ProviderFault, type RecordEntry } from '../../providers/port.ts';
import {
  bookingsOfDispatch,
  courierEntries,
  courierEntriesOf,
  insertCourierEntry,
  writeBooking,
} from '../../storage/couriers.ts';
import type { CourierBookingRow, CourierEntryRow } from '../../storage/database.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { hasSecrets } from '../../storage/secrets.ts';
import type { Storage } from '../../storage/storage.ts';
import { type CircuitBreakers, createCircuitBreakers } from './circuit-breaker.ts';
import type { ServiceConfig } from './context.ts';
import { createCourierConnections } from './courier-connections.ts';
import { readGazetteer } from './gazetteer.ts';
import { openAgent, send } from './http-send.ts';
import { systemWeb, type Web } from './network.ts';
import { systemSecrets } from './random.ts';
import { createSealing, type Sealing, type SecretKeyOptions, secretKeysOf } from './sealing.ts';
import { type Clock, monotonicClock, realTimers, type Timers, wallClock } from './time.ts';

interface SystemOptions {
  sealing: Sealing;
  /** The simulated couriers' records; absent: they are kept in the service's database. */
  records?: CourierRecords;
  /** See `createCourierHttp`. */
  courierHosts?: Readonly<Record<string, string>>;
  /** See `createCourierHttp`; default false. */
  allowPrivateCouriers?: boolean;
}

/** A service's parts on a real machine: the system's clock, timers and secrets, and all couriers. */
export function systemConfig(
  storage: Storage,
  { sealing, records, courierHosts, allowPrivateCouriers = false }: SystemOptions,
): Omit<ServiceConfig, 'sandbox' | 'publicUrl'> {
  const connections = createCourierConnections({
    storage,
    monotonic: monotonicClock,
    sealing,
  });
  const { settings } = connections;
  const bookings = createCourierBookings(storage, wallClock);
  const circuits = createCircuitBreakers(monotonicClock);
  const http = createCourierHttp({
    timers: realTimers,
    wall: wallClock,
    circuits,
    web: systemWeb,
    allows_private: allowPrivateCouriers,
    ...(courierHosts !== undefined && { hosts: courierHosts }),
  });
  return {
    storage,
    providers: [
      ...simulatedProviders(records ?? createCourierRecords(storage)),
      ...courierProviders({ settings, bookings, http, now: wallClock.now }),
    ],
    connections,
    connectable: connectableCouriers,
    courier_http: http,
    circuits,
    sealing,
    clock: wallClock,
    wall: wallClock,
    monotonic: monotonicClock,
    timers: realTimers,
    secrets: systemSecrets,
    web: systemWeb,
    loopback_webhooks: 'refused',
    gazetteer: readGazetteer,
    retention: defaultRetention,
    crash: () => {},
  };
}

/** Options of tests of the whole program, on a real machine. */
interface TestHooks {
  /** Where the process ends itself: see `crashAt`. */
  crashAt?: string | undefined;
  /** The database file for the simulated couriers' records, instead of the service's own. */
  courierRecords?: string | undefined;
  /** JSON: the origins that stand for the hosts of couriers. */
  courierHosts?: string | undefined;
}

export interface OpenOptions {
  testHooks?: TestHooks;
  /** Where the keys that encrypt stored secrets are: see `secretKeysOf`. */
  secretKey?: SecretKeyOptions;
  /** Whether couriers may be on this machine or in its private networks. */
  allowPrivateCouriers?: boolean;
}

interface OpenParts {
  storage: Storage;
  config: Omit<ServiceConfig, 'sandbox' | 'publicUrl'>;
  close: () => Promise<void>;
}

/**
 * The parts of a service on a real machine, with an open database. Throws `StorageUnavailable` and
 * `UnknownCrashPoint`.
 */
export async function openParts(
  database: string,
  { testHooks: hooks = {}, secretKey = {}, allowPrivateCouriers = false }: OpenOptions = {},
): Promise<OpenParts> {
  const crash = await crashOf(hooks);
  const storage = await openStorage(database);
  const records = hooks.courierRecords === undefined ? null : await openStorage(hooks.courierRecords);
  const config = systemConfig(storage, {
    sealing: createSealing(secretKeysOf(database, secretKey), () => storage.read(hasSecrets)),
    allowPrivateCouriers,
    ...(records !== null && { records: createCourierRecords(records) }),
    ...(hooks.courierHosts !== undefined && { courierHosts: JSON.parse(hooks.courierHosts) }),
  });
  return {
    storage,
    config: { ...config, ...crash },
    close: async () => {
      await records?.close();
      await storage.close();
    },
  };
}

async function crashOf({ crashAt: text }: TestHooks): Promise<Partial<Pick<ServiceConfig, 'crash'>>> {
  if (text === undefined) return {};
  const { crashAt } = await import('./crash-points.ts');
  return { crash: crashAt(text) };
}

/** The simulated couriers' records in a database, which may be separate from the service's. */
export function createCourierRecords(storage: Storage): CourierRecords {
  return {
    named: async (provider, name) =>
      (await storage.read((db) => courierEntries(db, provider, name))).map(recordEntry),
    about: async (provider, reference) =>
      (await storage.read((db) => courierEntriesOf(db, provider, reference))).map(recordEntry),
    enter: ({ answer, ...entry }) =>
      storage.write((db) => insertCourierEntry(db, { ...entry, answer: JSON.stringify(answer) })),
  };
}

function recordEntry({ sequence: _, answer, ...row }: CourierEntryRow): RecordEntry {
  return { ...row, answer: JSON.parse(answer) };
}

/** The bookings at couriers in the service's database, each written on its own. */
export function createCourierBookings(storage: Storage, clock: Clock): CourierBookings {
  return {
    ofDispatch: async (dispatch_id) =>
      (await storage.run((db) => bookingsOfDispatch(db, dispatch_id))).map(bookingEntry),
    write: ({ test_mode, ...entry }) =>
      storage.run((db) =>
        writeBooking(db, { ...entry, test_mode: test_mode ? 1 : 0, updated_at: clock.now() }),
      ),
  };
}

function bookingEntry({ updated_at, bill, test_mode, ...row }: CourierBookingRow): BookingEntry {
  return { ...row, test_mode: test_mode === 1 };
}

/** From the start of a request to the last byte of its response. */
const limit_ms = 8_000;
/** The wait after a 429 response that does not say how long. */
const usual_wait_ms = 2_000;

interface CourierHttpParts {
  timers: Timers;
  wall: Clock;
  circuits: CircuitBreakers;
  web: Web;
  /**
   * Whether couriers may be on this machine or in its private networks: merchants name the addresses of some, and could
   * otherwise reach others' ports through the service.
   */
  allows_private: boolean;
  /** Tests send the requests for a host to another origin. */
  hosts?: Readonly<Record<string, string>>;
}

/** Sends requests to couriers, with a circuit breaker for each account, mode and host. See `CourierPorts`. */
export function createCourierHttp(parts: CourierHttpParts): CourierHttp {
  let agent: Promise<Dispatcher> | undefined;
  return (scope) => async (request) => {
    const url = new URL(request.url);
    const origin = parts.hosts?.[url.host] ?? url.origin;
    const breaker = parts.circuits.of(scope, url.host);
    const wait_ms = breaker.enter();
    if (wait_ms > 0) throw busy(`${url.host} has failed repeatedly and is not called`, wait_ms);
    agent ??= openAgent(parts, limit_ms);
    const response = await send(
      await agent,
      { ...request, origin, path: url.pathname + url.search, limit_ms },
      parts,
    ).catch((fault: unknown) => {
      breaker.recordFault();
      throw fault;
    });
    if (response.status >= 500 && request.isAnswer?.(response) !== true) {
      breaker.recordFault();
      throw new ProviderFault(`${url.host} answered ${response.status}`);
    }
    breaker.recordSuccess();
    if (response.status !== 429) return response;
    const asked_ms = readRetryAfter(response.headers['retry-after'], parts.wall.now());
    throw busy(`${url.host} answered 429`, asked_ms ?? usual_wait_ms);
  };
}

function busy(message: string, wait_ms: number): ProviderBusy {
  return new ProviderBusy(message, Math.ceil(wait_ms / 1000));
}
