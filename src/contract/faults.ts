/** Turns errors of the schema library into faults that name a field and say what is wrong with it. */
import type { Fault } from './errors.ts';

export interface SchemaError {
  keyword: string;
  /** The location of the rule in the schema: `#/properties/upsell/anyOf/1/properties/kind`. */
  schemaPath: string;
  instancePath: string;
  message: string;
  params: object;
}

/** Converts schema errors to readable ones, one for each path; `where` replaces an empty path. */
export function toFaults(errors: readonly SchemaError[], where: string): Fault[] {
  const faults = new Map<string, string>();
  const selected = selectedErrors(errors);
  for (const error of selected) {
    for (const [path, message] of explain(error, selected)) if (!faults.has(path)) faults.set(path, message);
  }
  return [...faults].map(([path, message]) => ({ path: path === '' ? where : path, message }));
}

/**
 * For a union, keeps only the errors of the alternative that the value's constants select, and drops those of the
 * null alternative, so that the message does not ask for fields of another alternative.
 */
function selectedErrors(errors: readonly SchemaError[]): SchemaError[] {
  const candidates = errors.filter((error) => error.keyword !== 'anyOf' && param(error, 'type') !== 'null');
  const shapes = candidates.map(shapeOf);
  const rejected = new Set(
    candidates.filter(({ keyword }) => keyword === 'const').map((error) => shapeOf(error).path),
  );
  const isSettled = (union: string) =>
    shapes.some((shape) => shape.union === union && !rejected.has(shape.path));
  return candidates.filter((error) => {
    const { path, union } = shapeOf(error);
    return path === '' || !rejected.has(path) || (error.keyword === 'const' && !isSettled(union));
  });
}

/** The innermost union alternative that a rule belongs to, and the path of its union; both empty outside of a union. */
function shapeOf({ schemaPath }: SchemaError): { path: string; union: string } {
  const [path = '', union = ''] = /^(.*\/anyOf\/)\d+/.exec(schemaPath) ?? [];
  return { path, union };
}

/** The message for a field that the request does not have. */
export const unknownField = 'is not a field of this request';

/** The errors reported for one schema error: a missing field is an error of that field, not of its parent. */
function explain(error: SchemaError, all: readonly SchemaError[]): [string, string][] {
  const at = pathOf(error.instancePath);
  const each = (key: string, message: string): [string, string][] =>
    names(error, key).map((name) => [join(at, name), message]);
  switch (error.keyword) {
    case 'boolean':
      return [[at, unknownField]];
    case 'required':
      return each('requiredProperties', 'is required');
    case 'additionalProperties':
      return each('additionalProperties', unknownField);
    // The failing branch reports its own errors.
    case 'if':
      return [];
    case 'minProperties':
      return [[at, 'must have at least one field']];
    case 'pattern':
      return [[at, patternMessage(String(param(error, 'pattern')))]];
    case 'enum':
      return [[at, `must be one of ${names(error, 'allowedValues').join(', ')}`]];
    case 'const':
      return [[at, `must be one of ${constantsAt(error.instancePath, all).join(', ')}`]];
    case 'format':
      return [[at, 'must be a date and time such as 2026-01-31T15:00:00Z']];
    case 'type':
      return [[at, typeMessage(error)]];
    case 'uniqueItems':
      return [[at, 'must not have the same value twice']];
    default:
      return [[at, error.message]];
  }
}

const typeTexts: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  number: 'a number',
  object: 'an object',
  string: 'text',
};

function typeMessage(error: SchemaError): string {
  const text = typeTexts[String(param(error, 'type'))];
  return text === undefined ? error.message : `must be ${text}`;
}

function patternMessage(pattern: string): string {
  if (pattern.includes('@<>')) return 'must be an e-mail address such as joe@diner.example';
  if (pattern.startsWith('^https?:')) return 'must be a URL such as https://shop.example, without a query';
  return 'must not be blank or contain control characters';
}

function constantsAt(path: string, errors: readonly SchemaError[]): string[] {
  const here = errors.filter(({ keyword, instancePath }) => keyword === 'const' && instancePath === path);
  return [...new Set(here.map((error) => String(param(error, 'allowedValue'))))];
}

function param({ params }: SchemaError, key: string): unknown {
  return Object.entries(params).find(([name]) => name === key)?.[1];
}

function names(error: SchemaError, key: string): string[] {
  const value = param(error, key);
  return Array.isArray(value) ? value.map(String) : [];
}

/** Converts a JSON pointer to the usual notation: `/orders/0/order_value` becomes `orders[0].order_value`. */
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
