import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Count, Exact, Id, Instant, ListOf, Nullable, paging, Text, Type } from './schema.ts';
import {
  attemptStatuses,
  endpointStatuses,
  eventTypes,
  namedEventTypes,
  subscribableTypes,
} from './vocabulary.ts';

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

const params = Exact({ webhook_endpoint_id: Id('whe') });

export const createEndpoint = operation({
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
  errors: ['secret_key_missing'],
});

export const listEndpoints = operation({
  id: 'ListWebhookEndpoints',
  method: 'GET',
  path: '/v2/webhook_endpoints',
  summary: 'List webhook endpoints, newest first',
  tag: 'Webhooks',
  permission: 'read',
  query: Exact({ status: Type.Optional(Type.Enum(endpointStatuses)), ...paging }),
  answer: ListOf(WebhookEndpoint),
  errors: [],
});

export const getEndpoint = operation({
  id: 'GetWebhookEndpoint',
  method: 'GET',
  path: '/v2/webhook_endpoints/{webhook_endpoint_id}',
  summary: 'Get a webhook endpoint',
  tag: 'Webhooks',
  permission: 'read',
  params,
  answer: WebhookEndpoint,
  errors: ['record_not_found'],
});

export const updateEndpoint = operation({
  id: 'UpdateWebhookEndpoint',
  method: 'PATCH',
  path: '/v2/webhook_endpoints/{webhook_endpoint_id}',
  summary:
    'Update a webhook endpoint. When it is enabled again or its URL changes, its waiting events are sent immediately, including those of types it is no longer subscribed to',
  tag: 'Webhooks',
  permission: 'admin',
  params,
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
  errors: ['record_not_found'],
});

export const deleteEndpoint = operation({
  id: 'DeleteWebhookEndpoint',
  method: 'DELETE',
  path: '/v2/webhook_endpoints/{webhook_endpoint_id}',
  summary: 'Delete a webhook endpoint and its waiting events',
  tag: 'Webhooks',
  permission: 'admin',
  params,
  answer: Type.Object(
    { id: Id('whe'), object: Type.Literal('webhook_endpoint'), deleted: Type.Literal(true) },
    { title: 'DeletedWebhookEndpoint' },
  ),
  errors: ['record_not_found'],
});

export const rotateSecret = operation({
  id: 'RotateWebhookSecret',
  method: 'POST',
  path: '/v2/webhook_endpoints/{webhook_endpoint_id}/rotate_secret',
  summary: 'Rotate the signing secret; for 24 hours the old one signs as well',
  tag: 'Webhooks',
  permission: 'admin',
  params,
  answer: NewWebhookEndpoint,
  secrets: ['secret'],
  errors: ['record_not_found', 'secret_key_missing'],
});

export const testEndpoint = operation({
  id: 'TestWebhookEndpoint',
  method: 'POST',
  path: '/v2/webhook_endpoints/{webhook_endpoint_id}/test',
  summary: 'Send a `webhook.test` event to an endpoint immediately, without retries',
  tag: 'Webhooks',
  permission: 'admin',
  params,
  answer: WebhookAttempt,
  errors: ['record_not_found', 'webhook_endpoint_disabled'],
});

export const listAttempts = operation({
  id: 'ListWebhookAttempts',
  method: 'GET',
  path: '/v2/webhook_endpoints/{webhook_endpoint_id}/attempts',
  summary: 'List the attempts of a webhook endpoint, newest first',
  tag: 'Webhooks',
  permission: 'read',
  params,
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
