/** The service inside the command line: on a database file, with an API key that it creates itself if it needs one. */
import type { Transport } from '../contract/operation.ts';
import type { PlaceServices } from '../domain/operator-settings.ts';
import { acquireWorkerLock, traceAdvice, traceOfDatabase } from '../storage/sqlite-file.ts';
import { createTestKey, knowsKey } from './accounts/create-account.ts';
import type { ServiceConfig } from './runtime/context.ts';
import { fileOwnership, processRunners } from './runtime/processes.ts';
import { type OpenOptions, openParts } from './runtime/system.ts';
import { createService } from './service.ts';

export interface EmbeddedOptions extends Pick<OpenOptions, 'secretKey' | 'testHooks'> {
  file: string;
  /** The caller's key, if there is one. */
  key: string | null;
  /** Stores the caller's own key; a new key is created if it is missing or unknown. Null: no key is created. */
  ownKey: KeyPlace | null;
  /** The servers for places; absent: none. */
  places?: PlaceServices;
  /** Only answers requests, without executing due tasks. */
  readsOnly?: boolean;
  onFault?: ServiceConfig['onFault'];
  /** Replaces parts of the system configuration. */
  parts?: Partial<ServiceConfig>;
}

/** The place where a key is stored, which other processes may change. */
export interface KeyPlace {
  read: () => string | null;
  keep: (key: string) => Promise<void>;
}

export interface Embedded {
  /** Sends requests, each with the caller's key or the one created for it. */
  transport: Transport;
  /** Executes due tasks and sends webhooks until closed, unless another process does. */
  run: () => void;
  close: () => Promise<void>;
}

/** The schema version that opening a database migrates to. */
export { schemaVersion as currentSchema } from '../storage/storage.ts';
export { traceAdvice, traceOfDatabase };

/** The base URL of tracking pages while the embedded service is served. */
const trackingHost = 'http://127.0.0.1:4010';

/** How long and how often to wait for another process to create a key; each wait blocks. */
const wait_ms = 500;
const max_waits = 120;

/**
 * The whole service in this process, on a database file. It only lives while commands run, so each request first
 * executes what became due since the last one, unless another process does. Throws `StorageUnavailable` and
 * `UnknownCrashPoint`.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const opened = await openParts(options.file, { ...options, allowPrivateCouriers: true });
  const ownership = fileOwnership(options.file, { keeps: false });
  const config: ServiceConfig = {
    ...opened.config,
    ...(options.places === undefined ? {} : { places: options.places }),
    sandbox: true,
    loopback_webhooks: 'allowed',
    publicUrl: trackingHost,
    ownership,
    runners: processRunners(),
    idle: options.readsOnly ?? false,
    ...(options.onFault === undefined ? {} : { onFault: options.onFault }),
    ...options.parts,
  };
  const service = createService(config);
  const { file, key, ownKey: place } = options;
  const founder = { ...config, clock: service.test_clock };
  const transport = place === null ? service.fetch : withOwnKey(service.fetch, founder, { file, key, place });
  let isRunning = false;
  const run = () => {
    isRunning = true;
    service.start();
  };
  const close = async () => {
    service.endStreams();
    await (isRunning ? service.stop() : service.endSending());
    ownership.release();
    await opened.close();
  };
  return { transport, run, close };
}

interface OwnKey {
  file: string;
  key: string | null;
  place: KeyPlace;
}

/** Adds the caller's key to each request, and a new one if this database does not know it. */
function withOwnKey(send: Transport, config: ServiceConfig, ownKey: OwnKey): Transport {
  let { key } = ownKey;
  return async (request) => {
    key ??= await makeKey(config, ownKey, null);
    const carry = (sent: string) => send({ ...request, headers: { ...request.headers, 'x-api-key': sent } });
    const response = await carry(key);
    // Checked only after a 401, so that ordinary commands do not pay for it.
    if (response.status !== 401 || (await knowsKey(config.storage, key))) return response;
    key = await makeKey(config, ownKey, key);
    return carry(key);
  };
}

/** Replaces the key `unknown` for this database: by one that another process has just created, or a new one. */
async function makeKey(
  config: ServiceConfig,
  { file, place }: OwnKey,
  unknown: string | null,
): Promise<string> {
  // If several processes start at once, one creates the key and the others find it, also on a machine that is so busy
  // that this takes seconds.
  let lock = acquireWorkerLock(`${file}-key`, { wait_ms });
  for (let waits = 1; lock === null && waits < max_waits; waits += 1) {
    // A signal is received between two waits.
    await config.timers.turn();
    lock = acquireWorkerLock(`${file}-key`, { wait_ms });
  }
  try {
    const other = place.read();
    if (other !== null && other !== unknown && (await knowsKey(config.storage, other))) return other;
    const made = await createTestKey(config);
    await place.keep(made);
    return made;
  } finally {
    lock?.release();
  }
}
