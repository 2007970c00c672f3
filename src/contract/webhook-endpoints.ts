import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Count, Exact, Id, Instant, ListOf, Nullable, paging, Text, Type } from './schema.ts';
import { attemptStatuses, endpointStatuses, eventTypes, subscribableTypes } from './vocabulary.ts';

/** Where a merchant is told of events (interface, events and webhooks). Test and live keys have their own. */
export const WebhookEndpoint = Type.Object(
  {
    id: Id('whe'),
    object: Type.Literal('webhook_endpoint'),
    url: Type.String(),
    events: Type.Array(Type.Enum(subscribableTypes)),
    description: Type.String(),
    status: Type.Enum(endpointStatuses),
    disabled_reason: Type.String({ description: 'Empty while it is enabled' }),
    test_mode: Type.Boolean(),
    waiting: Count({ description: 'How many events are on their way to it' }),
    exhausted: Count({ description: 'How many events were given up; each can be resent' }),
    previous_secret_until: Nullable(Instant('Until then the secret before the last rotation signs as well')),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'WebhookEndpoint' },
);
export type WebhookEndpoint = Static<typeof WebhookEndpoint>;

/** An endpoint with the secret that signs what is sent to it, which is shown this once. */
const NewWebhookEndpoint = Type.Object(
  {
    ...WebhookEndpoint.properties,
    secret: Nullable(
      Type.String({
        description: 'Begins with whsec_. Shown once: a repeat of the request answers without it',
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
    sequence: Nullable(Type.Integer()),
    number: Count({
      description:
        'Counts the attempts at this event; a resend counts from 1 again. 0: it was given up without one',
    }),
    status: Type.Enum(attemptStatuses),
    status_code: Nullable(Type.Integer({ description: 'Null where no answer came' })),
    reason: Type.String({ description: 'Why it failed; empty where it succeeded' }),
    response: Type.String({ description: 'The beginning of the answer, where it failed' }),
    duration_ms: Count(),
    test_mode: Type.Boolean(),
    next_attempt_at: Nullable(Instant('Null where no other follows by itself')),
    created_at: Instant(),
  },
  { title: 'WebhookAttempt' },
);
export type WebhookAttempt = Static<typeof WebhookAttempt>;

const Url = Text(2048, { description: 'http:// or https://, without a user, a password or a fragment' });
const Subscription = Type.Array(Type.Enum(subscribableTypes), {
  minItems: 1,
  maxItems: 20,
  description: 'Types of events; `*` is all but those that are told by name only',
});

const params = Exact({ webhook_endpoint_id: Id('whe') });

export const createEndpoint = operation({
  id: 'CreateWebhookEndpoint',
  method: 'POST',
  path: '/v2/webhook_endpoints',
  summary: 'Have events sent to a URL; the answer has the secret that signs them, this once',
  tag: 'Webhooks',
  permission: 'admin',
  body: Exact({
    url: Url,
    events: Type.Optional(Subscription),
    description: Type.Optional(Text(200)),
  }),
  answer: NewWebhookEndpoint,
  secrets: ['secret'],
  errors: [],
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
  summary: 'One webhook endpoint',
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
    'Change a webhook endpoint. Enabled again, or at another URL, it gets at once what waits for it, also of types that it no longer asks for',
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
  summary: 'Delete a webhook endpoint with what waits for it',
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
  summary: 'Make a new secret; for 24 hours the old one signs as well',
  tag: 'Webhooks',
  permission: 'admin',
  params,
  answer: NewWebhookEndpoint,
  secrets: ['secret'],
  errors: ['record_not_found'],
});

export const testEndpoint = operation({
  id: 'TestWebhookEndpoint',
  method: 'POST',
  path: '/v2/webhook_endpoints/{webhook_endpoint_id}/test',
  summary: 'Send a `webhook.test` event to an endpoint at once, without retries',
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
  summary: 'The attempts to send to an endpoint, newest first',
  tag: 'Webhooks',
  permission: 'read',
  params,
  query: Exact({
    status: Type.Optional(Type.Enum(attemptStatuses)),
    event_id: Type.Optional(Id('evt')),
    last: Type.Optional(
      Type.Boolean({ description: 'Only attempts that no other follows: with `failed`, events given up' }),
    ),
    ...paging,
  }),
  answer: ListOf(WebhookAttempt),
  errors: ['record_not_found'],
});
