import type { Operation } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import type { Order } from '../contract/orders.ts';
import type { Route } from '../contract/routes.ts';
import type { TSchema } from '../contract/schema.ts';
import { type Fields, isFields } from '../domain/fields.ts';

/** Values of fields that a response lacks, by path: `status`, `data.route_id`. */
export type Presets = Readonly<Record<string, unknown>>;

/**
 * Reads a value by its schema as far as possible. A required field that is missing, null or of an unusable type reads
 * as empty (`''`, `NaN`, `[]`, null, or its preset), but is not an own property of the record, so that JSON output
 * omits it. Unknown fields are kept. Returns undefined if the value is unusable.
 */
export function readLeniently(schema: TSchema, value: unknown, presets: Presets = {}): unknown {
  return valueAt(schema, value, { presets, path: '' });
}

interface Place {
  presets: Presets;
  path: string;
}

function valueAt(schema: TSchema, value: unknown, place: Place): unknown {
  const alternatives = alternativesOf(schema);
  if (alternatives !== null) {
    const found = alternatives.map((each) => valueAt(each, value, place));
    return found.find((each) => each !== undefined);
  }
  const type = typeOf(schema);
  if (type === null) return value;
  if (isFields(value) && type === 'object') return recordAt(schema, value, place);
  if (Array.isArray(value) && type === 'array') return itemsAt(schema, value, place);
  const converted = convertedTo(type, value);
  const isInstant = 'format' in schema && schema.format === 'date-time';
  return isInstant && Number.isNaN(Date.parse(String(converted))) ? undefined : converted;
}

/** Converts numeric IDs to text, and numbers in text to numbers. */
function convertedTo(type: string, value: unknown): unknown {
  if (isOfType(type, value)) return value;
  if (type === 'string' && typeof value === 'number') return String(value);
  if (type !== 'integer' && type !== 'number') return undefined;
  // "9.00" is not an amount in cents.
  const digits = type === 'integer' ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/;
  const number = typeof value === 'string' && digits.test(value) ? Number(value) : undefined;
  return isOfType(type, number) ? number : undefined;
}

function itemsAt(schema: TSchema, value: readonly unknown[], place: Place): unknown[] {
  const items = itemsOf(schema);
  if (items === null) return [...value];
  return value.map((item) => valueAt(items, item, place)).filter((item) => item !== undefined);
}

function recordAt(schema: TSchema, value: Fields, { presets, path }: Place): Fields {
  const properties = propertiesOf(schema);
  const placeOf = (name: string) => ({ presets, path: path === '' ? name : `${path}.${name}` });
  const known = Object.entries(value).flatMap(([name, given]) => {
    const field = properties[name];
    const read = field === undefined ? given : valueAt(field, given, placeOf(name));
    return read === undefined ? [] : [[name, read] as const];
  });
  const record: Fields = Object.fromEntries(known);
  const absent = requiredOf(schema).flatMap((name) => {
    const field = properties[name];
    return field === undefined || Object.hasOwn(record, name)
      ? []
      : [[name, emptyAt(field, placeOf(name))] as const];
  });
  return Object.setPrototypeOf(record, Object.fromEntries(absent));
}

/** The empty value of a missing field. */
function emptyAt(schema: TSchema, place: Place): unknown {
  const { presets, path } = place;
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

export function alternativesOf(schema: TSchema): TSchema[] | null {
  return 'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf.filter(isSchema) : null;
}

/** The schema of the items of an array; null if it says nothing about them. */
export function itemsOf(schema: TSchema): TSchema | null {
  return 'items' in schema && isSchema(schema.items) ? schema.items : null;
}

export function propertiesOf(schema: TSchema): Readonly<Record<string, TSchema>> {
  return 'properties' in schema && areSchemas(schema.properties) ? schema.properties : {};
}

export function requiredOf(schema: TSchema): string[] {
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

/** The draft route of a service without route look-ups: only its ID is known. */
export function assumedRoute(id: string): Route {
  return recordWith<Route>(operations.routes.get.answer, { id, status: 'draft' });
}

/** The open order of a service without order look-ups: only its ID is known. */
export function assumedOrder(id: string): Order {
  return recordWith<Order>(operations.orders.get.answer, { id, status: 'open' });
}

/** A record with these fields; all others read as empty. */
function recordWith<T extends object>(schema: TSchema, fields: Partial<T>): T {
  const record = readLeniently(schema, fields);
  if (isRecord<T>(record)) return record;
  throw new TypeError('the schema is not that of a record');
}

function isRecord<T extends object>(value: unknown): value is T {
  return typeof value === 'object' && value !== null;
}

/** Enumerations and constants are compared by type only. */
export function typeOf(schema: TSchema): string | null {
  if ('type' in schema && typeof schema.type === 'string') return schema.type;
  const [first] = 'enum' in schema && Array.isArray(schema.enum) ? schema.enum : [];
  if (first !== undefined) return typeof first;
  return 'const' in schema ? typeof schema.const : null;
}

export function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isFields(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'number') return Number.isFinite(value);
  return typeof value === type;
}

/** Responses of these tags must be complete: their records are useless without every field. */
const strictTags: readonly string[] = ['Sandbox', 'Service', 'Events', 'Webhooks'];

export function isStrict({ tag }: Pick<Operation, 'tag'>): boolean {
  return strictTags.includes(tag);
}

/** The values of missing fields that follow from the request and the contract. */
export function presetsFor({ id }: Operation, params: Fields, body: unknown): Presets {
  const named = Object.values(params).at(-1);
  const about = named === undefined ? {} : { id: String(named), batch_id: String(named) };
  if (id === 'CreateOrders') return { status: 'open' };
  if (id === 'CreateRoute')
    return { status: 'draft', order_ids: isFields(body) ? (body.order_ids ?? []) : [] };
  if (id === 'DispatchRoute') return { ...about, status: 'dispatched' };
  return id === 'ListRouteQuotes' ? { 'data.route_id': named } : about;
}
