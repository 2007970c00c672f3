import {
  type Client as BaseClient,
  type ClientOptions as BaseOptions,
  createClient as createBase,
} from '../client/client.ts';
import { type ListCall, records } from '../client/pages.ts';
import type { Calls, Event } from './api.ts';
import type { Answer, Fetch } from './calls.ts';
import { fetchTransport } from './fetch-transport.ts';
import { chance, newIdempotencyKey, now, sleep, webFetch } from './ports.ts';

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
  /**
   * The unit of amounts at a service that is not waybill's own. Without it the latest deliveries are looked at before the
   * first amount is sent; they are cents until a service has shown decimals.
   */
  amounts?: 'dollars' | 'cents' | undefined;
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
    amounts: options.amounts,
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
