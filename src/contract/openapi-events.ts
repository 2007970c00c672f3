import { BatchSummary } from './batches.ts';
import { Delivery } from './deliveries.ts';
import { CourierLocation, Event, SimulatedNotice } from './events.ts';
import { exampleIds, type Json } from './openapi-examples.ts';
import { isObject, type JsonObject, referenceTo } from './openapi-schemas.ts';
import { Order } from './orders.ts';
import { RouteQuotes } from './quotes.ts';
import { type TSchema, Type } from './schema.ts';
import { type EventType, eventTypes } from './vocabulary.ts';

interface EventFacts {
  /** The schema of the event. */
  title: string;
  /** The record that it carries as its data. */
  record: TSchema;
  when: string;
}

const facts: Record<EventType, EventFacts> = {
  'route_quotes.completed': {
    title: 'RouteQuotesCompletedEvent',
    record: RouteQuotes,
    when: 'The quotes of a route are complete',
  },
  'order.dispatched': { title: 'OrderDispatchedEvent', record: Order, when: 'A courier accepted an order' },
  'order.unfulfilled': {
    title: 'OrderUnfulfilledEvent',
    record: Order,
    when: 'No courier accepted an order before its deadline',
  },
  'order.failed': { title: 'OrderFailedEvent', record: Order, when: 'The last delivery of an order failed' },
  'order.canceled': { title: 'OrderCanceledEvent', record: Order, when: 'An order was canceled' },
  'batch.completed': {
    title: 'BatchCompletedEvent',
    record: BatchSummary,
    when: 'No order of a batch is pending anymore',
  },
  'delivery.created': { title: 'DeliveryCreatedEvent', record: Delivery, when: 'A delivery was created' },
  'delivery.updated': { title: 'DeliveryUpdatedEvent', record: Delivery, when: 'A delivery has changed' },
  'delivery.location_updated': {
    title: 'DeliveryLocationUpdatedEvent',
    record: CourierLocation,
    when: 'The position of a courier has changed; sent only where its type is named',
  },
  'notice.simulated': {
    title: 'NoticeSimulatedEvent',
    record: SimulatedNotice,
    when: 'Test mode did not send a notice to the recipient',
  },
  'webhook.test': {
    title: 'WebhookTestEvent',
    record: Type.Object({}),
    when: 'A test of an endpoint, sent to that endpoint alone',
  },
};

/**
 * Describes events: a schema for each type by its title, and `Event`, their union with `type` as the discriminator.
 * `refer` adds a schema to the components and returns a reference to it.
 */
export function describeEvents(refer: (schema: object) => Json): Record<string, Json> {
  // Without its title, which is that of the union.
  const base = refer(Type.Object(Event.properties));
  const variants = eventTypes.map((type) => [facts[type].title, variantOf(type, base, refer)] as const);
  const union = {
    description: 'A change, with the record as it was at that moment. `type` says which record `data` is.',
    oneOf: variants.map(([title]) => referenceTo(title)),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(eventTypes.map((type) => [type, referenceTo(facts[type].title).$ref])),
    },
  };
  return { ...Object.fromEntries(variants), Event: union };
}

function variantOf(type: EventType, base: Json, refer: (schema: object) => Json): Json {
  const { title, record, when } = facts[type];
  if (!isObject(base) || !isObject(base.properties) || !isObject(base.properties.data)) return base;
  const { additionalProperties: _, ...data } = base.properties.data;
  const whole = { ...data, allOf: [refer(record)] };
  const { details, ...common } = base.properties;
  const isDetailed = record === Delivery && details !== undefined;
  const required = Array.isArray(base.required) ? base.required : [];
  const properties = {
    ...common,
    type: { type: 'string', const: type, description: 'The type of the event', examples: [type] },
    data: type === 'webhook.test' ? { ...data, additionalProperties: true } : whole,
    ...(isDetailed ? { details } : {}),
  };
  return {
    ...base,
    title,
    description: when,
    properties,
    required: isDetailed ? [...required, 'details'] : required,
  };
}

/** The requests to webhook endpoints, one for each type of event. `exampleOf` makes the example of a schema. */
export function describeWebhooks(exampleOf: (title: string) => Json): JsonObject {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: webhookOf(type, exampleOf) }]));
}

function webhookOf(type: EventType, exampleOf: (title: string) => Json): JsonObject {
  const { title, when } = facts[type];
  const content = { 'application/json': { schema: referenceTo(title), example: exampleOf(title) } };
  return {
    operationId: `Receive${title}`,
    summary: when,
    description: `${when}. The request is signed as Standard Webhooks describes; verify it before use.`,
    tags: ['Webhooks'],
    security: [],
    parameters: signatureHeaders,
    requestBody: { description: 'The event', required: true, content },
    responses,
  };
}

/** The headers of Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks, the specification). */
const signatureHeaders = [
  {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'The id of the event, the same at each attempt: a receiver handles each id once',
    schema: { type: 'string', examples: [exampleIds.evt] },
  },
  {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'When this attempt was signed, in Unix seconds',
    schema: { type: 'integer', examples: [1772452800] },
  },
  {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description:
      'Signatures of id, timestamp and body, space-separated; more than one during a secret rotation',
    schema: { type: 'string', examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='] },
  },
];

/** Responses of an endpoint and what follows from each. */
const responses = {
  '2XX': { description: 'Received, within 15 s: it is not sent again' },
  '410': { description: 'The endpoint is gone: it is disabled and receives nothing more' },
  default: {
    description:
      'Any other response, a redirect included: it is sent again for 75 h, and can be resent after that',
    headers: {
      'retry-after': {
        description: 'When to retry, in seconds or as a date',
        schema: { type: 'string', examples: ['30'] },
      },
    },
  },
};
