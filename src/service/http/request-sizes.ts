import type { Fault } from '../../contract/errors.ts';
import { unknownField } from '../../contract/faults.ts';

/**
 * Finds excessive parts of a value: an array that is too long, or as many as `max` unknown fields. The rest is not
 * checked, so that the cost depends on the schema and not on the request. Fewer unknown fields are reported together
 * with the other errors.
 */
export function findExcess(schema: unknown, value: unknown, max: number): Fault[] {
  const search: Search = { max, unknown: [], long: null };
  collect(schema, value, '', search);
  if (search.long !== null) return [search.long];
  return search.unknown.length >= max ? search.unknown : [];
}

interface Search {
  max: number;
  unknown: Fault[];
  /** The first array that is too long; it ends the search. */
  long: Fault | null;
}

function collect(schema: unknown, value: unknown, path: string, search: Search): void {
  if (typeof value !== 'object' || value === null || !isRecord(schema)) return;
  if (Array.isArray(value)) collectFromArray(schema, value, path, search);
  else if (isRecord(value)) collectFromObject(schema, value, path, search);
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
  if (isRecord(properties)) return { known: properties, isExact: additionalProperties === false };
  const shapes = (Array.isArray(anyOf) ? anyOf : [])
    .map((shape: unknown) => (isRecord(shape) ? fieldsOf(shape) : null))
    .filter((fields) => fields !== null);
  if (shapes.length === 0) return null;
  return {
    known: Object.assign({}, ...shapes.map(({ known }) => known)),
    isExact: shapes.every(({ isExact }) => isExact),
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
