import { expect, test } from 'vitest';
import { Event } from '../../src/contract/events.ts';
import { describeInterface } from '../../src/contract/openapi.ts';
import { eventTypes } from '../../src/contract/vocabulary.ts';

interface Named {
  name: string;
  in: string;
  required: boolean;
}

interface Reference {
  $ref: string;
}

interface Webhook {
  operationId: string;
  security: unknown[];
  parameters: Named[];
  requestBody: { content: { 'application/json': { schema: Reference; example: { type: string } } } };
  responses: object;
}

interface EventSchema {
  required: string[];
  properties: { type: { const: string }; data: { allOf?: [Reference] } };
}

interface Union {
  oneOf: Reference[];
  discriminator: { propertyName: string; mapping: Record<string, string> };
}

interface Description {
  paths: Record<string, Record<string, { parameters: Named[] }>>;
  webhooks: Record<string, { post: Webhook }>;
  components: {
    schemas: Record<string, EventSchema> & { Event: Union; BatchSummary: { properties: object } };
  };
}

const description: Description = JSON.parse(JSON.stringify(describeInterface('https://shop.example')));
const webhooks = Object.entries(description.webhooks);

const { schemas } = description.components;

function titleOf({ $ref }: Reference): string {
  return $ref.split('/').at(-1) ?? '';
}

function schemaOf({ requestBody }: Webhook): EventSchema | undefined {
  return schemas[titleOf(requestBody.content['application/json'].schema)];
}

test('every event type is a webhook', () => {
  expect(webhooks.map(([type]) => type)).toEqual([...eventTypes]);
  expect(new Set(webhooks.map(([, { post }]) => post.operationId)).size).toBe(eventTypes.length);
  for (const [type, { post }] of webhooks) {
    expect(schemaOf(post)?.properties.type).toMatchObject({ type: 'string', const: type });
    const isDetailed = type === 'delivery.created' || type === 'delivery.updated';
    expect(schemaOf(post)?.required).toEqual([...Event.required, ...(isDetailed ? ['details'] : [])]);
    expect('details' in (schemaOf(post)?.properties ?? {})).toBe(isDetailed);
    expect(post.requestBody.content['application/json'].example.type).toBe(type);
  }
});

test('an event is a union of all event types, discriminated by type', () => {
  const { oneOf, discriminator } = schemas.Event;
  expect(discriminator.propertyName).toBe('type');
  expect(Object.keys(discriminator.mapping)).toEqual([...eventTypes]);
  expect(Object.values(discriminator.mapping)).toEqual(oneOf.map(({ $ref }) => $ref));
  for (const [type, $ref] of Object.entries(discriminator.mapping)) {
    expect(schemas[titleOf({ $ref })]?.properties.type.const).toBe(type);
  }
  const { responses } = JSON.parse(JSON.stringify(description.paths['/v2/events/{event_id}']?.get));
  expect(responses['200'].content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Event' });
});

test('the data of an event is the record that it is about', () => {
  const records = webhooks.map(([type, { post }]) => {
    const [record] = schemaOf(post)?.properties.data.allOf ?? [];
    return [type, record === undefined ? '' : titleOf(record)];
  });
  expect(Object.fromEntries(records)).toEqual({
    'route_quotes.completed': 'RouteQuotes',
    'order.dispatched': 'Order',
    'order.unfulfilled': 'Order',
    'order.failed': 'Order',
    'order.canceled': 'Order',
    'batch.completed': 'BatchSummary',
    'notice.simulated': 'SimulatedNotice',
    'delivery.created': 'Delivery',
    'delivery.updated': 'Delivery',
    'delivery.location_updated': 'CourierLocation',
    'webhook.test': '',
  });
  expect(schemas.BatchSummary.properties).not.toHaveProperty('orders');
});

test('webhooks are signed with the headers of Standard Webhooks and need no key', () => {
  for (const [, { post }] of webhooks) {
    expect(post.security).toEqual([]);
    expect(post.parameters.map(({ name, in: where, required }) => [name, where, required])).toEqual([
      ['webhook-id', 'header', true],
      ['webhook-timestamp', 'header', true],
      ['webhook-signature', 'header', true],
    ]);
  }
});

test('each webhook describes the effect of responses', () => {
  for (const [, { post }] of webhooks) expect(Object.keys(post.responses)).toEqual(['410', '2XX', 'default']);
});

test('the stream can be resumed after an event, and the description says so', () => {
  const headersAt = (path: string) =>
    description.paths[path]?.get?.parameters.flatMap((each) => (each.in === 'header' ? [each.name] : []));
  expect(headersAt('/v2/events/stream')).toEqual(['Last-Event-ID']);
  expect(headersAt('/v2/events')).toEqual([]);
});
