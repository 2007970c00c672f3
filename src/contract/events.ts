/** Events, and the webhook endpoints that they are sent to. */
import { DeliveryEventDetails } from './deliveries.ts';
import { defineOperation } from './operation.ts';
import {
  Count,
  Deleted,
  Exact,
  Id,
  Instant,
  ListOf,
  Nullable,
  paging,
  Reference,
  Several,
  type Static,
  Text,
  Type,
} from './schema.ts';
import {
  attemptStatuses,
  endpointStatuses,
  eventTypes,
  namedEventTypes,
  noticeKinds,
  subscribableTypes,
} from './vocabulary.ts';

/** An event, as sent to merchants. */
export const Event = Type.Object(
  {
    id: Id('evt'),
    object: Type.Literal('event'),
    type: Type.Enum(eventTypes),
    created_at: Instant(),
    test_mode: Type.Boolean(),
    sequence: Nullable(
      Type.Integer({
        description:
          'Number of the event within its delivery, from 1 and without gaps; null for other events',
      }),
    ),
    data: Type.Object(
      { truncated: Type.Optional(Type.Literal(true)) },
      {
        additionalProperties: true,
        description:
          'The record as it was then. Above 20,000 bytes its longest texts and lists are shortened, and ' +
          '`truncated` is true',
      },
    ),
    details: Type.Optional(DeliveryEventDetails),
  },
  { title: 'Event' },
);
export type Event = Static<typeof Event>;

/** The courier's position: the data of `delivery.location_updated`, with the field names of a delivery. */
export const CourierLocation = Type.Object(
  {
    delivery_id: Id('dlv'),
    external_order_ref: Type.String(),
    courier_location_lat: Type.Number(),
    courier_location_lng: Type.Number(),
    recorded_at: Instant(),
  },
  { title: 'CourierLocation' },
);
export type CourierLocation = Static<typeof CourierLocation>;

/** A notice that test mode shows instead of sending it: the data of `notice.simulated`. */
export const SimulatedNotice = Type.Object(
  {
    object: Type.Literal('notice'),
    delivery_id: Id('dlv'),
    kind: Type.Enum(noticeKinds),
    to: Type.String({ description: 'E-mail address of the recipient' }),
    from_name: Type.String({ description: 'Name of the sender; empty if the operator has set none' }),
    reply_to: Nullable(Type.String({ description: 'Where replies would go; null: to the sender' })),
    subject: Type.String({ description: 'Subject of the message' }),
    text: Type.String({ description: 'Text of the message' }),
  },
  { title: 'SimulatedNotice' },
);
export type SimulatedNotice = Static<typeof SimulatedNotice>;

function typeList(description: string) {
  return Type.String({ maxLength: 500, pattern: '^[a-z_.]+(,[a-z_.]+)*$', description });
}

export const listEvents = defineOperation({
  id: 'ListEvents',
  method: 'GET',
  path: '/v2/events',
  summary: 'List events, newest first',
  tag: 'Events',
  permission: 'read',
  query: Exact({
    type: Type.Optional(
      typeList(
        `Only events of these types, comma-separated. Default: all but ${namedEventTypes.join(' and ')}, which are ` +
          'listed only if named here',
      ),
    ),
    delivery_id: Type.Optional(Reference()),
    batch_id: Type.Optional(Reference()),
    since: Type.Optional(Instant('Only events at or after this time')),
    ...paging,
  }),
  answer: ListOf(Event),
});

export const getEvent = defineOperation({
  id: 'GetEvent',
  method: 'GET',
  path: '/v2/events/{event_id}',
  summary: 'Get an event',
  tag: 'Events',
  permission: 'read',
  params: Exact({ event_id: Id('evt') }),
  answer: Event,
  errors: ['record_not_found'],
});

const Resent = Type.Object(
  {
    object: Type.Literal('event_resend'),
    event_id: Id('evt'),
    webhook_endpoint_ids: Type.Array(Id('whe'), {
      description: 'The endpoints that the event is sent to again',
    }),
  },
  { title: 'EventResend' },
);
export type Resent = Static<typeof Resent>;

export const resendEvent = defineOperation({
  id: 'ResendEvent',
  method: 'POST',
  path: '/v2/events/{event_id}/resend',
  summary: 'Resend an event to one endpoint, or to all endpoints subscribed to its type',
  tag: 'Events',
  permission: 'write',
  params: Exact({ event_id: Id('evt') }),
  body: Exact({ webhook_endpoint_id: Type.Optional(Reference()) }),
  answer: Resent,
  errors: ['record_not_found', 'webhook_endpoint_disabled'],
});

export const streamEvents = defineOperation({
  id: 'StreamEvents',
  method: 'GET',
  path: '/v2/events/stream',
  summary: 'Stream events as server-sent events; `Last-Event-ID` continues after an event',
  tag: 'Events',
  permission: 'read',
  query: Exact({
    types: Type.Optional(
      typeList(
        `Only events of these types, comma-separated. Default: all but ${namedEventTypes.join(' and ')}`,
      ),
    ),
    delivery_id: Type.Optional(Reference()),
    batch_id: Type.Optional(Reference()),
    since: Type.Optional(Instant('Start with the events at or after this time; default: only new events')),
  }),
  answer: Type.String({
    description:
      'Each event with its id and type, and the event as JSON in its data. Comments keep the connection alive.',
  }),
  media: 'text/event-stream',
  errors: ['record_not_found', 'limit_reached'],
});

/** A webhook endpoint. Test and live keys have separate endpoints. */
export const WebhookEndpoint = Type.Object(
  {
    id: Id('whe'),
    object: Type.Literal('webhook_endpoint'),
    url: Type.String(),
    events: Type.Array(Type.Enum(subscribableTypes)),
    description: Type.String(),
    status: Type.Enum(endpointStatuses),
    disabled_reason: Type.String({ description: 'Empty while the endpoint is enabled' }),
    test_mode: Type.Boolean(),
    waiting: Count({ description: 'Number of events waiting to be sent' }),
    exhausted: Count({ description: 'Number of events given up; each can be resent' }),
    previous_secret_until: Nullable(Instant('Until when the previous secret signs as well')),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'WebhookEndpoint' },
);
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

/** A new endpoint with its signing secret, which is shown only once. */
const NewWebhookEndpoint = Type.Object(
  {
    ...WebhookEndpoint.properties,
    secret: Nullable(
      Type.String({
        description: 'Starts with whsec_. Shown once: a repeat of the request does not return it',
      }),
    ),
  },
  { title: 'NewWebhookEndpoint' },
);
export type NewWebhookEndpoint = Static<typeof NewWebhookEndpoint>;

/** One attempt to send an event to an endpoint. */
export const WebhookAttempt = Type.Object(
  {
    id: Id('att'),
    object: Type.Literal('webhook_attempt'),
    webhook_endpoint_id: Id('whe'),
    event_id: Id('evt'),
    event_type: Type.Enum(eventTypes),
    delivery_id: Nullable(Id('dlv')),
    external_order_ref: Nullable(
      Type.String({ description: 'Reference of the delivery; null without a delivery, and for a test' }),
    ),
    sequence: Nullable(Type.Integer()),
    number: Count({
      description: 'Number of the attempt; a resend starts at 1 again. 0: given up without an attempt',
    }),
    status: Type.Enum(attemptStatuses),
    status_code: Nullable(Type.Integer({ description: 'Null if there was no response' })),
    reason: Type.String({ description: 'Why the attempt failed; empty if it succeeded' }),
    response: Type.String({ description: 'Start of the response body, if the attempt failed' }),
    duration_ms: Count(),
    test_mode: Type.Boolean(),
    next_attempt_at: Nullable(Instant('Null if no further attempt is scheduled')),
    created_at: Instant(),
  },
  { title: 'WebhookAttempt' },
);
export type WebhookAttempt = Static<typeof WebhookAttempt>;

const Url = Text(2048, {
  description:
    'https:// URL without a user, password or fragment; http:// for a loopback address, where the service allows those',
});
const Subscription = Type.Array(Type.Enum(subscribableTypes), {
  minItems: 1,
  maxItems: 20,
  description: `Event types; \`*\` is all but ${namedEventTypes.join(' and ')}`,
});

const endpointParams = Exact({ webhook_endpoint_id: Id('whe') });

export const createEndpoint = defineOperation({
  id: 'CreateWebhookEndpoint',
  method: 'POST',
  path: '/v2/webhook_endpoints',
  summary: 'Create a webhook endpoint; the response contains its signing secret, which is shown once',
  tag: 'Webhooks',
  permission: 'admin',
  body: Exact({
    url: Url,
    events: Type.Optional(Subscription),
    description: Type.Optional(Text(200)),
  }),
  answer: NewWebhookEndpoint,
  secrets: ['secret'],
  errors: ['secret_key_missing', 'limit_reached'],
});

export const listEndpoints = defineOperation({
  id: 'ListWebhookEndpoints',
  method: 'GET',
  path: '/v2/webhook_endpoints',
  summary: 'List webhook endpoints, newest first',
  tag: 'Webhooks',
  permission: 'read',
  query: Exact({ status: Type.Optional(Several(endpointStatuses)), ...paging }),
  answer: ListOf(WebhookEndpoint),
});

export const getEndpoint = defineOperation({
  id: 'GetWebhookEndpoint',
  method: 'GET',
  path: '/v2/webhook_endpoints/{webhook_endpoint_id}',
  summary: 'Get a webhook endpoint',
  tag: 'Webhooks',
  permission: 'read',
  params: endpointParams,
  answer: WebhookEndpoint,
  errors: ['record_not_found'],
});

export const updateEndpoint = defineOperation({
  id: 'UpdateWebhookEndpoint',
  method: 'PATCH',
  path: '/v2/webhook_endpoints/{webhook_endpoint_id}',
  summary:
    'Update a webhook endpoint. When it is enabled again or its URL changes, its waiting events are sent immediately, including those of types it is no longer subscribed to',
  tag: 'Webhooks',
  permission: 'admin',
  params: endpointParams,
  body: Exact(
    {
      url: Type.Optional(Url),
      events: Type.Optional(Subscription),
      description: Type.Optional(Text(200)),
      status: Type.Optional(Type.Enum(endpointStatuses)),
    },
    { minProperties: 1 },
  ),
  answer: WebhookEndpoint,
  errors: ['record_not_found', 'limit_reached'],
});

export const deleteEndpoint = defineOperation({
  id: 'DeleteWebhookEndpoint',
  method: 'DELETE',
  path: '/v2/webhook_endpoints/{webhook_endpoint_id}',
  summary: 'Delete a webhook endpoint and its waiting events',
  tag: 'Webhooks',
  permission: 'admin',
  params: endpointParams,
  answer: Deleted({ id: Id('whe') }, 'webhook_endpoint', 'DeletedWebhookEndpoint'),
  errors: ['record_not_found'],
});

export const rotateSecret = defineOperation({
  id: 'RotateWebhookSecret',
  method: 'POST',
  path: '/v2/webhook_endpoints/{webhook_endpoint_id}/rotate_secret',
  summary: 'Rotate the signing secret; for 24 hours the old one signs as well',
  tag: 'Webhooks',
  permission: 'admin',
  params: endpointParams,
  answer: NewWebhookEndpoint,
  secrets: ['secret'],
  errors: ['record_not_found', 'secret_key_missing'],
});

export const testEndpoint = defineOperation({
  id: 'TestWebhookEndpoint',
  method: 'POST',
  path: '/v2/webhook_endpoints/{webhook_endpoint_id}/test',
  summary: 'Send a `webhook.test` event to an endpoint immediately, without retries',
  tag: 'Webhooks',
  permission: 'admin',
  params: endpointParams,
  answer: WebhookAttempt,
  errors: ['record_not_found', 'webhook_endpoint_disabled'],
});

export const listAttempts = defineOperation({
  id: 'ListWebhookAttempts',
  method: 'GET',
  path: '/v2/webhook_endpoints/{webhook_endpoint_id}/attempts',
  summary: 'List the attempts of a webhook endpoint, newest first',
  tag: 'Webhooks',
  permission: 'read',
  params: endpointParams,
  query: Exact({
    status: Type.Optional(Type.Enum(attemptStatuses)),
    event_id: Type.Optional(Id('evt')),
    last: Type.Optional(
      Type.Boolean({ description: 'Only final attempts: with `failed`, the events that were given up' }),
    ),
    ...paging,
  }),
  answer: ListOf(WebhookAttempt),
  errors: ['record_not_found'],
});
