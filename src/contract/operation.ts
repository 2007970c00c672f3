/** Describes an operation of the API as data, and the requests and responses that transports carry. */
import type { ErrorCode } from './errors.ts';
import type { Static, TObject, TSchema } from './schema.ts';
import type { Permission } from './vocabulary.ts';

/** Media types of responses other than JSON; pictures are in base64 until they are sent. */
type MediaType =
  | 'text/html'
  | 'text/event-stream'
  | 'text/javascript'
  | 'text/css'
  | 'application/manifest+json'
  | 'image/*';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One API call as data: its input, its response and its errors. */
export interface Operation {
  /** The OpenAPI operationId. */
  id: string;
  method: Method;
  /** The path with `{parameters}`. */
  path: string;
  /** Other paths of the same operation. */
  aliases?: readonly string[];
  summary: string;
  tag: string;
  /** The permission that the key needs; null: no key is needed. */
  permission: Permission | null;
  params?: TObject;
  query?: TObject;
  /** Absent: no body, or `{}`. */
  body?: TObject;
  answer: TSchema;
  /** The alternative 202 response, recognized by its `object`, if the work continues after the response. */
  accepted?: { schema: TObject; object: string; when: string };
  /** The error codes of this operation in addition to the common ones. */
  errors?: readonly ErrorCode[];
  /** Response fields that are shown once and never stored. */
  secrets?: readonly string[];
  /** Whether null in the body differs from missing: it resets a setting. */
  keeps_nulls?: true;
  /** The media type of the response, if it is not JSON. */
  media?: MediaType;
  /** Whether the audit names the record of the response, with the one of the path as its detail. */
  is_answer_audited?: true;
  /** Whether the response never changes while the service runs. */
  is_constant?: true;
  /** Set if pages of any site may read the answer. */
  is_public?: true;
  /** Whether it checks the service: answered at once under any load, without executing due tasks. */
  is_probe?: true;
  /** Whether it has no effect before its one transaction, and then claims its idempotency key with the response. */
  acts_after_commit?: true;
  /** Whether writes without a key may be frequent; absent: ten, and then one a minute. */
  is_frequent?: true;
  /** Largest body in bytes; default 1 MiB. */
  body_limit?: number;
}

/** The parts of an operation that the service uses; the build leaves out the schemas of responses. */
export type ServedOperation = Omit<Operation, 'answer' | 'accepted'> & {
  accepted?: Pick<NonNullable<Operation['accepted']>, 'object'>;
};

type StaticOf<S> = S extends TSchema ? Static<S> : undefined;

export type ParamsOf<O extends Operation> = StaticOf<O['params']>;
export type QueryOf<O extends Operation> = StaticOf<O['query']>;
export type BodyOf<O extends Operation> = StaticOf<O['body']>;
type AcceptedOf<O extends Operation> = O extends { accepted: { schema: infer S extends TObject } }
  ? Static<S>
  : never;

/** The response type of an operation; a stream is its text in chunks. */
export type AnswerOf<O extends Operation> = O extends { media: 'text/event-stream' }
  ? WireStream
  : Static<O['answer']> | AcceptedOf<O>;

/** Whether requests of an operation are recorded: those that change something, with a key or by a link. */
export function isAudited({ permission, method }: Pick<Operation, 'permission' | 'method'>): boolean {
  return method !== 'GET' && permission !== 'read';
}

/** Checks the type of an operation and keeps its literal type. */
export function defineOperation<const O extends Operation>(definition: O): O {
  return definition;
}

/** A request as plain data, as a transport carries it in process or over HTTP. */
export interface WireRequest {
  method: string;
  /** Path with its query string, from the leading slash. */
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** UTF-8 text; empty when there is none. */
  body: string;
}

/** A request as the service receives it: the body is read only when the service needs it. */
export interface ReceivedRequest extends Omit<WireRequest, 'body'> {
  body: string | ReadBody;
  /** The client's IP address; absent within one process. */
  client_address?: string;
}

/**
 * Reads the whole body as text while `check` limits it, into memory that `holder` has a share of. Rejects with the
 * `Problem` to respond with.
 */
type ReadBody = (check: BodyCheck, holder: readonly string[]) => Promise<string>;

/** Limits a body while it is received, by throwing the `Problem` to respond with. */
export interface BodyCheck {
  /** Called with the number of bytes, as far as it is known in advance. */
  checkSize(bytes: number): void;
  /** Called with the bytes as they arrive. */
  checkChunk(chunk: Uint8Array): void;
}

/** An answer as plain data. */
export interface WireResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
  /** Set if the body is binary data, written in base64. */
  encoding?: 'base64';
  /** The streamed rest of the body, for responses without a fixed end. */
  stream?: WireStream;
}

/** A stream of text. The consumer must close it, even if nothing was read. */
export interface WireStream {
  chunks: AsyncIterable<string>;
  /** Closes the stream; `chunks` ends soon after. */
  close(): void;
  /** Settles once the stream has ended, whether or not it was fully read. */
  ended?: Promise<void>;
}

/**
 * The service sends something every 15 s into a stream; three times as long without a byte means that the connection is
 * lost.
 */
export const silence_ms = 45_000;

export interface AttemptLimits {
  /** Its abort ends the attempt, which rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Absent: the transport's own. */
  timeout_ms?: number | undefined;
}

/** Sends one request to the service and returns its response; rejects if there was none. */
export type Transport = (request: WireRequest, limits?: AttemptLimits) => Promise<WireResponse>;

/** A log entry of the server: without key, body, query and personal data. Times are wall time. */
export type RequestLog =
  | {
      type: 'request';
      at: number;
      method: string;
      /** Null if it reached no operation. */
      operation: string | null;
      path: string;
      status: number;
      duration_ms: number;
      request_id: string | null;
      /** Null without a valid key. */
      account_id: string | null;
      mode: 'test' | 'live' | null;
      /** The last four characters of the key. */
      key_end: string | null;
    }
  | { type: 'fault'; at: number; request_id: string | null; fault: unknown };

/** The error codes that every operation may return. */
const everywhere: readonly ErrorCode[] = [
  'invalid_request',
  'internal_error',
  'overloaded',
  'storage_unavailable',
];
const withKey: readonly ErrorCode[] = ['unauthorized', 'account_suspended', 'rate_limited'];
const withPost: readonly ErrorCode[] = ['idempotency_key_reuse', 'idempotency_key_in_use'];
const withBody: readonly ErrorCode[] = ['payload_too_large', 'unsupported_media_type'];
/** A body is validated even if the operation takes none. */
const mayHaveBody: readonly Operation['method'][] = ['POST', 'PUT', 'PATCH'];

/** The error codes that an operation may return because of its method or permission. */
export function commonErrorsOf(operation: Pick<Operation, 'permission' | 'method'>): ErrorCode[] {
  return [
    ...everywhere,
    ...(operation.permission === null ? [] : withKey),
    ...(operation.method === 'POST' ? withPost : []),
    ...(mayHaveBody.includes(operation.method) ? withBody : []),
  ];
}

/** All error codes that an operation may return. */
export function errorsOf(operation: Pick<Operation, 'permission' | 'method' | 'errors'>): ErrorCode[] {
  return [...new Set([...commonErrorsOf(operation), ...(operation.errors ?? [])])];
}

/** The method and paths of an operation. */
export interface OperationPlace {
  /** Its keys in the table of operations. */
  noun: string;
  verb: string;
  method: string;
  /** Paths with `{parameters}`; all are equivalent. */
  paths: readonly string[];
}

/** Lists the method and paths of all operations. */
export function listOperationPlaces(
  operations: Readonly<Record<string, Readonly<Record<string, Operation>>>>,
): OperationPlace[] {
  return Object.entries(operations).flatMap(([noun, verbs]) =>
    Object.entries(verbs).map(([verb, { method, path, aliases = [] }]) => ({
      noun,
      verb,
      method,
      paths: [path, ...aliases],
    })),
  );
}
