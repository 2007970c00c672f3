import type { Transport } from '../contract/wire.ts';
import { acquireWorkerLock } from '../storage/worker-lock.ts';
import { knowsKey, mintTestKey } from './accounts/first-account.ts';
import { fileOwnership } from './runtime/background-owner.ts';
import type { ServiceConfig } from './runtime/context.ts';
import { processRunners } from './runtime/process-liveness.ts';
import { openParts, type Trial } from './runtime/test-hooks.ts';
import { createService } from './service.ts';

export interface EmbeddedOptions {
  /** The database's file. */
  file: string;
  /** The key that the caller has, if any. */
  key: string | null;
  /** Where the caller's own key is; one is made where it is missing or unknown here. Null: none is made. */
  ownKey: KeyPlace | null;
  /** Only answers, and leaves what became due undone. */
  looks?: boolean;
  onFault?: ServiceConfig['onFault'];
  /** Parts to use instead of the system's. */
  parts?: Partial<ServiceConfig>;
  trial?: Trial;
}

/** Where a key is kept, which other processes may have changed meanwhile. */
export interface KeyPlace {
  read: () => string | null;
  keep: (key: string) => Promise<void>;
}

export interface Embedded {
  /** Carries requests, each with the caller's key or the one made for it. */
  transport: Transport;
  /** Goes on doing what becomes due, and sends to endpoints, until it is closed; not while another process is at it. */
  run: () => void;
  close: () => Promise<void>;
}

/** The version of the schema that opening brings a database to. */
export { schemaVersion as currentSchema } from '../storage/version.ts';

/** Where an embedded delivery's tracking page is shown when it is served. */
const trackingHost = 'http://127.0.0.1:4010';

/** How long to wait for another process to make a key; the wait blocks. */
const timeout_ms = 1_000;

/**
 * The whole service inside this process, on a file. It lives only while commands run, so each request
 * first does what became due since the last one, unless another process is at it. Throws `StorageUnavailable` and
 * `UnknownCrashPoint`.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const opened = await openParts(options.file, options.trial);
  const ownership = fileOwnership(options.file, { keeps: false });
  const config: ServiceConfig = {
    ...opened.config,
    sandbox: true,
    loopback_webhooks: 'allowed',
    publicUrl: trackingHost,
    ownership,
    runners: processRunners(),
    idle: options.looks ?? false,
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

/** Puts the caller's key into each request, and a new one where this database does not know it. */
function withOwnKey(send: Transport, config: ServiceConfig, own: OwnKey): Transport {
  let { key } = own;
  return async (request) => {
    key ??= await makeKey(config, own, null);
    const carry = (sent: string) => send({ ...request, headers: { ...request.headers, 'x-api-key': sent } });
    const response = await carry(key);
    // Asked only after a refusal, so that an ordinary command does not pay for it.
    if (response.status !== 401 || (await knowsKey(config.storage, key))) return response;
    key = await makeKey(config, own, key);
    return carry(key);
  };
}

/** A key for this database instead of `unknown`: one that another process has just made, or a new one. */
async function makeKey(
  config: ServiceConfig,
  { file, place }: OwnKey,
  unknown: string | null,
): Promise<string> {
  // Of several first commands at once, one makes the key and the others find it.
  const lock = acquireWorkerLock(`${file}-key`, { wait_ms: timeout_ms });
  try {
    const other = place.read();
    if (other !== null && other !== unknown && (await knowsKey(config.storage, other))) return other;
    const made = await mintTestKey(config);
    await place.keep(made);
    return made;
  } finally {
    lock?.release();
  }
}
