/**
 * Observes the requests of a run: shows them for --debug, --curl and --dry-run, gives writes their idempotency keys,
 * and knows what the writes have done when the run is interrupted.
 */
import { type Exchange, isServerFault } from '../../client/retries.ts';
import type { Transport, WireRequest, WireResponse } from '../../contract/operation.ts';
import { DryRun } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';
import { once } from '../kit/once.ts';
import type { Progress, ProgressDisplay } from '../kit/output/progress.ts';
import { redacted } from '../kit/output/safe-text.ts';
import { documentResult, textResult } from '../kit/result/result.ts';
import type { Settings } from '../settings/settings.ts';
import { curlCommand, exchangeText, requestText, shownRequest, shownRequestOf } from './request-text.ts';

/** The run whose requests are observed. */
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

export interface RequestObserver {
  /** Wraps a transport so that its requests are observed. */
  wrapTransport(transport: Transport): Transport;
  /** Shows an exchange for --debug. */
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
  /** The writes that the service may have done: they had no answer, or a fault of the server. */
  const pendingWrites = new Set<WireRequest>();
  let accepted_writes = 0;
  let open_requests = 0;
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
  };
  return {
    newKey,
    wrapTransport: (transport) => {
      const show = () => options.waits.openSecondary('Running due work');
      const send = isEmbedded ? showingDueWork(transport, { host, show }) : transport;
      return async (request) => {
        if (!sentRequests.has(request)) beforeFirstAttempt(request);
        sentRequests.add(request);
        if (isChange(request)) pendingWrites.add(request);
        open_requests += 1;
        const answer = await send(request).finally(() => {
          open_requests -= 1;
        });
        const response = withoutKey(answer, request.headers['x-api-key'] ?? '');
        const time = Date.parse(response.headers['x-service-time'] ?? '');
        if (!Number.isNaN(time)) clock_offset_ms = time - host.now();
        if (!isServerFault(response)) pendingWrites.delete(request);
        if (isChange(request) && response.status < 300) accepted_writes += 1;
        return response;
      };
    },
    observe: (exchange) => {
      if (options.debug)
        options.say(exchangeText({ ...exchange, request: shownRequestOf(exchange.request) }, options));
    },
    serviceNow: () => host.now() + clock_offset_ms,
    writeOutcome: () => {
      const pendingWrite = [...pendingWrites].at(-1);
      if (pendingWrite !== undefined)
        return unknownOutcomeText(pendingWrite, options.isRepeatable() ? base() : null);
      if (accepted_writes === 0 && open_requests > 0 && isEmbedded) return dueWorkText;
      return changesText(accepted_writes);
    },
  };
}

/** The wait after which it is explained. */
const shown_after_ms = 1000;
/** The time within which a request is answered if there is no due work. */
const quick_ms = 250;

/** Wraps a transport so that a long wait is shown. The times of consecutive slow requests are added up. */
export function showingDueWork(
  transport: Transport,
  { host, show }: { host: Pick<Host, 'now' | 'timer'>; show(): Promise<Progress> },
): Transport {
  let slowSince: number | null = null;
  return async (request) => {
    const started_at = host.now();
    let shown: Promise<Progress> | null = null;
    const remaining_ms = (slowSince ?? started_at) + shown_after_ms - started_at;
    const cancel = host.timer(Math.max(quick_ms, remaining_ms), () => {
      shown = show();
    });
    try {
      return await transport(request);
    } finally {
      cancel();
      await stop(shown);
      slowSince = host.now() - started_at <= quick_ms ? null : (slowSince ?? started_at);
    }
  };
}

/** Ends what is shown. A failure to show it is ignored. */
async function stop(shown: Promise<Progress> | null): Promise<void> {
  (await shown?.catch(() => null))?.stop();
}

/** Whether a request changes something. A POST for a price, or for the check of a courier, does not. */
function isChange({ method, path }: WireRequest): boolean {
  return method !== 'GET' && !(method === 'POST' && /\/(?:quotes?|check)$/.test(path));
}

/** The end of a command with --dry-run: the request is its result. */
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

/** The least length of a key that is removed from texts: a shorter one may be part of other words. */
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

/** The outcome of a run that is interrupted while the embedded service does due work, as it does before any response. */
const dueWorkText =
  'This command changed nothing. The service was doing work that was due; the next command continues it.';

/**
 * The outcome of a write without an answer, with the key of the command at its end, so that it can be copied. `base` is
 * null if the service would execute a repeated request again.
 */
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

/** Null for the embedded service, which has no URL. */
function baseUrlOf({ target }: Settings): string | null {
  return target.kind === 'embedded' ? null : target.baseUrl;
}
