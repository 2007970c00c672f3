import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Exact, Id, Instant, ListOf, Nullable, paging, Reference, Type } from './schema.ts';
import { eventTypes, namedEventTypes } from './vocabulary.ts';

/** What a merchant is told (seed 6; interface, events). */
export const Event = Type.Object(
  {
    id: Id('evt'),
    object: Type.Literal('event'),
    type: Type.Enum(eventTypes),
    created_at: Instant(),
    test_mode: Type.Boolean(),
    sequence: Nullable(
      Type.Integer({
        description: 'Counts the events of one delivery from 1, without gaps; null for all others',
      }),
    ),
    data: Type.Object(
      { truncated: Type.Optional(Type.Literal(true)) },
      {
        additionalProperties: true,
        description:
          'The record that it tells of, as it was at that moment. An event is under 20,000 bytes: where the record is ' +
          'larger, the longest texts and lists are cut, `truncated` is true, and the whole record can be fetched',
      },
    ),
  },
  { title: 'Event' },
);
export type Event = Static<typeof Event>;

/** Where a courier is: the data of `delivery.location_updated`, with the delivery's own names for it. */
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

function typeList(description: string) {
  return Type.String({ maxLength: 500, pattern: '^[a-z_.]+(,[a-z_.]+)*$', description });
}

export const listEvents = operation({
  id: 'ListEvents',
  method: 'GET',
  path: '/v2/events',
  summary: 'What happened, newest first',
  tag: 'Events',
  permission: 'read',
  query: Exact({
    type: Type.Optional(
      typeList(
        `Only events of these types, with commas between. Without it, all but ${namedEventTypes.join(' and ')}, which are ` +
          'listed only when asked for',
      ),
    ),
    delivery_id: Type.Optional(Reference()),
    batch_id: Type.Optional(Reference()),
    since: Type.Optional(Instant('Only events of this instant and later')),
    ...paging,
  }),
  answer: ListOf(Event),
  errors: [],
});

export const getEvent = operation({
  id: 'GetEvent',
  method: 'GET',
  path: '/v2/events/{event_id}',
  summary: 'One event',
  tag: 'Events',
  permission: 'read',
  params: Exact({ event_id: Id('evt') }),
  answer: Event,
  errors: ['record_not_found'],
});

/** Where an event is sent once more. */
const Resent = Type.Object(
  {
    object: Type.Literal('event_resend'),
    event_id: Id('evt'),
    webhook_endpoint_ids: Type.Array(Id('whe'), { description: 'The endpoints that get it once more' }),
  },
  { title: 'EventResend' },
);
export type Resent = Static<typeof Resent>;

export const resendEvent = operation({
  id: 'ResendEvent',
  method: 'POST',
  path: '/v2/events/{event_id}/resend',
  summary: 'Send an event once more, to one endpoint or to all that ask for its type',
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
  summary: 'Events as they happen, as server-sent events; `Last-Event-ID` goes on behind an event',
  tag: 'Events',
  permission: 'read',
  query: Exact({
    types: Type.Optional(
      typeList('Only events of these types, with commas between; those told by name only are named here'),
    ),
    delivery_id: Type.Optional(Reference()),
    batch_id: Type.Optional(Reference()),
    since: Type.Optional(
      Instant('Begins with the events of this instant; without it, with what happens from now on'),
    ),
  }),
  answer: Type.String({
    description:
      'Each event with its id, its type, and as data the event as JSON. Comments keep the connection alive.',
  }),
  media: 'text/event-stream',
  errors: ['record_not_found'],
});
