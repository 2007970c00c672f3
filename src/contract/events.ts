import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Exact, Id, Instant, ListOf, Nullable, paging, Reference, Type } from './schema.ts';
import { eventTypes } from './vocabulary.ts';

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
      {},
      { additionalProperties: true, description: 'The record that it tells of, as it was at that moment' },
    ),
  },
  { title: 'Event' },
);
export type Event = Static<typeof Event>;

export const listEvents = operation({
  id: 'ListEvents',
  method: 'GET',
  path: '/v2/events',
  summary: 'What happened, newest first',
  tag: 'Events',
  permission: 'read',
  query: Exact({
    type: Type.Optional(Type.Enum(eventTypes)),
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
