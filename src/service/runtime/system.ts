/** Opens a database, and makes the parts of a service on a real machine: its clocks, network, secrets and couriers. */
import { defaultRetention } from '../../domain/operator-settings.ts';
import type { BookingEntry, CourierBookings } from '../../providers/courier-bookings.ts';
import { connectableCouriers, courierProviders, simulatedProviders } from '../../providers/directory.ts';
import type { CourierRecords, RecordEntry } from '../../providers/port.ts';
import {
  bookingsOfDispatch,
  courierEntries,
  courierEntriesOf,
  insertCourierEntry,
  writeBooking,
} from '../../storage/couriers.ts';
import type { CourierBookingRow, CourierEntryRow } from '../../storage/database.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { hasSecrets } from '../../storage/settings.ts';
import type { Storage } from '../../storage/storage.ts';
import { createCircuitBreakers } from './circuit-breakers.ts';
import type { ServiceConfig } from './context.ts';
import { createCourierConnections } from './courier-connections.ts';
import { readGazetteer } from './gazetteer-files.ts';
import { systemWeb } from './network.ts';
import { createCourierHttp } from './outgoing-calls.ts';
import { systemSecrets } from './random.ts';
import { createSealing, type Sealing } from './sealing.ts';
import { readSecretKeys, type SecretKeyOptions } from './secret-keys.ts';
import { type Clock, monotonicClock, realTimers, wallClock } from './time.ts';

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
  /** Where the keys that encrypt stored secrets are: see `readSecretKeys`. */
  secretKey?: SecretKeyOptions;
  /** Whether couriers may be on this machine or in its private networks. */
  allowPrivateCouriers?: boolean;
  /** Whether to refuse to make a database; default false. */
  mustExist?: boolean;
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
  {
    testHooks: hooks = {},
    secretKey = {},
    allowPrivateCouriers = false,
    mustExist = false,
  }: OpenOptions = {},
): Promise<OpenParts> {
  const crash = await crashOf(hooks);
  const storage = await openStorage(database, { mustExist });
  const records = hooks.courierRecords === undefined ? null : await openStorage(hooks.courierRecords);
  const config = systemConfig(storage, {
    sealing: createSealing(readSecretKeys(database, secretKey), () => storage.read(hasSecrets)),
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
