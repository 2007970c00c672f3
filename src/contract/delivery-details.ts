import { Delivery, deliveryFilters, deliveryParams } from './deliveries.ts';
import { operation } from './operation.ts';
import { orderCoordinates } from './orders.ts';
import {
  createdBetween,
  Exact,
  Id,
  Instant,
  ListOf,
  Nullable,
  paging,
  type Static,
  Type,
  Words,
} from './schema.ts';
import { disputeOutcomes } from './vocabulary.ts';

/** The fields of a delivery in events beside its version 1 record. */
export const DeliveryEventDetails = Type.Object(
  {
    promised_at: Nullable(
      Instant(
        'When the recipient was promised the delivery: the agreed time of the dropoff, or the ETA of the accepted ' +
          'quote. It is set at the first dispatch of the order and never moves, also not with another attempt; null before',
      ),
    ),
    late_seconds: Nullable(
      Type.Integer({
        description:
          'How much later than promised the delivery arrived or is expected now, in seconds; negative if it is ' +
          'earlier, null before the dispatch and if it ended without arriving',
      }),
    ),
    is_late: Type.Boolean({
      description: 'Whether it arrived or is expected more than five minutes after the promised time',
    }),
    dropoff_email: Type.String({ description: 'The e-mail address of the recipient; empty without one' }),
    dispute: Nullable(
      Type.Object(
        {
          reason: Type.String({ description: 'The reason for the dispute' }),
          outcome: Nullable(
            Type.Enum(disputeOutcomes, { description: 'How it was resolved; null while it is open' }),
          ),
        },
        { description: 'The dispute of the delivery; null without one' },
      ),
    ),
    next_attempt_at: Nullable(
      Instant(
        'When auto dispatch tries the order again after this delivery failed; null if no other attempt follows',
      ),
    ),
    pin_locked: Type.Boolean({ description: 'Whether wrong PINs have locked the handover' }),
    pin_unverified: Type.Boolean({
      description:
        'Whether it was handed over with a wrong PIN and a photo, as the phone of the own driver had no connection to ' +
        'check the PIN',
    }),
    no_photo_reason: Type.String({
      description: 'Why the own driver took no photo, although the order asks for one; empty otherwise',
    }),
  },
  { title: 'DeliveryEventDetails' },
);
export type DeliveryEventDetails = Static<typeof DeliveryEventDetails>;

/** The maximum number of notes in the details of a delivery. */
export const max_detail_notes = 20;

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

/** The fields of a delivery that version 2 adds to its version 1 record. Fields may be added. */
export const DeliveryDetails = Type.Object(
  {
    ...DeliveryEventDetails.properties,
    ...orderCoordinates,
    notes: Type.Array(DeliveryNote, {
      description: `The newest internal notes, at most ${max_detail_notes}, newest first`,
    }),
    matched: Type.String({
      description: 'The fields that `q` matched, such as `dropoff name`; empty without a search',
    }),
  },
  { title: 'DeliveryDetails' },
);
export type DeliveryDetails = Static<typeof DeliveryDetails>;

/** The delivery record of version 1 with its details. */
export const DetailedDelivery = Type.Object(
  { ...Delivery.properties, details: DeliveryDetails },
  { title: 'DetailedDelivery' },
);
export type DetailedDelivery = Static<typeof DetailedDelivery>;

/** A delivery of either version. */
export type AnyDelivery = Delivery & { details?: DeliveryDetails };

export const listDetailedDeliveries = operation({
  id: 'ListDetailedDeliveries',
  method: 'GET',
  path: '/v2/deliveries',
  summary: 'List deliveries with their details, newest first',
  tag: 'Deliveries',
  permission: 'read',
  query: Exact(deliveryFilters),
  answer: ListOf(DetailedDelivery),
  errors: [],
});

export const getDetailedDelivery = operation({
  id: 'GetDetailedDelivery',
  method: 'GET',
  path: '/v2/deliveries/{deliveryid}',
  summary: 'Get a delivery with its details',
  tag: 'Deliveries',
  permission: 'read',
  params: deliveryParams,
  answer: DetailedDelivery,
  errors: ['record_not_found'],
});

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

export const listNotes = operation({
  id: 'ListNotes',
  method: 'GET',
  path: '/v2/notes',
  summary: 'List the internal notes of all deliveries, newest first',
  tag: 'Deliveries',
  permission: 'read',
  query: Exact({
    tag: Type.Optional(Words(50, { description: 'Only notes with this tag' })),
    ...createdBetween,
    ...paging,
  }),
  answer: ListOf(DeliveryNote),
  errors: [],
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
