import type { ErrorCode } from './errors.ts';
import type { Static, TObject, TSchema } from './schema.ts';
import type { Permission } from './vocabulary.ts';
import type { WireStream } from './wire.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** One call of the interface, as data: what it takes, what it answers, what can go wrong. */
export interface Operation {
  /** The operation id of the description. */
  id: string;
  method: Method;
  /** The path with `{parameters}`. */
  path: string;
  /** Other paths that answer the same. */
  aliases?: readonly string[];
  summary: string;
  tag: string;
  /** What the key must allow; null needs no key. */
  permission: Permission | null;
  params?: TObject;
  query?: TObject;
  /** Absent: no body, or `{}`. */
  body?: TObject;
  answer: TSchema;
  /** What it answers with 202 instead, told by its `object`, where the work goes on after the answer. */
  accepted?: { schema: TObject; object: string; when: string };
  /** The codes this call adds to those that any call can answer with. */
  errors: readonly ErrorCode[];
  /** Fields of the answer that are shown once and never kept. */
  secrets?: readonly string[];
  /** Whether null says something else than missing in the body: it takes a setting back. */
  keeps_nulls?: true;
  /** What the answer is, where it is not JSON. */
  media?: 'text/html' | 'text/event-stream';
  /** Whether every call has the same answer for as long as the service runs. */
  is_constant?: true;
  /** Largest body in bytes, where it is not 1 MiB. */
  body_limit?: number;
}

type Shape<S> = S extends TSchema ? Static<S> : undefined;

export type ParamsOf<O extends Operation> = Shape<O['params']>;
export type QueryOf<O extends Operation> = Shape<O['query']>;
export type BodyOf<O extends Operation> = Shape<O['body']>;
type AcceptedOf<O extends Operation> = O extends { accepted: { schema: infer S extends TObject } }
  ? Static<S>
  : never;

/** What the answer of an operation is: where it is a stream, its text bit by bit. */
export type AnswerOf<O extends Operation> = O extends { media: 'text/event-stream' }
  ? WireStream
  : Static<O['answer']> | AcceptedOf<O>;

/** Keeps the exact type of an operation while checking its shape. */
export function operation<const O extends Operation>(definition: O): O {
  return definition;
}
