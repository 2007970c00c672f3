/**
 * Other services leave out fields. These functions find a list in a response, fill missing fields with empty values, and
 * compare a record with its schema.
 */
import type { Operation, WireResponse } from '../contract/operation.ts';
import type { TSchema } from '../contract/schema.ts';
import { type Fields, isFields } from '../domain/fields.ts';

/** Finds the list in the response to an operation that answers with one; any other response as it is. */
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

/** The value of a JSON text; undefined if it is none. */
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

/** Required fields of a response, if any; `|` separates alternatives. */
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

/** Older programs of the public platform read one quote in place of an array. */
function arrayIn(data: unknown): unknown {
  const list = listIn(data);
  if (!isFields(list)) return data;
  if (Array.isArray(list.data)) return list.data;
  return list.id === undefined ? data : [list];
}

/** Quotes without a status are complete; where there are none, some may still come. */
function quotesIn(data: unknown): unknown {
  const quotes = Array.isArray(data) ? { data } : data;
  if (!isFields(quotes) || 'status' in quotes || !Array.isArray(quotes.data)) return quotes;
  return { ...quotes, status: quotes.data.length > 0 ? 'COMPLETE' : 'PENDING' };
}

/** Values of fields that a response lacks, by path without indexes: `status`, `data.route_id`. */
export type Presets = Readonly<Record<string, unknown>>;

interface Place {
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
  const place: Place = { presets, path: '', mismatches: [] };
  const read = valueAt(schema, value, place);
  return { value: read, mismatch: place.mismatches[0] ?? null };
}

function valueAt(schema: TSchema, value: unknown, place: Place): unknown {
  const { path, mismatches } = place;
  const alternatives = alternativesOf(schema);
  if (alternatives !== null) return unionAt(alternatives, value, place);
  const type = typeOf(schema);
  if (type === null) return value;
  const isRight = isOfType(type, value);
  if (!isRight) mismatches.push(`${path || 'it'} is ${described(value)}, not ${withArticle(type)}`);
  // Numeric IDs become texts. Amounts are integers in cents: texts and decimals are no amounts.
  const isNumericId = type === 'string' && typeof value === 'number';
  const converted = isRight ? value : isNumericId ? String(value) : undefined;
  if (isFields(converted)) return recordAt(schema, converted, place);
  if (Array.isArray(converted)) return itemsAt(schema, converted, place);
  const isInstant = 'format' in schema && schema.format === 'date-time';
  if (!isInstant || !Number.isNaN(Date.parse(String(converted)))) return converted;
  mismatches.push(`${path} is ${described(value)}, not a date and time`);
  return undefined;
}

/** Without an alternative that matches, the difference is that to the one of the same type, or to the first one. */
function unionAt(alternatives: readonly TSchema[], value: unknown, place: Place): unknown {
  const readings: { schema: TSchema; mismatches: string[]; read: unknown }[] = [];
  for (const schema of alternatives) {
    const mismatches: string[] = [];
    const read = valueAt(schema, value, { ...place, mismatches });
    if (mismatches.length === 0) return read;
    readings.push({ schema, mismatches, read });
  }
  const closest = readings.findLast(({ schema }) => isOfType(typeOf(schema) ?? '', value)) ?? readings[0];
  place.mismatches.push(...(closest?.mismatches ?? []));
  return readings.find(({ read }) => read !== undefined)?.read;
}

function itemsAt(schema: TSchema, value: readonly unknown[], place: Place): unknown[] {
  const items = itemSchema(schema);
  if (items === null) return [...value];
  const read = value.map((item, nth) => valueAt(items, item, { ...place, path: `${place.path}[${nth}]` }));
  return read.filter((item) => item !== undefined);
}

function recordAt(schema: TSchema, value: Fields, place: Place): Fields {
  const properties = readProperties(schema);
  const placeOf = (name: string) => ({ ...place, path: place.path === '' ? name : `${place.path}.${name}` });
  const known = Object.entries(value).flatMap(([name, given]) => {
    const field = properties[name];
    const read = field === undefined ? given : valueAt(field, given, placeOf(name));
    return read === undefined ? [] : [[name, read] as const];
  });
  const record: Fields = Object.fromEntries(known);
  const absent = requiredOf(schema).flatMap((name) => {
    const field = properties[name];
    if (field === undefined || Object.hasOwn(record, name)) return [];
    const inner = placeOf(name);
    place.mismatches.push(`${inner.path} is missing`);
    return [[name, emptyAt(field, inner)] as const];
  });
  return Object.setPrototypeOf(record, Object.fromEntries(absent));
}

/** The empty value of a missing field. */
function emptyAt(schema: TSchema, place: Place): unknown {
  const { presets } = place;
  const path = place.path.replace(/\[\d+\]/g, '');
  if (Object.hasOwn(presets, path)) return presets[path];
  const alternatives = alternativesOf(schema);
  if (alternatives !== null) {
    const [first] = alternatives;
    return alternatives.some((each) => typeOf(each) === 'null') || first === undefined
      ? null
      : emptyAt(first, place);
  }
  if ('const' in schema) return schema.const;
  const type = typeOf(schema);
  if (type === 'object') return recordAt(schema, {}, place);
  return { string: '', integer: Number.NaN, number: Number.NaN, array: [], null: null }[type ?? ''];
}

/** Responses of these tags must be complete: their records are useless without every field. */
const strictTags: readonly string[] = ['Sandbox', 'Service', 'Events', 'Webhooks'];

export function isStrict({ tag }: Pick<Operation, 'tag'>): boolean {
  return strictTags.includes(tag);
}

/** The values of missing fields that follow from the request and the contract. */
export function presetsFor({ id }: Operation, params: Fields, body: unknown): Presets {
  const named = Object.values(params).at(-1);
  const batch = params.batch_id === undefined ? {} : { batch_id: String(params.batch_id) };
  const about = named === undefined ? {} : { id: String(named), ...batch };
  if (id === 'CreateOrders') return { status: 'open' };
  if (id === 'CreateRoute')
    return { status: 'draft', order_ids: isFields(body) ? (body.order_ids ?? []) : [] };
  if (id === 'DispatchRoute') return { ...about, status: 'dispatched' };
  if (id === 'CancelOrder') return { ...about, status: 'canceled' };
  return id === 'ListRouteQuotes' ? { 'data.route_id': named } : about;
}

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

/** Enumerations and constants are compared by type only. */
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
