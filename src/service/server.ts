import { createServer, type Server } from 'node:http';
import type { RequestLog } from '../contract/wire.ts';
import { openStorage } from '../storage/storage.ts';
import { acquireWorkerLock, type WorkerLock } from '../storage/worker-lock.ts';
import { foundAccount } from './bootstrap.ts';
import type { ServiceConfig } from './context.ts';
import { serveHttp } from './http.ts';
import { createService } from './service.ts';
import { systemConfig } from './system.ts';

export interface ServerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** A file or a `postgres://` URL. */
  database: string;
  /** Null: the address it listens on. */
  publicUrl: string | null;
  /** Null: a sandbox on a SQLite file, hosted on PostgreSQL. */
  sandbox: boolean | null;
  seed: string | null;
  /** Hears of each request and of faults. */
  log: (line: RequestLog) => void;
  parts?: Partial<ServiceConfig>;
}

export interface RunningServer {
  url: string;
  database: string;
  sandbox: boolean;
  /** The first keys of a new database, shown this once; null where there is an account already. */
  keys: { test: string; live: string } | null;
  /** Takes no more requests, gives those in hand five seconds to finish, and closes the storage. */
  stop: () => Promise<void>;
}

/** How often a server tries to become the one that works on a database file. */
const lock_retry_ms = 250;
const grace_ms = 5_000;

/** Runs the service for others until it is stopped. Throws `StorageUnavailable` or what listening throws. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const storage = await openStorage(options.database);
  const http = createServer({ requireHostHeader: false });
  try {
    const seed = options.seed === null ? {} : { seed: options.seed };
    const config = { ...systemConfig(storage), ...seed, ...options.parts };
    const keys = await foundAccount(config);
    const url = await listen(http, options);
    const service = createService({
      ...config,
      sandbox: options.sandbox ?? storage.engine === 'sqlite',
      publicUrl: options.publicUrl ?? url,
      onFault: (fault, request_id) => options.log({ type: 'fault', request_id, fault }),
    });
    serveHttp(http, service.fetch, { ...config, clock: service.clock, log: options.log });
    const work = ownWork(storage.engine === 'sqlite' ? options.database : null, config, service.start);
    return {
      url,
      database: options.database,
      sandbox: options.sandbox ?? storage.engine === 'sqlite',
      keys,
      stop: async () => {
        await closed(http, config);
        work.stop();
        await service.stop();
        work.release();
        await storage.close();
      },
    };
  } catch (fault) {
    http.close();
    await storage.close();
    throw fault;
  }
}

/** Starts the background work, on a file once no other process does it. */
function ownWork(file: string | null, { timers }: Pick<ServiceConfig, 'timers'>, start: () => void) {
  let lock: WorkerLock | null = null;
  let takeBack = () => {};
  const attempt = () => {
    lock = file === null ? null : acquireWorkerLock(file);
    if (file === null || lock !== null) start();
    else takeBack = timers.after(lock_retry_ms, attempt);
  };
  attempt();
  return { stop: () => takeBack(), release: () => lock?.release() };
}

function listen(http: Server, { host, port }: ServerOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen({ host, port }, () => {
      const address = http.address();
      const chosen = typeof address === 'object' && address !== null ? address.port : port;
      resolve(`http://${host.includes(':') ? `[${host}]` : host}:${chosen}`);
    });
  });
}

/** A request that is still coming after the grace is given up: its client may have forgotten it. */
function closed(http: Server, { timers }: Pick<ServiceConfig, 'timers'>): Promise<void> {
  return new Promise((resolve) => {
    const takeBack = timers.after(grace_ms, () => http.closeAllConnections());
    http.close(() => {
      takeBack();
      resolve();
    });
    http.closeIdleConnections();
  });
}
