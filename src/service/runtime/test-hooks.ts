import { openStorage } from '../../storage/open-storage.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ServiceConfig } from './context.ts';
import { courierBooks } from './courier-records.ts';
import { systemConfig } from './system.ts';

/** Options of tests of the whole program, on a real machine. */
export interface Trial {
  /** Where the process ends itself: see `crashAt`. */
  crashAt?: string | undefined;
  /** The database file for the simulated couriers' records, instead of the service's own. */
  courierBooks?: string | undefined;
}

export interface OpenParts {
  storage: Storage;
  config: ReturnType<typeof systemConfig>;
  close: () => Promise<void>;
}

/**
 * The parts of a service on a real machine, with an open database. Throws `StorageUnavailable` and
 * `UnknownCrashPoint`.
 */
export async function openParts(database: string, trial: Trial = {}): Promise<OpenParts> {
  const crash = await crashOf(trial);
  const storage = await openStorage(database);
  const books = trial.courierBooks === undefined ? null : await openStorage(trial.courierBooks);
  const config = books === null ? systemConfig(storage) : systemConfig(storage, courierBooks(books));
  return {
    storage,
    config: { ...config, ...crash },
    close: async () => {
      await books?.close();
      await storage.close();
    },
  };
}

async function crashOf({ crashAt: text }: Trial): Promise<Partial<Pick<ServiceConfig, 'crash'>>> {
  if (text === undefined) return {};
  const { crashAt } = await import('./crash-points.ts');
  return { crash: crashAt(text) };
}
