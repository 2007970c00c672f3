/** Reads responses that may lack fields: compares them with the schema, and fills in empty values (`readLeniently`). */
import type { Operation, WireResponse } from '../contract/operation.ts';
import type { TSchema } from '../contract/schema.ts';
import { type Fields, isFields } from '../domain/fields.ts';

/** Finds the list in the response to an operation that answers with one; returns any other response as it is. */
export function unwrapResponse(operation: Operation, data: unknown): unknown {
  if (isList(operation.answer)) return listIn(data);
  if ('items' in operation.answer) return arrayIn(data);
  return operation.id === 'ListRouteQuotes' ? quotesIn(data) : data;
}

/** The records of the response to a list; empty for any other response. */
export function recordsIn(operation: Operation, { body }: WireResponse): Fields[] {
  const list = unwrapResponse(operation, parseJson(body));
  return isFields(list) && Array.isArray(list.data) ? list.data.filter(isFields) : [];
}

/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isList(schema: TSchema): boolean {
  return 'has_more' in readProperties(schema);
}

/** The fields that an answer must have, by the id of the operation; `|` separates alternatives. */
const requiredFields: Readonly<Record<string, readonly string[]>> = {
  CreateOrders: ['id|batch_id'],
  CreateRoute: ['id'],
  CreateDeliveryInformation: ['id'],
  ListRouteQuotes: ['status|data'],
  GetDelivery: ['id', 'status'],
  GetDetailedDelivery: ['id', 'status'],
  GetOrder: ['id'],
  GetRoute: ['id', 'status'],
  GetBatch: ['batch_id', 'status'],
  GetAccount: ['test_mode'],
};

/** True if a record has the fields that its operation needs. */
export function hasRequiredField({ id }: Pick<Operation, 'id'>, record: Fields): boolean {
  const isGiven = (name: string) => record[name] !== undefined && record[name] !== null;
  return (requiredFields[id] ?? []).every((names) => names.split('|').some(isGiven));
}

function listIn(data: unknown): unknown {
  if (Array.isArray(data)) return { object: 'list', data };
  if (!isFields(data) || Array.isArray(data.data)) return data;
  // `{ "deliveries": [...] }`
  const [only, ...others] = Object.values(data).filter((value) => Array.isArray(value));
  return only !== undefined && others.length === 0 ? { ...data, data: only } : data;
}

/** Finds an array. Older programs of the public platform read one quote in place of an array. */
function arrayIn(data: unknown): unknown {
  const list = listIn(data);
  if (!isFields(list)) return data;
  if (Array.isArray(list.data)) return list.data;
  return list.id === undefined ? data : [list];
}

/** Adds the status of quotes without one: they are complete, but if there are no quotes, some may still come. */
function quotesIn(data: unknown): unknown {
  const quotes = Array.isArray(data) ? { data } : data;
  if (!isFields(quotes) || 'status' in quotes || !Array.isArray(quotes.data)) return quotes;
  return { ...quotes, status: quotes.data.length > 0 ? 'COMPLETE' : 'PENDING' };
}

/** Values of fields that a response lacks, by path without indexes: `status`, `data.route_id`. */
export type Presets = Readonly<Record<string, unknown>>;

/** Where a value is in a response, and what it is read with. */
interface Location {
  presets: Presets;
  /** Such as `data[0].status`; empty for the whole response. */
  path: string;
  /** Receives the differences that are found. */
  mismatches: string[];
}

/**
 * Reads a value by its schema as far as possible. A required field that is missing, null or of an unusable type reads
 * as empty (`''`, `NaN`, `[]`, null, or its preset), but is not an own property of the record, so that JSON output
 * omits it. Unknown fields are kept. The value is undefined if it is unusable; `mismatch` is the first difference to the
 * schema, as the end of a sentence.
 *
 * Only types are compared. Unknown fields and enumeration values are accepted, because the service may add them within
 * a version.
 */
export function readLeniently(
  schema: TSchema,
  value: unknown,
  presets: Presets = {},
): { value: unknown; mismatch: string | null } {
  const location: Location = { presets, path: '', mismatches: [] };
  const read = readValue(schema, value, location);
  return { value: read, mismatch: location.mismatches[0] ?? null };
}

function readValue(schema: TSchema, value: unknown, location: Location): unknown {
  const { path, mismatches } = location;
  const alternatives = alternativesOf(schema);
  if (alternatives !== null) return readUnion(alternatives, value, location);
  const type = typeOf(schema);
  if (type === null) return value;
  const isRight = isOfType(type, value);
  if (!isRight) mismatches.push(`${path || 'it'} is ${described(value)}, not ${withArticle(type)}`);
  // Numeric IDs become texts. Amounts are integers in cents: texts and decimals are no amounts.
  const isNumericId = type === 'string' && typeof value === 'number';
  const converted = isRight ? value : isNumericId ? String(value) : undefined;
  if (isFields(converted)) return readRecord(schema, converted, location);
  if (Array.isArray(converted)) return readItems(schema, converted, location);
  const isInstant = 'format' in schema && schema.format === 'date-time';
  if (!isInstant || !Number.isNaN(Date.parse(String(converted)))) return converted;
  mismatches.push(`${path} is ${described(value)}, not a date and time`);
  return undefined;
}

/** If no alternative matches, the mismatches are those to the alternative of the same type, or to the first one. */
function readUnion(alternatives: readonly TSchema[], value: unknown, location: Location): unknown {
  const readings: { schema: TSchema; mismatches: string[]; read: unknown }[] = [];
  for (const schema of alternatives) {
    const mismatches: string[] = [];
    const read = readValue(schema, value, { ...location, mismatches });
    if (mismatches.length === 0) return read;
    readings.push({ schema, mismatches, read });
  }
  const closest = readings.findLast(({ schema }) => isOfType(typeOf(schema) ?? '', value)) ?? readings[0];
  location.mismatches.push(...(closest?.mismatches ?? []));
  return readings.find(({ read }) => read !== undefined)?.read;
}

function readItems(schema: TSchema, value: readonly unknown[], location: Location): unknown[] {
  const items = itemSchema(schema);
  if (items === null) return [...value];
  const read = value.map((item, nth) =>
    readValue(items, item, { ...location, path: `${location.path}[${nth}]` }),
  );
  return read.filter((item) => item !== undefined);
}

/** Reads the fields of a record; its prototype has the empty values of required fields that are missing. */
function readRecord(schema: TSchema, value: Fields, location: Location): Fields {
  const properties = readProperties(schema);
  const locationOf = (name: string) => ({
    ...location,
    path: location.path === '' ? name : `${location.path}.${name}`,
  });
  const present = Object.entries(value).flatMap(([name, given]) => {
    const field = properties[name];
    const read = field === undefined ? given : readValue(field, given, locationOf(name));
    return read === undefined ? [] : [[name, read] as const];
  });
  const record: Fields = Object.fromEntries(present);
  const absent = requiredOf(schema).flatMap((name) => {
    const field = properties[name];
    if (field === undefined || Object.hasOwn(record, name)) return [];
    const fieldLocation = locationOf(name);
    location.mismatches.push(`${fieldLocation.path} is missing`);
    return [[name, emptyValue(field, fieldLocation)] as const];
  });
  return Object.setPrototypeOf(record, Object.fromEntries(absent));
}

/** The preset or the empty value of a missing field. */
function emptyValue(schema: TSchema, location: Location): unknown {
  const { presets } = location;
  const path = location.path.replace(/\[\d+\]/g, '');
  if (Object.hasOwn(presets, path)) return presets[path];
  const alternatives = alternativesOf(schema);
  if (alternatives !== null) {
    const [first] = alternatives;
    return alternatives.some((each) => typeOf(each) === 'null') || first === undefined
      ? null
      : emptyValue(first, location);
  }
  if ('const' in schema) return schema.const;
  const type = typeOf(schema);
  if (type === 'object') return readRecord(schema, {}, location);
  return { string: '', integer: Number.NaN, number: Number.NaN, array: [], null: null }[type ?? ''];
}

/** Responses of these tags must be complete: their records are useless without every field. */
const strictTags: readonly string[] = ['Sandbox', 'Service', 'Events', 'Webhooks'];

export function isStrict({ tag }: Pick<Operation, 'tag'>): boolean {
  return strictTags.includes(tag);
}

/** The values of missing fields that follow from the request and the contract. */
export function presetsFor({ id }: Operation, params: Fields, body: unknown): Presets {
  // The last parameter of a path is the ID of the record.
  const record_id = Object.values(params).at(-1);
  const batch = params.batch_id === undefined ? {} : { batch_id: String(params.batch_id) };
  const ids = record_id === undefined ? {} : { id: String(record_id), ...batch };
  const presets: Readonly<Record<string, Presets>> = {
    CreateOrders: { status: 'open' },
    CreateRoute: { status: 'draft', order_ids: isFields(body) ? (body.order_ids ?? []) : [] },
    DispatchRoute: { ...ids, status: 'dispatched' },
    CancelOrder: { ...ids, status: 'canceled' },
    ListRouteQuotes: { 'data.route_id': record_id },
  };
  return presets[id] ?? ids;
}

/** A value in an error: its kind, or the beginning of its JSON. */
function described(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (isFields(value)) return 'an object';
  const text = JSON.stringify(value) ?? 'empty';
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function alternativesOf(schema: TSchema): TSchema[] | null {
  return 'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf.filter(isSchema) : null;
}

/** The schema itself, or its only alternative to null. */
export function onlySchema(schema: TSchema): TSchema | null {
  const alternatives = (alternativesOf(schema) ?? [schema]).filter((each) => typeOf(each) !== 'null');
  const [only, ...others] = alternatives;
  return only === undefined || others.length > 0 ? null : only;
}

/** The schema of the items of an array; null if it says nothing about them. */
export function itemSchema(schema: TSchema): TSchema | null {
  return 'items' in schema && isSchema(schema.items) ? schema.items : null;
}

export function readProperties(schema: TSchema): Readonly<Record<string, TSchema>> {
  return 'properties' in schema && areSchemas(schema.properties) ? schema.properties : {};
}

function requiredOf(schema: TSchema): string[] {
  const required: unknown[] = 'required' in schema && Array.isArray(schema.required) ? schema.required : [];
  return required.filter((name) => typeof name === 'string');
}

function isSchema(value: unknown): value is TSchema {
  return isFields(value);
}

/** The properties of a schema of the contract are schemas. */
function areSchemas(value: unknown): value is Record<string, TSchema> {
  return isFields(value);
}

/** The type of the values of a schema; null if it says none. An enumeration or a constant has that of its first value. */
function typeOf(schema: TSchema): string | null {
  if ('type' in schema && typeof schema.type === 'string') return schema.type;
  const [first] = 'enum' in schema && Array.isArray(schema.enum) ? schema.enum : [];
  if (first !== undefined) return typeof first;
  return 'const' in schema ? typeof schema.const : null;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isFields(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === type;
}
