import fc from 'fast-check';
import { everyOperation } from '../../../src/contract/openapi.ts';
import { type Permission, permissions } from '../../../src/contract/vocabulary.ts';
import { start } from '../fixture.ts';
import { type Ids, type Parts, permittedByLink, validParts } from './requests.ts';

/** One call of an operation; its records are chosen once there are some. */
export interface ArbitraryCall {
  id: string;
  permission: Permission;
  /** Whether it names records of the caller's own mode. */
  isOwn: boolean;
  /** The idempotency key, possibly one that the other mode has used. */
  name: string;
  /** Its parts are valid, valid except for some fields, or random within the schema. */
  kind: 'valid' | 'changed' | 'random';
  query: Record<string, unknown>;
  body: unknown;
  /** Select the inserted ids. */
  words: number[];
  headers: Record<string, string>;
}

const keyed = everyOperation.filter(({ id }) => !permittedByLink.includes(id));

/** A call of any operation that a key permits. */
export function arbitraryCall(): fc.Arbitrary<ArbitraryCall> {
  const scenarios = ['happy_path', 'provider_error', 'nothing'];
  return fc.constantFrom(...keyed).chain(({ id, query, body }) =>
    fc.record({
      id: fc.constant(id),
      permission: fc.constantFrom(...permissions),
      isOwn: fc.boolean(),
      name: fc.oneof(fc.uuid(), usedKey('live'), usedKey('test')),
      kind: fc.constantFrom('valid', 'changed', 'random'),
      query: query === undefined ? fc.constant({}) : recordOf(query, []),
      body: body === undefined ? fc.constant(undefined) : shaped(body),
      words: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
      headers: fc.constantFrom({}, {}, ...scenarios.map((name) => ({ 'x-simulation': name }))),
    }),
  );
}

function usedKey(mode: string): fc.Arbitrary<string> {
  return fc.integer({ min: 1, max: 30 }).map((number) => `${mode} ${number}`);
}

/** The parts of a call, with the caller's own ids and those that it names. */
export function partsOf(call: ArbitraryCall, { own, named }: { own: Ids; named: Ids }): Parts {
  const { id, kind, words, headers } = call;
  const valid = validParts[id]?.(named) ?? {};
  if (kind === 'valid') return { ...valid, headers };
  const pool = [...Object.values(named), ...Object.values(own), 'swiftly', 'unknown'];
  const word = (nth: number) => pool[(words[nth % words.length] ?? 0) % pool.length] ?? '';
  const body = fill(call.body, word);
  const names = Object.keys(valid.params ?? {});
  const query = Object.entries(call.query).map(([name, value]) => [name, String(fill(value, word))]);
  return {
    params:
      kind === 'changed'
        ? (valid.params ?? {})
        : Object.fromEntries(names.map((name, nth) => [name, word(nth)])),
    query: Object.fromEntries(query),
    body: kind === 'changed' ? merged(valid.body, body) : body,
    headers,
  };
}

/** A placeholder for an existing id. */
const anId = '<id>';

/** A value with the placeholders replaced. */
function fill(value: unknown, word: (nth: number) => string): unknown {
  let nth = 0;
  const filled = (each: unknown): unknown => {
    if (each === anId) return word(nth++);
    if (Array.isArray(each)) return each.map(filled);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, part]) => [name, filled(part)]));
  };
  return filled(value);
}

/** A valid body with some fields of another. */
function merged(valid: unknown, other: unknown): unknown {
  if (typeof valid !== 'object' || typeof other !== 'object' || other === null) return other;
  const fields = Object.entries(other).filter((_, at) => at % 2 === 0);
  return { ...valid, ...Object.fromEntries(fields) };
}

/** The parts of a JSON schema that random values depend on. */
interface Shape {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Shape[];
  format?: string;
  minimum?: number;
  maximum?: number;
  items?: Shape;
  minItems?: number;
  properties?: Record<string, Shape>;
  required?: readonly string[];
}

function recordOf({ properties = {} }: Shape, requiredKeys: readonly string[]) {
  const fields = Object.entries(properties).map(([name, field]) => [name, shaped(field)] as const);
  return fc.record(Object.fromEntries(fields), { requiredKeys: [...requiredKeys] });
}

/** Random values of a schema; texts need not match its patterns. */
function shaped(schema: Shape): fc.Arbitrary<unknown> {
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(shaped));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const { minimum = 0, maximum = 99_999_999, minItems = 0, required = [] } = schema;
  switch (schema.type) {
    case 'string':
      return fc.constantFrom(...(schema.format === 'date-time' ? instants : texts));
    case 'integer':
    case 'number':
      return fc.constantFrom(minimum, Math.min(maximum, minimum + 60), maximum);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(shaped(schema.items ?? {}), { minLength: minItems, maxLength: minItems + 1 });
    case 'object':
      return recordOf(schema, required);
    default:
      return fc.constantFrom(...texts);
  }
}

const instants = [0, 1, 24 * 365 * 9].map((hours) => new Date(start + hours * 3_600_000).toISOString());
const texts = [
  ...[anId, anId, anId, '', 'swiftly', 'a name', '+13125550116', 'https://hooks.example/x', '*'],
  ...['43 E Ohio St, Chicago, IL 60611', '233 S Wacker Dr, Chicago, IL 60606', 'payment_declined'],
];
