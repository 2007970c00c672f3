import type { Exchange } from '../../client/retries.ts';
import type { Transport, WireRequest, WireResponse } from '../../contract/operation.ts';
import type { Host } from '../kit/host/host.ts';
import { once } from '../kit/once.ts';
import type { Progress, Waits } from '../kit/output/progress.ts';
import { redacted } from '../kit/output/safe-text.ts';
import type { Settings } from '../settings/settings.ts';
import { baseUrlOf, curlCommand, dryRunOf, exchangeText, shownRequestOf } from './shown-requests.ts';

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
  /** Writes a line to stderr. */
  say(line: string): void;
  /** Called before the first write. */
  beforeWrite(): void;
  waits: Pick<Waits, 'aside'>;
}

/** Observes every request: for --debug, --curl, --dry-run, and the text of an interruption. */
export interface RequestObserver {
  around(transport: Transport): Transport;
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
  const seen = new WeakSet<WireRequest>();
  const made = new Map<string, string>();
  let ahead_ms = 0;
  let underWay: WireRequest | null = null;
  let writes = 0;
  let asked = 0;
  const isEmbedded = options.settings.target.kind === 'embedded';
  const base = once(() => options.idempotencyKey ?? randomKey(host));
  const newKey = (part = `${made.size}`): string => {
    const key = made.get(part) ?? (made.size === 0 ? base() : `${base()}/${part}`);
    made.set(part, key);
    return key;
  };
  const first = (request: WireRequest): void => {
    const isWrite = request.method !== 'GET';
    if (isWrite && options.dryRun) throw dryRunOf(request, options);
    if (options.curl) options.say(curlCommand(shownRequestOf(request), baseUrlOf(options.settings)));
    if (isWrite) options.beforeWrite();
    if (isWrite) underWay = request;
  };
  return {
    newKey,
    around: (transport) => {
      const show = () => options.waits.aside('Running due work');
      const carry = isEmbedded ? visiblyCatchingUp(transport, { host, show }) : transport;
      return async (request) => {
        if (!seen.has(request)) first(request);
        seen.add(request);
        asked += 1;
        const answer = await carry(request).finally(() => {
          asked -= 1;
        });
        const response = unechoed(answer, request.headers['x-api-key'] ?? '');
        const time = Date.parse(response.headers['x-service-time'] ?? '');
        if (!Number.isNaN(time)) ahead_ms = time - host.now();
        if (request === underWay) underWay = null;
        if (request.method !== 'GET' && response.status < 300) writes += 1;
        return response;
      };
    },
    observe: (exchange) => {
      if (options.debug)
        options.say(exchangeText({ ...exchange, request: shownRequestOf(exchange.request) }, options));
    },
    serviceNow: () => host.now() + ahead_ms,
    writeOutcome: () => {
      if (underWay !== null) return unsureText(underWay, options.isRepeatable() ? base() : null);
      if (writes === 0 && asked > 0 && isEmbedded) return catchingUp;
      return changesText(writes);
    },
  };
}

/** A shorter text may be part of other words. */
const min_key_length = 8;

/** Removes the request's key from a refusal, in any form, as some services repeat it. */
function unechoed(response: WireResponse, key: string): WireResponse {
  if (response.status < 400 || key.length < min_key_length) return response;
  const cut = (text: string) => redacted(text, [key]);
  const headers = Object.entries(response.headers).map(([name, value]) => [name, cut(value)]);
  return { ...response, headers: Object.fromEntries(headers), body: cut(response.body) };
}

function randomKey(host: Host): string {
  return [host.now().toString(36), randomWord(host), randomWord(host)].join('-');
}

/** Eight letters and digits: 41 bits. */
function randomWord({ chance }: Pick<Host, 'chance'>): string {
  return Math.floor(chance() * 36 ** 8)
    .toString(36)
    .padStart(8, '0');
}

/** The embedded service does due work before it responds, even to a read. */
const catchingUp =
  'This command changed nothing. The service was doing work that was due; the next command continues it.';

/** `base` is the key of the command; null if the service would execute a repeated request again. */
function unsureText({ method, path, headers }: WireRequest, base: string | null): string {
  const sent = base === null ? undefined : headers['idempotency-key'];
  const key = sent?.startsWith(`${base}/`) ? base : sent;
  const repeat =
    key === undefined ? '' : ` Repeat the command with --idempotency-key ${key}: it is done once only.`;
  return `${method} ${path} was under way; whether it was done is not known.${repeat}`;
}

function changesText(writes: number): string {
  if (writes === 0) return 'Nothing was changed at the service.';
  return `${writes === 1 ? 'One change was' : `${writes} changes were`} made at the service and ${writes === 1 ? 'stays' : 'stay'}.`;
}

/** A shorter wait needs no explanation. */
const unseen_ms = 1000;
/** A faster request had no due work. */
const quick_ms = 250;

/**
 * Shows a wait while the embedded service does due work before it responds. The times of consecutive slow requests are
 * added up.
 */
export function visiblyCatchingUp(
  transport: Transport,
  { host, show }: { host: Pick<Host, 'now' | 'timer'>; show(): Promise<Progress> },
): Transport {
  let slowSince: number | null = null;
  return async (request) => {
    const started_at = host.now();
    let shown: Promise<Progress> | null = null;
    const left = (slowSince ?? started_at) + unseen_ms - started_at;
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
