/** Running the service in this process, for `serve` and for the commands that show its pages. */
import { readFileSync } from 'node:fs';
import { isThisMachine } from '../../../client/addresses.ts';
import type { RequestLog } from '../../../contract/operation.ts';
import { defaultLimits, type HttpLimits } from '../../../domain/operator-settings.ts';
import type { RunningServer, ServerOptions } from '../../../service/server.ts';
import { Failure, type StackText, stackTexts, UsageError } from '../../kit/errors/failure.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { trackingHost } from '../../nouns/delivery.ts';
import {
  administer,
  inMemory,
  missingKeysText,
  unavailableDatabase,
  withoutPassword,
} from '../../session/administer.ts';
import type { Context } from '../../session/command.ts';
import { findSecretKey, placesIn, testHooksFailure, testHooksOf } from '../../session/embedded-settings.ts';

/** The options of the service, and how this process runs it. */
export interface ServeOptions extends Omit<ServerOptions, 'log' | 'secretKey' | 'testHooks' | 'parts'> {
  /** The tools for assistants at `/mcp`: the most in cents that a live shipment may cost, null without live keys. */
  mcp?: { live_max_cost: number | null } | undefined;
  /** The file of the keys that encrypt stored secrets; absent: that of the environment. */
  secretKeyFile?: string | undefined;
  /** Whether to use a free port if this one is in use. */
  otherPort: boolean;
  /** How long new connections are still accepted after a signal other than Ctrl+C. */
  drain_ms: number;
  /** How long to retry an unavailable database at the start. */
  wait_ms: number;
  /** The format of the log; with --json it is JSON in any case. */
  log_format: 'text' | 'json';
  /** Whether to log each request on stderr; errors are always logged. */
  logsRequests: boolean;
}

/** The output of `serve` when it is ready. */
export interface Ready {
  type: 'ready';
  url: string;
  database: string;
  /** Null unless metrics are served. */
  metrics_url: string | null;
  /** The first keys of a new database; null if it already has keys. */
  keys: { test: string; live: string } | null;
}

/** Yields once when the server is ready, then runs it until a signal. */
export async function* runServer(context: Context, options: ServeOptions): AsyncGenerator<Ready> {
  const { host } = context;
  const log = createServerLog(context, options);
  const { limits, warning } = fitOpenFiles(options.limits);
  const server = await startInTime(context, { ...options, limits }, log);
  if (warning !== null) log.warn(warning);
  if (!server.stores_secrets) log.warn(noSecretKeyText);
  if (!isThisMachine(new URL(server.url).hostname)) log.warn(reachableText);
  const database = withoutPassword(server.database);
  let stopping: Promise<void> | null = null;
  const end = async (drain_ms: number) => {
    if (drain_ms > 0) await server.drain(drain_ms);
    await server.stop();
    await Promise.race([log.written(), pause(context, last_lines_ms)]);
  };
  const stop = (drain_ms = 0) => {
    stopping ??= end(drain_ms);
    return stopping;
  };
  // Ctrl+C does not wait for new connections, only for requests in progress.
  context.onStop((signal) => stop(signal === 'SIGINT' ? 0 : options.drain_ms));
  // A reader of the log gets no other lines than JSON.
  if (log.isJson) host.interruption.isJson = () => true;
  const rest = database === inMemory ? 'Its data will be discarded.' : `Its data is kept in ${database}.`;
  context.setInterruptionText(`Shutting down ${server.url} after requests in progress. ${rest}`);
  try {
    const missing = database === inMemory ? null : await hintOf(missingKeysText(context, options));
    if (missing !== null) log.warn(missing);
    const unknown = await hintOf(unknownOwnerText(options));
    if (unknown !== null) log.warn(unknown);
    const { url, keys, metrics_url } = server;
    yield { type: 'ready', url, database, keys, metrics_url };
    await untilAborted(context.signal);
  } finally {
    await stop();
  }
}

/** Reads a hint from the database; null if the database is unavailable. A missing hint does not stop the service. */
function hintOf(text: Promise<string | null>): Promise<string | null> {
  return text.catch((error: unknown) => {
    if (isUnavailable(error)) return null;
    throw error;
  });
}

function isUnavailable(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'storage_unavailable';
}

const reachableText =
  'Other machines can reach this service, and it does not encrypt: put a proxy with TLS in front of it, and let only the proxy through.';

const noSecretKeyText =
  'No secret key is set, so webhook secrets and courier credentials cannot be stored. Set WAYBILL_SECRET_KEY or --secret-key-file.';

/** The warning about an account of --clock-owner that is not in the database; null without one. */
async function unknownOwnerText({
  clockOwner,
  database,
}: Pick<ServeOptions, 'clockOwner' | 'database'>): Promise<string | null> {
  if (clockOwner === undefined || database === inMemory) return null;
  const account = await administer(database, ({ get }) => get(clockOwner));
  return account === null ? `There is no account ${clockOwner}, which --clock-owner names.` : null;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The pause between two attempts to open the database. */
const open_interval_ms = 500;

/** Starts the server, and retries while the database is unavailable. */
async function startInTime(context: Context, options: ServeOptions, log: ServerLog): Promise<RunningServer> {
  const deadline = context.now() + options.wait_ms;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await start(context, options, log);
    } catch (error) {
      if (!isUnavailable(error) || context.signal.aborted || context.now() >= deadline) throw error;
      if (attempts === 1) log.waiting(error.message);
    }
    await context.sleep(open_interval_ms);
  }
}

async function start(context: Context, options: ServeOptions, log: ServerLog): Promise<RunningServer> {
  const { startServer } = await import('../../../service/server.ts');
  try {
    return await startServer({
      ...options,
      log: log.take,
      mount: await mountOf(context, options),
      secretKey: findSecretKey(context.host, options.secretKeyFile),
      testHooks: testHooksOf(context.host),
    });
  } catch (error) {
    if (options.otherPort && isTaken(error))
      return start(context, { ...options, port: 0, otherPort: false }, log);
    throw startFailure(error, options) ?? testHooksFailure(error) ?? error;
  }
}

/** Few services have the tools for assistants: they are only loaded for them. */
async function mountOf(context: Context, { mcp, mount }: ServeOptions): Promise<ServerOptions['mount']> {
  if (mcp === undefined) return mount;
  const { createMcpEndpoint } = await import('../../assistants/http-endpoint.ts');
  return (fetch, public_url) => createMcpEndpoint(context, fetch, { ...mcp, public_url });
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function startFailure(
  error: unknown,
  serving: Pick<ServeOptions, 'host' | 'port' | 'metrics'>,
): Failure | null {
  if (!(error instanceof Error)) return null;
  const code = 'code' in error ? error.code : '';
  const isMetrics = isOfMetrics(error, serving);
  const { host, port } = (isMetrics && serving.metrics) || serving;
  const [hostFlag, portFlag] = isMetrics ? ['--metrics-host', '--metrics-port'] : ['--host', '--port'];
  const hint = `Choose another port with ${portFlag}; ${portFlag} 0 picks a free one.`;
  if (isTaken(error)) return new UsageError(`Port ${port} on ${host} is already in use.`, { hint });
  if (code === 'EACCES') return new UsageError(`Not permitted to listen on port ${port}.`, { hint });
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new UsageError(`${host} is not an address of this machine.`, {
      hint: `Choose another address with ${hostFlag}.`,
    });
  }
  const unusable = keyFailure(error);
  if (unusable !== null) return unusable;
  return unavailableDatabase(error);
}

/** Whether it is the metrics that cannot be served, by what the error of listening names. */
function isOfMetrics(
  error: Error,
  { host, port, metrics }: Pick<ServeOptions, 'host' | 'port' | 'metrics'>,
): boolean {
  if (metrics === undefined) return false;
  if ('hostname' in error) return error.hostname !== host;
  return 'port' in error && error.port !== port;
}

/** The failure of a secret key that is not one; null for any other error. */
function keyFailure(error: unknown): Failure | null {
  if (!(error instanceof Error && 'code' in error && error.code === 'secret_key_missing')) return null;
  return new UsageError(error.message, { hint: 'Create one with `openssl rand -base64 32`.' });
}

/** Fails as the start of the server does if its secret key is not one. */
export async function checkSecretKeyFile(
  { host }: Context,
  database: string,
  file: string | undefined,
): Promise<void> {
  const { checkSecretKey } = await import('../../../service/server.ts');
  await checkSecretKey(database, findSecretKey(host, file)).catch((error: unknown) => {
    throw keyFailure(error) ?? error;
  });
}

/** Serves the pages of the embedded service on this machine only, until a signal. */
export async function* serveLocally(
  context: Context,
  database: string,
  mount?: ServeOptions['mount'],
): AsyncGenerator<{ url: string }> {
  yield* runServer(context, {
    ...trackingHost,
    otherPort: true,
    database,
    mount,
    publicUrl: null,
    sandbox: true,
    seed: null,
    allowPrivateCouriers: true,
    places: placesIn(context.host),
    drain_ms: 0,
    wait_ms: 0,
    log_format: 'text',
    logsRequests: false,
  });
}

/** Opens a page in the browser. The link comes from the service: only HTTP URLs are passed on. */
export async function openPage({ host, warn }: Context, link: string): Promise<void> {
  const { openBrowser } = await import('../../kit/system/programs.ts');
  const url = URL.parse(link);
  const isOpen = url !== null && (await openBrowser(url, host.platform, host.environment));
  if (!isOpen) warn('Could not open a browser. Open the address yourself.');
}

interface ServerLog {
  isJson: boolean;
  take(line: RequestLog): void;
  warn(message: string): void;
  /** Says that the start waits for the database. */
  waiting(reason: string): void;
  /** Resolves when everything logged is written, or the reader is gone. */
  written(): Promise<void>;
}

/** The log is written this often: a write for each request would cost as much as a look-up. */
const log_interval_ms = 50;
/** The time limit for flushing the log. */
const last_lines_ms = 1_000;

function createServerLog(
  context: Context,
  { log_format, logsRequests }: Pick<ServeOptions, 'log_format' | 'logsRequests'>,
): ServerLog {
  const isJson = context.output.json || log_format === 'json';
  const stackText = stackTexts();
  const queue = createLogQueue({
    write: context.host.writeLog,
    pause: () => pause(context, log_interval_ms),
    dropped: (lines) => droppedText(lines, isJson),
  });
  return {
    isJson,
    take: (line) => {
      if (context.output.quiet || (!logsRequests && line.type !== 'fault')) return;
      queue.add(oneLine(logText(line, isJson, stackText)));
    },
    warn: (message) => {
      if (isJson) queue.add(warningText(message, context.now()));
      else context.warn(message);
    },
    waiting: (reason) => queue.add(waitText(reason, isJson)),
    written: queue.written,
  };
}

function pause({ host }: Context, milliseconds: number): Promise<void> {
  return new Promise((resolve) => host.timer(milliseconds, resolve));
}

/** Formats a log line for stderr: as text, or for programs as one JSON object without personal data. */
export function logText(line: RequestLog, json: boolean, stackText: StackText): string {
  if (!json) return plainText(line, stackText);
  const { type, at, ...rest } = line;
  const level = line.type === 'fault' || line.status >= 500 ? 'error' : 'info';
  const head = { time: new Date(at).toISOString(), level, type };
  if ('fault' in rest) return JSON.stringify({ ...head, ...rest, fault: stackText(rest.fault) });
  return JSON.stringify({ ...head, ...rest, duration_ms: Math.round(rest.duration_ms * 100) / 100 });
}

function plainText(line: RequestLog, stackText: StackText): string {
  if (line.type === 'fault')
    return `error in ${line.request_id ?? 'background work'}: ${stackText(line.fault)}`;
  return `${line.method} ${line.path} ${line.status} ${Math.round(line.duration_ms)} ms`;
}

/** The line that replaces those dropped because stderr was read too slowly. */
function droppedText(lines: number, json: boolean): string {
  if (json) return JSON.stringify({ type: 'log_dropped', lines });
  return `${lines} log lines were dropped because stderr was not read.`;
}

function warningText(message: string, now: number): string {
  return JSON.stringify({ time: new Date(now).toISOString(), level: 'warn', type: 'warning', message });
}

function waitText(reason: string, json: boolean): string {
  if (json) return JSON.stringify({ type: 'waiting', for: 'database', reason });
  return `Waiting for the database. ${reason}`;
}

/** A queue for log lines whose reader may be slow or stall; adding a line never blocks. */
interface LogQueue {
  add(line: string): void;
  /** Resolves when everything added is written, or the reader is gone. */
  written(): Promise<void>;
}

interface LogQueueOptions {
  /** Writes text; resolves when the reader has taken it, rejects when the reader has gone. */
  write: (text: string) => Promise<void>;
  /** Resolves after the time between two writes, in which more lines come for the second. */
  pause: () => Promise<void>;
  /** The line that says how many lines were dropped. */
  dropped: (count: number) => string;
  /** The limit of queued characters; further lines are dropped. */
  max_waiting?: number;
}

/**
 * Writes lines in order, one write at a time. Lines that do not fit are counted, and the count is written when there is
 * room.
 */
export function createLogQueue({
  write,
  pause,
  dropped,
  max_waiting = 1024 * 1024,
}: LogQueueOptions): LogQueue {
  let waiting = '';
  let dropped_count = 0;
  let isGone = false;
  let writing: Promise<void> | null = null;

  const writeAll = async () => {
    while (waiting !== '' || dropped_count > 0) {
      const text = waiting + (dropped_count === 0 ? '' : `${dropped(dropped_count)}\n`);
      waiting = '';
      dropped_count = 0;
      await write(text);
      await pause();
    }
  };
  const start = async () => {
    try {
      await writeAll();
    } catch {
      isGone = true;
    }
    writing = null;
  };
  return {
    add: (line) => {
      if (isGone) return;
      // Keeps the order: after a dropped line, nothing is queued before the count of dropped lines.
      if (dropped_count > 0 || waiting.length + line.length >= max_waiting) dropped_count += 1;
      else waiting += `${line}\n`;
      writing ??= start();
    },
    written: async () => {
      await writing;
    },
  };
}

/** How many files and connections the system lets this process open; null where it does not say. */
function maxOpenFiles(): number | null {
  try {
    const [, limit] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

/**
 * Leaves half of what the process may open to its database, couriers and webhooks. Beyond the limit of the system, new
 * connections would be reset without a word, those of health checks too.
 */
function fitOpenFiles(limits: Partial<HttpLimits> = {}): {
  limits: Partial<HttpLimits>;
  warning: string | null;
} {
  const { max_connections } = { ...defaultLimits, ...limits };
  const max_files = maxOpenFiles() ?? Number.POSITIVE_INFINITY;
  const room = Math.max(1, Math.floor(max_files / 2));
  if (max_connections <= room) return { limits, warning: null };
  return {
    limits: { ...limits, max_connections: room },
    warning: `This process may open ${max_files} files, so it takes ${room} connections instead of ${max_connections}. Raise the limit: ulimit -n, or LimitNOFILE= of a systemd unit.`,
  };
}
