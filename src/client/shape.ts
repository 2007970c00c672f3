import type { TSchema } from '../contract/schema.ts';
import { type Fields, isFields } from '../domain/fields.ts';

/** The first difference between data and the response schema, as the end of a sentence; null if they match. */
export type Mismatch = string | null;

interface Place {
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

function mismatchAt(schema: TSchema, value: unknown, place: Place): Mismatch {
  if ('anyOf' in schema && Array.isArray(schema.anyOf)) return mismatchOfUnion(schema.anyOf, value, place);
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
function mismatchOfUnion(alternatives: readonly unknown[], value: unknown, place: Place): Mismatch {
  let closest: Mismatch = null;
  for (const schema of alternatives.filter(isSchema)) {
    const mismatch = mismatchAt(schema, value, place);
    if (mismatch === null) return null;
    const type = typeOf(schema);
    if (closest === null || (type !== null && isOfType(type, value))) closest = mismatch;
  }
  return closest;
}

function mismatchOfFields(schema: TSchema, value: Fields, { path, isDeep }: Place): Mismatch {
  const properties = 'properties' in schema && isFields(schema.properties) ? schema.properties : {};
  const required: unknown[] = 'required' in schema && Array.isArray(schema.required) ? schema.required : [];
  for (const [name, field] of Object.entries(properties)) {
    const inner = path === '' ? name : `${path}.${name}`;
    const isPresent = Object.hasOwn(value, name);
    if (!isPresent && (isDeep || path === '') && required.includes(name)) return `${inner} is missing`;
    const mismatch =
      isPresent && isSchema(field) ? mismatchAt(field, value[name], { path: inner, isDeep }) : null;
    if (mismatch !== null) return mismatch;
  }
  return null;
}

function mismatchOfItems(schema: TSchema, value: readonly unknown[], { path, isDeep }: Place): Mismatch {
  const items = 'items' in schema ? schema.items : null;
  if (!isSchema(items)) return null;
  for (const [index, item] of value.entries()) {
    const mismatch = mismatchAt(items, item, { path: `${path}[${index}]`, isDeep });
    if (mismatch !== null) return mismatch;
  }
  return null;
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

function isSchema(value: unknown): value is TSchema {
  return isFields(value);
}
