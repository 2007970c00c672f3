/** The types of the fields in requests and responses, as JSON Schema. */
import type { Static, TObject, TProperties, TSchema } from 'typebox';
import * as typebox from 'typebox';
import { precisions } from './vocabulary.ts';

/** The builders of the schema library that the contract uses, so that only these are loaded. */
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

/** The largest number in requests and responses. */
const max_number = 99_999_999;

/**
 * Characters within `[...]`, written so that ECMAScript, Python, Java and RE2 (Go) read them alike: control characters
 * but tab and newline, and spaces.
 */
const controls = '\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f';
const spaces = '\\t\\n \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

/** Refuses control characters. */
const printable = `^[^${controls}]*$`;

/**
 * Requires at least one character that is not a space. Its first two parts have no character in common, so that
 * matching is linear.
 */
const words = `^[${spaces}]*[^${controls}${spaces}][^${controls}]*$`;

interface Described {
  description?: string;
  /** The value of an absent field. */
  default?: string | number;
}

/** A JSON Schema condition: if one field is present, others are not required. */
interface Alternative {
  if: { required: readonly string[] };
  else: { required: readonly string[] };
}

/** Requires fields of an object unless an alternative field is given. */
export function requiredUnless(field: string, required: readonly string[]): Alternative {
  return { if: { required: [field] }, else: { required } };
}

/**
 * A rule between the fields of an object that code checks, with better messages than a schema has. The description
 * turns it into JSON Schema (`openapi-rules.ts`); what is null counts as absent.
 */
export type FieldRule =
  /** All fields of at least one of the groups are given. */
  | { any: readonly (readonly string[])[] }
  /** At most one of the fields is given. */
  | { one: readonly string[] }
  /** All of the fields are given, or none. */
  | { together: readonly string[] }
  /** With the first field, the others are not given. */
  | { without: readonly string[] }
  /** A rule in JSON Schema. */
  | { schema: object };

/** An object that rejects unknown fields. */
export function Exact<P extends TProperties>(
  properties: P,
  {
    rules,
    ...options
  }: Described & {
    title?: string;
    minProperties?: number;
    rules?: readonly FieldRule[];
  } & Partial<Alternative> = {},
) {
  const known = rules === undefined ? {} : { 'x-rules': rules };
  return Type.Object(properties, { ...options, ...known, additionalProperties: false });
}

export function Text(maxLength: number, options: Described = {}) {
  return Type.String({ ...options, maxLength, pattern: printable });
}

/** Text that is not blank. */
export function Words(maxLength: number, options: Described = {}) {
  return Type.String({ ...options, minLength: 1, maxLength, pattern: words });
}

/** Characters that have no meaning in the header of a message, within `[^...]`. */
const notInEmail = `${controls}${spaces}@<>(),:;"\\\\\\[\\]`;

/** Requires a name, one `@` and a domain with a dot. */
const email = `[^${notInEmail}]+@[^${notInEmail}.]+(\\.[^${notInEmail}.]+)+`;

/** An e-mail address, or empty text for none. */
export function Email(options: Described = {}) {
  return Type.String({ ...options, maxLength: 254, pattern: `^(${email})?$` });
}

/** The id of another record in a request; an unknown id is `record_not_found`. */
export function Reference(options: Described = {}) {
  return Type.String({ ...options, minLength: 1, pattern: printable });
}

export function Count(options: Described & { minimum?: number; maximum?: number } = {}) {
  return Type.Integer({ minimum: 0, maximum: max_number, ...options });
}

/** An amount in US cents. */
export function Cents(description: string) {
  return Count({ description });
}

/** Several of the given names; a query separates them by commas. */
export function Several<const N extends string>(names: readonly N[]) {
  return Type.Array(Type.Enum(names), { minItems: 1, maxItems: 50 });
}

export function Latitude(description?: string) {
  return Type.Number({ minimum: -90, maximum: 90, ...(description === undefined ? {} : { description }) });
}

export function Longitude() {
  return Type.Number({ minimum: -180, maximum: 180 });
}

/** How precise the coordinates of a place are. */
export function PlacePrecision() {
  return Type.Enum(precisions, {
    description:
      '`exact`: as given in the request. `house`: found by its number. `street`: somewhere in its street, or estimated ' +
      'by the number. `zip`: the centre of the ZIP code, or of the city without one',
  });
}

/** The coordinates of a pickup and a dropoff in records. */
export const orderCoordinates = {
  pickup_latitude: Latitude(),
  pickup_longitude: Longitude(),
  pickup_precision: PlacePrecision(),
  dropoff_latitude: Latitude(),
  dropoff_longitude: Longitude(),
  dropoff_precision: PlacePrecision(),
};

/** A date and time in ISO 8601. Records use UTC with milliseconds; requests may use any offset. */
export function Instant(description?: string) {
  return Type.String({
    format: 'date-time',
    maxLength: 40,
    ...(description === undefined ? {} : { description }),
  });
}

export function Id(prefix: string) {
  return Type.String({ pattern: printable, description: `Id that starts with ${prefix}_` });
}

/** The answer to a deletion: the id of what is gone. */
export function Deleted<I extends TProperties, O extends string>(id: I, object: O, title: string) {
  return Type.Object({ ...id, object: Type.Literal(object), deleted: Type.Literal(true) }, { title });
}

export function Nullable<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

/** One page of records, newest first. */
export function ListOf<S extends TSchema>(record: S) {
  const title = 'title' in record ? { title: `${record.title}List` } : {};
  return Type.Object(
    {
      object: Type.Literal('list'),
      data: Type.Array(record),
      has_more: Type.Boolean(),
      next_cursor: Nullable(Type.String()),
    },
    title,
  );
}

/** The pagination parameters of every list. */
export const paging = {
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: 'next_cursor of the previous page' })),
};

/** The query fields that limit a list to a time range. */
export const createdBetween = {
  created_after: Type.Optional(Instant('Only records created at or after this time')),
  created_before: Type.Optional(Instant('Only records created before this time')),
};

export interface Page<T> {
  object: 'list';
  data: T[];
  has_more: boolean;
  next_cursor: string | null;
}

export type { Static, TObject, TSchema };
