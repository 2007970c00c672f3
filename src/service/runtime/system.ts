import { defaultRetention } from '../../domain/service-limits.ts';
import { connectableCouriers, courierProviders, simulatedProviders } from '../../providers/directory.ts';
import type { CourierRecords } from '../../providers/port.ts';
import type { Storage } from '../../storage/storage.ts';
import { createCircuitBreakers } from './circuit-breaker.ts';
import type { ServiceConfig } from './context.ts';
import {
  createCourierBookings,
  createCourierConnections,
  createCourierRecords,
  openSecrets,
} from './courier-connections.ts';
import { createCourierHttp } from './courier-http.ts';
import { readGazetteer } from './gazetteer.ts';
import { systemWeb } from './network.ts';
import type { Sealing } from './sealing.ts';
import { systemSecrets } from './secrets.ts';
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
