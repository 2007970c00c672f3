import { expect, test } from 'vitest';
import { Event } from '../../src/contract/events.ts';
import { describeInterface } from '../../src/contract/openapi.ts';
import { eventTypes } from '../../src/contract/vocabulary.ts';

/** The schema of an event, as far as the tests read it. */
interface EventSchema {
  required: string[];
  properties: { type: { const: string }; data: { allOf?: [{ $ref: string }] } };
}

const whole = JSON.parse(JSON.stringify(describeInterface('https://shop.example')));
/** With parameters and responses themselves in the place of references to them. */
const description = JSON.parse(JSON.stringify(whole), (_name, value) => {
  const [, kind = '', name] = /^#\/components\/(parameters|responses)\/(.*)/.exec(value?.$ref ?? '') ?? [];
  return name === undefined ? value : whole.components[kind][name];
});
/** The webhooks by their event type. */
const webhooks = Object.keys(description.webhooks).map((type) => [type, description.webhooks[type].post]);

const { schemas } = description.components;

function titleOf($ref: string): string {
  return $ref.split('/').at(-1) ?? '';
}

function schemaOf(type: string): EventSchema {
  const { content } = description.webhooks[type].post.requestBody;
  return schemas[titleOf(content['application/json'].schema.$ref)];
}

test('every event type is a webhook', () => {
  expect(webhooks.map(([type]) => type)).toEqual([...eventTypes]);
  expect(new Set(webhooks.map(([, { operationId }]) => operationId)).size).toBe(eventTypes.length);
  for (const [type, { requestBody }] of webhooks) {
    const { properties, required } = schemaOf(type);
    expect(properties.type).toMatchObject({ type: 'string', const: type });
    const isDetailed = type === 'delivery.created' || type === 'delivery.updated';
    expect(required).toEqual([...Event.required, ...(isDetailed ? ['details'] : [])]);
    expect('details' in properties).toBe(isDetailed);
    expect(requestBody.content['application/json'].example.type).toBe(type);
  }
});

test('an event is a union of all event types, discriminated by type', () => {
  const { oneOf, discriminator } = schemas.Event;
  expect(discriminator.propertyName).toBe('type');
  expect(Object.keys(discriminator.mapping)).toEqual([...eventTypes]);
  expect(Object.values(discriminator.mapping)).toEqual(oneOf.map(({ $ref }: { $ref: string }) => $ref));
  for (const type of eventTypes)
    expect(schemas[titleOf(discriminator.mapping[type])].properties.type.const).toBe(type);
  const { responses } = description.paths['/v2/events/{event_id}'].get;
  expect(responses['200'].content['application/json'].schema).toEqual({ $ref: '#/components/schemas/Event' });
});

test('the data of an event is the record that it is about', () => {
  const records = eventTypes.map((type) => {
    const [record] = schemaOf(type).properties.data.allOf ?? [];
    return [type, titleOf(record?.$ref ?? '')];
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

test('webhooks are signed as Standard Webhooks, need no key, and describe the effect of responses', () => {
  for (const [, { security, parameters, responses }] of webhooks) {
    expect(security).toEqual([]);
    const signed = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
    expect(parameters).toMatchObject(signed.map((name) => ({ name, in: 'header', required: true })));
    expect(Object.keys(responses)).toEqual(['410', '2XX', 'default']);
  }
});

test('the stream can be resumed after an event, and the description says so', () => {
  const headersAt = (path: string) =>
    description.paths[path].get.parameters.filter((each: { in: string }) => each.in === 'header');
  expect(headersAt('/v2/events/stream')).toMatchObject([{ name: 'Last-Event-ID' }]);
  expect(headersAt('/v2/events')).toEqual([]);
});
