import { DeliveryEventDetails } from './deliveries.ts';
import { operation } from './operation.ts';
import { Exact, Id, Instant, ListOf, Nullable, paging, Reference, type Static, Type } from './schema.ts';
import { eventTypes, namedEventTypes, noticeKinds } from './vocabulary.ts';

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
          'Snapshot of the record at the time of the event. An event is smaller than 20,000 bytes: if the record is ' +
          'larger, its longest texts and lists are shortened, `truncated` is true, and the whole record can be fetched',
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

export const listEvents = operation({
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
  errors: [],
});

export const getEvent = operation({
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

/** The endpoints that an event was resent to. */
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

export const resendEvent = operation({
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

export const streamEvents = operation({
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
  errors: ['record_not_found'],
});
