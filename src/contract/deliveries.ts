import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import {
  createdBetween,
  Exact,
  Id,
  Instant,
  ListOf,
  Nullable,
  paging,
  Reference,
  Several,
  Text,
  Type,
} from './schema.ts';
import {
  deliveryStatuses,
  deliveryStatusNames,
  type FailureReason,
  failureReasons,
  proofTypes,
} from './vocabulary.ts';

export const Status = Type.Enum(deliveryStatuses);
const cents = (description: string) => Type.Integer({ description });

const costs = {
  currency: Type.Literal('USD'),
  payment_amount: cents('Charged without the tip: provider cost plus processing fee'),
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
      'Words or parts of words of names, addresses, units, notes, items and the reference, without case or accents; ' +
      'the last four or more digits of a phone number; an ID or four or more characters of its beginning or end; a ' +
      'tracking link or its token. Results are sorted by the age of their orders, newest first',
  }),
);

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

/** The filters of a list of deliveries. */
export const deliveryFilters = {
  status: Type.Optional(Several(deliveryStatusNames)),
  external_order_ref: Type.Optional(Text(155)),
  service: Type.Optional(Text(64)),
  phone: Type.Optional(
    Text(30, { description: 'Phone number of the pickup or dropoff, with or without the plus sign' }),
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
  unchanged_since: Type.Optional(
    Instant('Only active deliveries that have not changed since this time; none that is still scheduled'),
  ),
  ...createdBetween,
  ...paging,
};

export const listDeliveries = operation({
  id: 'ListDeliveries',
  method: 'GET',
  path: '/v1/deliveries',
  summary: 'List deliveries, newest first',
  tag: 'Deliveries',
  permission: 'read',
  query: Exact(deliveryFilters),
  answer: ListOf(Delivery),
  errors: [],
});

export const getDelivery = operation({
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
