import type { Static, TObject, TProperties, TSchema } from 'typebox';
import * as typebox from 'typebox';

/** What the contract uses of the schema library: no more of it is loaded. */
export const Type = {
  Array: typebox.Array,
  Boolean: typebox.Boolean,
  Enum: typebox.Enum,
  Integer: typebox.Integer,
  Literal: typebox.Literal,
  Null: typebox.Null,
  Number: typebox.Number,
  Object: typebox.Object,
  Optional: typebox.Optional,
  String: typebox.String,
  Union: typebox.Union,
};

/** The largest number the interface takes or gives (interface, conventions). */
const largestNumber = 99_999_999;

/**
 * Characters within `[...]`, written so that ECMAScript, Python, Java and RE2 (Go) read them alike: control characters
 * but tab and newline, and spaces.
 */
const controls = '\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f';
const spaces = '\\t\\n \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

/** Refuses control characters. */
const printable = `^[^${controls}]*$`;

/** Requires a character that is no space as well. Its first two parts share no character, so that matching is linear. */
const words = `^[${spaces}]*[^${controls}${spaces}][^${controls}]*$`;

interface Described {
  description?: string;
  /** What a field that is absent means. */
  default?: string | number;
}

/** Where one field is there, others need not be. */
interface Alternative {
  if: { required: readonly string[] };
  else: { required: readonly string[] };
}

/** Requires fields of an object unless another stands for them. */
export function requiredUnless(field: string, required: readonly string[]): Alternative {
  return { if: { required: [field] }, else: { required } };
}

/** An object that refuses fields it does not name. */
export function Exact<P extends TProperties>(
  properties: P,
  options: Described & { title?: string; minProperties?: number } & Partial<Alternative> = {},
) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

export function Text(maxLength: number, options: Described = {}) {
  return Type.String({ ...options, maxLength, pattern: printable });
}

/** A text that says something. */
export function Words(maxLength: number, options: Described = {}) {
  return Type.String({ ...options, minLength: 1, maxLength, pattern: words });
}

/** The id of another record in a request; one that nobody has is no record's. */
export function Reference(options: Described = {}) {
  return Type.String({ ...options, minLength: 1, pattern: printable });
}

export function Count(options: Described & { minimum?: number; maximum?: number } = {}) {
  return Type.Integer({ minimum: 0, maximum: largestNumber, ...options });
}

/** An amount of money in cents of a US dollar. */
export function Cents(description: string) {
  return Count({ description });
}

/** An instant, ISO 8601. Records give it in UTC with milliseconds; requests may use any offset. */
export function Instant(description?: string) {
  return Type.String({
    format: 'date-time',
    maxLength: 40,
    ...(description === undefined ? {} : { description }),
  });
}

export function Id(prefix: string) {
  return Type.String({ pattern: printable, description: `An id that begins with ${prefix}_` });
}

export function Nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

/** One page of records, newest first. */
export function ListOf<S extends TSchema>(record: S) {
  return Type.Object({
    object: Type.Literal('list'),
    data: Type.Array(record),
    has_more: Type.Boolean(),
    next_cursor: Nullable(Type.String()),
  });
}

/** The query of every list: how many, and from where. */
export const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: 'next_cursor of the page before' })),
};

/** The query fields that narrow a list to a span of time. */
export const createdBetween = {
  created_after: Type.Optional(Instant('Only records made after this instant')),
  created_before: Type.Optional(Instant('Only records made before this instant')),
};

export interface Page<T> {
  object: 'list';
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}

export type { Static, TObject, TSchema };
