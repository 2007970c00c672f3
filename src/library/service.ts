/** The exports of 'waybill/service': the whole service, for tests of other programs. */
import { isSupportedNode, neededNode } from '../domain/node-versions.ts';
import type { ClockAdvance, ClockMove } from './api.ts';
import { type Client, createClient } from './index.ts';
import { now as wallNow } from './ports.ts';

/** How a service is made. */
export interface ServiceOptions {
  /** The database file. Without it the service keeps everything in memory. */
  database?: string | undefined;
  /** A free port without it. */
  port?: number | undefined;
  /** Ids, prices and events repeat with the same seed and the same requests. */
  seed?: string | undefined;
  /** The instant at which service time starts; the present without it. */
  now?: string | Date | undefined;
  /** Whether service time passes by itself, as real time does. Without it, time stands still until `advance`. */
  running?: boolean | undefined;
}

/** A running service with simulated couriers, on a port of this machine. */
export interface Service {
  url: string;
  /** The first keys. Null for both where the database had an account before. */
  keys: { test: string | null; live: string | null };
  /** A client with the test key. */
  client: Client;
  /** Service time in test mode. */
  now(): Promise<Date>;
  /** Moves service time forward. Everything that becomes due is done at its time, in order. */
  advance(by: ClockMove): Promise<ClockAdvance>;
  /** Stops the service and closes the database. */
  close(): Promise<void>;
}

/**
 * Starts a service for tests. Webhook endpoints may be on this machine. Rejects on a Node that is too old for the
 * service, which needs a newer one than the client.
 */
export async function createService(options: ServiceOptions = {}): Promise<Service> {
  const { node } = process.versions;
  if (!isSupportedNode(node)) throw new Error(`createService needs ${neededNode}; this is Node ${node}.`);
  const { startServer } = await import('../service/server.ts');
  const { database = ':memory:', port = 0, seed = null, running = false } = options;
  const start = options.now === undefined ? wallNow() : new Date(options.now).getTime();
  if (Number.isNaN(start)) throw new TypeError(`now must be a date or its text, not ${options.now}.`);
  const server = await startServer({
    host: '127.0.0.1',
    port,
    database,
    seed,
    publicUrl: null,
    sandbox: true,
    log: () => {},
    parts: { clock: clockFrom(start, running) },
  });
  const { url, keys } = server;
  const client = createClient({ baseUrl: url, apiKey: keys?.test ?? '', mode: 'test' });
  if (!running && keys !== null) await client.clock.set({ body: { mode: 'manual' } });
  return {
    url,
    client,
    close: server.stop,
    keys: keys ?? { test: null, live: null },
    now: async () => new Date((await client.clock.get()).data.now),
    advance: async (by) => (await client.clock.advance({ body: by })).data,
  };
}

/** A clock that stands at an instant, or runs from it on. */
function clockFrom(start: number, isRunning: boolean): { now(): number } {
  const started_at = wallNow();
  return { now: () => (isRunning ? start + wallNow() - started_at : start) };
}
