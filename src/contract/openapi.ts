/** Builds the OpenAPI description from the contract, so that it cannot differ from what the service checks. */
import { type ErrorCode, errorTable, neverKept } from './errors.ts';
import {
  type SharedParts,
  shareAnswer,
  shareErrorResponse,
  shareFields,
  shareParameter,
  withOpenLists,
} from './openapi-components.ts';
import type { Json } from './openapi-examples.ts';
import { introduction } from './openapi-introduction.ts';
import {
  describeEvents,
  describeWebhooks,
  operationDescriptions,
  requestExamples,
  webhookParameters,
  webhookResponses,
} from './openapi-operations.ts';
import { anyField, needsFields, writeRules } from './openapi-rules.ts';
import {
  annotate,
  annotateField,
  exampleOf,
  isObject,
  type JsonObject,
  refer,
  toPlainJson,
} from './openapi-schemas.ts';
import { errorsOf, type Operation } from './operation.ts';
import { operations } from './operations.ts';

/** Every operation of the contract, in its order. */
export const everyOperation: readonly Operation[] = Object.values(operations).flatMap((verbs) =>
  Object.values<Operation>(verbs),
);

/** The OpenAPI 3.1 description of the interface (https://spec.openapis.org/oas/v3.1.1), derived from the contract. */
export function describeInterface(serverUrl: string) {
  const schemas = new Map<string, Json>([['Error', annotate(withOpenLists(errorSchema), 'Error')]]);
  const toSchema: ToSchema = (schema, scope, title) =>
    refer(withTitle(annotate(schema, scope), title), schemas);
  const shared: SharedParts = { parameters: new Map(), responses: new Map() };
  const eventSchemas = describeEvents((schema) => toSchema(withOpenLists(toPlainJson(schema)), 'Event'));
  for (const [title, schema] of Object.entries(eventSchemas)) schemas.set(title, schema);
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of everyOperation) {
    for (const path of [operation.path, ...(operation.aliases ?? [])]) {
      const methods = paths[path] ?? {};
      methods[operation.method.toLowerCase()] = describeOperation(operation, path, { toSchema, shared });
      paths[path] = methods;
    }
  }
  return {
    openapi: '3.1.1' as const,
    info: {
      title: 'waybill',
      version: '2.0.0-alpha',
      summary: 'Last-mile deliveries: orders, routes, quotes, dispatch',
      description: introduction,
      contact: { name: 'waybill' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl, description: 'The service that this document describes' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(tagDescriptions).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: describeWebhooks((title) => exampleOf(schemas.get(title), schemas) ?? null),
    components: {
      schemas: Object.fromEntries(shareFields(schemas)),
      parameters: {
        ...Object.fromEntries(shared.parameters),
        ...Object.fromEntries(webhookParameters.map((each) => [each.name, each])),
      },
      responses: {
        ...Object.fromEntries(shared.responses),
        ...Object.fromEntries(
          Object.entries(webhookResponses).map(([status, each]) => [`Webhook.${status}`, each]),
        ),
      },
      headers: headerComponents,
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description: 'A key of `POST /v2/api_keys`; test keys begin with wb_test_, live keys with wb_live_',
        },
      },
    },
  };
}

/** Annotates a schema, and puts those with titles into the components; `title` is for one that has none. */
type ToSchema = (schema: Json, scope: string, title?: string) => Json;

function withTitle(schema: Json, title: string | undefined): Json {
  return isObject(schema) && title !== undefined ? { title, ...schema } : schema;
}

interface Tools {
  toSchema: ToSchema;
  shared: SharedParts;
}

/** The ids of operations at their other paths. */
const aliasIds: Readonly<Record<string, string>> = {
  '/v2/orders/create': 'CreateOrdersV2',
  '/v1/orders': 'CreateOrderV1',
  '/health/ready': 'GetReadiness',
};

/** What an operation is called where its id, which is fixed, says something else. */
const otherNames: Readonly<Record<string, string>> = { GetRouteQuotes: 'RequestRouteQuotes' };

function describeOperation(operation: Operation, path: string, tools: Tools): JsonObject {
  const { id, body } = operation;
  const isAlias = path !== operation.path;
  const name = otherNames[id];
  return {
    operationId: isAlias ? (aliasIds[path] ?? `${id}Alias`) : id,
    ...(name !== undefined && { 'x-operation-name': name }),
    summary: operation.summary,
    description: operationDescriptions[id] ?? operation.summary,
    tags: [operation.tag],
    ...(operation.permission === null ? { security: [] } : { 'x-permission': operation.permission }),
    parameters: parametersOf(operation, tools.shared),
    ...(body === undefined ? {} : { requestBody: bodyOf(operation, body, tools.toSchema) }),
    responses: responsesOf(operation, tools),
  };
}

function parametersOf(operation: Operation, shared: SharedParts): Json[] {
  const path = fieldsOf(operation.params).map(({ name, schema }) =>
    parameter(operation, { place: 'path', name, required: true, schema }),
  );
  const query = fieldsOf(operation.query).map(({ name, required, schema }) =>
    parameter(operation, { place: 'query', name, required, schema }),
  );
  const headers = requestHeaders(operation).map(
    ({ name, description, schema }): JsonObject => ({
      name,
      in: 'header',
      description,
      schema: annotateField(schema, operation.id, name),
    }),
  );
  return [...path, ...query, ...headers].map((each) =>
    shareParameter(shared, operation.id, String(each.name), each),
  );
}

interface Parameter {
  place: 'path' | 'query';
  name: string;
  required: boolean;
  schema: Json;
}

function parameter({ id }: Operation, { place, name, required, schema: plain }: Parameter): JsonObject {
  const annotated = annotateField(annotate(plain, name), id, name);
  const { description = name, ...schema } = isObject(annotated) ? annotated : {};
  const isSeveral = isObject(plain) && plain.type === 'array';
  const style = isSeveral ? { style: 'form', explode: false } : {};
  return { name, in: place, ...(required && { required }), description, ...style, schema };
}

function fieldsOf(schema: object | undefined): { name: string; required: boolean; schema: Json }[] {
  const plain = toPlainJson(schema ?? {});
  if (!isObject(plain) || !isObject(plain.properties)) return [];
  const required = Array.isArray(plain.required) ? plain.required : [];
  return Object.entries(plain.properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    schema: field,
  }));
}

function bodyOf({ id, keeps_nulls }: Operation, body: object, toSchema: ToSchema): JsonObject {
  const plain = toPlainJson(body);
  const ruled = writeRules(plain);
  const schema = toSchema(keeps_nulls === true ? ruled : allowNulls(ruled), id, `${id}Request`);
  const example = requestExamples[id];
  return {
    description: 'Fields of the request',
    required: needsFields(plain),
    content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } },
  };
}

function responsesOf(operation: Operation, { toSchema, shared }: Tools): JsonObject {
  const media = operation.media ?? 'application/json';
  const { accepted, answer } = operation;
  const headers = answerHeaders(operation, []);
  const contentOf = (schema: object) => ({
    // The handler writes such a document as text.
    [media]: {
      schema: media.endsWith('+json')
        ? { type: 'object' }
        : toSchema(withOpenLists(toPlainJson(schema)), operation.id),
    },
  });
  const responses: Record<string, Json> = {
    '200': shareAnswer(shared, {
      title: 'title' in answer ? String(answer.title) : operation.id,
      response: { description: answerText(answer), headers, content: contentOf(answer) },
    }),
  };
  if (accepted !== undefined) {
    responses['202'] = {
      description: `Where ${accepted.when}: accepted, and the work continues in the background`,
      headers,
      content: contentOf(accepted.schema),
    };
  }
  for (const [status, codes] of codesByStatus(operation)) {
    const shown = { codes, headers: answerHeaders(operation, codes) };
    responses[status] = shareErrorResponse(shared, status, shown);
  }
  return responses;
}

/** `DispatchedRoute`: "Dispatched route"; `OrderList`: "A page of the list". */
function answerText(answer: object): string {
  const title = 'title' in answer && typeof answer.title === 'string' ? answer.title : '';
  if (title === '') return 'The result';
  if (title.endsWith('List')) return 'A page of the list';
  const words = title.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
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
    code: {
      enum: Object.keys(errorTable),
      description: 'A code for programs, from the table of errors; codes may be added',
    },
    message: { type: 'string' },
    request_id: { type: 'string' },
    param: { type: 'string', description: 'Path of the invalid value, if there is exactly one' },
    choices: {
      type: 'array',
      items: { type: 'string' },
      description: 'The accepted values',
    },
    related_ids: {
      type: 'array',
      items: { type: 'string' },
      description: 'Ids of the records that the error is about',
    },
    details: {
      type: 'array',
      items: {
        type: 'object',
        required: ['path', 'message'],
        properties: {
          path: { type: 'string' },
          message: { type: 'string' },
          conflicts_with: {
            type: 'string',
            description: 'The conflicting field, if two fields exclude each other',
          },
          related_ids: {
            type: 'array',
            items: { type: 'string' },
            description:
              'Ids of the records that this error is about: of an order, then of its latest delivery',
          },
        },
      },
    },
  },
};

/** In requests null means missing, so every optional field may be null. */
function allowNulls(schema: Json): Json {
  if (!isObject(schema)) return schema;
  if (schema.items !== undefined) return { ...schema, items: allowNulls(schema.items) };
  if (!isObject(schema.properties)) return schema;
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = Object.entries(schema.properties).map(([name, field]) => {
    const inner = allowNulls(field);
    return [name, required.includes(name) ? inner : { anyOf: [inner, { type: 'null' }] }];
  });
  const conditions = Array.isArray(schema.allOf) ? schema.allOf : [];
  const all = schema.minProperties === 1 ? [...conditions, anyField(schema)] : conditions;
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    ...(all.length > 0 && { allOf: all }),
  };
}

/** The response headers, as components of the description. */
const headerComponents = {
  'x-request-id': {
    description: 'Id of the request, also in the log of the service',
    schema: { type: 'string' },
  },
  'x-service-time': {
    description: 'Service time in the mode of the key, to compute ages and remaining times from',
    schema: { type: 'string', format: 'date-time' },
  },
  'x-remarks': {
    description:
      'What was left out of the addresses of the request, filled in or may be wrong, each behind its path, as an array of texts in JSON; only if there is any',
    schema: { type: 'string' },
  },
  'idempotent-replayed': {
    description: 'The response is that of an earlier request with the same Idempotency-Key',
    schema: { const: 'true' },
  },
  'retry-after': {
    description: 'Seconds to wait before retrying the request',
    schema: { type: 'integer', minimum: 1 },
  },
  'www-authenticate': {
    description: 'How the API key is sent',
    schema: { type: 'string' },
  },
  ratelimit: {
    description: 'Requests left (`r`), and the seconds until there are more (`t`); where there is a limit',
    schema: { type: 'string' },
  },
  'ratelimit-policy': {
    description: 'The number of requests allowed, and the window in seconds',
    schema: { type: 'string' },
  },
};

type HeaderName = keyof typeof headerComponents;

/** The request headers, as parameters. The API key is a security scheme. */
function requestHeaders({ method, errors = [], media }: Operation) {
  return [
    ...(media === 'text/event-stream' ? [lastEventId] : []),
    ...(method === 'POST' ? [idempotencyKey] : []),
    ...(method === 'POST' && errors.includes('simulation_unknown') ? [simulation] : []),
  ];
}

/** The headers of a response; `codes` are the error codes of its status, empty for a success. */
function answerHeaders({ method, errors = [] }: Operation, codes: readonly ErrorCode[]) {
  const isKept = codes.length === 0 || codes.some((code) => !neverKept.includes(code));
  const isRefusedKey = codes.includes('unauthorized');
  const names: readonly HeaderName[] = [
    'x-request-id',
    'x-service-time',
    ...(codes.length === 0 && errors.includes('address_not_geocodable') ? (['x-remarks'] as const) : []),
    ...(method === 'POST' && isKept ? (['idempotent-replayed'] as const) : []),
    ...(codes.some((code) => waiting.includes(code)) ? (['retry-after'] as const) : []),
    ...(isRefusedKey ? (['www-authenticate'] as const) : []),
    ...(codes.length === 0 ? (['ratelimit'] as const) : []),
    ...(codes.includes('rate_limited') ? (['ratelimit', 'ratelimit-policy'] as const) : []),
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Errors that state when to retry. */
const waiting: readonly ErrorCode[] = [
  'rate_limited',
  'idempotency_key_in_use',
  'overloaded',
  'not_ready',
  'storage_unavailable',
];

const idempotencyKey = {
  name: 'Idempotency-Key',
  description:
    'A repeat with the same key within 24 hours returns the first response and has no further effect. Also accepted as x-idempotency-key.',
  schema: { type: 'string', maxLength: 155 },
};

const simulation = {
  name: 'x-simulation',
  description: 'The scenario of the order, as `name; key=value`. Requires a test key on a sandbox.',
  schema: { type: 'string' },
};

const lastEventId = {
  name: 'Last-Event-ID',
  description:
    'Continue after the event with this id; takes precedence over `since`. Browsers send it automatically.',
  schema: { type: 'string' },
};

/** A sentence or two on each group of operations, in the order of the flow. */
const tagDescriptions: Readonly<Record<string, string>> = {
  Orders:
    'An order is created first; manual dispatch continues with a route, auto dispatch without further requests.',
  Routes: 'A route groups orders that one driver carries.',
  Quotes: 'Providers quote for a draft route. Quotes come asynchronously.',
  Dispatch: 'Dispatching gives a route to the provider of a quote.',
  Deliveries:
    'A delivery is an order on its way. Version 1 also stores, quotes and initiates single deliveries.',
  Batches: 'A batch is the set of orders of one request for auto dispatch.',
  Stores: 'Saved pickup places.',
  Tracking: 'The page that recipients see.',
  Charges: 'Every charge and refund.',
  Events: 'Every change of a record is an event, which can be listed, streamed and resent.',
  Webhooks: 'Endpoints that events are sent to, signed by the rules of Standard Webhooks.',
  Couriers: 'Courier companies outside of the service, connected with settings of your own.',
  Drivers: 'The drivers of your own fleet, who see their stops on a page of their own.',
  Account: 'The account of the key, its settings and its keys.',
  Sandbox: 'The clock, the scenarios and the simulated couriers of test mode.',
  Service: 'The state and the description of the service itself.',
};
