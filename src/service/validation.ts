import type { Static, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { type Fault, Problem } from '../contract/errors.ts';

interface SchemaError {
  keyword: string;
  instancePath: string;
  message: string;
  params: object;
}

/**
 * The value as its schema says, or `invalid_request` with every fault and its path.
 * Null means missing in a request (interface, conventions), so nulls are left out first.
 */
export function validate<S extends TSchema>(schema: S, value: unknown, where: string): Static<S> {
  const given = withoutNulls(value);
  if (isOf(schema, given)) return given;
  throw new Problem('invalid_request', `The ${where} breaks the contract.`, faultsOf(schema, given, where));
}

function isOf<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  return Check(schema, value);
}

/** Deeper than any request of the interface. */
const deepest = 32;

function withoutNulls(value: unknown, depth = 0): unknown {
  if (depth > deepest) throw new Problem('invalid_request', 'The body is nested too deeply.');
  if (Array.isArray(value)) return value.map((inner) => withoutNulls(inner, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutNulls(inner, depth + 1)]));
}

function faultsOf(schema: TSchema, value: unknown, where: string): Fault[] {
  const faults = new Map<string, string>();
  // Many at once, not only the first few; but nobody reads thousands.
  Settings.Set({ maxErrors: 300 });
  const [, errors] = Errors(schema, value);
  for (const error of errors) {
    for (const [path, message] of explain(error)) if (!faults.has(path)) faults.set(path, message);
  }
  return [...faults].map(([path, message]) => ({ path: path === '' ? where : path, message }));
}

/** The faults that one schema error stands for: a missing field is a fault of that field, not of its parent. */
function explain(error: SchemaError): [string, string][] {
  const at = pathOf(error.instancePath);
  const names = (key: string): string[] => {
    const value: unknown = Object.entries(error.params).find(([name]) => name === key)?.[1];
    return Array.isArray(value) ? value.map(String) : [];
  };
  if (error.keyword === 'boolean') return [[at, 'is not a field of this request']];
  if (error.keyword === 'required') {
    return names('requiredProperties').map((name) => [join(at, name), 'is required']);
  }
  if (error.keyword === 'additionalProperties') {
    return names('additionalProperties').map((name) => [join(at, name), 'is not a field of this request']);
  }
  if (error.keyword === 'pattern') return [[at, 'must have text in it, and no control characters']];
  if (error.keyword === 'enum') return [[at, `must be one of ${names('allowedValues').join(', ')}`]];
  if (error.keyword === 'format') return [[at, 'must be an instant such as 2026-01-31T15:00:00Z']];
  return [[at, error.message]];
}

/** `/orders/0/order_value` as people write it: `orders[0].order_value`. */
function pathOf(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : join(path, part)), '');
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
