/**
 * Validates the parts of a request by the schemas of its operation, and names each fault by its path. It first looks for
 * arrays and unknown fields in excess, so that the cost of a check depends on the schema and not on the request.
 */
import type { Static, TSchema } from 'typebox';
import { Check, Compile, Errors, type Validator } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { type Fault, invalidRequest, Problem } from '../../contract/errors.ts';
import { type SchemaError, toFaults, unknownField } from '../../contract/faults.ts';
import type { TObject } from '../../contract/schema.ts';
import { isFields } from '../../domain/fields.ts';

/** The maximum number of errors in a response; more would be slow to find. */
const max_faults = 100;
/** The maximum length of a path in an error: names of unknown fields can be of any length. */
const max_path = 200;

/**
 * Validates a value by its schema, or throws `invalid_request` with all errors and their paths. Null means missing in
 * a request, so nulls are removed first unless they have a meaning. Excessive values are rejected before anything
 * else is checked.
 */
export function validate<S extends TSchema>(
  schema: S,
  value: unknown,
  where: string,
  keepsNulls = false,
): Static<S> {
  const excess = findExcess(schema, value, max_faults);
  if (excess.length > 0) throw refusal(excess, where);
  const checked = keepsNulls || !hasNull(value) ? value : withoutNulls(value);
  if (isOf(schema, checked)) return checked;
  throw refusal(toFaults(errorsOf(schema, checked), where), where);
}

/** Converts query strings to numbers, booleans and lists as the schema requires. */
export function coerceQuery(schema: TObject | undefined, query: Record<string, string>): object {
  const types = new Map(
    Object.entries(schema?.properties ?? {}).map(([name, property]) => [name, typeOf(property)]),
  );
  return Object.fromEntries(
    Object.entries(query).map(([name, text]) => [name, coerce(types.get(name), text)]),
  );
}

function typeOf(property: object): unknown {
  return 'type' in property ? property.type : undefined;
}

function coerce(type: unknown, text: string): unknown {
  if (type === 'integer' && /^-?\d+$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'array') return text.split(',');
  return text;
}

function refusal(faults: readonly Fault[], where: string): Problem {
  const shown = faults.slice(0, max_faults).map(({ path, message }) => ({
    path: path.length > max_path ? `${path.slice(0, max_path)}...` : path,
    message,
  }));
  if (faults.length < max_faults) return invalidRequest(shown);
  const message = `The ${where} has too many errors; these are the first ${shown.length}.`;
  return new Problem('invalid_request', message, shown);
}

function errorsOf(schema: TSchema, value: unknown): SchemaError[] {
  Settings.Set({ maxErrors: max_faults });
  const [, errors] = Errors(schema, value);
  return errors;
}

const used = new WeakSet<TSchema>();
const compiled = new WeakMap<TSchema, Validator>();

/**
 * Compiles a schema at its second use: compiling takes as long as a hundred checks without it, and most commands check
 * a schema only once.
 */
function isOf<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  if (!used.has(schema)) {
    used.add(schema);
    return Check(schema, value);
  }
  const validator = compiled.get(schema) ?? Compile(schema);
  compiled.set(schema, validator);
  return validator.Check(value);
}

/** Deeper than any valid request. */
const max_depth = 32;

function hasNull(value: unknown, depth = 0): boolean {
  if (depth > max_depth) throw new Problem('invalid_request', 'The body is nested too deeply.');
  if (typeof value !== 'object' || value === null) return value === null;
  return Object.values(value).some((inner) => hasNull(inner, depth + 1));
}

function withoutNulls(value: unknown, depth = 0): unknown {
  if (depth > max_depth) throw new Problem('invalid_request', 'The body is nested too deeply.');
  if (Array.isArray(value)) return value.map((inner) => withoutNulls(inner, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNulls(inner, depth + 1)]));
}

interface Search {
  max: number;
  unknown: Fault[];
  /** The first array that is too long; it ends the search. */
  long: Fault | null;
}

/**
 * Finds excessive parts of a value: an array that is too long, or as many as `max` unknown fields. The rest is not
 * checked, so that the cost depends on the schema and not on the request. Fewer unknown fields are reported together
 * with the other errors.
 */
function findExcess(schema: unknown, value: unknown, max: number): Fault[] {
  const search: Search = { max, unknown: [], long: null };
  collect(schema, value, '', search);
  if (search.long !== null) return [search.long];
  return search.unknown.length >= max ? search.unknown : [];
}

function collect(schema: unknown, value: unknown, path: string, search: Search): void {
  if (typeof value !== 'object' || value === null || !isFields(schema)) return;
  if (Array.isArray(value)) collectFromArray(schema, value, path, search);
  else if (isFields(value)) collectFromObject(schema, value, path, search);
}

function collectFromArray(
  { items, maxItems }: Record<string, unknown>,
  values: readonly unknown[],
  path: string,
  search: Search,
): void {
  if (typeof maxItems === 'number' && values.length > maxItems) {
    search.long = { path: path || 'body', message: `must not have more than ${maxItems} items` };
    return;
  }
  for (const [index, value] of values.entries()) {
    if (isOver(search)) return;
    collect(items, value, `${path}[${index}]`, search);
  }
}

function collectFromObject(
  schema: Record<string, unknown>,
  value: Record<string, unknown>,
  path: string,
  search: Search,
): void {
  const fields = fieldsOf(schema);
  if (fields === null) return;
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  for (const name in value) {
    if (isOver(search)) return;
    if (Object.hasOwn(fields.known, name)) collect(fields.known[name], value[name], at(name), search);
    else if (fields.isExact) search.unknown.push({ path: at(name), message: unknownField });
  }
}

function isOver({ max, unknown, long }: Search): boolean {
  return long !== null || unknown.length >= max;
}

interface Fields {
  known: Record<string, unknown>;
  /** Whether unknown fields are rejected. */
  isExact: boolean;
}

/** The fields of an object, of a union those of all its shapes; null if the schema is not an object. */
function fieldsOf({ properties, additionalProperties, anyOf }: Record<string, unknown>): Fields | null {
  if (isFields(properties)) return { known: properties, isExact: additionalProperties === false };
  const shapes = (Array.isArray(anyOf) ? anyOf : [])
    .map((shape: unknown) => (isFields(shape) ? fieldsOf(shape) : null))
    .filter((fields) => fields !== null);
  if (shapes.length === 0) return null;
  return {
    known: Object.assign({}, ...shapes.map(({ known }) => known)),
    isExact: shapes.every(({ isExact }) => isExact),
  };
}
