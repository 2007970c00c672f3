import { BatchSummary } from './batches.ts';
import { Delivery } from './deliveries.ts';
import { CourierLocation, Event } from './events.ts';
import { Order } from './orders.ts';
import { RouteQuotes } from './quotes.ts';
import { type TSchema, Type } from './schema.ts';
import { type EventType, eventTypes } from './vocabulary.ts';

interface Told {
  /** The record that an event tells of: its data. */
  record: TSchema;
  when: string;
}

/** What each type of event tells (interface, events and webhooks). */
const told: Record<EventType, Told> = {
  'route_quotes.completed': { record: RouteQuotes, when: 'The quotes of a route are there' },
  'order.dispatched': { record: Order, when: 'A courier has taken an order' },
  'order.unfulfilled': { record: Order, when: 'No courier took an order in its time' },
  'order.failed': { record: Order, when: 'The last delivery of an order failed' },
  'order.canceled': { record: Order, when: 'An order was canceled' },
  'batch.completed': { record: BatchSummary, when: 'No order of a batch is pending any more' },
  'delivery.created': { record: Delivery, when: 'A delivery was made' },
  'delivery.updated': { record: Delivery, when: 'Something about a delivery is otherwise than it was told' },
  'delivery.location_updated': { record: CourierLocation, when: 'Where the courier is; told by name only' },
  'webhook.test': { record: Type.Object({}), when: 'A test of an endpoint; told to who asked for it' },
};

/** What is sent to webhook endpoints, one entry for each type of event. `refer` takes a schema into the description. */
export function describeWebhooks<S>(refer: (schema: TSchema) => S) {
  return Object.fromEntries(eventTypes.map((type) => [type, { post: webhookOf(type, refer) }]));
}

function webhookOf<S>(type: EventType, refer: (schema: TSchema) => S) {
  const { record, when } = told[type];
  const own = { properties: { type: { const: type }, data: refer(record) } };
  const content = { 'application/json': { schema: { allOf: [refer(Event), own] } } };
  return {
    operationId: `Tell.${type}`,
    summary: when,
    tags: ['Webhooks'],
    security: [],
    parameters: signatureHeaders,
    requestBody: { required: true, content },
    responses,
  };
}

/** The headers of Standard Webhooks (https://github.com/standard-webhooks/standard-webhooks, the specification). */
const signatureHeaders = [
  header('webhook-id', 'The id of the event: the same at each attempt, so that it is taken once', {
    type: 'string',
  }),
  header('webhook-timestamp', 'When this attempt was signed, in seconds since 1970', { type: 'integer' }),
  header(
    'webhook-signature',
    'Signatures over id, timestamp and body, with spaces between; more than one while a secret rotates',
    { type: 'string' },
  ),
];

const retryAfter = {
  'retry-after': {
    description: 'When to try again, in seconds or as a date',
    schema: { type: 'string' },
  },
};

/** What an endpoint can answer. */
const responses = {
  '2XX': { description: 'Taken, within 15 s: it is not sent again' },
  '410': { description: 'The endpoint is gone: it is disabled, and gets nothing any more' },
  default: {
    description: 'Anything else, a redirect as well: it is sent again for 75 h, and can be resent after that',
    headers: retryAfter,
  },
};

function header<S>(name: string, description: string, schema: S) {
  return { name, in: 'header', required: true, description, schema };
}
