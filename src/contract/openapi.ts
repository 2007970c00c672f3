import { type ErrorCode, errorTable } from './errors.ts';
import { answerHeaders, headerComponents, requestHeaders } from './openapi-headers.ts';
import { describeWebhooks } from './openapi-webhooks.ts';
import type { Operation } from './operation.ts';
import { errorsOf } from './operation-errors.ts';
import { operations } from './operations.ts';

/** JSON as it goes into the description. */
type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
interface JsonObject {
  readonly [name: string]: Json;
}

/** Every operation of the contract, in its order. */
export const everyOperation: readonly Operation[] = Object.values(operations).flatMap((verbs) =>
  Object.values<Operation>(verbs),
);

/** The OpenAPI 3.1 description of the interface (https://spec.openapis.org/oas/v3.1.1), derived from the contract. */
export function describeInterface(serverUrl: string) {
  const schemas = new Map<string, Json>([['Error', errorSchema]]);
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of everyOperation) {
    for (const path of [operation.path, ...(operation.aliases ?? [])]) {
      const methods = paths[path] ?? {};
      methods[operation.method.toLowerCase()] = describeOperation(operation, path, schemas);
      paths[path] = methods;
    }
  }
  const webhooks = describeWebhooks((schema) => refer(plainOf(schema), schemas));
  return {
    openapi: '3.1.1' as const,
    info: {
      title: 'waybill',
      version: '2.0.0-alpha',
      summary: 'Last-mile deliveries: orders, routes, quotes, dispatch',
      description:
        'Paths under /v2 are the route and quote interface (Alpha); paths under /v1 the deliveries.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    tags: tagNames().map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      schemas: Object.fromEntries(schemas),
      headers: headerComponents,
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' } },
    },
  };
}

function tagNames(): string[] {
  return [...new Set(everyOperation.map(({ tag }) => tag))];
}

function describeOperation(operation: Operation, path: string, schemas: Map<string, Json>): JsonObject {
  const isAlias = path !== operation.path;
  return {
    operationId: isAlias ? `${operation.id}Unversioned` : operation.id,
    summary: operation.summary,
    tags: [operation.tag],
    ...(operation.permission === null ? { security: [] } : { 'x-permission': operation.permission }),
    parameters: parametersOf(operation),
    ...(operation.body === undefined ? {} : { requestBody: bodyOf(operation, operation.body, schemas) }),
    responses: responsesOf(operation, schemas),
  };
}

function parametersOf(operation: Operation): Json[] {
  const path = fieldsOf(operation.params).map(({ name, schema }) => parameter('path', name, true, schema));
  const query = fieldsOf(operation.query).map(({ name, required, schema }) =>
    parameter('query', name, required, schema),
  );
  return [...path, ...query, ...requestHeaders(operation)];
}

function parameter(where: string, name: string, required: boolean, schema: Json): JsonObject {
  return { name, in: where, required, schema };
}

function fieldsOf(schema: object | undefined): { name: string; required: boolean; schema: Json }[] {
  const plain = plainOf(schema ?? {});
  if (!isObject(plain) || !isObject(plain.properties)) return [];
  const required = Array.isArray(plain.required) ? plain.required : [];
  return Object.entries(plain.properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    schema: field,
  }));
}

function bodyOf({ keeps_nulls }: Operation, body: object, schemas: Map<string, Json>): JsonObject {
  const plain = plainOf(body);
  const schema = refer(keeps_nulls === true ? plain : allowNulls(plain), schemas);
  return { required: true, content: { 'application/json': { schema } } };
}

function responsesOf(operation: Operation, schemas: Map<string, Json>): JsonObject {
  const media = operation.media ?? 'application/json';
  const answer = { [media]: { schema: refer(plainOf(operation.answer), schemas) } };
  const headers = answerHeaders(operation, []);
  const responses: Record<string, Json> = { '200': { description: 'Done', headers, content: answer } };
  if (operation.accepted !== undefined) {
    const content = { [media]: { schema: refer(plainOf(operation.accepted.schema), schemas) } };
    responses['202'] = {
      description: `Where ${operation.accepted.when}: accepted, and the work goes on`,
      headers,
      content,
    };
  }
  for (const [status, codes] of codesByStatus(operation)) {
    responses[status] = {
      description: codes.map((code) => `\`${code}\`: ${errorTable[code].when}`).join(' '),
      headers: answerHeaders(operation, codes),
      content: { 'application/json': { schema: errorAnswer(codes) } },
    };
  }
  return responses;
}

function errorAnswer(codes: readonly ErrorCode[]): JsonObject {
  return { allOf: [{ $ref: '#/components/schemas/Error' }, { properties: { code: { enum: codes } } }] };
}

function codesByStatus(operation: Operation): Map<string, ErrorCode[]> {
  const groups = new Map<string, ErrorCode[]>();
  for (const code of errorsOf(operation)) {
    const status = String(errorTable[code].status);
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return groups;
}

const errorSchema: Json = {
  type: 'object',
  required: ['object', 'code', 'message', 'request_id'],
  properties: {
    object: { const: 'error' },
    code: { enum: Object.keys(errorTable) },
    message: { type: 'string' },
    request_id: { type: 'string' },
    param: { type: 'string', description: 'Where the refused value stands, where it is one place' },
    choices: {
      type: 'array',
      items: { type: 'string' },
      description: 'The values that could have been given',
    },
    related_ids: {
      type: 'array',
      items: { type: 'string' },
      description: 'The ids of the records that the refusal is about',
    },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string' },
          message: { type: 'string' },
          conflicts_with: { type: 'string', description: 'The other field where two exclude each other' },
        },
      },
    },
  },
};

/** Puts each schema that has a title into the components, once, and refers to it. */
function refer(schema: Json, schemas: Map<string, Json>): Json {
  if (Array.isArray(schema)) return schema.map((part) => refer(part, schemas));
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(
    Object.entries(schema).map(([name, part]) => [name, refer(part, schemas)]),
  );
  if (typeof schema.title !== 'string') return inner;
  schemas.set(schema.title, inner);
  return { $ref: `#/components/schemas/${schema.title}` };
}

/** In a request null means missing, so every field that may be missing may be null. */
function allowNulls(schema: Json): Json {
  if (!isObject(schema)) return schema;
  if (schema.items !== undefined) return { ...schema, items: allowNulls(schema.items) };
  if (!isObject(schema.properties)) return schema;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = Object.entries(schema.properties).map(([name, field]) => {
    const inner = allowNulls(field);
    return [name, required.includes(name) ? inner : { anyOf: [inner, { type: 'null' }] }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
}

/** A schema as plain JSON, without what the schema library keeps for itself. */
function plainOf(schema: object): Json {
  return JSON.parse(JSON.stringify(schema));
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
