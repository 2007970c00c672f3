import { deliveryParams } from './deliveries.ts';
import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Exact, Id, Instant, ListOf, paging, Type, Words } from './schema.ts';

/** A note of the merchant's people about a delivery. Couriers, recipients and events do not get it. */
export const DeliveryNote = Type.Object(
  {
    id: Id('nte'),
    object: Type.Literal('delivery_note'),
    delivery_id: Id('dlv'),
    text: Type.String({ description: 'The note' }),
    tags: Type.Array(Type.String(), { description: 'Short labels of the note' }),
    test_mode: Type.Boolean(),
    created_at: Instant(),
  },
  { title: 'DeliveryNote' },
);
export type DeliveryNote = Static<typeof DeliveryNote>;

export const createDeliveryNote = operation({
  id: 'CreateDeliveryNote',
  method: 'POST',
  path: '/v1/delivery/{deliveryid}/notes',
  summary: 'Add an internal note to a delivery',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact({
    text: Words(1000, { description: 'The note' }),
    tags: Type.Optional(Type.Array(Words(50), { maxItems: 10, description: 'Short labels of the note' })),
  }),
  answer: DeliveryNote,
  errors: ['record_not_found'],
});

export const listDeliveryNotes = operation({
  id: 'ListDeliveryNotes',
  method: 'GET',
  path: '/v1/delivery/{deliveryid}/notes',
  summary: 'List the internal notes of a delivery, newest first',
  tag: 'Deliveries',
  permission: 'read',
  params: deliveryParams,
  query: Exact(paging),
  answer: ListOf(DeliveryNote),
  errors: ['record_not_found'],
});
