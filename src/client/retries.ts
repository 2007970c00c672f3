/**
 * Builds requests as plain data, and sends them with retries: decides which are repeated, and after which wait. A request
 * that the service may have executed is only repeated if that cannot execute it twice.
 */
import { readRetryAfter } from '../contract/errors.ts';
import type {
  AttemptLimits,
  Operation,
  Transport,
  WireRequest,
  WireResponse,
} from '../contract/operation.ts';
import { asUnreachable, ProxyRefusal, type Unreachable } from './errors.ts';

/** The result of one attempt: a response, or the error in place of it. */
export interface Exchange {
  request: WireRequest;
  response: WireResponse | null;
  error: Error | null;
  /** From 1. */
  attempt: number;
  duration_ms: number;
  /** The wait before the next attempt; null after the last one. */
  retry_in_ms: number | null;
}

export interface RetryPolicy {
  transport: Transport;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  wallNow(): number;
  /** A random number in [0, 1). */
  chance(): number;
  attempts: number;
  totalTimeout_ms: number;
  keys: KeySupport;
  observe?: ((exchange: Exchange) => void) | undefined;
}

const firstBackoff_ms = 250;
const max_backoff_ms = 8_000;
const retriedStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

type Outcome = { response: WireResponse; error: null } | { response: null; error: Unreachable };

/** The options of a call besides the parameters, the query and the body of its operation. */
export interface CallOptions extends AttemptLimits {
  /** Used instead of a new key, so that repeating a step has no further effect. */
  idempotencyKey?: string | undefined;
  headers?: Record<string, string>;
  /** How often a request is sent again at most. */
  maxNetworkRetries?: number | undefined;
}

/**
 * Sends a request and retries it on network errors, 429, 502, 503, 504 and while a request with the same idempotency
 * key is running. It waits as `Retry-After` asks, or else with exponential back-off and full jitter, within the
 * limits for attempts and total time. A POST that the service may have done is only repeated if the service has shown
 * that it has idempotency keys. Rejects with `Unreachable` if there was no response at all; the status of a response
 * that broke off is enough for a write. An aborted signal ends attempts and waits.
 */
export async function sendWithRetries(
  request: WireRequest,
  policy: RetryPolicy,
  options: CallOptions = {},
): Promise<WireResponse> {
  const { signal, timeout_ms, maxNetworkRetries = policy.attempts - 1 } = options;
  const limits = { signal, timeout_ms, maxNetworkRetries };
  const startedAt = policy.wallNow();
  /** Whether an earlier attempt may have deleted the record, so that a 404 means success. */
  let mayBeDeleted = false;
  const transport = (wire: WireRequest) => policy.transport(wire, limits);
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    const attemptedAt = policy.wallNow();
    const outcome = await attemptOnce(request, transport);
    const now = policy.wallNow();
    const isRepeatable =
      request.method !== 'POST' || !mayBeExecuted(outcome) || (await policy.keys.find(limits));
    signal?.throwIfAborted();
    const isLast = attempt > maxNetworkRetries || !isRepeatable;
    const wait = isLast ? null : retryWait(outcome, attempt, policy, now);
    const isInTime = wait !== null && now + wait - startedAt <= policy.totalTimeout_ms;
    const retry_in_ms = isInTime ? wait : null;
    policy.observe?.({ request, ...outcome, attempt, duration_ms: now - attemptedAt, retry_in_ms });
    if (retry_in_ms !== null) {
      mayBeDeleted ||= request.method === 'DELETE' && mayBeExecuted(outcome);
      await policy.sleep(retry_in_ms, signal);
    } else if (mayBeDeleted && outcome.response?.status === 404)
      return { ...outcome.response, status: 204, body: '' };
    else if (outcome.response !== null) return outcome.response;
    else return acceptedPart(request, outcome.error);
  }
}

/** True if the service may have executed the request. */
function mayBeExecuted({ response, error }: Outcome): boolean {
  return response === null ? error.mayHaveArrived : isServerFault(response);
}

/**
 * Whether a service or a gateway may have failed after the request was executed. A service that lacks the method answers
 * 501, and a network that wants a login 511.
 */
export function isServerFault({ status }: Pick<WireResponse, 'status'>): boolean {
  return status >= 500 && status !== 501 && status !== 511;
}

/** Whether a gateway has lost the service. */
export function isGatewayError({ status }: Pick<WireResponse, 'status'>): boolean {
  return status === 502 || status === 503 || status === 504;
}

/** The received part of a broken-off response, if its status says that a write was accepted; else throws the error. */
function acceptedPart({ method }: WireRequest, error: Unreachable): WireResponse {
  const { partial } = error;
  if (method === 'GET' || partial === null || partial.status < 200 || partial.status > 299) throw error;
  return partial;
}

async function attemptOnce(request: WireRequest, transport: Transport): Promise<Outcome> {
  try {
    return { response: await transport(request), error: null };
  } catch (error) {
    const unreachable = asUnreachable(error, 'the service');
    if (unreachable === null) throw error;
    return { response: null, error: unreachable };
  }
}

/** The wait before the next attempt in milliseconds; null if the outcome is final. */
function retryWait(outcome: Outcome, attempt: number, policy: RetryPolicy, now: number): number | null {
  const { response, error } = outcome;
  const asked_ms = response === null ? null : readRetryAfter(response.headers, now);
  if (response === null ? isRefusedByProxy(error) : !mayRetry(response, asked_ms)) return null;
  if (asked_ms !== null) return asked_ms;
  return Math.round(policy.chance() * Math.min(max_backoff_ms, firstBackoff_ms * 2 ** (attempt - 1)));
}

/** A proxy that wants a password or forbids the host does so again. */
function isRefusedByProxy({ cause }: Unreachable): boolean {
  return cause instanceof ProxyRefusal && cause.status < 500;
}

/** A 409 is retried while another request with the same idempotency key is running. */
function mayRetry(response: WireResponse, asked_ms: number | null): boolean {
  if (retriedStatuses.has(response.status)) return true;
  return response.status === 409 && asked_ms !== null && response.body.includes('"idempotency_key_in_use"');
}

/** Whether the service executes a POST with the same idempotency key only once. */
interface KeySupport {
  /** True if that was known from the start, or a response has shown it. */
  isShown(): boolean;
  /** Asks the service if it is unknown. A service that answered is not asked again. */
  find(limits: CallOptions): Promise<boolean>;
}

/** Watches the responses of a transport: only a service with the whole contract, so with keys, reports its time. */
export function watchKeySupport(
  transport: Transport,
  { known, ask }: { known: boolean | undefined; ask(limits: CallOptions): Promise<WireResponse> },
): { transport: Transport; keys: KeySupport } {
  let hasKeys = known;
  const watched: Transport = async (request, limits) => {
    const response = await transport(request, limits);
    if (response.headers['x-service-time'] !== undefined) hasKeys ??= true;
    return response;
  };
  /** Resolves true if the service has answered. */
  let answered: Promise<boolean> | null = null;
  const find = async (limits: CallOptions) => {
    answered ??= ask(limits).then(
      ({ status }) => status < 500 && status !== 429,
      () => false,
    );
    if (await answered) hasKeys ??= false;
    else answered = null;
    return hasKeys === true;
  };
  return {
    transport: watched,
    keys: { isShown: () => hasKeys === true, find: async (limits) => hasKeys ?? find(limits) },
  };
}

/** Keys expire after 24 hours and clocks may differ. After this time nothing may be repeated with its key. */
const keyLife_ms = 23 * 60 * 60 * 1000;

/** True if it is too late to repeat a request first sent at `sent_at`, wall time. */
export function isPastKey(sent_at: number, now: number): boolean {
  return now - sent_at > keyLife_ms;
}

export interface CallInput extends CallOptions {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** What the headers of every request are made of. */
export interface Sender {
  /** Null for calls that need no key. */
  apiKey: string | null;
  userAgent: string;
  newIdempotencyKey(): string;
}

export interface RawRequest extends CallOptions {
  method: string;
  /** Path with query string, with a leading slash. */
  path: string;
  body?: string | undefined;
}

/** Builds the request of an operation as plain data: params in the path, query string, body as JSON. */
export function operationRequest(operation: Operation, input: CallInput, sender: Sender): WireRequest {
  const { params = {}, query = {}, body, ...options } = input;
  return rawRequest(
    {
      ...options,
      method: operation.method,
      path: filledPath(operation.path, params) + queryOf(query),
      body: body === undefined ? undefined : JSON.stringify(body),
    },
    sender,
  );
}

/**
 * Builds a request as plain data. Every call has a content type, with or without a body; every POST has an
 * idempotency key, so that it can be retried.
 */
export function rawRequest(request: RawRequest, sender: Sender): WireRequest {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/json',
    'user-agent': sender.userAgent,
  };
  if (sender.apiKey !== null) headers['x-api-key'] = sender.apiKey;
  for (const [name, value] of Object.entries(request.headers ?? {})) headers[name.toLowerCase()] = value;
  if (request.idempotencyKey !== undefined) headers['idempotency-key'] = request.idempotencyKey;
  if (request.method === 'POST') headers['idempotency-key'] ??= sender.newIdempotencyKey();
  return { method: request.method, path: request.path, headers, body: request.body ?? '' };
}

function filledPath(template: string, params: Record<string, unknown>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
}

/** The query string of a request; empty without values. Null and undefined mean a missing value. */
function queryOf(query: Record<string, unknown>): string {
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}
