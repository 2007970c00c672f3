import type { ErrorCode } from './errors.ts';
import type { Static, TObject, TSchema } from './schema.ts';
import type { Permission } from './vocabulary.ts';
import type { WireStream } from './wire.ts';

/** Media types of responses other than JSON; pictures are in base64 until they are sent. */
export type MediaType =
  | 'text/html'
  | 'text/event-stream'
  | 'text/javascript'
  | 'application/manifest+json'
  | 'image/*';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

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
  errors: readonly ErrorCode[];
  /** Response fields that are shown once and never stored. */
  secrets?: readonly string[];
  /** Whether null in the body differs from missing: it resets a setting. */
  keeps_nulls?: true;
  /** The media type of the response, if it is not JSON. */
  media?: MediaType;
  /** Whether the response never changes while the service runs. */
  is_constant?: true;
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

type Shape<S> = S extends TSchema ? Static<S> : undefined;

export type ParamsOf<O extends Operation> = Shape<O['params']>;
export type QueryOf<O extends Operation> = Shape<O['query']>;
export type BodyOf<O extends Operation> = Shape<O['body']>;
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
export function operation<const O extends Operation>(definition: O): O {
  return definition;
}
