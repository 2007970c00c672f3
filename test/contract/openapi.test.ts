import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { failureWhen } from '../../src/contract/deliveries.ts';
import { errorTable } from '../../src/contract/errors.ts';
import { describeInterface, everyOperation } from '../../src/contract/openapi.ts';
import { errorsOf, type Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { failureReasons } from '../../src/contract/vocabulary.ts';

const description = describeInterface('https://shop.example');
const text = JSON.stringify(description);
const parsed = JSON.parse(text);

test('the description passes a published OpenAPI 3.1 validator', async () => {
  const validator = new Validator();
  const result = await validator.validate(JSON.parse(text));
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

test('it has every operation at each of its paths', () => {
  for (const operation of everyOperation) {
    for (const path of [operation.path, ...(operation.aliases ?? [])]) {
      expect(
        description.paths[path]?.[operation.method.toLowerCase()],
        `${operation.method} ${path}`,
      ).toBeDefined();
    }
  }
  expect(text).toContain('"operationId":"GetRouteQuotes"');
  expect(text).toContain('"operationId":"ListRouteQuotes"');
});

test('it has every field of every schema', () => {
  for (const { params, query, body, answer } of everyOperation) {
    for (const schema of [params, query, body, answer]) {
      for (const name of fieldNames(schema ?? {})) expect(text).toContain(`"${name}"`);
    }
  }
});

test('it has every error code, at the operations that may respond with it', () => {
  const documented = new Set(everyOperation.flatMap(errorsOf));
  // These codes are for requests that match no operation.
  const outside = ['not_found', 'method_not_allowed'];
  expect([...documented, ...outside].sort()).toEqual(Object.keys(errorTable).sort());
  for (const code of Object.keys(errorTable)) expect(text).toContain(`"${code}"`);
});

test('schema names are unique', () => {
  const known = new Map<string, string>();
  for (const { params, query, body, answer } of everyOperation) {
    for (const schema of [params, query, body, answer].flatMap(titled)) {
      const whole = JSON.stringify(schema);
      expect(known.get(schema.title) ?? whole, schema.title).toBe(whole);
      known.set(schema.title, whole);
    }
  }
  expect(known.size).toBeGreaterThan(20);
});

test('it describes each failure code', () => {
  for (const code of failureReasons) expect(text).toContain(`\`${code}\`: ${failureWhen[code]}`);
});

test('optional request fields accept null, also in referenced schemas', () => {
  const orders = bodyAt(operations.orders.create);
  expect(orders).toMatchObject({
    properties: {
      orders: { items: { $ref: '#/components/schemas/OrderRequest' } },
      settings: {
        anyOf: [{ properties: { mechanism: { anyOf: [{ enum: ['manual', 'auto'] }, none] } } }, none],
      },
    },
  });
  const { Item } = JSON.parse(text).components.schemas;
  const [OrderRequest, Order] = ['OrderRequest', 'Order'].map((title) =>
    JSON.parse(JSON.stringify(JSON.parse(text).components.schemas[title], (_name, value) => written(value))),
  );
  expect(Item).toBeUndefined();
  const { pickup_unit, tip, items, dropoff_name } = OrderRequest.properties;
  expect(pickup_unit).toMatchObject({ anyOf: [expect.objectContaining({ type: 'string' }), none] });
  expect(tip.anyOf).toContainEqual(none);
  expect(items.anyOf[0].items.properties.size.anyOf).toContainEqual(none);
  expect(items.anyOf[0].items.properties.name).not.toHaveProperty('anyOf');
  expect(dropoff_name).not.toHaveProperty('anyOf');
  expect(Order.properties.pickup_unit).toMatchObject({ type: 'string' });
  expect(Order.properties.pickup_unit).not.toHaveProperty('anyOf');
});

test('where null removes a setting, the description allows no more than the contract', () => {
  const { properties }: { properties: Record<string, unknown> } = JSON.parse(
    JSON.stringify(bodyAt(operations.account.update)),
  );
  const inContract = JSON.parse(JSON.stringify(operations.account.update.body.properties));
  expect(withoutAnnotations(properties)).toEqual(withoutAnnotations(inContract));
  const { upsell } = properties;
  expect(upsell).toMatchObject({ anyOf: [expect.objectContaining({ anyOf: expect.any(Array) }), none] });
});

test('operations that change a record describe its possible statuses', () => {
  expect(bodyAt(operations.stores.update)).toMatchObject({
    minProperties: 1,
    properties: { notes: { anyOf: [{ type: 'string', maxLength: 500 }, none] } },
  });
  expect(bodyAt(operations.stores.create)).toEqual({ $ref: '#/components/schemas/StoreRequest' });
});

test('every POST and PATCH may be refused for its body, whether it takes one or not', () => {
  for (const wanted of ['POST', 'PATCH'] as const) {
    const some = everyOperation.filter(({ method }) => method === wanted);
    expect(some.length).toBeGreaterThan(3);
    for (const each of some)
      expect(Object.keys(at(each).responses)).toEqual(expect.arrayContaining(['413', '415']));
  }
  expect(everyOperation.some(({ method, body }) => method === 'POST' && body === undefined)).toBe(true);
  expect(Object.keys(at(operations.stores.delete).responses)).not.toContain('413');
});

test('a page is described as HTML and its refusals as JSON', () => {
  const { responses } = at(operations.tracking.show);
  expect(responses['200']?.content).toEqual({
    'text/html': { schema: expect.objectContaining({ type: 'string' }) },
  });
  expect(Object.keys(responses['404']?.content ?? {})).toEqual(['application/json']);
  const pages = everyOperation.filter(({ media }) => media === 'text/html');
  expect(pages).toEqual([operations.driverPage.show, operations.board.show, operations.tracking.show]);
});

test('a stream is described as a stream, and everything else as JSON, but for the parts of pages', () => {
  const { responses } = at(operations.events.stream);
  expect(Object.keys(responses['200']?.content ?? {})).toEqual(['text/event-stream']);
  expect(Object.keys(responses['404']?.content ?? {})).toEqual(['application/json']);
  const others = everyOperation.filter(({ media }) => media !== undefined && media !== 'text/html');
  const { manifest, worker, picture } = operations.driverPage;
  const { mapScript, mapStyle } = operations.tracking;
  expect(others).toEqual([operations.events.stream, manifest, worker, picture, mapScript, mapStyle]);
});

test('a secret that is shown once is only in the responses that show it', () => {
  const showing = everyOperation.filter(({ secrets }) => secrets?.includes('secret') === true);
  expect(showing).toEqual([operations.webhooks.create, operations.webhooks.rotate]);
  const telling = everyOperation.filter(({ answer }) => fieldNames(answer).includes('secret'));
  expect(telling).toEqual(showing);
});

test('operations without a key are marked', () => {
  const open = everyOperation.filter((operation) => 'security' in at(operation)).map(({ path }) => path);
  expect(open.sort()).toEqual([
    '/board',
    '/drive-worker.js',
    '/drive/{token}',
    '/drive/{token}/manifest',
    '/drive/{token}/push',
    '/drive/{token}/taps',
    '/health',
    '/health/live',
    '/leaflet.css',
    '/leaflet.js',
    '/openapi.json',
    '/proofs/{token}',
    '/track/{token}',
    '/track/{token}',
  ]);
});

test('every response has the common headers', () => {
  for (const operation of everyOperation) {
    for (const { headers } of Object.values(at(operation).responses)) {
      expect(headers).toMatchObject({ 'x-request-id': refer('x-request-id') });
      expect(headers).toMatchObject({ 'x-service-time': refer('x-service-time') });
    }
  }
});

test('headers of repeated requests and of retries are where they occur', () => {
  const have = (name: string, operation: Operation) =>
    Object.entries(at(operation).responses).flatMap(([status, { headers }]) =>
      name in headers ? [status] : [],
    );
  expect(have('idempotent-replayed', operations.orders.create)).toEqual(['200', '202', '403', '404']);
  expect(have('idempotent-replayed', operations.deliveries.dispute)).toEqual(['200', '403', '404', '409']);
  expect(have('idempotent-replayed', operations.orders.get)).toEqual([]);
  expect(have('retry-after', operations.orders.cancel)).toEqual(['409', '429', '503']);
  expect(have('retry-after', operations.routes.delete)).toEqual(['429', '503']);
  expect(have('ratelimit', operations.orders.get)).toEqual(['200', '429']);
  expect(have('ratelimit-policy', operations.orders.get)).toEqual(['429']);
  expect(have('www-authenticate', operations.orders.get)).toEqual(['401']);
});

test('request headers are where they are read', () => {
  const headers = (operation: Operation) =>
    at(operation).parameters.flatMap(({ in: where, name }) => (where === 'header' ? [name] : []));
  expect(headers(operations.orders.create)).toEqual(['Idempotency-Key', 'x-simulation']);
  expect(headers(operations.routes.create)).toEqual(['Idempotency-Key']);
  expect(headers(operations.orders.get)).toEqual([]);
  expect(headers(operations.deliveries.create)).toEqual(['Idempotency-Key', 'x-simulation']);
  expect(headers(operations.sandbox.updateSettings)).toEqual([]);
  expect(at(operations.routes.create).parameters).toContainEqual(
    expect.objectContaining({ description: expect.stringContaining('x-idempotency-key') }),
  );
});

const none = { type: 'null' };

interface Described {
  parameters: { in: string; name: string }[];
  requestBody: { content: { 'application/json': { schema: object } } };
  responses: Record<string, { headers: object; content: object }>;
}

function at({ method, path }: Pick<Operation, 'method' | 'path'>): Described {
  const described = parsed.paths[path][method.toLowerCase()];
  return JSON.parse(JSON.stringify(described, (_name, value) => written(value)));
}

/** What a reference leads to, unless it is a header, an example, or a record or request with a title of its own. */
function written(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value;
  const [kind = '', name = ''] = String(value.$ref).split('/').slice(-2);
  const isTitled = /^[A-Z]/.test(name) && !name.includes('.');
  const isOwnBody = everyOperation.some(({ id }) => name === `${id}Request`);
  if (kind === 'headers' || kind === 'examples') return value;
  if (kind === 'schemas' && isTitled && !isOwnBody) return value;
  return parsed.components[kind][name];
}

function bodyAt(operation: Pick<Operation, 'method' | 'path'>): object {
  return at(operation).requestBody.content['application/json'].schema;
}

function refer(name: string) {
  return { $ref: `#/components/headers/${name}` };
}

function fieldNames(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own =
    'properties' in schema && typeof schema.properties === 'object'
      ? Object.keys(schema.properties ?? {})
      : [];
  return [...own, ...Object.values(schema).flatMap(fieldNames)];
}

function titled(schema: unknown): { title: string }[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.values(schema).flatMap(titled);
  return 'title' in schema && typeof schema.title === 'string'
    ? [{ ...schema, title: schema.title }, ...inner]
    : inner;
}

/** A schema without descriptions, examples and types of constants. */
function withoutAnnotations(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutAnnotations);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { description: _, examples: __, type, ...rest }: Record<string, unknown> = { ...schema };
  const own = 'enum' in rest || 'const' in rest ? {} : { type };
  const inner = Object.entries(rest).map(([name, part]) => [name, withoutAnnotations(part)]);
  return { ...own, ...Object.fromEntries(inner) };
}

test('a document in JSON of another media type is an object', () => {
  const { content } = Object(description.components.responses.ShowDriverManifest);
  expect(content).toEqual({ 'application/manifest+json': { schema: { type: 'object' } } });
});
