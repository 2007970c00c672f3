import type { Fault } from './errors.ts';

/** An error of the schema library. */
export interface SchemaError {
  keyword: string;
  /** Where in the schema the rule stands: `#/properties/upsell/anyOf/1/properties/kind`. */
  schemaPath: string;
  instancePath: string;
  message: string;
  params: object;
}

/** Schema errors as people read them, one for each path; `where` is the path of what has none. */
export function faultsOf(errors: readonly SchemaError[], where: string): Fault[] {
  const faults = new Map<string, string>();
  const meant = ofShapesMeant(errors);
  for (const error of meant) {
    for (const [path, message] of explain(error, meant)) if (!faults.has(path)) faults.set(path, message);
  }
  return [...faults].map(([path, message]) => ({ path: path === '' ? where : path, message }));
}

/**
 * Of the shapes that a value may have, the one is meant that its constants name: what is missing for another would
 * be asked for in vain. Nobody who gave something is told that it may be nothing.
 */
function ofShapesMeant(errors: readonly SchemaError[]): SchemaError[] {
  const told = errors.filter((error) => error.keyword !== 'anyOf' && param(error, 'type') !== 'null');
  const shapes = told.map(shapeOf);
  const unmeant = new Set(
    told.filter(({ keyword }) => keyword === 'const').map((error) => shapeOf(error).path),
  );
  const isSettled = (union: string) =>
    shapes.some((shape) => shape.union === union && !unmeant.has(shape.path));
  return told.filter((error) => {
    const { path, union } = shapeOf(error);
    return path === '' || !unmeant.has(path) || (error.keyword === 'const' && !isSettled(union));
  });
}

/** The innermost shape that a rule belongs to, and all shapes beside it; both empty where there is but one. */
function shapeOf({ schemaPath }: SchemaError): { path: string; union: string } {
  const [path = '', union = ''] = /^(.*\/anyOf\/)\d+/.exec(schemaPath) ?? [];
  return { path, union };
}

/** The faults that one schema error stands for: a missing field is a fault of that field, not of its parent. */
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
    // What its other branch lacks is told by that branch.
    case 'if':
      return [];
    case 'minProperties':
      return [[at, 'must have at least one of its fields']];
    case 'pattern':
      return [[at, patternMessage(String(param(error, 'pattern')))]];
    case 'enum':
      return [[at, `must be one of ${names(error, 'allowedValues').join(', ')}`]];
    case 'const':
      return [[at, `must be one of ${constantsAt(error.instancePath, all).join(', ')}`]];
    case 'format':
      return [[at, 'must be an instant such as 2026-01-31T15:00:00Z']];
    default:
      return [[at, error.message]];
  }
}

/** What is wrong with a field that the request does not have. */
export const unknownField = 'is not a field of this request';

function patternMessage(pattern: string): string {
  if (pattern.startsWith('^https?:'))
    return 'must be an address such as https://shop.example, without a query';
  return 'must have text in it, and no control characters';
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
