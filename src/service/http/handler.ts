import type { AnswerOf, BodyOf, Operation, ParamsOf, QueryOf } from '../../contract/operation.ts';
import type { Permission } from '../../contract/vocabulary.ts';
import type { Connection, Scope } from '../../storage/database.ts';
import type { AccountSettings } from '../runtime/account-settings.ts';
import type { ServiceContext } from '../runtime/context.ts';
import type { Prefix } from '../runtime/ids.ts';
import { coerceQuery } from './query.ts';

/** Who asks, as the key tells. */
export interface Caller {
  scope: Scope;
  test_mode: boolean;
  permission: Permission;
  /** What the account has chosen. */
  settings: AccountSettings;
}

/** What every call brings, whatever its operation. */
export interface CallBase {
  service: ServiceContext;
  caller: Caller;
  /** Service time of the request. */
  now: number;
  /** Names the request in ids: the idempotency key, or a word of the request's own. */
  request_key: string;
  /** The `x-simulation` header. */
  simulation: string | null;
  /** The `Last-Event-ID` header. */
  last_event_id: string | null;
  /** Whether the key that came with it still holds. */
  isAllowed: () => Promise<boolean>;
  /** Makes the ids of this request's records; the same request makes the same ids. */
  id: (prefix: Prefix, ...parts: readonly string[]) => string;
  /** The same for records of one request that have an order: those of a lower rank (0 to 1023) come before. */
  rankedId: (prefix: Prefix, rank: number, ...parts: readonly string[]) => string;
  /**
   * Runs the request's one transaction, which keeps what it gives as the answer for repeats of the request as well;
   * where the handler then answers something else, that takes its place.
   */
  commit: <T>(work: (transaction: Connection) => Promise<T>) => Promise<T>;
}

/** The public address of the service as the caller's account has set it: the start of tracking links. */
export function publicUrlOf({ service, caller }: Pick<CallBase, 'service' | 'caller'>): string {
  return caller.settings.public_url ?? service.publicUrl;
}

export interface Call<O extends Operation> extends CallBase {
  params: ParamsOf<O>;
  query: QueryOf<O>;
  body: BodyOf<O>;
}

/** Request parts before validation. */
export interface RawParts {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}

export type Handler<O extends Operation> = (call: Call<O>) => Promise<AnswerOf<O>>;

/** An operation with its handler, ready to be called with parts of any shape. */
export interface Endpoint {
  operation: Operation;
  /** Validates, or throws `invalid_request`; what it gives runs the handler. */
  prepare: (raw: RawParts) => Promise<(base: CallBase) => Promise<unknown>>;
}

export function endpoint<O extends Operation>(operation: O, handler: Handler<O>): Endpoint {
  return {
    operation,
    async prepare(raw) {
      const parts = await readParts(operation, raw);
      return (base) => handler({ ...base, ...parts });
    },
  };
}

/** A handler that is loaded when it is first called: a look-up does not pay for all that can be done. */
export function lazily<O extends Operation>(load: () => Promise<Handler<O>>): Handler<O> {
  return async (call) => (await load())(call);
}

type Unread = Record<keyof RawParts, unknown>;

interface Parts<O extends Operation> {
  params: ParamsOf<O>;
  query: QueryOf<O>;
  body: BodyOf<O>;
}

/** The parts of a request as the operation's schemas say; a part that it does not have must be empty. */
async function readParts<O extends Operation>(operation: O, raw: RawParts): Promise<Parts<O>>;
async function readParts(operation: Operation, raw: RawParts): Promise<Unread> {
  const { query, body, keeps_nulls } = operation;
  // A call with nothing in it but ids needs no schema library, and most look-ups are such calls.
  const isPlain = body === undefined && isEmpty(raw.query) && isEmpty(raw.body) && !hasRequired(query);
  if (isPlain) return raw;
  const { params } = operation;
  const { validate } = await import('./validation.ts');
  return {
    params: validate(params ?? nothing, raw.params, 'path'),
    query: validate(query ?? nothing, coerceQuery(query, raw.query), 'query'),
    body: validate(body ?? nothing, raw.body, 'body', keeps_nulls),
  };
}

function isEmpty(part: unknown): boolean {
  const isObject = typeof part === 'object' && part !== null && !Array.isArray(part);
  return isObject && Object.keys(part).length === 0;
}

function hasRequired(query: Operation['query']): boolean {
  return (query?.required ?? []).length > 0;
}

/** What a part of a request must be where the operation has none. */
const nothing = { type: 'object', properties: {}, additionalProperties: false } as const;
