import { join } from 'node:path';
import type { Gazetteer } from '../../domain/cities.ts';
import { simulatedProviders } from '../../providers/directory.ts';
import type { CourierRecords } from '../../providers/port.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ServiceConfig } from './context.ts';
import { createCourierRecords } from './courier-records.ts';
import { systemWeb } from './network.ts';
import { systemSecrets } from './secrets.ts';
import { monotonicClock, realTimers, wallClock } from './time.ts';

/**
 * A service's parts on a real machine: the system's clock, timers and secrets, and the simulated couriers. They keep
 * their records in the service's database unless other records are given.
 */
export function systemConfig(
  storage: Storage,
  books: CourierRecords = createCourierRecords(storage),
): Omit<ServiceConfig, 'sandbox' | 'publicUrl' | 'sealing'> {
  return {
    storage,
    providers: simulatedProviders(books),
    clock: wallClock,
    wall: wallClock,
    monotonic: monotonicClock,
    timers: realTimers,
    secrets: systemSecrets,
    web: systemWeb,
    loopback_webhooks: 'refused',
    gazetteer: readGazetteer,
    crash: () => {},
  };
}

/** Reads the tables of ZIP codes and cities beside the program. */
async function readGazetteer(): Promise<Gazetteer> {
  const { readFile } = await import('node:fs/promises');
  const read = (name: string) => readFile(join(import.meta.dirname, name));
  const [zips, cities, states] = await Promise.all([
    read('zips.bin'),
    read('cities.bin'),
    read('zip-states.bin'),
  ]);
  return { zips, cities, states };
}
