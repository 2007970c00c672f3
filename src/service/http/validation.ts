import type { Static, TSchema } from 'typebox';
import { Check, Errors } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { type Fault, Problem } from '../../contract/errors.ts';
import { faultsOf, type SchemaError } from '../../contract/faults.ts';
import { excessIn } from './request-sizes.ts';

/** Faults in one answer; more are of no use to a reader and take long to find. */
const max_faults = 100;
/** Characters of a path in a fault: the name of an unknown field can be of any length. */
const max_path = 200;

/**
 * The value as its schema says, or `invalid_request` with its faults and their paths.
 * Null means missing in a request (interface, conventions), so nulls are left out first, unless they say something.
 * What is too much is refused before anything else is looked at.
 */
export function validate<S extends TSchema>(
  schema: S,
  value: unknown,
  where: string,
  keepsNulls = false,
): Static<S> {
  const excess = excessIn(schema, value, max_faults);
  if (excess.length > 0) throw refusal(excess, where);
  const given = keepsNulls ? value : withoutNulls(value);
  if (isOf(schema, given)) return given;
  throw refusal(faultsOf(errorsOf(schema, given), where), where);
}

function refusal(faults: readonly Fault[], where: string): Problem {
  const shown = faults.slice(0, max_faults).map(({ path, message }) => ({
    path: path.length > max_path ? `${path.slice(0, max_path)}...` : path,
    message,
  }));
  const isCut = faults.length >= max_faults;
  const message = isCut
    ? `The ${where} breaks the contract in many places; these are the first ${shown.length}.`
    : `The ${where} breaks the contract.`;
  return new Problem('invalid_request', message, shown);
}

function errorsOf(schema: TSchema, value: unknown): SchemaError[] {
  Settings.Set({ maxErrors: max_faults });
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
