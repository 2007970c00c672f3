/**
 * The exports of 'waybill': the client over `fetch` (`createClient`) with the types of its calls and its errors, and `waitFor`.
 * The calls are those of `client/client.ts`, sent by a transport over `fetch` (below); lists can also be iterated.
 */
import { parseBaseUrl, urlPrefix } from '../client/addresses.ts';
import {
  type Client as BaseClient,
  type ClientOptions as BaseOptions,
  createClient as createBase,
} from '../client/client.ts';
import { asUnreachable, Unreachable } from '../client/errors.ts';
import { type ListCall, records } from '../client/pages.ts';
import {
  type AttemptLimits,
  silence_ms,
  type Transport,
  type WireRequest,
  type WireResponse,
  type WireStream,
} from '../contract/operation.ts';
import type { Calls, Event } from './api.ts';
import type { Answer, Fetch, FetchBody, FetchInit, FetchResponse } from './calls.ts';
import { chance, newIdempotencyKey, now, sleep, timer, webFetch } from './ports.ts';

export {
  AcceptedUnread,
  ApiError,
  type ApiErrorFields,
  ModeMismatch,
  OutcomeUnknown,
  Unreachable,
  Unsupported,
} from '../client/errors.ts';
export type * from './api.ts';
export type { Answer, CallOptions, Fetch, List, Page } from './calls.ts';

/** The service that a client talks to, and how. */
export interface ClientOptions {
  /** Such as `https://deliveries.example`. */
  baseUrl: string;
  apiKey: string;
  /** Refuses records of the other mode with `ModeMismatch`. Either mode is taken without it. */
  mode?: 'test' | 'live' | undefined;
  /** For each attempt of a request; 30,000 without it. */
  timeout_ms?: number | undefined;
  /** No attempt of a request starts later than this after the first one; 120,000 without it. */
  total_timeout_ms?: number | undefined;
  /** How often a request is sent again at most; 3 without it. */
  maxNetworkRetries?: number | undefined;
  /** Sends the requests; the global `fetch` without it. */
  fetch?: Fetch | undefined;
}

/** Events to follow. */
export interface EventOptions {
  /** Only events of these types; all but `delivery.location_updated` without it. */
  types?: readonly Event['type'][] | undefined;
  delivery_id?: string | undefined;
  batch_id?: string | undefined;
  /** Begins with the events of this instant; with those that happen from now on without it. */
  since?: string | undefined;
  /** Begins behind the event with this id. */
  after?: string | undefined;
  /** Ends the iteration. */
  signal: AbortSignal;
}

/** A client of the service: `client.deliveries.get({ params: { deliveryid } })`. */
export interface Client extends Calls {
  /**
   * Events as they happen, until the signal aborts. A connection that is lost is opened again, and no event is left
   * out.
   */
  follow(options: EventOptions): AsyncGenerator<Event>;
}

/**
 * A client over `fetch`. Calls reject with `ApiError` when the service refuses, and with
 * `Unreachable` when no answer comes. Throws where the base URL is not valid.
 */
export function createClient(options: ClientOptions): Client {
  const { baseUrl, apiKey, mode, timeout_ms = 30_000, maxNetworkRetries = 3, fetch = webFetch } = options;
  const base = createBase({
    transport: fetchTransport({ baseUrl, timeout_ms, fetch }),
    baseUrl,
    apiKey,
    features: {},
    testMode: mode === undefined ? null : mode === 'test',
    attempts: maxNetworkRetries + 1,
    totalTimeout_ms: options.total_timeout_ms,
    userAgent: 'waybill-library',
    newIdempotencyKey,
    sleep,
    wallNow: now,
    chance,
  } satisfies BaseOptions);
  return withLists(base);
}

/** The client whose lists can be iterated, which `Calls` declares. */
function withLists(base: BaseClient): Client;
function withLists({ raw: _, learn: __, ...calls }: BaseClient): object {
  const nouns = Object.entries<unknown>(calls).map(([noun, verbs]) => [
    noun,
    isVerbs(verbs) ? withIterableLists(verbs) : verbs,
  ]);
  return Object.fromEntries(nouns);
}

/** Only calls of lists are iterated: `Calls` allows it of no other. */
type Verbs = Readonly<Record<string, ListCall<unknown, Query>>>;
interface Query {
  cursor?: string;
}

function isVerbs(value: unknown): value is Verbs {
  return typeof value === 'object' && value !== null;
}

function withIterableLists(verbs: Verbs): object {
  return Object.fromEntries(Object.entries(verbs).map(([verb, call]) => [verb, iterable(call)]));
}

/** A call whose promise can also be iterated, over all records from its page on. */
function iterable(call: ListCall<unknown, Query>): ListCall<unknown, Query> {
  return (input) => {
    const first = call(input);
    const next: typeof call = ({ query }) =>
      query.cursor === input?.query?.cursor ? first : call({ ...input, query });
    return Object.assign(first, { [Symbol.asyncIterator]: () => records(next, { ...input?.query }) });
  };
}

/** How often a record is read, and for how long. */
export interface WaitOptions {
  /** 2,000 without it. */
  interval_ms?: number | undefined;
  /** 600,000 without it. */
  timeout_ms?: number | undefined;
  /** Ends the waiting: it rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** The record did not get there in time; `last` is the record as it was read last. */
export class WaitTimeout<T = unknown> extends Error {
  override name = 'WaitTimeout';
  readonly code = 'wait_timeout';
  readonly last: T;

  constructor(message: string, last: T) {
    super(message);
    this.last = last;
  }
}

/**
 * Reads a record again and again until `isReached` is true of it:
 * `waitFor(() => client.deliveries.get({ params: { deliveryid } }), ({ status }) => status === 'delivered')`.
 * Rejects with `WaitTimeout`, and with every error of the call.
 */
export async function waitFor<T>(
  read: () => Promise<Answer<T>>,
  isReached: (record: T) => boolean,
  { interval_ms = 2_000, timeout_ms = 600_000, signal }: WaitOptions = {},
): Promise<T> {
  const end = now() + timeout_ms;
  for (;;) {
    signal?.throwIfAborted();
    const { data } = await read();
    if (isReached(data)) return data;
    if (now() + interval_ms > end) throw new WaitTimeout(`Not reached within ${timeout_ms / 1_000} s.`, data);
    await sleep(interval_ms, signal);
  }
}

interface FetchTransportOptions {
  baseUrl: string;
  /** For each attempt, to its last byte; for a stream, to its first byte. */
  timeout_ms: number;
  fetch: Fetch;
}

/** A transport over `fetch`. Throws `BadBaseUrl`; rejects with `Unreachable`, and with the reason of the signal. */
function fetchTransport({ baseUrl, timeout_ms, fetch }: FetchTransportOptions): Transport {
  const root = urlPrefix(parseBaseUrl(baseUrl));
  return async (request, { signal, timeout_ms: limit_ms = timeout_ms }: AttemptLimits = {}) => {
    checkHeaders(request);
    const attempt = startAttempt(signal);
    const cancel = timer(limit_ms, () =>
      attempt.end(`No response from ${root} within ${limit_ms / 1000} s.`),
    );
    let partial: WireResponse | null = null;
    try {
      const response = await fetch(root + request.path, initOf(request, attempt.signal));
      const head = { status: response.status, headers: headersOf(response) };
      partial = { ...head, body: '' };
      const isStream = head.status === 200 && head.headers['content-type']?.startsWith('text/event-stream');
      if (isStream && response.body !== null) {
        return { ...partial, stream: streamOf(response.body, attempt, root) };
      }
      return { ...head, body: await response.text() };
    } catch (error) {
      signal?.throwIfAborted();
      throw asLost(attempt.ownError() ?? error, root, partial);
    } finally {
      cancel();
      attempt.stopListening();
    }
  };
}

/** Refuses an invalid header without its value: the error of `fetch` would repeat it, and it may be a key. */
function checkHeaders({ headers }: WireRequest): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new TypeError(`The header ${name} has characters that a header cannot have.`);
  }
}

function initOf({ method, headers, body }: WireRequest, signal: AbortSignal): FetchInit {
  return { method, headers, redirect: 'manual', signal, ...(body === '' ? {} : { body }) };
}

function headersOf({ headers }: FetchResponse): Record<string, string> {
  const byName: Record<string, string> = {};
  headers.forEach((value, name) => {
    byName[name.toLowerCase()] = value;
  });
  return byName;
}

/** One attempt of a request, whose signal aborts with that of the call or by `end`. */
interface Attempt {
  signal: AbortSignal;
  end(why: string): void;
  /** The error of `end`; null if it was not called. */
  ownError(): Unreachable | null;
  /** Stops listening to the signal of the call. */
  stopListening(): void;
}

function startAttempt(callSignal: AbortSignal | undefined): Attempt {
  const controller = new AbortController();
  let ownError: Unreachable | null = null;
  const abort = () => controller.abort(callSignal?.reason);
  callSignal?.addEventListener('abort', abort, { once: true });
  if (callSignal?.aborted === true) abort();
  return {
    signal: controller.signal,
    end: (why) => {
      ownError ??= new Unreachable(why);
      controller.abort(ownError);
    },
    ownError: () => ownError,
    stopListening: () => callSignal?.removeEventListener('abort', abort),
  };
}

/** Turns any rejection of `fetch` into `Unreachable`. Node has the code of the network error in the cause. */
function asLost(error: unknown, root: string, partial: WireResponse | null): Unreachable {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const networkError = asUnreachable(cause, root);
  const fault = cause instanceof Error ? cause.message : String(cause);
  const message = networkError?.message ?? `No response from ${root}: ${fault.replace(/\.$/, '')}.`;
  return new Unreachable(message, { cause: networkError?.cause ?? cause, partial });
}

/** The text of a body as it arrives, until it ends, is closed, or is silent for too long. */
function streamOf(body: FetchBody, attempt: Attempt, root: string): WireStream {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let isClosed = false;
  const close = () => {
    isClosed = true;
    attempt.end('The stream was closed.');
  };
  async function* chunks(): AsyncGenerator<string> {
    try {
      for (;;) {
        const cancel = timer(silence_ms, () =>
          attempt.end(`The stream was silent for ${silence_ms / 1000} s.`),
        );
        const { done, value } = await reader.read().finally(cancel);
        if (done) return;
        yield decoder.decode(value, { stream: true });
      }
    } catch (error) {
      if (!isClosed) throw asLost(attempt.ownError() ?? error, root, null);
    } finally {
      close();
    }
  }
  return { chunks: chunks(), close };
}
