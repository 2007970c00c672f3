import { defaultRetention } from '../../domain/service-limits.ts';
import { connectableCouriers, courierProviders, simulatedProviders } from '../../providers/directory.ts';
import type { CourierRecords } from '../../providers/port.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { hasSecrets } from '../../storage/secrets.ts';
import type { Storage } from '../../storage/storage.ts';
import { createCircuitBreakers } from './circuit-breaker.ts';
import type { ServiceConfig } from './context.ts';
import { createCourierConnections } from './courier-connections.ts';
import { createCourierHttp } from './courier-http.ts';
import { createCourierBookings, createCourierRecords } from './courier-records.ts';
import { openSecrets } from './courier-secrets.ts';
import { readGazetteer } from './gazetteer.ts';
import { systemWeb } from './network.ts';
import { systemSecrets } from './random.ts';
import { createSealing, type Sealing, type SecretKeyOptions, secretKeysOf } from './sealing.ts';
import { monotonicClock, realTimers, wallClock } from './time.ts';

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
    openSecrets: (row) => openSecrets(sealing, row),
  });
  const { settings } = connections;
  const bookings = createCourierBookings(storage, wallClock);
  const circuits = createCircuitBreakers(monotonicClock);
  const http = createCourierHttp({
    ...{ timers: realTimers, wall: wallClock, circuits, web: systemWeb },
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
