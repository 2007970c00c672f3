import { openStorage } from '../../storage/open-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ServiceConfig } from './context.ts';
import { createCourierRecords } from './courier-connections.ts';
import { createSealing, type SecretKeyOptions, secretKeysOf } from './sealing.ts';
import { systemConfig } from './system.ts';

/** Options of tests of the whole program, on a real machine. */
export interface TestHooks {
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

export interface OpenParts {
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
    sealing: createSealing(secretKeysOf(database, secretKey)),
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
