/** The client of the interface: every operation as a typed call: `client.orders.get({ params: { order_id } })`. */
import type { Event } from '../contract/events.ts';
import type { AnswerOf, BodyOf, Operation, ParamsOf, QueryOf, WireResponse } from '../contract/operation.ts';
import { type Operations, operations } from '../contract/operations.ts';
import { type Answer, answerFields, checkRawMode, readAnswer, readStreamEvent } from './answers.ts';
import { asUnknown, type CallerOptions, createCaller, unsupported, withVersionHint } from './calls.ts';
import { toApiError } from './error-responses.ts';
import type { Following, FollowOptions } from './event-stream.ts';
import {
  type CallInput,
  type CallOptions,
  operationRequest,
  type RawRequest,
  type RetryPolicy,
  rawRequest,
  sendWithRetries,
  watchKeySupport,
} from './retries.ts';
import type { ServiceFeatures } from './service-features.ts';

/** The field of an input: absent if the operation has none, optional if all of its fields are. */
type InputField<T, Name extends string> = T extends undefined
  ? object
  : object extends T
    ? { [N in Name]?: T }
    : Record<Name, T>;
type QueryField<T> = T extends undefined
  ? object
  : { query?: { [K in keyof T]?: T[K] | OneOf<T[K]> | undefined } };
/** A parameter that takes a list also takes one of its values. */
type OneOf<T> = T extends readonly (infer Each)[] ? Each : never;

/** The input of a call: `params` and `body` if any of their fields is required, optional `query`, and options. */
export type InputOf<O extends Operation> = InputField<ParamsOf<O>, 'params'> &
  InputField<BodyOf<O>, 'body'> &
  QueryField<QueryOf<O>> &
  CallOptions;

/** One call; its argument is optional if none of its fields are required. */
export type Call<O extends Operation> =
  object extends InputOf<O>
    ? (input?: InputOf<O>) => Promise<Answer<AnswerOf<O>>>
    : (input: InputOf<O>) => Promise<Answer<AnswerOf<O>>>;

/** Every operation as a call: `client.orders.create({ body })`. Streams are consumed with `follow` instead. */
export type Calls = {
  [N in keyof Operations]: {
    [V in keyof Operations[N] as Callable<Operations[N][V], V>]: CallOf<Operations[N][V]>;
  };
};
type CallOf<O> = O extends Operation ? Call<O> : never;
type Callable<O, V> = O extends { media: 'text/event-stream' } ? never : V;

/** The response to a request of any path, unread. */
export interface RawAnswer extends Omit<Answer<string>, 'data'> {
  text: string;
  headers: Record<string, string>;
}

export interface Client extends Calls {
  /** Finds out what the service can do, with requests that change nothing. */
  learn(options?: { isBrief?: boolean }): Promise<ServiceFeatures>;
  /**
   * Sends any request, with the same headers, retries and mode check as other calls; an error status is returned like
   * any other response. For a stream only the headers are returned.
   */
  raw(request: RawRequest): Promise<RawAnswer>;
  /**
   * Yields events as they occur, without gaps, until the signal aborts: events missed during a lost connection are
   * fetched. Rejects like a call if the stream cannot be opened at first, and with `ApiError` if it is refused later.
   */
  follow(options: FollowOptions): AsyncGenerator<Event>;
}

export interface ClientOptions
  extends CallerOptions,
    Omit<RetryPolicy, 'attempts' | 'totalTimeout_ms' | 'keys'> {
  /** The maximum number of attempts for a request; default 4. */
  attempts?: number | undefined;
  /** No attempt starts later than this after the first one; default 120,000. */
  totalTimeout_ms?: number | undefined;
}

/**
 * Creates a client typed by the contract over a plain-data transport. Calls reject with `ApiError` for an error
 * response and with `Unreachable` without a response.
 */
export function createClient(options: ClientOptions): Client {
  const { attempts = 4, totalTimeout_ms = 120_000, testMode = null, features = null } = options;
  const policy: RetryPolicy = {
    ...options,
    attempts,
    totalTimeout_ms,
    ...watchKeySupport(options.transport, {
      known: features?.idempotency,
      ask: (limits) => sendWithRetries(operationRequest(operations.account.get, {}, options), policy, limits),
    }),
  };
  const { call, sendGet } = createCaller({ options, policy, deliveries: () => client.deliveries });
  const raw = async (request: RawRequest): Promise<RawAnswer> => {
    const response = await sendWithRetries(rawRequest(request, options), policy, request).catch(
      (error: unknown) => {
        throw policy.keys.isShown() ? error : asUnknown(error, { id: 'raw', method: request.method });
      },
    );
    response.stream?.close();
    checkRawMode(response, { testMode, method: request.method });
    return { text: response.body, headers: response.headers, ...answerFields(response) };
  };
  const following: Following = {
    open: ({ isFirst, headers, query }) => {
      const accept = { accept: 'text/event-stream', ...headers };
      const request = operationRequest(operations.events.stream, { query, headers: accept }, options);
      return sendWithRetries(request, isFirst ? policy : { ...policy, attempts: 1 });
    },
    read: (data, response) => readStreamEvent(data, response, testMode),
    refusal: (response) => toApiError(response, options.wallNow()),
    sleep: (ms) => options.sleep(ms),
    now: () => options.wallNow(),
  };
  const client: Client = Object.assign(callsOf(operations, call), {
    raw,
    follow: (followOptions: FollowOptions) => {
      if (features?.stream === false) throw unsupported(operations.events.stream, 'stream', null);
      return loadAndFollow(following, followOptions);
    },
    learn: async ({ isBrief = false } = {}) => {
      const { detectFeatures } = await import('./service-features.ts');
      const refusal = (response: WireResponse) => toApiError(response, options.wallNow());
      const account = async () => {
        const { get } = operations.account;
        return readAnswer(get, await sendGet(get, {}), { testMode, wallNow: options.wallNow() });
      };
      try {
        return await detectFeatures({ account, get: sendGet, refusal }, isBrief);
      } catch (error) {
        throw withVersionHint(error, options.baseUrl);
      }
    },
  });
  return client;
}

/** The stream code is loaded on first use. */
async function* loadAndFollow(following: Following, options: FollowOptions): AsyncGenerator<Event> {
  const { follow } = await import('./event-stream.ts');
  yield* follow(following, options);
}

type AnyCall = (operation: Operation, input?: CallInput) => Promise<Answer<unknown>>;

/**
 * Binds the call function to each operation; the overload above the implementation is the mapped type. The calls of a
 * noun are created on first use: most programs make one call.
 */
function callsOf(nouns: Operations, call: AnyCall): Calls;
function callsOf(nouns: Record<string, Record<string, Operation>>, call: AnyCall): object {
  const calls = {};
  for (const noun of Object.keys(nouns)) {
    const get = () => {
      const value = boundCalls(nouns[noun] ?? {}, call);
      Object.defineProperty(calls, noun, { value, enumerable: true });
      return value;
    };
    Object.defineProperty(calls, noun, { get, enumerable: true, configurable: true });
  }
  return calls;
}

function boundCalls(verbs: Record<string, Operation>, call: AnyCall): object {
  return Object.fromEntries(
    Object.entries(verbs).map(([verb, operation]) => [verb, (input?: CallInput) => call(operation, input)]),
  );
}
