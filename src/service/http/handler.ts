/**
 * The types of handlers and their calls, and `createEndpoints`, which joins operations of the contract with their handlers.
 * An endpoint validates the parts of a request first, and loads its handler when it is called.
 */
import type {
  AnswerOf,
  BodyOf,
  Operation,
  OperationPlace,
  ParamsOf,
  QueryOf,
  ServedOperation,
} from '../../contract/operation.ts';
import type { Permission } from '../../contract/vocabulary.ts';
import { isFields } from '../../domain/fields.ts';
import type { Connection, Scope } from '../../storage/database.ts';
import type { Isolation } from '../../storage/storage.ts';
import type { AccountSettings } from '../runtime/account-settings.ts';
import type { ServiceContext } from '../runtime/context.ts';
import type { Prefix } from '../runtime/ids.ts';

/** The caller, identified by the key. */
export interface Caller {
  scope: Scope;
  test_mode: boolean;
  permission: Permission;
  key_id: string;
  key_last_four: string;
  /** Wall time, as read with the key; null if it was never used. */
  key_last_used_at: number | null;
  settings: AccountSettings;
}

/** The context of every call. */
export interface CallBase {
  service: ServiceContext;
  caller: Caller;
  /** Service time of the request. */
  now: number;
  /** Identifies the request in ids: the idempotency key, or a generated one. */
  request_key: string;
  /** The `x-simulation` header. */
  simulation: string | null;
  /** The `Last-Event-ID` header. */
  last_event_id: string | null;
  /** The `Accept-Language` header. */
  accept_language: string | null;
  /** Null if client and service are in one process. */
  client_address: string | null;
  /** What was left out, filled in or may be wrong in the request, each behind its path; sent as a header. */
  remarks: Set<string>;
  /** The service for the mode of a link; the answer has its time, which a sandbox may move. */
  actIn: (test_mode: Scope['test_mode']) => ServiceContext;
  /** Whether the request's key is still valid. */
  isAllowed: () => Promise<boolean>;
  /** Creates the ids of this request's records; a repeated request creates the same ids. */
  id: (prefix: Prefix, ...parts: readonly string[]) => string;
  /** Creates the id of one of several records of this request, which are listed by rank (0 to 1023). */
  rankedId: (prefix: Prefix, rank: number, ...parts: readonly string[]) => string;
  /**
   * Runs the request's single transaction, and stores its result as the response for repeats of the request. If the
   * handler returns something else afterwards, that replaces the stored response. See `Isolation` of storage/storage.ts.
   */
  commit: <T>(work: (transaction: Connection) => Promise<T>, isolation?: Isolation) => Promise<T>;
}

/** The public URL of the service in the caller's account settings: the base of tracking links. */
export function readPublicUrl({ service, caller }: Pick<CallBase, 'service' | 'caller'>): string {
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

/** An operation with its handler, called with unvalidated parts. */
export interface Endpoint {
  operation: ServedOperation;
  /** Validates the parts or throws `invalid_request`; the resulting function runs the handler. */
  prepare: (raw: RawParts) => Promise<(base: CallBase) => Promise<unknown>>;
  /** Finds whose the link is, if the operation takes a body without a key. Throws `record_not_found`. */
  findOwner: FindOwner | undefined;
}

/** Finds the account and mode of the link with a token. */
type FindOwner = (service: ServiceContext, token: string) => Promise<Scope>;

/** Operations by noun and verb. */
type OperationTable = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** The handler loader of each operation: a missing one does not compile. */
type HandlerLoaders<Table extends OperationTable> = {
  readonly [Noun in keyof Table]: {
    readonly [Verb in keyof Table[Noun]]: () => Promise<Handler<Table[Noun][Verb]>>;
  };
};

/** The ids of the operations that take a body without a key. */
type LinkOperation<Table extends OperationTable> = {
  [Noun in keyof Table]: {
    [Verb in keyof Table[Noun]]: Table[Noun][Verb] extends { id: infer Id; permission: null; body: object }
      ? Id & string
      : never;
  }[keyof Table[Noun]];
}[keyof Table];

/** The look-up of the links of each of these operations: a missing one does not compile. */
type OwnerLoaders<Table extends OperationTable> = Readonly<
  Record<LinkOperation<Table>, () => Promise<FindOwner>>
>;

/** Creates the endpoints of operations on demand, so that a request loads only its own handler. */
export function createEndpoints<Table extends OperationTable>(
  operations: Table,
  owners: OwnerLoaders<Table>,
  loaders: HandlerLoaders<Table>,
): (place: OperationPlace) => Endpoint;
export function createEndpoints(
  operations: OperationTable,
  owners: Readonly<Partial<Record<string, () => Promise<FindOwner>>>>,
  loaders: HandlerLoaders<OperationTable>,
) {
  return ({ noun, verb }: OperationPlace): Endpoint => {
    const operation = operations[noun]?.[verb];
    const load = loaders[noun]?.[verb];
    if (operation === undefined || load === undefined) throw new TypeError(`no operation ${noun}.${verb}`);
    const loadFindOwner = owners[operation.id];
    return {
      operation,
      prepare: async (raw) => {
        const parts = await readParts(operation, raw);
        return async (base) => (await load())({ ...base, ...parts });
      },
      findOwner: loadFindOwner && (async (service, token) => (await loadFindOwner())(service, token)),
    };
  };
}

type Unread = Record<keyof RawParts, unknown>;

/** Validates the parts of a request by the operation's schemas; parts without a schema must be empty. */
async function readParts<O extends Operation>(
  operation: O,
  raw: RawParts,
): Promise<Pick<Call<O>, keyof RawParts>>;
async function readParts(operation: Operation, raw: RawParts): Promise<Unread> {
  const { query, body, keeps_nulls } = operation;
  // A call with only ids needs no schema library; most reads are such calls.
  const isPlain = body === undefined && isEmpty(raw.query) && isEmpty(raw.body) && !hasRequired(query);
  if (isPlain) return raw;
  const { params } = operation;
  const { coerceQuery, validate } = await import('./validation.ts');
  return {
    params: validate(params ?? nothing, raw.params, 'path'),
    query: validate(query ?? nothing, coerceQuery(query, raw.query), 'query'),
    body: validate(body ?? nothing, raw.body, 'body', keeps_nulls),
  };
}

function isEmpty(part: unknown): boolean {
  return isFields(part) && Object.keys(part).length === 0;
}

function hasRequired(query: Operation['query']): boolean {
  return (query?.required ?? []).length > 0;
}

/** The schema of a part that the operation does not have. */
const nothing = { type: 'object', properties: {}, additionalProperties: false } as const;
