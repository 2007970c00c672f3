import type { TObject } from '../../contract/schema.ts';

/** Query strings are text; where the contract wants a number or a yes or no, make it one. */
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
  return text;
}

export interface Target {
  path: string;
  query: Record<string, string>;
}

/** Splits the path of a request from its query; a name given twice keeps its last value. */
export function parseTarget(target: string): Target {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: {} };
  const query = Object.fromEntries(new URLSearchParams(target.slice(mark + 1)));
  return { path: target.slice(0, mark), query };
}
