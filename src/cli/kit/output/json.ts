import { escapedJson } from './sanitize.ts';

/** The fields to pick, as dotted paths; null for all. */
export type Fields = readonly string[] | null;

/** A value as JSON: on several lines for people, on one for programs. */
export function jsonText(data: unknown, { fields, indented }: { fields: Fields; indented: boolean }): string {
  return escapedJson(JSON.stringify(picked(data, fields), null, indented ? 2 : 0) ?? 'null');
}

/** The fields picked out of data, in the shape they have there. */
export function picked(data: unknown, fields: Fields): unknown {
  return fields === null ? data : pickFrom(data, fields);
}

/** The fields asked for that none of the records has. What cannot be known, as in an empty array, counts as there. */
export function unknownFields(records: readonly unknown[], fields: readonly string[]): string[] {
  return fields.filter((field) => !records.some((data) => has(data, field.split('.'))));
}

function has(data: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined || data === null) return true;
  if (Array.isArray(data)) return data.length === 0 || data.some((entry) => has(entry, [name, ...rest]));
  return isObject(data) && isKnown(data, name) && has(data[name], rest);
}

/** A field that the answer left out reads as empty from the prototype of its record. */
function isKnown(data: object, name: string): boolean {
  return Object.hasOwn(data, name) || (name in data && !(name in {}));
}

function pickFrom(data: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(data)) return data.map((entry) => pickFrom(entry, fields));
  return fields.map((field) => pick(data, field.split('.'))).reduce(merged, {});
}

/** The part of the data at a path, in the shape it has there; null where there is none. */
function pick(data: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return data ?? null;
  if (Array.isArray(data)) return data.map((entry) => pick(entry, [name, ...rest]));
  const value = isObject(data) && Object.hasOwn(data, name) ? data[name] : undefined;
  return { [name]: rest.length > 0 && value == null ? null : pick(value, rest) };
}

function merged(left: unknown, right: unknown): unknown {
  if (Array.isArray(left) && Array.isArray(right))
    return left.map((entry, index) => merged(entry, right[index]));
  if (!isObject(left) || !isObject(right)) return right;
  const joined = Object.entries(right).map(([name, value]) => [
    name,
    name in left ? merged(left[name], value) : value,
  ]);
  return { ...left, ...Object.fromEntries(joined) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
