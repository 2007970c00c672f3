import type { AnswerOf, BodyOf, Operation, ParamsOf, QueryOf } from '../../contract/operation.ts';
import type { OperationPlace } from '../../contract/operation-places.ts';
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
  /** Validates, or throws `invalid_request`; the function that it resolves with runs the handler. */
  prepare: (raw: RawParts) => Promise<(base: CallBase) => Promise<unknown>>;
}

/** Operations by noun and verb. */
type OperationTable = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** For each operation of a table the loader of its handler: a table without one does not compile. */
type HandlerLoaders<Table extends OperationTable> = {
  readonly [Noun in keyof Table]: {
    readonly [Verb in keyof Table[Noun]]: () => Promise<Handler<Table[Noun][Verb]>>;
  };
};

/** The endpoints of operations, each made when it is asked for: a request pays for its own handler only. */
export function createEndpoints<Table extends OperationTable>(
  operations: Table,
  loaders: HandlerLoaders<Table>,
): (place: OperationPlace) => Endpoint;
export function createEndpoints(operations: OperationTable, loaders: HandlerLoaders<OperationTable>) {
  return ({ noun, verb }: OperationPlace): Endpoint => {
    const operation = operations[noun]?.[verb];
    const load = loaders[noun]?.[verb];
    if (operation === undefined || load === undefined) throw new TypeError(`no operation ${noun}.${verb}`);
    return {
      operation,
      prepare: async (raw) => {
        const parts = await readParts(operation, raw);
        return async (base) => (await load())({ ...base, ...parts });
      },
    };
  };
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
