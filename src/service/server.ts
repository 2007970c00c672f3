import type { Server } from 'node:http';
import type { RequestLog } from '../contract/wire.ts';
import { defaultLimits, type HttpLimits, type RateLimits } from '../domain/service-limits.ts';
import { foundAccount } from './accounts/first-account.ts';
import { createHttpServer, serveHttp } from './http/http-server.ts';
import { createShutdown } from './http/shutdown.ts';
import { fileOwnership } from './runtime/background-owner.ts';
import type { LoopbackWebhooks, ServiceConfig } from './runtime/context.ts';
import { processRunners } from './runtime/process-liveness.ts';
import { openParts, type Trial } from './runtime/test-hooks.ts';
import { createService } from './service.ts';
import { isLoopback } from './webhooks/delivery/address-policy.ts';

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
  /** Whether a sandbox sends webhooks to this machine although it listens on other than a loopback address. */
  allowLoopbackWebhooks?: boolean;
  /** Hears of each request and of faults. */
  log: (line: RequestLog) => void;
  /** Those not named have their defaults. */
  limits?: Partial<HttpLimits>;
  rate_limits?: Partial<RateLimits>;
  parts?: Partial<ServiceConfig>;
  trial?: Trial;
}

export interface RunningServer {
  url: string;
  database: string;
  sandbox: boolean;
  /** The first keys of a new database, shown this once; null where there is an account already. */
  keys: { test: string; live: string } | null;
  /** Ends streams, and goes on answering new connections for so long, each once: who sends them learns that it stops. */
  drain: (ms: number) => Promise<void>;
  /**
   * Takes no more requests, gives those in hand five seconds to finish, and closes the storage. Ends within nine seconds,
   * whatever hangs.
   */
  stop: () => Promise<void>;
}

/** Runs the service for others until it is stopped. Throws `StorageUnavailable`, `UnknownCrashPoint` or what listening throws. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { storage, config: system, close } = await openParts(options.database, options.trial);
  const limits = { ...defaultLimits, ...options.limits };
  const http = createHttpServer(limits);
  try {
    const seed = options.seed === null ? {} : { seed: options.seed };
    const { rate_limits = {}, parts } = options;
    const config = { ...system, ...seed, rate_limits, ...parts };
    const shutdown = createShutdown(http, config.timers);
    const keys = await foundAccount(config);
    const { url, address } = await listen(http, options);
    const sandbox = options.sandbox ?? storage.engine === 'sqlite';
    const single = storage.engine === 'sqlite' ? singleFile(options.database) : null;
    const service = createService({
      ...config,
      ...single,
      sandbox,
      loopback_webhooks: sandbox ? loopbackWebhooks(address, options) : 'refused',
      publicUrl: options.publicUrl ?? url,
      onFault: (fault, request_id) => options.log({ type: 'fault', request_id, fault }),
    });
    serveHttp(http, service.fetch, {
      ...config,
      clock: service.clock,
      log: options.log,
      limits,
      isStopping: shutdown.hasBegun,
    });
    service.start();
    return {
      url,
      database: options.database,
      sandbox,
      keys,
      drain: (ms) => shutdown.drain(service, ms),
      stop: async () => {
        await shutdown.stop(service);
        single?.ownership.release();
        await close();
      },
    };
  } catch (fault) {
    http.close();
    await close();
    throw fault;
  }
}

/** What is true of a database file, which the processes of one machine share: one of them does the background work. */
function singleFile(file: string) {
  return { ownership: fileOwnership(file, { keeps: true }), runners: processRunners() };
}

/**
 * Whoever reaches the service from outside this machine must not reach the ports of this machine through it, and with
 * the operator's permission must not read what they answer.
 */
function loopbackWebhooks(address: string, { allowLoopbackWebhooks }: ServerOptions): LoopbackWebhooks {
  if (isLoopback(address)) return 'allowed';
  return allowLoopbackWebhooks === true ? 'unread' : 'refused';
}

function listen(http: Server, { host, port }: ServerOptions): Promise<{ url: string; address: string }> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen({ host, port }, () => {
      const address = http.address();
      const bound = typeof address === 'object' && address !== null ? address : { address: '', port };
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
      resolve({ url, address: bound.address });
    });
  });
}
