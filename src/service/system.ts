import { join } from 'node:path';
import { simulatedProviders } from '../providers/directory.ts';
import type { CourierBooks } from '../providers/port.ts';
import type { Storage } from '../storage/storage.ts';
import type { ServiceConfig } from './context.ts';
import { courierBooks } from './courier-books.ts';
import { systemSecrets } from './ports/secrets.ts';
import { realTimers, wallClock } from './ports/time.ts';
import { systemWeb } from './ports/web.ts';

/**
 * A service's parts on a real machine: the system's clock, timers and secrets, the simulated couriers. They keep their
 * books in the service's database where no others are given.
 */
export function systemConfig(
  storage: Storage,
  books: CourierBooks = courierBooks(storage),
): Omit<ServiceConfig, 'sandbox' | 'publicUrl'> {
  return {
    storage,
    providers: simulatedProviders(books),
    clock: wallClock,
    wall: wallClock,
    timers: realTimers,
    secrets: systemSecrets,
    web: systemWeb,
    zips: zipTable,
    crash: () => {},
  };
}

/** The table of ZIP centroids, which lies beside the program. */
export async function zipTable(): Promise<Uint8Array> {
  const { readFile } = await import('node:fs/promises');
  return readFile(join(import.meta.dirname, 'zips.bin'));
}
