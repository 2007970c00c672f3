/** The record of a delivery, with its history and notes, and the operations that read it and add notes. */
import { defineOperation } from './operation.ts';
import {
  createdBetween,
  Exact,
  Id,
  Instant,
  ListOf,
  Nullable,
  orderCoordinates,
  paging,
  Reference,
  Several,
  type Static,
  Text,
  Type,
  Words,
} from './schema.ts';
import {
  type ChargeKind,
  coarsePrecisions,
  deliveryStatuses,
  deliveryStatusNames,
  disputeOutcomes,
  type FailureReason,
  failureReasons,
  proofTypes,
} from './vocabulary.ts';

export const Status = Type.Enum(deliveryStatuses);

/** What the caller of a change saw of a delivery. */
export const seenDelivery = {
  from_driver_id: Type.Optional(
    Reference({
      description:
        'Your driver who had it when you looked, or `none`; refused with `record_changed` if another has it now',
    }),
  ),
  if_status: Type.Optional(
    Type.Enum(deliveryStatuses, {
      description:
        'Its status when you looked; refused with `record_changed` if it is another now, or was tried again',
    }),
  ),
};

const cents = (description: string) => Type.Integer({ description });

const costs = {
  currency: Type.Literal('USD'),
  payment_amount: cents('The agreed price without the tip: provider cost plus processing fee'),
  tip: Nullable(cents('Paid to the driver, on top of payment_amount')),
  fee: cents('For display: payment_amount after upsell and subsidy'),
  upsell: Nullable(cents('Set only when upsell is configured')),
  subsidized: Nullable(cents('Set only when subsidy is configured')),
  refunded_amount: cents('Amount refunded'),
};

const pickup = {
  pickup_at: Nullable(Instant()),
  pickup_address: Type.String(),
  pickup_eta: Instant('When the courier is expected at the pickup'),
  pickup_name: Type.String(),
  pickup_notes: Type.String(),
  pickup_phone_number: Type.String({ description: 'Without a leading plus sign' }),
  pickup_unit: Type.String(),
};

const Dropoff = Type.Object({
  dropoff_at: Nullable(Instant()),
  dropoff_address: Type.String(),
  dropoff_eta: Instant('When the recipient is expected to receive the delivery'),
  dropoff_name: Type.String(),
  dropoff_notes: Type.String(),
  dropoff_phone_number: Type.String({ description: 'Without a leading plus sign' }),
  dropoff_unit: Type.String(),
});

const driver = {
  courier_name: Nullable(Type.String()),
  courier_img: Nullable(Type.String()),
  courier_phone_number: Nullable(Type.String()),
  courier_vehicle_type: Nullable(Type.String()),
  courier_location_lat: Nullable(Type.Number()),
  courier_location_lng: Nullable(Type.Number()),
};

const Proof = Type.Object({
  type: Type.Enum(proofTypes),
  url: Type.String(),
  created_at: Instant(),
});

const Signature = Type.Object({ name: Type.String(), image_url: Type.String(), signed_at: Instant() });

export const Vehicle = Type.Object({
  type: Type.String(),
  make: Type.String(),
  model: Type.String(),
  color: Type.String(),
  license_plate: Type.String({ description: 'Empty for a bicycle' }),
});
export type Vehicle = Static<typeof Vehicle>;

/** When each failure code is used. */
export const failureWhen: Readonly<Record<FailureReason, string>> = {
  no_provider_available: 'No provider offered a quote.',
  payment_declined: 'The payment was declined; no provider was contacted.',
  provider_refused: 'The provider refused the dispatch.',
  provider_unreachable: 'The provider did not respond to the dispatch.',
  provider_not_connected: 'The provider was disconnected before the dispatch reached it.',
  courier_failed: 'The courier accepted the delivery but could not complete it.',
  recipient_unreachable: 'The recipient could not be reached at the dropoff.',
  recipient_refused: 'The recipient refused the parcel.',
  wrong_address: 'The recipient is unknown at the address.',
  age_check_failed: 'The recipient did not pass the age check.',
  handover_failed: 'The parcel could not be handed over for another reason.',
  return_not_completed: 'The parcel was not returned in time.',
};
const failureCodes = failureReasons.map((code) => `\`${code}\`: ${failureWhen[code]}`).join(' ');
const FailureCode = Type.Enum(failureReasons, {
  description: `Why the delivery failed or is being returned. New codes may be added. ${failureCodes}`,
});

/** The search of a list of deliveries or orders. */
export const searchText = Type.Optional(
  Text(200, {
    description:
      'Words or parts of words of names, also of drivers, addresses, e-mails, units, notes, items, the reference, and ' +
      'reasons of failures and cancellations, without case or accents; ' +
      'the last four or more digits of a phone number, also of a driver; an ID or four or more characters of its beginning or end; a ' +
      'tracking link or its token. Results are sorted by the age of their orders, newest first',
  }),
);

/** The filters of a list by when a delivery is due, when it arrived, and when it came to any end. */
export const dueAndDelivered = {
  due_after: Type.Optional(
    Instant('Only what was promised for after this time; what has no promise, agreed for'),
  ),
  due_before: Type.Optional(Instant('Only what was promised, or agreed, for before this time')),
  delivered_after: Type.Optional(Instant('Only what was delivered after this time')),
  delivered_before: Type.Optional(Instant('Only what was delivered before this time')),
  ended_after: Type.Optional(
    Instant('Only what was delivered, failed, came back or was canceled after this time'),
  ),
  ended_before: Type.Optional(
    Instant('Only what was delivered, failed, came back or was canceled before this time'),
  ),
};

/** A delivery record of version 1. Its fields are frozen, and none is ever absent: what is added goes into details. */
export const Delivery = Type.Object(
  {
    id: Id('dlv'),
    delivery_type: Type.Enum(['asap', 'scheduled']),
    service: Type.String({ description: 'Name of the delivery provider; empty without a provider' }),
    status: Status,
    tracking_url: Type.String(),
    created_at: Instant(),
    updated_at: Instant(),
    cancellation_reason: Nullable(Type.String()),
    failure_reason: Nullable(FailureCode),
    failure_message: Type.String({
      description: 'Human-readable failure reason; empty if failure_reason is null',
    }),
    dispute_reason: Nullable(Type.String()),
    external_order_ref: Type.String(),
    order_id: Type.String(),
    route_id: Nullable(Type.String({ description: 'Null until the delivery is initiated' })),
    order_value: Type.Integer(),
    quote_id: Type.String({
      description: 'The quote used; not the requested one if that had expired',
    }),
    store_id: Nullable(Type.String()),
    test_mode: Type.Boolean(),
    ...costs,
    ...pickup,
    dropoffs: Type.Array(Dropoff),
    items_description: Type.String(),
    items: Type.Array(Type.Object({ name: Type.String(), quantity: Type.Integer(), size: Type.String() })),
    ...driver,
    vehicle: Nullable(Vehicle),
    handover_pin: Nullable(
      Type.String({
        description: 'PIN that the recipient tells the courier; null if the courier asks for none',
      }),
    ),
    signature: Nullable(Signature),
    proof_of_delivery: Type.Array(Proof),
    status_history: Type.Array(Type.Object({ status: Status, created_at: Instant() })),
  },
  { title: 'Delivery' },
);
export type Delivery = Static<typeof Delivery>;

export const deliveryParams = Exact({ deliveryid: Id('dlv') });

const deliveryFilters = {
  status: Type.Optional(Several(deliveryStatusNames)),
  external_order_ref: Type.Optional(Text(155)),
  service: Type.Optional(Type.Array(Text(64), { minItems: 1, maxItems: 50 })),
  phone: Type.Optional(
    Text(100, { description: 'Phone number of the pickup or dropoff, as people write it' }),
  ),
  store_id: Type.Optional(Reference({ description: 'Only deliveries that are picked up at this store' })),
  q: searchText,
  late: Type.Optional(
    Type.Boolean({
      description:
        'Only active deliveries that are expected, or still under way, more than five minutes after the time that was ' +
        'promised at the first dispatch of their order',
    }),
  ),
  was_late: Type.Optional(
    Type.Boolean({
      description:
        'Only deliveries that arrived, or are expected, more than five minutes after the promised time: those that a ' +
        'report counts as `late`',
    }),
  ),
  driver_name: Type.Optional(
    Text(100, { description: 'Only deliveries whose driver has these words in the name' }),
  ),
  overdue: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 31_536_000,
      description:
        'Only active deliveries that are this many seconds past the time at which their next report was due: the ' +
        'expected time of the pickup, later of the dropoff; without one, an hour after their last change',
    }),
  ),
  unchanged_since: Type.Optional(
    Instant('Only active deliveries that have not changed since this time; none that is still scheduled'),
  ),
  ...dueAndDelivered,
  charged_after: Type.Optional(
    Instant('Only what was charged or refunded after this time; `details.charges` are only those'),
  ),
  charged_before: Type.Optional(
    Instant('Only what was charged or refunded before this time; `details.charges` are only those'),
  ),
  ...createdBetween,
  ...paging,
};

export const listDeliveries = defineOperation({
  id: 'ListDeliveries',
  method: 'GET',
  path: '/v1/deliveries',
  summary: 'List deliveries, newest first',
  tag: 'Deliveries',
  permission: 'read',
  query: Exact(deliveryFilters),
  answer: ListOf(Delivery),
});

export const getDelivery = defineOperation({
  id: 'GetDelivery',
  method: 'GET',
  path: '/v1/delivery/{deliveryid}',
  summary: 'Get a delivery',
  tag: 'Deliveries',
  permission: 'read',
  params: deliveryParams,
  answer: Delivery,
  errors: ['record_not_found'],
});

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
          'earlier, 0 while it is expected less than a minute later, null before the dispatch and if it ended ' +
          'without arriving',
      }),
    ),
    is_late: Type.Boolean({
      description:
        'Whether it arrived or is expected more than five minutes after the promised time. An own driver whose way is ' +
        'known by ZIP codes only (`eta_precision`) is late only once that time has passed by this',
    }),
    eta_precision: Nullable(
      Type.Enum(coarsePrecisions, {
        description:
          'How coarse the places are that the expected times of an own driver rest on: while it is `street` or `zip`, ' +
          'show people a window or a rough length instead of a minute. Null if the houses are known, after the end, ' +
          'and for couriers of companies',
      }),
    ),
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
    closes_order: Type.Boolean({
      description: 'Whether its cancellation closed the order, so that it is not retried: that of a batch',
    }),
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

/** What tells the delivery of a dispute or note apart; notes have it only in the list of all deliveries. */
export const DeliveryNames = Type.Object({
  external_order_ref: Type.String({ description: 'The reference of its order; empty without one' }),
  dropoff_name: Type.String({ description: 'Its recipient' }),
  store_name: Nullable(Type.String({ description: 'The name of the store of its pickup; null without one' })),
});
export type DeliveryNames = Static<typeof DeliveryNames>;

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
    external_order_ref: Type.Optional(DeliveryNames.properties.external_order_ref),
    dropoff_name: Type.Optional(DeliveryNames.properties.dropoff_name),
    store_name: Type.Optional(DeliveryNames.properties.store_name),
  },
  { title: 'DeliveryNote' },
);
export type DeliveryNote = Static<typeof DeliveryNote>;

const DeliveryCharges = Type.Object(
  {
    delivery: cents('The price'),
    tip: cents('The tip'),
    return: cents('The fee of a return'),
    refund: cents('Given back: 0 or less'),
    cancellation: cents('The fee of a cancellation'),
    adjustment: cents("What the courier's bill differs by"),
    total_cost: cents('All of these'),
    later_cost: cents(
      'The part of it that was charged or refunded after the period of the list, from `created_before` on',
    ),
  } satisfies Record<ChargeKind | 'total_cost' | 'later_cost', unknown>,
  {
    description: 'Its charges by their kind, in cents. `payment_amount` is the price that was agreed',
  },
);

/** The fields of a delivery that version 2 adds to its version 1 record. Fields may be added. */
export const DeliveryDetails = Type.Object(
  {
    ...DeliveryEventDetails.properties,
    ...orderCoordinates,
    max_cost: Nullable(
      cents('The limit with which it was requested, without the tip; null if its own request had none'),
    ),
    last_report_at: Nullable(
      Instant('When the courier last reported anything, the position of the driver included; null before'),
    ),
    charges: DeliveryCharges,
    tried_again: Nullable(
      Type.Enum(deliveryStatuses, {
        description:
          'The status of the latest delivery of its order, if this one failed or was canceled and is not that; else null',
      }),
    ),
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

export const listDetailedDeliveries = defineOperation({
  id: 'ListDetailedDeliveries',
  method: 'GET',
  path: '/v2/deliveries',
  summary: 'List deliveries with their details, newest first',
  tag: 'Deliveries',
  permission: 'read',
  query: Exact(deliveryFilters),
  answer: ListOf(DetailedDelivery),
});

export const getDetailedDelivery = defineOperation({
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

export const createDeliveryNote = defineOperation({
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
    ...seenDelivery,
  }),
  answer: DeliveryNote,
  errors: ['record_not_found', 'record_changed'],
});

export const listNotes = defineOperation({
  id: 'ListNotes',
  method: 'GET',
  path: '/v2/notes',
  summary: 'List the internal notes of all deliveries, newest first',
  tag: 'Deliveries',
  permission: 'read',
  query: Exact({
    store_id: Type.Optional(Reference()),
    tag: Type.Optional(Words(50, { description: 'Only notes with this tag' })),
    ...createdBetween,
    ...paging,
  }),
  answer: ListOf(DeliveryNote),
});

export const listDeliveryNotes = defineOperation({
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
