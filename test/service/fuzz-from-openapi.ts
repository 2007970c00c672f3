/** Requests that are made from the served OpenAPI document alone: valid by it, or not. */
import { Compile, type Validator } from 'typebox/schema';
import { type Fields, isFields } from '../../src/domain/fields.ts';
import { fraction, seededChance } from '../../src/service/runtime/random.ts';

export interface Fuzzed {
  id: string;
  method: string;
  path: string;
  body: unknown;
  /** Whether the document allows the body. */
  isValid: boolean;
  /** Why the document refuses an answer; null if it does not. */
  answerFault: (status: number, body: unknown) => string | null;
}

interface Options {
  seed: string;
  count: number;
  /** Replaces the examples of ids and times of the document with those that the service has. */
  current: (example: unknown, name: string) => unknown;
}

/** As many requests as asked for, of all operations in turn; every fourth with a body is not valid. */
export function* fuzzedRequests(document: unknown, { seed, count, current }: Options): Generator<Fuzzed> {
  const draw = numbersFrom(fraction(seededChance(seed)()));
  const maker = createMaker(draw, current);
  const operations = [...operationsIn(resolved(document, document))];
  for (let index = 0; index < count; index += 1) {
    const operation = operations[index % operations.length];
    if (operation === undefined) throw new Error('the document has no operations');
    const { id, method, path, parameters, bodySchema, responses } = operation;
    const valid = bodySchema === null ? undefined : maker.make(bodySchema, '');
    // Some rules are hard to meet by chance.
    if (bodySchema !== null && !meets(bodySchema, valid)) continue;
    const isChanged = bodySchema !== null && Math.floor(index / operations.length) % 4 === 3;
    const broken = isChanged ? maker.breakOnce(bodySchema, valid) : null;
    yield {
      id,
      method: method.toUpperCase(),
      path: pathWith(path, parameters, maker.make),
      body: broken === null ? valid : broken.value,
      isValid: broken === null,
      answerFault: (status, body) => {
        const schema = responses.get(String(status));
        if (schema === undefined) return `status ${status} is not described`;
        return schema === null || meets(schema, body) ? null : `status ${status} has another schema`;
      },
    };
  }
}

/** Numbers in [0, 1), the same for the same start; a hash for each would take most of the time. */
function numbersFrom(start: number): () => number {
  let state = Math.floor(start * 2 ** 32);
  return () => {
    // The multiplier and the increment of Numerical Recipes, of a sequence that has all numbers of 32 bits.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const validators = new WeakMap<Fields, Validator>();

function meets(schema: Fields, value: unknown): boolean {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator.Check(value);
}

/** The document with what its references lead to in their place. */
function resolved(value: unknown, document: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => resolved(each, document));
  if (!isFields(value)) return value;
  if (typeof value.$ref === 'string') {
    let found = document;
    for (const name of value.$ref.split('/').slice(1)) found = isFields(found) ? found[name] : undefined;
    return resolved(found, document);
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      name === 'examples' || name === 'example' || name === 'discriminator'
        ? inner
        : resolved(inner, document),
    ]),
  );
}

interface Described {
  id: string;
  method: string;
  path: string;
  parameters: Fields[];
  bodySchema: Fields | null;
  /** By status; null for what is not JSON. */
  responses: Map<string, Fields | null>;
}

function* operationsIn(document: unknown): Generator<Described> {
  const paths = isFields(document) && isFields(document.paths) ? document.paths : {};
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, each] of Object.entries(isFields(methods) ? methods : {})) {
      if (!isFields(each)) continue;
      const responses = isFields(each.responses) ? Object.entries(each.responses) : [];
      yield {
        id: String(each.operationId),
        method,
        path,
        parameters: Array.isArray(each.parameters) ? each.parameters.filter(isFields) : [],
        bodySchema: jsonSchemaOf(each.requestBody),
        responses: new Map(responses.map(([status, response]) => [status, jsonSchemaOf(response)])),
      };
    }
  }
}

function jsonSchemaOf(holder: unknown): Fields | null {
  const content = isFields(holder) && isFields(holder.content) ? holder.content : {};
  const json = content['application/json'];
  return isFields(json) && isFields(json.schema) ? json.schema : null;
}

type Make = (schema: Fields, name: string) => unknown;

function pathWith(path: string, parameters: readonly Fields[], make: Make): string {
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, in: place, schema, required } of parameters) {
    if (!isFields(schema)) continue;
    const value = String(make(schema, String(name)));
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (place === 'query' && (required === true || query.size === 0)) query.set(String(name), value);
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

/** Texts that may have any content. */
const free = /^(.*_name|name|.*notes?|description|.*_unit|unit|reason|text|detail)$/;

/** The largest number of attempts to meet the rules between fields. */
const max_attempts = 200;

function createMaker(draw: () => number, current: Options['current']) {
  const below = (count: number) => Math.floor(draw() * count);
  const pick = <T>(values: readonly T[]): T | undefined => values[below(values.length)];

  const text = (schema: Fields, name: string): unknown => {
    const [example] = Array.isArray(schema.examples) ? schema.examples : [];
    const maxLength = Number(schema.maxLength ?? 20);
    const random = ['Ann', 'Zoë O’Neil', '2 & 3', 'a'.repeat(Math.min(maxLength, 40))];
    const isFree = free.test(name) && schema.format === undefined && draw() < 0.5;
    return isFree ? pick(random)?.slice(0, maxLength) : current(example ?? 'x', name);
  };

  const number = ({ minimum, maximum, examples }: Fields, name: string): unknown => {
    // A place is near its address.
    if (/latitude|longitude|^lat$|^lng$/.test(name)) return Array.isArray(examples) ? Number(examples[0]) : 0;
    const low = Number(minimum ?? 0);
    const high = Math.min(Number(maximum ?? low + 50), low + 50);
    const [example = low] = Array.isArray(examples) ? examples : [];
    return pick([low, high, example, low + Math.floor((high - low) / 2)]);
  };

  const object = (schema: Fields): Fields => {
    const fields = isFields(schema.properties) ? Object.entries(schema.properties) : [];
    const required = Array.isArray(schema.required) ? schema.required : [];
    const value: Fields = {};
    for (const [name, field] of fields)
      if (isFields(field) && (required.includes(name) || draw() < 0.3)) value[name] = make(field, name);
    return value;
  };

  /** Gives the fields of one of the shapes of each rule, and takes away those that it does not have. */
  const follow = (schema: Fields, value: Fields) => {
    const fields = isFields(schema.properties) ? schema.properties : {};
    const rules = Array.isArray(schema.allOf) ? schema.allOf.filter(isFields) : [];
    for (const { anyOf } of rules) {
      const shape = Array.isArray(anyOf) ? pick(anyOf.filter(isFields)) : undefined;
      if (shape === undefined) continue;
      for (const [name, inner] of Object.entries(isFields(shape.properties) ? shape.properties : {})) {
        const field = fields[name];
        if (isFields(inner) && inner.type === 'null') delete value[name];
        else if (isFields(field)) value[name] = makeGiven(field, name);
      }
    }
  };

  const makeGiven = (field: Fields, name: string): unknown => {
    for (let attempts = 0; attempts < 20; attempts += 1) {
      const value = make(field, name);
      if (value !== null) return value;
    }
    return null;
  };

  const makeOnce: Make = (schema, name) => {
    if ('const' in schema) return schema.const;
    if (Array.isArray(schema.enum)) return pick(schema.enum);
    const shapes = Array.isArray(schema.anyOf)
      ? schema.anyOf
      : Array.isArray(schema.oneOf)
        ? schema.oneOf
        : [];
    const [first] = shapes.filter(isFields);
    if (first !== undefined && schema.properties === undefined) {
      const shape = draw() < 0.7 ? first : pick(shapes.filter(isFields));
      return makeOnce({ examples: schema.examples, ...shape }, name);
    }
    switch (schema.type) {
      case 'null':
        return null;
      case 'boolean':
        return draw() < 0.5;
      case 'integer':
      case 'number':
        return number(schema, name);
      case 'array': {
        const { items } = schema;
        const least = Number(schema.minItems ?? 0);
        const count = Math.max(least, Math.min(Number(schema.maxItems ?? 2), below(3)));
        const all = Array.from({ length: count }, () => (isFields(items) ? make(items, name) : null));
        return schema.uniqueItems === true ? all.slice(0, Math.max(1, least)) : all;
      }
      case 'object': {
        const [example] = Array.isArray(schema.examples) ? schema.examples : [];
        if (schema.properties === undefined && example !== undefined) return example;
        const value = object(schema);
        follow(schema, value);
        return value;
      }
      default:
        return text(schema, name);
    }
  };

  const make: Make = (schema, name) => {
    let value = makeOnce(schema, name);
    for (let attempts = 0; attempts < max_attempts && !meets(schema, value); attempts += 1)
      value = makeOnce(schema, name);
    return value;
  };

  /** A valid value with one fault; null if every change that was tried is valid as well. */
  const breakOnce = (schema: Fields, valid: unknown): { value: unknown } | null => {
    for (let attempts = 0; attempts < max_attempts; attempts += 1) {
      const value = changed(valid);
      if (!meets(schema, value)) return { value };
    }
    return null;
  };

  const changed = (valid: unknown): unknown => {
    if (!isFields(valid)) return pick([1, 'x', [1], true]);
    const names = Object.keys(valid);
    const name = pick(names) ?? 'unknown_field';
    const { [name]: inner, ...rest } = valid;
    return pick<() => unknown>([
      () => rest,
      () => ({ ...valid, unknown_field: 1 }),
      () => ({ ...valid, [name]: { wrong: true } }),
      () => ({ ...valid, [name]: typeof inner === 'string' ? 7 : 'seven' }),
      () => ({ ...valid, [name]: Array.isArray(inner) ? [changed(inner[0])] : changed(inner) }),
    ])?.();
  };

  return { make, breakOnce };
}
