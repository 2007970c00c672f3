/** The requests of a run: their outcomes, and their output for --debug, --curl and --dry-run. */
import type { Exchange } from '../../client/retries.ts';
import type { Transport, WireRequest, WireResponse } from '../../contract/operation.ts';
import { DryRun } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';
import { once } from '../kit/once.ts';
import type { Progress, ProgressDisplay } from '../kit/output/progress.ts';
import {
  escapedJson,
  oneLine,
  redacted,
  sanitized,
  shownHeader,
  withContactsMasked,
} from '../kit/output/safe-text.ts';
import { product } from '../kit/product.ts';
import { quoted } from '../kit/result/message.ts';
import { documentResult, textResult } from '../kit/result/result.ts';
import type { Settings } from '../settings/settings.ts';

interface ObserverOptions {
  host: Host;
  settings: Settings;
  dryRun: boolean;
  curl: boolean;
  debug: boolean;
  /** Show phone numbers unmasked in --debug. */
  showPii: boolean;
  json: boolean;
  /** `--idempotency-key`. */
  idempotencyKey: string | null;
  /** Whether the service executes a repeated request only once. */
  isRepeatable(): boolean;
  say(line: string): void;
  /** Called before the first write. */
  beforeWrite(): void;
  waits: Pick<ProgressDisplay, 'openSecondary'>;
}

/** Observes every request: for --debug, --curl, --dry-run, and the text of an interruption. */
export interface RequestObserver {
  wrapTransport(transport: Transport): Transport;
  observe(exchange: Exchange): void;
  /**
   * The idempotency key of a write. The first is `--idempotency-key` or random; others are derived from it, so that
   * repeating the first repeats them all.
   */
  newKey(part?: string): string;
  /** The service's time as of its last response; this machine's before the first. */
  serviceNow(): number;
  /** The known outcome of writes. */
  writeOutcome(): string;
}

export function createRequestObserver(options: ObserverOptions): RequestObserver {
  const { host } = options;
  const sentRequests = new WeakSet<WireRequest>();
  const keysByPart = new Map<string, string>();
  let clock_offset_ms = 0;
  let pendingWrite: WireRequest | null = null;
  let writes = 0;
  let pending = 0;
  const isEmbedded = options.settings.target.kind === 'embedded';
  const base = once(() => options.idempotencyKey ?? randomKey(host));
  const newKey = (part = `${keysByPart.size}`): string => {
    const key = keysByPart.get(part) ?? (keysByPart.size === 0 ? base() : `${base()}/${part}`);
    keysByPart.set(part, key);
    return key;
  };
  const beforeFirstAttempt = (request: WireRequest): void => {
    const isWrite = request.method !== 'GET';
    if (isWrite && options.dryRun) throw dryRunOf(request, options);
    if (options.curl) options.say(curlCommand(shownRequestOf(request), baseUrlOf(options.settings)));
    if (isWrite) options.beforeWrite();
    if (isWrite) pendingWrite = request;
  };
  return {
    newKey,
    wrapTransport: (transport) => {
      const show = () => options.waits.openSecondary('Running due work');
      const carry = isEmbedded ? showingDueWork(transport, { host, show }) : transport;
      return async (request) => {
        if (!sentRequests.has(request)) beforeFirstAttempt(request);
        sentRequests.add(request);
        pending += 1;
        const answer = await carry(request).finally(() => {
          pending -= 1;
        });
        const response = withoutKey(answer, request.headers['x-api-key'] ?? '');
        const time = Date.parse(response.headers['x-service-time'] ?? '');
        if (!Number.isNaN(time)) clock_offset_ms = time - host.now();
        if (request === pendingWrite) pendingWrite = null;
        if (request.method !== 'GET' && response.status < 300) writes += 1;
        return response;
      };
    },
    observe: (exchange) => {
      if (options.debug)
        options.say(exchangeText({ ...exchange, request: shownRequestOf(exchange.request) }, options));
    },
    serviceNow: () => host.now() + clock_offset_ms,
    writeOutcome: () => {
      if (pendingWrite !== null)
        return unknownOutcomeText(pendingWrite, options.isRepeatable() ? base() : null);
      if (writes === 0 && pending > 0 && isEmbedded) return due_work_text;
      return changesText(writes);
    },
  };
}

/** Ends a command with the request as its result. */
export function dryRunOf(
  request: WireRequest,
  { settings, curl, json }: { settings: Settings; curl: boolean; json: boolean },
): DryRun {
  const baseUrl = baseUrlOf(settings);
  const shown = shownRequestOf(request);
  if (curl) return new DryRun(textResult(curlCommand(shown, baseUrl)));
  if (json) return new DryRun(documentResult(shownRequest(shown, baseUrl)));
  return new DryRun(textResult(requestText(shown, baseUrl)));
}

/** A request as it may be shown: without the settings of a courier, some of which are secret. */
export function shownRequestOf<T extends Pick<WireRequest, 'path' | 'body'>>(request: T): T {
  const isSettings = /^\/v2\/couriers\/[^/]+$/.test(request.path) && request.body !== '';
  return isSettings ? { ...request, body: withoutSettings(request.body) } : request;
}

const hidden = '…';

function withoutSettings(body: string): string {
  try {
    const { settings } = JSON.parse(body);
    const names = Object.keys(settings);
    return JSON.stringify({ settings: Object.fromEntries(names.map((name) => [name, hidden])) });
  } catch {
    return hidden;
  }
}

/** A shorter text may be part of other words. */
const min_key_length = 8;

/** Removes the request's key from a refusal, in any form, as some services repeat it. */
function withoutKey(response: WireResponse, key: string): WireResponse {
  if (response.status < 400 || key.length < min_key_length) return response;
  const cut = (text: string) => redacted(text, [key]);
  const headers = Object.entries(response.headers).map(([name, value]) => [name, cut(value)]);
  return { ...response, headers: Object.fromEntries(headers), body: cut(response.body) };
}

function randomKey(host: Host): string {
  return [host.now().toString(36), randomWord(host), randomWord(host)].join('-');
}

/** Eight letters and digits: 41 bits. */
function randomWord({ random }: Pick<Host, 'random'>): string {
  return Math.floor(random() * 36 ** 8)
    .toString(36)
    .padStart(8, '0');
}

/** The embedded service does due work before it responds, even to a read. */
const due_work_text =
  'This command changed nothing. The service was doing work that was due; the next command continues it.';

/** Ends with the key, so that it can be copied. `base` is the key of the command; null if the service would execute a repeated request again. */
function unknownOutcomeText({ method, path, headers }: WireRequest, base: string | null): string {
  const sent = base === null ? undefined : headers['idempotency-key'];
  const key = sent?.startsWith(`${base}/`) ? base : sent;
  const repeat =
    key === undefined ? '' : ` It is done once only if you repeat the command with --idempotency-key ${key}`;
  return `${method} ${path} was under way; whether it was done is not known.${repeat}`;
}

function changesText(writes: number): string {
  if (writes === 0) return 'Nothing was changed at the service.';
  return `${writes === 1 ? 'One change was' : `${writes} changes were`} made at the service and ${writes === 1 ? 'stays' : 'stay'}.`;
}

/** A shorter wait needs no explanation. */
const shown_after_ms = 1000;
/** A faster request had no due work. */
const quick_ms = 250;

/**
 * Shows a wait while the embedded service does due work before it responds. The times of consecutive slow requests are
 * added up.
 */
export function showingDueWork(
  transport: Transport,
  { host, show }: { host: Pick<Host, 'now' | 'timer'>; show(): Promise<Progress> },
): Transport {
  let slowSince: number | null = null;
  return async (request) => {
    const started_at = host.now();
    let shown: Promise<Progress> | null = null;
    const left = (slowSince ?? started_at) + shown_after_ms - started_at;
    const cancel = host.timer(Math.max(quick_ms, left), () => {
      shown = show();
    });
    try {
      return await transport(request);
    } finally {
      cancel();
      (await settle(shown))?.stop();
      slowSince = host.now() - started_at <= quick_ms ? null : (slowSince ?? started_at);
    }
  };
}

/** A failure to show it is ignored. */
async function settle(shown: Promise<Progress> | null): Promise<Progress | undefined> {
  return shown === null ? undefined : shown.catch(() => undefined);
}

/** The request as a curl command, with the key as a variable. Without a base URL, a variable stands for it too. */
export function curlCommand(request: WireRequest, baseUrl: string | null): string {
  const headers = Object.entries(request.headers).map(([name, value]) =>
    name === 'x-api-key'
      ? `-H "x-api-key: $${product.environment_prefix}API_KEY"`
      : `-H ${quoted(oneLine(`${name}: ${value}`))}`,
  );
  const body = request.body === '' ? [] : [`--data-raw ${quoted(shownBody(request.body))}`];
  const method = request.method === 'GET' ? [] : [`-X ${request.method}`];
  // A stream is shown as it arrives.
  const asItComes = request.headers.accept === 'text/event-stream' ? ['-N'] : [];
  return ['curl', ...asItComes, ...method, urlWord(request, baseUrl), ...headers, ...body].join(' \\\n  ');
}

/** The same JSON with terminal control characters escaped. */
function shownBody(body: string): string {
  try {
    JSON.parse(body);
    return escapedJson(body.replaceAll('\r', ''));
  } catch {
    return sanitized(body);
  }
}

/** The embedded service has no URL: a variable stands for that of `waybill serve`. */
function urlWord(request: WireRequest, baseUrl: string | null): string {
  if (baseUrl === null)
    return `"\${${product.environment_prefix}BASE_URL:?is the address that ${product.name} serve tells}"${quoted(request.path)}`;
  return quoted(urlOf(request, baseUrl));
}

/** Without a base URL, the path. */
function urlOf({ path }: WireRequest, baseUrl: string | null): string {
  return (baseUrl ?? '').replace(/\/+$/, '') + path;
}

/** The request as data for `--dry-run`, with secrets shortened. */
function shownRequest(request: WireRequest, baseUrl: string | null): Record<string, unknown> {
  return {
    dry_run: true,
    method: request.method,
    url: urlOf(request, baseUrl),
    headers: Object.fromEntries(shownHeaders(request.headers)),
    body: jsonOrText(request.body),
  };
}

/** Formats the request for people. */
function requestText(request: WireRequest, baseUrl: string | null): string {
  const headers = shownHeaders(request.headers).map(([name, value]) => `${name}: ${value}`);
  const lines = [`${request.method} ${urlOf(request, baseUrl)}`, ...headers];
  return [...lines, ...(request.body === '' ? [] : ['', prettyBody(request.body)])].join('\n');
}

/** Formats both sides of an exchange for `--debug`. Logs are kept, so phone numbers are masked. */
export function exchangeText(exchange: Exchange, { showPii }: { showPii: boolean }): string {
  const key = exchange.request.headers['x-api-key'] ?? '';
  const text = redacted(sanitized(exchangeLines(exchange)), [key]);
  return showPii ? text : withContactsMasked(text);
}

function exchangeLines({ request, response, error, attempt, duration_ms, retry_in_ms }: Exchange): string {
  const sent = [
    `${request.method} ${request.path}`,
    ...headerLines(request.headers),
    ...bodyLines(request.body),
  ];
  const got =
    response === null
      ? [`no answer: ${error?.message ?? ''}`]
      : [`${response.status}`, ...headerLines(response.headers), ...bodyLines(response.body)];
  const end = `  attempt ${attempt}, ${Math.round(duration_ms)} ms`;
  const again = retry_in_ms === null ? '' : `, again in ${retry_in_ms} ms`;
  return [...sent.map((line) => `> ${line}`), ...got.map((line) => `< ${line}`), end + again].join('\n');
}

function shownHeaders(headers: Record<string, string>): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name, oneLine(shownHeader(name, value))]);
}

function headerLines(headers: Record<string, string>): string[] {
  return shownHeaders(headers).map(([name, value]) => `${name}: ${value}`);
}

function bodyLines(body: string): string[] {
  return body === '' ? [] : body.split('\n');
}

function prettyBody(body: string): string {
  const data = jsonOrText(body);
  return typeof data === 'string' ? data : escapedJson(JSON.stringify(data, null, 2));
}

function jsonOrText(body: string): unknown {
  if (body === '') return null;
  try {
    return JSON.parse(redacted(body));
  } catch {
    return redacted(sanitized(body));
  }
}

/** Null for the embedded service, which has no URL. */
function baseUrlOf({ target }: Settings): string | null {
  return target.kind === 'embedded' ? null : target.baseUrl;
}
