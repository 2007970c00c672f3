import type { Static, TSchema } from 'typebox';
import { Check, Compile, Errors, type Validator } from 'typebox/schema';
import { Settings } from 'typebox/system';
import { type Fault, Problem } from '../../contract/errors.ts';
import { faultsOf, type SchemaError } from '../../contract/faults.ts';
import { findExcess } from './request-sizes.ts';

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
  const given = keepsNulls || !hasNull(value) ? value : withoutNulls(value);
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
    ? `The ${where} has too many errors; these are the first ${shown.length}.`
    : `The ${where} is invalid.`;
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
