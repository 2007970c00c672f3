import { expect, test } from 'vitest';
import { describeInterface } from '../../src/contract/openapi.ts';
import { eventTypes } from '../../src/contract/vocabulary.ts';

interface Named {
  name: string;
  in: string;
  required: boolean;
}

interface Webhook {
  operationId: string;
  security: unknown[];
  parameters: Named[];
  requestBody: { content: { 'application/json': { schema: { allOf: [object, Own] } } } };
  responses: object;
}

interface Own {
  properties: { type: unknown; data: { $ref?: string } };
}

interface Description {
  paths: Record<string, Record<string, { parameters: Named[] }>>;
  webhooks: Record<string, { post: Webhook }>;
  components: { schemas: Record<string, { properties: object }> };
}

const description: Description = JSON.parse(JSON.stringify(describeInterface('https://shop.example')));
const webhooks = Object.entries(description.webhooks);

function schemaOf({ requestBody }: Webhook) {
  return requestBody.content['application/json'].schema;
}

test('every type of event is a webhook: an event of this type', () => {
  expect(webhooks.map(([type]) => type)).toEqual([...eventTypes]);
  expect(new Set(webhooks.map(([, { post }]) => post.operationId)).size).toBe(eventTypes.length);
  for (const [type, { post }] of webhooks) {
    expect(schemaOf(post)).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/Event' }, { properties: { type: { const: type } } }],
    });
  }
});

test('its data is the record that it tells of', () => {
  const records = webhooks.map(([type, { post }]) => {
    const { $ref = '' } = schemaOf(post).allOf[1].properties.data;
    return [type, $ref.split('/').at(-1)];
  });
  expect(Object.fromEntries(records)).toEqual({
    'route_quotes.completed': 'RouteQuotes',
    'order.dispatched': 'Order',
    'order.unfulfilled': 'Order',
    'order.failed': 'Order',
    'order.canceled': 'Order',
    'batch.completed': 'BatchSummary',
    'delivery.created': 'Delivery',
    'delivery.updated': 'Delivery',
    'delivery.location_updated': 'CourierLocation',
    'webhook.test': '',
  });
  expect(description.components.schemas.BatchSummary?.properties).not.toHaveProperty('orders');
});

test('it is signed in the headers of Standard Webhooks, and needs no key', () => {
  for (const [, { post }] of webhooks) {
    expect(post.security).toEqual([]);
    expect(post.parameters.map(({ name, in: where, required }) => [name, where, required])).toEqual([
      ['webhook-id', 'header', true],
      ['webhook-timestamp', 'header', true],
      ['webhook-signature', 'header', true],
    ]);
  }
});

test('it says what an answer does', () => {
  for (const [, { post }] of webhooks) expect(Object.keys(post.responses)).toEqual(['410', '2XX', 'default']);
});

test('the stream goes on behind an event, and says so', () => {
  const headersAt = (path: string) =>
    description.paths[path]?.get?.parameters.flatMap((each) => (each.in === 'header' ? [each.name] : []));
  expect(headersAt('/v2/events/stream')).toEqual(['Last-Event-ID']);
  expect(headersAt('/v2/events')).toEqual([]);
});
