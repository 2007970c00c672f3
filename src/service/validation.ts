import type { Static, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { Problem } from '../contract/errors.ts';
import { faultsOf, type SchemaError } from '../contract/faults.ts';

/**
 * The value as its schema says, or `invalid_request` with every fault and its path.
 * Null means missing in a request (interface, conventions), so nulls are left out first, unless they say something.
 */
export function validate<S extends TSchema>(
  schema: S,
  value: unknown,
  where: string,
  keepsNulls = false,
): Static<S> {
  const given = keepsNulls ? value : withoutNulls(value);
  if (isOf(schema, given)) return given;
  throw new Problem(
    'invalid_request',
    `The ${where} breaks the contract.`,
    faultsOf(errorsOf(schema, given), where),
  );
}

function errorsOf(schema: TSchema, value: unknown): SchemaError[] {
  // Many at once, not only the first few; but nobody reads thousands.
  Settings.Set({ maxErrors: 300 });
  const [, errors] = Errors(schema, value);
  return errors;
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
