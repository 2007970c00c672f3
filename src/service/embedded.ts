import type { Transport } from '../contract/wire.ts';
import { openStorage } from '../storage/storage.ts';
import { earliestDueAt } from '../storage/tasks.ts';
import { acquireWorkerLock } from '../storage/worker-lock.ts';
import { knowsKey, mintTestKey } from './bootstrap.ts';
import type { ServiceConfig } from './context.ts';
import { createService, type Service } from './service.ts';
import { systemConfig } from './system.ts';

export interface EmbeddedOptions {
  /** The database's file. */
  file: string;
  /** The key that the caller has, if any. */
  key: string | null;
  /** Whether a key that this database does not know may be replaced by a new one. */
  mint: boolean;
  onFault?: ServiceConfig['onFault'];
  /** Parts to use instead of the system's. */
  parts?: Partial<ServiceConfig>;
}

export interface Embedded {
  transport: Transport;
  key: string;
  /** Whether `key` was made just now. */
  minted: boolean;
  close: () => Promise<void>;
}

/** Where an embedded delivery's tracking page is shown when it is served. */
const trackingHost = 'http://127.0.0.1:4010';

/** How long to wait for another process to finish what is due; the wait blocks. */
const patience_ms = 1_000;

/**
 * The whole service inside this process, on a file. It lives only while commands run, so each request
 * first does what became due since the last one. Throws `StorageUnavailable`.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const storage = await openStorage(options.file);
  try {
    const config: ServiceConfig = {
      ...systemConfig(storage),
      sandbox: true,
      publicUrl: trackingHost,
      ...(options.onFault === undefined ? {} : { onFault: options.onFault }),
      ...options.parts,
    };
    const service = createService(config);
    const { key, minted } = await keyFor(config, options);
    return {
      transport: async (request) => {
        await catchUp(config, service, options.file);
        return service.fetch(request);
      },
      key,
      minted,
      close: () => storage.close(),
    };
  } catch (fault) {
    await storage.close();
    throw fault;
  }
}

async function keyFor(config: ServiceConfig, { key, mint }: EmbeddedOptions) {
  if (!mint) return { key: key ?? '', minted: false };
  if (key !== null && (await config.storage.run((db) => knowsKey(db, key)))) return { key, minted: false };
  return { key: await mintTestKey(config), minted: true };
}

/** One process at a time does what is due; the others wait for it a little, then go on with what there is. */
async function catchUp({ storage, clock }: ServiceConfig, service: Service, file: string): Promise<void> {
  const due_at = await storage.run(earliestDueAt);
  if (due_at === null || due_at > clock.now()) return;
  const lock = acquireWorkerLock(file, { wait_ms: patience_ms });
  if (lock === null) return;
  try {
    await service.tick();
  } finally {
    lock.release();
  }
}
