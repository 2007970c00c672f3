/** The parts of the description that several operations share: parameters and error responses, each written once. */
import { type ErrorCode, errorTable } from './errors.ts';
import type { Json } from './openapi-examples.ts';
import { isObject, type JsonObject, referenceTo } from './openapi-schemas.ts';

/** The parameters and error responses of the description, by name. */
export interface SharedParts {
  parameters: Map<string, Json>;
  responses: Map<string, Json>;
}

/** A reference to a parameter; one that differs from another of its name has the name of its operation before it. */
export function shareParameter(
  { parameters }: SharedParts,
  operation_id: string,
  name: string,
  parameter: JsonObject,
): Json {
  const known = parameters.get(name);
  const isSame = known === undefined || JSON.stringify(known) === JSON.stringify(parameter);
  const key = isSame ? name : `${operation_id}.${name}`;
  parameters.set(key, parameter);
  return { $ref: `#/components/parameters/${key}` };
}

/** A reference to the response with a record, by the title of the record. */
export function shareAnswer(
  { responses }: SharedParts,
  { title, response }: { title: string; response: JsonObject },
): Json {
  const { headers } = response;
  const isReplayed = isObject(headers) && 'idempotent-replayed' in headers;
  const key = isReplayed ? `${title}.kept` : title;
  responses.set(key, response);
  return { $ref: `#/components/responses/${key}` };
}

/** The word for a status, and the codes that it has at most operations: they are not part of the name of a response. */
const usual: Readonly<Record<string, readonly [word: string, ...codes: ErrorCode[]]>> = {
  '400': ['InvalidRequest', 'invalid_request'],
  '401': ['Unauthorized', 'unauthorized'],
  '403': ['Forbidden', 'account_suspended'],
  '404': ['NotFound', 'record_not_found'],
  '409': ['Conflict'],
  '413': ['TooLarge', 'payload_too_large'],
  '415': ['UnsupportedMediaType', 'unsupported_media_type'],
  '422': ['Unprocessable'],
  '429': ['TooManyRequests', 'rate_limited'],
  '500': ['InternalError', 'internal_error'],
  '503': ['Unavailable', 'storage_unavailable', 'overloaded'],
};

/** The codes of every POST. */
const ofPosts: readonly ErrorCode[] = ['idempotency_key_in_use', 'idempotency_key_reuse'];

/** A reference to the response with these error codes, which all have this status. */
export function shareErrorResponse(
  { responses }: SharedParts,
  status: string,
  { codes, headers }: { codes: readonly ErrorCode[]; headers: JsonObject },
): Json {
  const [word, ...common] = usual[status] ?? [`Status${status}`];
  const others = codes.filter((code) => !common.includes(code) && !ofPosts.includes(code)).toSorted();
  const before = codes.some((code) => ofPosts.includes(code)) ? 'Post' : '';
  const isReplayed = 'idempotent-replayed' in headers;
  const key = [`${before}${word}`, ...others, ...(isReplayed ? ['kept'] : [])].join('.');
  responses.set(key, {
    description: codes.map((code) => `\`${code}\`: ${errorTable[code].when}`).join(' '),
    headers,
    content: { 'application/json': { schema: referenceTo('Error') } },
  });
  return { $ref: `#/components/responses/${key}` };
}

/** A list of values to which others may be added: programs must not fail with those. */
function openList({ type: _, enum: values = [], ...rest }: JsonObject): JsonObject {
  return { ...rest, anyOf: [{ type: 'string', enum: values }, { type: 'string' }] };
}

/** Only the states of the quotes of a route, which the interface fixes for good, have this value. */
const value_of_closed_list = 'PENDING';

/** A schema of responses: each list of texts in it is open. */
export function withOpenLists(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withOpenLists);
  if (!isObject(schema)) return schema;
  const { enum: values } = schema;
  if (
    Array.isArray(values) &&
    values.length > 1 &&
    !values.includes(value_of_closed_list) &&
    values.every((value) => typeof value === 'string')
  )
    return openList(schema);
  return Object.fromEntries(
    Object.entries(schema).map(([name, part]) => [
      name,
      ['const', 'default', 'examples', 'required'].includes(name) ? part : withOpenLists(part),
    ]),
  );
}

/** A field that is written at least twice, and is not short, is a component. */
const min_shared_length = 70;

interface FieldPlace {
  scope: string;
  name: string;
}

/**
 * Puts fields that several schemas have alike into the components, under their name, and refers to them: where `Order` and
 * `Route` have the same `stops: { type: 'array', ... }`, both get `stops: { $ref: '#/components/schemas/stops' }`. The
 * first pass shares whole fields; the second one shares what is alike within fields that differ.
 */
export function shareFields(schemas: ReadonlyMap<string, Json>): Map<string, Json> {
  return shareOnce(shareOnce(schemas, 'outermost'), 'all');
}

/** Which fields are looked at: also those within a field that may itself be shared? */
type Depth = 'outermost' | 'all';

function shareOnce(schemas: ReadonlyMap<string, Json>, depth: Depth): Map<string, Json> {
  const uses = new Map<string, FieldPlace[]>();
  for (const [scope, schema] of schemas)
    forEachField(schema, depth, (name, text) => uses.set(text, [...(uses.get(text) ?? []), { scope, name }]));
  const shared = [...uses].filter(([, places]) => places.length > 1);
  const names = new Map<string, string>();
  const taken = new Set(schemas.keys());
  for (const [text, [first]] of shared) {
    if (first === undefined) continue;
    const name = freeName(first, taken);
    taken.add(name);
    names.set(text, name);
  }
  const parts = shared.map(([text]): [string, Json] => [
    names.get(text) ?? '',
    withSharedFields(JSON.parse(text), names),
  ]);
  const rest = [...schemas].map(([title, schema]): [string, Json] => [
    title,
    withSharedFields(schema, names),
  ]);
  return new Map([...rest, ...parts]);
}

/**
 * The name of a field; if another has it, with its schema in front, and with a number if that has two of them. Rules have
 * numbers only: `rule_1`.
 */
function freeName({ scope, name }: FieldPlace, taken: ReadonlySet<string>): string {
  if (name === 'rule') return `rule_${[...taken].filter((each) => each.startsWith('rule_')).length + 1}`;
  const names = [name, `${scope}.${name}`];
  return names.find((each) => !taken.has(each)) ?? `${scope}.${name}_${taken.size + 1}`;
}

/** References, and what is made up of others, are short already. */
function isShareable(field: Json): boolean {
  return isObject(field) && !('$ref' in field) && !('allOf' in field);
}

/** Receives a field, or a rule by the name `rule`, with its schema as JSON. */
type Take = (name: string, text: string) => void;

function forEachField(schema: Json, depth: Depth, take: Take): void {
  if (Array.isArray(schema)) for (const part of schema) forEachField(part, depth, take);
  if (!isObject(schema)) return;
  for (const [keyword, part] of Object.entries(schema)) {
    if (keyword === 'allOf' && Array.isArray(part) && 'properties' in schema) takeRules(part, take);
    else if (keyword === 'properties' && isObject(part)) takeFields(part, depth, take);
    else forEachField(part, depth, take);
  }
}

function takeRules(rules: readonly Json[], take: Take): void {
  for (const rule of rules.filter(isShareable)) take('rule', JSON.stringify(rule));
}

function takeFields(fields: JsonObject, depth: Depth, take: Take): void {
  for (const [name, field] of Object.entries(fields)) {
    const text = JSON.stringify(field);
    const isTaken = isShareable(field) && text.length >= min_shared_length;
    if (isTaken) take(name, text);
    if (!isTaken || depth === 'all') forEachField(field, depth, take);
  }
}

function withSharedFields(schema: Json, names: ReadonlyMap<string, string>): Json {
  if (Array.isArray(schema)) return schema.map((part) => withSharedFields(part, names));
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, part]) => {
      if (keyword === 'allOf' && Array.isArray(part)) {
        const shared = (rule: Json) => names.get(JSON.stringify(rule));
        return [keyword, part.map((rule) => refOr(shared(rule), () => withSharedFields(rule, names)))];
      }
      if (keyword !== 'properties' || !isObject(part)) return [keyword, withSharedFields(part, names)];
      const fields = Object.entries(part).map(([name, field]) => {
        const shared = names.get(JSON.stringify(field));
        return [name, refOr(shared, () => withSharedFields(field, names))];
      });
      return [keyword, Object.fromEntries(fields)];
    }),
  );
}

function refOr(name: string | undefined, otherwise: () => Json): Json {
  return name === undefined ? otherwise() : referenceTo(name);
}
