import type { TObject } from '../../contract/schema.ts';

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

export interface Target {
  path: string;
  query: Record<string, string>;
}

/** Splits a request target into path and query; of a repeated name, the last value is used. */
export function parseTarget(target: string): Target {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: {} };
  const query = Object.fromEntries(new URLSearchParams(target.slice(mark + 1)));
  return { path: target.slice(0, mark), query };
}
