import { isLoopback } from '../../client/addresses.ts';
import type { RequestLog } from '../../contract/operation.ts';
import type { MapTiles, PlaceServices } from '../../domain/place-services.ts';
import type { HttpLimits, MailRules, RateLimits, Retention } from '../../domain/service-limits.ts';
import type { RunningServer, ServerOptions } from '../../service/server.ts';
import type { Flag, Given, Origin } from '../kit/args/flags.ts';
import { envVarOf, flagLabel } from '../kit/args/input.ts';
import { Failure, type StackText, stackTexts, UsageError } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';
import { streamFormats } from '../kit/output/formats.ts';
import { besideOrBelow } from '../kit/output/rows.ts';
import { oneLine } from '../kit/output/sanitize.ts';
import { prose } from '../kit/output/wrapping.ts';
import { dashed, invocation, shellLine } from '../kit/result/message.ts';
import { list, type Result, type Show, stream } from '../kit/result/result.ts';
import { trackingHost } from '../nouns/delivery.ts';
import { administer, databaseOf, inMemory, missingKeysText, sameDatabase } from '../session/administer.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { secretKeyOf, testHooksFailure, testHooksOf } from '../session/connect.ts';
import { placeServicesOf, placesIn } from '../session/place-flags.ts';
import { type Entry, entryColumns, entryShape } from '../settings/entries.ts';
import { embeddedFile } from '../settings/settings.ts';
import {
  limitsOf,
  mailRulesOf,
  mapTilesOf,
  retentionOf,
  serveFlags,
  smtpSettingsOf,
} from './serve/serve-flags.ts';

export const serve = defineCommand({
  name: 'serve',
  summary: 'Run the delivery service',
  description: [
    'On a new database it creates an account and prints its test and live keys (shown once). Without --database it',
    'serves the data of the embedded service. Each request is logged as a line on stderr. SIGTERM, SIGHUP and Ctrl+C',
    'shut down gracefully; a second signal stops at once. Every flag can also be set by its environment variable and by',
    'a line of the file of --config.',
  ].join('\n'),
  flags: serveFlags,
  configFlag: 'config',
  examples: [
    { command: 'waybill serve', summary: 'Serve on http://127.0.0.1:4010' },
    {
      command: 'waybill serve --port 0 --database ./shop.db --json',
      summary: 'In a script: the ready line is JSON',
    },
    { command: 'waybill serve --database postgres://localhost/waybill', summary: 'Use PostgreSQL' },
    {
      command: 'waybill serve --config waybill.conf --check',
      summary: 'Show the settings of a file and the environment',
    },
  ],
  effect: 'none',
  formats: streamFormats,
  answers: (of) => [
    of.lines(
      of.object({
        type: '"ready"',
        url: 'string',
        database: 'string',
        keys: of.orNull(of.object({ test: 'string', live: 'string' })),
        metrics_url: of.orNull('string'),
      }),
    ),
    of.each(entryShape(of), 'with --check'),
  ],
  exits: { 7: 'the database cannot be used' },
  errors: ['storage_unavailable'],
  related: ['login', 'listen', 'openapi'],
  async run(context, { flags, given }) {
    const map_tiles = mapTilesOf(flags);
    const smtp = smtpSettingsOf(context.host, flags) ?? undefined;
    const places = placeServicesOf(flags);
    const database = databaseOf(context.host, flags.database);
    if (flags.check) {
      await requireSecretKey(context.host, database, flags);
      return checkResult(context, given);
    }
    const sandbox = given.has('sandbox') ? flags.sandbox : null;
    const isOwn = database === embeddedFile(context.host);
    const { host, port, publicUrl, seed, drainDelay: drain_ms } = flags;
    const { allowLoopbackWebhooks, allowPrivateCouriers, secretKeyFile, waitForDatabase: wait_ms } = flags;
    const { clockOwner, metricsHost, metricsPort, logFormat: log_format } = flags;
    const metrics = metricsPort === undefined ? undefined : { host: metricsHost, port: metricsPort };
    const place = { host, port, allowLoopbackWebhooks, otherPort: false, publicUrl, seed, sandbox, database };
    const log = { log_format, logged: true };
    const options = {
      ...place,
      smtp,
      allowPrivateCouriers,
      secretKeyFile,
      ...limitsOf(flags),
      ...retentionOf(flags),
      ...mailRulesOf(flags),
      places,
      map_tiles,
      clockOwner,
      drain_ms,
      wait_ms,
      metrics,
      ...log,
    };
    return stream(runServer(context, options), (ready, show) => readyText(ready, show, isOwn));
  },
});

interface Serving {
  allowLoopbackWebhooks?: boolean;
  allowPrivateCouriers?: boolean;
  host: string;
  port: number;
  /** Whether to use a free port if this one is in use. */
  otherPort: boolean;
  database: string;
  publicUrl: string | undefined;
  /** The keys that encrypt stored secrets, unless beside the database. */
  secretKeyFile?: string | undefined;
  sandbox: boolean | null;
  seed: string | undefined;
  /** The account that moves clock and seed of a sandbox that several share. */
  clockOwner?: string | undefined;
  /** Limits that are not given have their defaults. */
  limits?: Partial<HttpLimits>;
  rate_limits?: Partial<RateLimits>;
  retention?: Retention;
  /** How long new connections are still accepted after a signal other than Ctrl+C; by default not at all. */
  drain_ms?: number;
  /** How long to retry an unavailable database at the start; by default not at all. */
  wait_ms?: number;
  /** The mail server for notices; by default there are none. */
  smtp?: ServerOptions['smtp'] | undefined;
  mail_rules?: MailRules;
  /** The servers for places; by default those of the environment, as in the embedded service. */
  places?: PlaceServices;
  /** The tile server for maps; by default maps are drawn. */
  map_tiles?: MapTiles | undefined;
  /** Where metrics are served; by default nowhere. */
  metrics?: { host: string; port: number } | undefined;
  /** The format of the log; with --json it is JSON in any case. */
  log_format?: 'text' | 'json';
  /** Whether to log each request on stderr; errors are always logged. */
  logged: boolean;
}

/** The log is written this often: a write for each request would cost as much as a look-up. */
const log_interval_ms = 50;
/** The time limit for flushing the log. */
const last_lines_ms = 1_000;

function pause({ timer }: Host, milliseconds: number): Promise<void> {
  return new Promise((resolve) => timer(milliseconds, resolve));
}

/** Prints one line when the server is ready, then runs until a signal. */
async function* runServer(context: Context, options: Serving): AsyncGenerator<Ready> {
  const { host } = context;
  const isJson = isJsonLog(context, options);
  const log = createLogQueue({
    write: host.writeLog,
    pause: () => pause(host, log_interval_ms),
    dropped: (lines) => droppedText(lines, isJson),
  });
  const warn = (message: string) => {
    if (isJson) log.add(warningText(message, context.now()));
    else context.warn(message);
  };
  const server = await startedInTime(context, options, log);
  if (!server.stores_secrets) warn(noSecretKey);
  if (!isLoopback(new URL(server.url).hostname)) warn(isReachable);
  const database = withoutPassword(server.database);
  let stopping: Promise<void> | null = null;
  const end = async (drain_ms: number) => {
    if (drain_ms > 0) await server.drain(drain_ms);
    await server.stop();
    await Promise.race([log.written(), pause(host, last_lines_ms)]);
  };
  const stop = (drain_ms = 0) => {
    stopping ??= end(drain_ms);
    return stopping;
  };
  // Ctrl+C does not wait for new connections, only for requests in progress.
  context.onStop((signal) => stop(signal === 'SIGINT' ? 0 : options.drain_ms));
  const rest = database === inMemory ? 'Its data will be discarded.' : `Its data is kept in ${database}.`;
  // A reader of the log gets no other lines than JSON.
  if (isJson) host.interruption.isJson = () => true;
  context.setInterruptionText(`Shutting down ${server.url} after requests in progress. ${rest}`);
  try {
    const missing = database === inMemory ? null : await missingKeysText(context, options);
    if (missing !== null) warn(missing);
    const unknown = await unknownOwnerText(context, options);
    if (unknown !== null) warn(unknown);
    const { url, keys, metrics_url } = server;
    yield { type: 'ready', url, database, keys, metrics_url };
    await untilAborted(context.signal);
  } finally {
    await stop();
  }
}

/** The warning about an account of --clock-owner that is not in the database; null without one. */
async function unknownOwnerText(
  context: Context,
  { clockOwner, database }: Pick<Serving, 'clockOwner' | 'database'>,
): Promise<string | null> {
  if (clockOwner === undefined || database === inMemory) return null;
  const account = await administer(context, database, ({ get }) => get(clockOwner));
  return account === null ? `There is no account ${clockOwner}, which --clock-owner names.` : null;
}

/** The pause between two attempts to open the database. */
const open_interval_ms = 500;

/** Starts the server, and retries while the database is unavailable. */
async function startedInTime(context: Context, options: Serving, log: LogQueue): Promise<RunningServer> {
  const deadline = context.now() + (options.wait_ms ?? 0);
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await startService(context, options, log);
    } catch (error) {
      const isUnavailable = error instanceof Failure && error.code === 'storage_unavailable';
      if (!isUnavailable || context.signal.aborted || context.now() >= deadline) throw error;
      if (attempts === 1) log.add(waitText(error.message, isJsonLog(context, options)));
    }
    await context.sleep(open_interval_ms);
  }
}

async function startService(context: Context, serving: Serving, queue: LogQueue): Promise<RunningServer> {
  const {
    publicUrl = null,
    seed = null,
    otherPort,
    logged,
    secretKeyFile,
    metrics,
    smtp,
    places = placesIn(context.host),
    map_tiles,
    ...given
  } = serving;
  const { drain_ms: _, wait_ms: __, log_format: ___, ...rest } = given;
  const options = {
    ...rest,
    ...(metrics === undefined ? {} : { metrics }),
    ...(smtp === undefined ? {} : { smtp }),
    ...(map_tiles === undefined ? {} : { map_tiles }),
  };
  const { startServer } = await import('../../service/server.ts');
  const stackText = stackTexts();
  const log = (line: RequestLog) => {
    if (context.output.quiet || (!logged && line.type !== 'fault')) return;
    queue.add(oneLine(logText(line, isJsonLog(context, serving), stackText)));
  };
  try {
    return await startServer({
      ...{ ...options, publicUrl, seed, log, places },
      secretKey: secretKeyOf(context.host, secretKeyFile),
      testHooks: testHooksOf(context.host),
    });
  } catch (error) {
    if (otherPort && isTaken(error))
      return startService(context, { ...serving, port: 0, otherPort: false }, queue);
    throw startFailure(error, options) ?? testHooksFailure(error) ?? error;
  }
}

/** Reads the secret key, as the start of the server does. */
async function requireSecretKey(
  host: Host,
  database: string,
  { secretKeyFile }: Pick<Serving, 'secretKeyFile'>,
): Promise<void> {
  const { checkSecretKey } = await import('../../service/server.ts');
  await checkSecretKey(database, secretKeyOf(host, secretKeyFile)).catch((error: unknown) => {
    throw keyFailure(error) ?? error;
  });
}

/** The failure of a secret key that is not one; null for any other error. */
function keyFailure(error: unknown): Failure | null {
  if (!(error instanceof Error && 'code' in error && error.code === 'secret_key_missing')) return null;
  return new UsageError(error.message, { hint: 'Create one with `openssl rand -base64 32`.' });
}

function isJsonLog({ output }: Context, { log_format }: Serving): boolean {
  return output.json || log_format === 'json';
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

function startFailure(error: unknown, serving: Pick<Serving, 'host' | 'port' | 'metrics'>): Failure | null {
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
  if (error.name !== 'StorageUnavailable') return null;
  return new Failure(7, 'storage_unavailable', `Cannot use the database: ${error.message}.`, {
    cause: error,
  });
}

/** Whether it is the metrics that cannot be served, by what the error of listening names. */
function isOfMetrics(
  error: Error,
  { host, port, metrics }: Pick<Serving, 'host' | 'port' | 'metrics'>,
): boolean {
  if (metrics === undefined) return false;
  if ('hostname' in error) return error.hostname !== host;
  return 'port' in error && error.port !== port;
}

const isReachable =
  'Other machines can reach this service, and it does not encrypt: put a proxy with TLS in front of it, and let only the proxy through.';

const noSecretKey =
  'No secret key is set, so webhook secrets and courier credentials cannot be stored. Set WAYBILL_SECRET_KEY or --secret-key-file.';

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The server options for the pages of the embedded service, which only its own user reaches. */
const localServer = {
  ...trackingHost,
  otherPort: true,
  allowPrivateCouriers: true,
  publicUrl: undefined,
  sandbox: true,
  seed: undefined,
  logged: false,
} as const;

/** Serves the pages of the embedded service on this machine only, until a signal. */
export async function* servingHere(context: Context, database: string): AsyncGenerator<{ url: string }> {
  yield* runServer(context, { ...localServer, database });
}

/** Opens a page in the browser. The link comes from the service: only HTTP URLs are passed on. */
export async function openPage({ host, warn }: Context, link: string): Promise<void> {
  const { openBrowser } = await import('../kit/system/programs.ts');
  const url = URL.parse(link);
  const isOpen = url !== null && (await openBrowser(url, host.platform, host.environment));
  if (!isOpen) warn('Could not open a browser. Open the address yourself.');
}

/** The output of `serve` when it is ready. */
interface Ready {
  type: 'ready';
  url: string;
  database: string;
  /** Null unless metrics are served. */
  metrics_url: string | null;
  /** The first keys of a new database; null if it already has keys. */
  keys: { test: string; live: string } | null;
}

/** Formats it for people; `isOwn` if the data is the embedded service's, whose key a profile has. */
export function readyText(ready: Ready, show: Show, isOwn: boolean): string {
  return prose(textOf(ready, show, isOwn), show.room);
}

function textOf({ url, database, keys, metrics_url }: Ready, show: Show, isOwn: boolean): string {
  const metrics = metrics_url === null ? '' : `\n${show.dim(`Metrics: ${metrics_url}`)}`;
  const place = `Ready at ${url}\n${show.dim(`Database: ${database}`)}${metrics}`;
  if (keys === null) return `${place}\n${keyText({ url, database }, isOwn)}`;
  return [
    place,
    '',
    'Created an account. Its API keys are shown only once:',
    ...keyLines('test', keys.test, show),
    ...keyLines('live', keys.live, show),
    'Use a key in another terminal:',
    `  WAYBILL_BASE_URL=${url} WAYBILL_API_KEY=... waybill whoami`,
  ].join('\n');
}

function keyLines(mode: string, key: string, { room }: Show): string[] {
  return besideOrBelow({ text: mode }, { text: key }, { room, indent: 2 });
}

/** Keys are stored as hashes, so they cannot be shown again. */
function keyText({ url, database }: Pick<Ready, 'url' | 'database'>, isOwn: boolean): string {
  const create = 'waybill keys create --permission write';
  if (isOwn) return `To create an API key for it, run on this machine: ${create}`;
  return [
    'The account already exists; its API keys are not shown again. Create another one with:',
    `  WAYBILL_BASE_URL=${url} WAYBILL_API_KEY=... ${create}`,
    'Without a key, create one on the machine of the database:',
    `  ${shellLine(invocation('admin accounts', ['create-key', 'ACCOUNT'], sameDatabase(database)))}`,
  ].join('\n');
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

/** A warning as a line of the JSON log. */
function warningText(message: string, now: number): string {
  return JSON.stringify({ time: new Date(now).toISOString(), level: 'warn', type: 'warning', message });
}

/** The line that says that the start waits for the database. */
function waitText(reason: string, json: boolean): string {
  if (json) return JSON.stringify({ type: 'waiting', for: 'database', reason });
  return `Waiting for the database. ${reason}`;
}

/** Removes the password from a database URL. */
export function withoutPassword(database: string): string {
  return database
    .replace(/^(postgres(?:ql)?:\/\/[^:/@]*):[^?#]*@/, '$1:***@')
    .replace(/([?&]\w*password=)[^&#]*/gi, '$1***');
}

/** The flags that are not settings of the service. */
const notSettings: readonly string[] = ['check', 'config'];

/** Lists the settings that `serve` would use, with the source of each. */
function checkResult(context: Context, given: Given): Result {
  const file = given.find('config')?.texts.at(-1) ?? null;
  const data: Entry[] = [];
  for (const [name, flag] of Object.entries(serveFlags)) {
    if (notSettings.includes(name)) continue;
    const found = given.find(name);
    const origin = found?.origin ?? 'default';
    const value = found === null ? flag.defaultText : valueText(flag, found.texts);
    data.push({
      key: dashed(name),
      value: name === 'database' ? databaseText(context, found?.texts.at(-1)) : value,
      origin,
      source: sourceOf(name, origin, file),
    });
  }
  return list({ data, columns: entryColumns(true) });
}

function valueText({ kind, read }: Flag<unknown>, texts: readonly string[]): string {
  if (kind === 'switch') return read(texts) === true ? 'yes' : 'no';
  return texts.join(', ');
}

function databaseText(context: Context, given: string | undefined): string {
  return withoutPassword(databaseOf(context.host, given));
}

function sourceOf(name: string, origin: Origin, file: string | null): string | null {
  if (origin === 'flag') return flagLabel(name);
  if (origin === 'environment') return envVarOf(name);
  return origin === 'file' ? file : null;
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
