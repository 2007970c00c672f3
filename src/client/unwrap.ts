import type { Operation } from '../contract/operation.ts';
import type { TSchema } from '../contract/schema.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import { alternativesOf, isOfType, itemsOf, propertiesOf, requiredOf, typeOf } from './lenient.ts';

/** Finds the list or the record in a response with any wrapper. */
export function unwrapResponse(operation: Operation, data: unknown): unknown {
  if (isList(operation.answer)) return listIn(data);
  if ('items' in operation.answer) return arrayIn(data);
  if (operation.id === 'ListRouteQuotes') return quotesIn(data);
  if (!('properties' in operation.answer)) return data;
  return recordIn(operation, data);
}

export function isList(schema: TSchema): boolean {
  return 'has_more' in propertiesOf(schema);
}

/** Required fields of a response, if any: one of the alternatives. */
const requiredFields: Readonly<Record<string, readonly string[]>> = {
  CreateOrders: ['id', 'batch_id'],
  CreateRoute: ['id'],
  CreateDeliveryInformation: ['id'],
  ListRouteQuotes: ['status', 'data'],
  GetDelivery: ['status'],
  GetDetailedDelivery: ['status'],
  GetOrder: ['status'],
  GetRoute: ['status'],
  GetBatch: ['status'],
  GetAccount: ['test_mode'],
};

/** True if a record has the fields that its operation needs. */
export function hasRequiredField({ id }: Pick<Operation, 'id'>, record: Fields): boolean {
  const names = requiredFields[id];
  return names === undefined || names.some((name) => record[name] !== undefined && record[name] !== null);
}

function listIn(data: unknown): unknown {
  if (Array.isArray(data)) return { object: 'list', data, has_more: false, next_cursor: null };
  if (!isFields(data) || Array.isArray(data.data)) return data;
  const [only, ...others] = Object.values(data).filter((value) => Array.isArray(value));
  if (only !== undefined && others.length === 0) return { ...data, data: only };
  return isFields(data.data) ? listIn(data.data) : data;
}

function arrayIn(data: unknown): unknown {
  const list = listIn(data);
  return isFields(list) && Array.isArray(list.data) ? list.data : data;
}

/** Derives the status of quotes from their data if it is not a known one. */
function quotesIn(data: unknown): unknown {
  const wrapper = Array.isArray(data) ? { data } : data;
  if (!isFields(wrapper)) return data;
  const status = String(wrapper.status).toUpperCase();
  if (status === 'PENDING' || status === 'COMPLETE') return { ...wrapper, status };
  if (!('data' in wrapper) && !('status' in wrapper)) return data;
  return { ...wrapper, status: Array.isArray(wrapper.data) ? 'COMPLETE' : 'PENDING' };
}

function recordIn(operation: Operation, data: unknown): unknown {
  const isRecord = (value: unknown): value is Fields =>
    isFields(value) &&
    (operation.id in requiredFields ? hasRequiredField(operation, value) : hasKnown(operation.answer, value));
  if (isRecord(data) && 'id' in data) return data;
  const values = valuesIn(data);
  const records = values.filter(isRecord);
  // `{ "status": "success", "data": { "id": 7, "status": "delivered" } }`
  const record = records.find((value) => 'id' in value) ?? records[0];
  if (record !== undefined) return record;
  const noun = nounOf(operation);
  const id = values.map((value) => idIn(value, noun)).find((value) => value !== undefined);
  const [first] = values;
  return id === undefined ? first : { ...(isFields(first) ? first : {}), id };
}

/** The depth of the search for a record in a response. */
const max_depth = 3;

/** Yields a value and its nested values, outermost first; of a list only its single element. */
function valuesIn(data: unknown): unknown[] {
  const values: unknown[] = [];
  let level = [onlyOf(data)];
  for (let depth = 0; depth < max_depth; depth += 1) {
    values.push(...level);
    level = level
      .flatMap((value) => (isFields(value) ? Object.values(value).map(onlyOf) : []))
      .filter(isFields);
  }
  return values;
}

function onlyOf(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** Finds the ID of a record under another name: `order_id`, `orderId`, `order_ids` with one element, `_id`, `uuid`. */
function idIn(value: unknown, noun: string): unknown {
  const names = ['id', 'uuid', `${noun}id`, `${noun}ids`, `${noun}uuid`];
  const entries = Object.entries(isFields(value) ? value : {});
  return entries.map(([name, each]) => (names.includes(plain(name)) ? onlyOf(each) : undefined)).find(isId);
}

function plain(name: string): string {
  return name.replace(/[^a-z]/gi, '').toLowerCase();
}

function isId(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || Number.isSafeInteger(value);
}

/** True if a value has a field that only this record has. */
function hasKnown(schema: TSchema, value: Fields): boolean {
  return Object.keys(propertiesOf(schema)).some((name) => name !== 'object' && Object.hasOwn(value, name));
}

/** `order` for the schema with the title Order. */
function nounOf({ answer }: Operation): string {
  return 'title' in answer && typeof answer.title === 'string' ? answer.title.toLowerCase() : '';
}

/** The first difference between data and the response schema, as the end of a sentence; null if they match. */
export type Mismatch = string | null;

interface SchemaPlace {
  /** `data[0].status`; empty for the whole response. */
  path: string;
  /** Whether required fields of nested records are checked, too. */
  isDeep: boolean;
}

/**
 * Compares types only. Unknown fields and enumeration values are accepted, because the service may add them within a
 * version.
 */
export function findMismatch(schema: TSchema, value: unknown, isDeep: boolean): Mismatch {
  return mismatchAt(schema, value, { path: '', isDeep });
}

function mismatchAt(schema: TSchema, value: unknown, place: SchemaPlace): Mismatch {
  const alternatives = alternativesOf(schema);
  if (alternatives !== null) return mismatchOfUnion(alternatives, value, place);
  const { path } = place;
  const type = typeOf(schema);
  if (type === null) return null;
  if (!isOfType(type, value)) return `${path || 'it'} is ${described(value)}, not ${withArticle(type)}`;
  if (isFields(value)) return mismatchOfFields(schema, value, place);
  if (Array.isArray(value)) return mismatchOfItems(schema, value, place);
  const isInstant = 'format' in schema && schema.format === 'date-time';
  if (!isInstant || !Number.isNaN(Date.parse(String(value)))) return null;
  return `${path} is ${described(value)}, not a date and time`;
}

/** Uses the alternative of the same type for the message, or the first one. */
function mismatchOfUnion(alternatives: readonly TSchema[], value: unknown, place: SchemaPlace): Mismatch {
  let closest: Mismatch = null;
  for (const schema of alternatives) {
    const mismatch = mismatchAt(schema, value, place);
    if (mismatch === null) return null;
    const type = typeOf(schema);
    if (closest === null || (type !== null && isOfType(type, value))) closest = mismatch;
  }
  return closest;
}

function mismatchOfFields(schema: TSchema, value: Fields, { path, isDeep }: SchemaPlace): Mismatch {
  const required = requiredOf(schema);
  for (const [name, field] of Object.entries(propertiesOf(schema))) {
    const inner = path === '' ? name : `${path}.${name}`;
    const isPresent = Object.hasOwn(value, name);
    if (!isPresent && (isDeep || path === '') && required.includes(name)) return `${inner} is missing`;
    const mismatch = isPresent ? mismatchAt(field, value[name], { path: inner, isDeep }) : null;
    if (mismatch !== null) return mismatch;
  }
  return null;
}

function mismatchOfItems(
  schema: TSchema,
  value: readonly unknown[],
  { path, isDeep }: SchemaPlace,
): Mismatch {
  const items = itemsOf(schema);
  if (items === null) return null;
  for (const [index, item] of value.entries()) {
    const mismatch = mismatchAt(items, item, { path: `${path}[${index}]`, isDeep });
    if (mismatch !== null) return mismatch;
  }
  return null;
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
