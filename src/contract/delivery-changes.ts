/** The operations that change deliveries, from quotes for new ones to disputes. `deliveries.ts` has those that read. */
import { Delivery, deliveryParams, seenDelivery } from './deliveries.ts';
import { defineOperation } from './operation.ts';
import { max_phone_length, orderRequestFields, sentOnce, singleOrderFields, uniqueRef } from './orders.ts';
import { deliveryRules, platformPlaceFields, quoteRules } from './platform-fields.ts';
import { tooLate } from './routes.ts';
import {
  Cents,
  Count,
  Email,
  Exact,
  Id,
  Instant,
  Nullable,
  Reference,
  type Static,
  Text,
  Type,
  Words,
} from './schema.ts';
import { handoverFailures, max_notes, quotePreferences, reportableStatuses } from './vocabulary.ts';

/** A quote of version 1, returned within the call. */
export const DeliveryQuote = Type.Object(
  {
    id: Id('quo'),
    fee: Count({ description: 'Fee of a delivery with this quote, in cents, as it is shown' }),
    payment_amount: Type.Optional(
      Cents('What is charged with this quote without the tip, if the fee is shown with upsell or subsidy'),
    ),
    created: Instant(),
    dropoff_at: Instant('When the recipient would receive the delivery'),
    currency: Type.Literal('USD'),
    expires: Nullable(Instant()),
    too_late: tooLate,
    service: Type.String({ description: 'Name of the delivery provider' }),
  },
  { title: 'DeliveryQuote' },
);
export type DeliveryQuote = Static<typeof DeliveryQuote>;

export const quoteDelivery = defineOperation({
  id: 'QuoteDelivery',
  method: 'POST',
  path: '/v1/quote',
  summary: 'Get the price of each provider for one delivery, cheapest first',
  tag: 'Deliveries',
  permission: 'write',
  body: Exact(
    {
      pickup_address: Type.Optional(orderRequestFields.pickup_address),
      pickup_latitude: orderRequestFields.pickup_latitude,
      pickup_longitude: orderRequestFields.pickup_longitude,
      pickup_store_id: orderRequestFields.pickup_store_id,
      dropoff_address: Type.Optional(orderRequestFields.dropoff_address),
      dropoff_latitude: orderRequestFields.dropoff_latitude,
      dropoff_longitude: orderRequestFields.dropoff_longitude,
      pickup_at: orderRequestFields.pickup_at,
      dropoff_at: orderRequestFields.dropoff_at,
      items: orderRequestFields.items,
      request_signature: orderRequestFields.request_signature,
      vehicle: orderRequestFields.vehicle,
      ...platformPlaceFields,
    },
    { rules: quoteRules },
  ),
  answer: Type.Array(DeliveryQuote),
  errors: ['record_not_found', 'address_not_geocodable', 'simulation_not_allowed', 'simulation_unknown'],
});

const quoteForDelivery = Type.Optional(
  Reference({
    description:
      'A quote for the same stops and time, from `POST /v1/quote` or from a draft route with one order. That route and its order are not changed. An expired quote is replaced by a new one from the same provider, with a different id and fee',
  }),
);

const maxCost = Type.Optional(
  Cents('Maximum of cost_of_delivery plus service_fee, in cents: a dearer quote is not dispatched'),
);

const lateOk = Type.Optional(
  Type.Boolean({
    default: true,
    description:
      'Dispatch even if no quote keeps the agreed time; otherwise refuse with `too_late`, unless a quote is named',
  }),
);

export const createDelivery = defineOperation({
  id: 'CreateDeliveryInformation',
  method: 'POST',
  path: '/v1/delivery_information',
  summary: 'Create a delivery, and optionally initiate it',
  tag: 'Deliveries',
  permission: 'write',
  body: Exact(
    {
      ...singleOrderFields,
      initiate: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether to select a courier immediately' }),
      ),
      quote_id: quoteForDelivery,
      max_cost: maxCost,
      late_ok: lateOk,
      unique_ref: uniqueRef,
    },
    { title: 'DeliveryRequest', rules: deliveryRules },
  ),
  answer: Delivery,
  errors: [
    'record_not_found',
    'quote_not_found',
    'quote_used',
    'order_not_open',
    'duplicate_ref',
    'store_paused',
    'cost_above_limit',
    'too_late',
    'address_not_geocodable',
    'simulation_not_allowed',
    'simulation_unknown',
  ],
  acts_after_commit: true,
});

export const initiateDelivery = defineOperation({
  id: 'InitiateDelivery',
  method: 'POST',
  path: '/v1/delivery/{deliveryid}/initiate',
  summary: 'Select a courier for a stored delivery',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact({ quote_id: quoteForDelivery, max_cost: maxCost, late_ok: lateOk, unique_ref: sentOnce }),
  answer: Delivery,
  errors: [
    'record_not_found',
    'quote_not_found',
    'quote_used',
    'order_not_open',
    'duplicate_ref',
    'delivery_not_initiable',
    'store_paused',
    'cost_above_limit',
    'too_late',
  ],
  acts_after_commit: true,
});

/** How the quote of a retry is selected. */
const retryChoice = {
  quote_preference: Type.Optional(Type.Enum(quotePreferences, { default: 'cheapest' })),
  max_cost: Type.Optional(
    Cents('Maximum of cost_of_delivery plus service_fee, in cents; quotes above it are not selected'),
  ),
  provider: Type.Optional(
    Type.String({
      description: 'The only provider to ask. Default: all but those that ended an earlier attempt badly',
    }),
  ),
  exclude_provider: Type.Optional(
    Type.String({ description: 'A provider not to ask, or several, separated by commas' }),
  ),
  unique_ref: uniqueRef,
  driver_id: Type.Optional(
    Reference({
      description: 'The driver of your own fleet who gets it without being asked; no other provider is asked',
    }),
  ),
};

export const retryDelivery = defineOperation({
  id: 'RetryDelivery',
  method: 'POST',
  path: '/v1/delivery/{deliveryid}/retry',
  summary: 'Retry the order of a failed or canceled delivery, on a new route with new quotes',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact({ ...retryChoice, if_status: seenDelivery.if_status }),
  answer: Delivery,
  errors: [
    'record_not_found',
    'record_changed',
    'delivery_not_initiable',
    'order_not_open',
    'duplicate_ref',
    'store_paused',
    'cost_above_limit',
  ],
});

/** The current cost of retrying a delivery. */
export const RetryTerms = Type.Object(
  {
    object: Type.Literal('retry_terms'),
    delivery_id: Id('dlv'),
    retryable: Type.Boolean(),
    reason: Type.String({ description: 'Why the delivery cannot be retried; empty if it can' }),
    code: Type.String({ description: 'The error code with which a retry is refused; empty if it is not' }),
    paid: Type.Integer({ description: 'Charges of this delivery minus refunds, in cents' }),
    service: Type.String({ description: 'Provider of the quote that is selected now; empty without one' }),
    cost: Nullable(
      Count({ description: 'Provider cost plus processing fee of that quote, in cents; null without one' }),
    ),
    tip: Count({ description: 'Tip that is charged with it, in cents' }),
    quotes: Type.Array(
      Type.Object({
        service: Type.String({ description: 'Name of the delivery provider' }),
        cost: Count({ description: 'Provider cost plus processing fee, in cents' }),
        dropoff_eta: Instant('When the recipient would receive the delivery'),
        left_out: Type.Optional(
          Type.Boolean({
            description:
              'Whether it is not used, as the provider ended an earlier attempt badly and others offer a quote: name it as `provider` to use it',
          }),
        ),
      }),
      { description: 'The quotes that were compared, cheapest first, with those above max_cost' },
    ),
  },
  { title: 'RetryTerms' },
);
export type RetryTerms = Static<typeof RetryTerms>;

export const getRetryTerms = defineOperation({
  id: 'GetRetryTerms',
  method: 'GET',
  path: '/v1/delivery/{deliveryid}/retry',
  summary: 'Check whether a delivery can be retried now, and at what cost',
  tag: 'Deliveries',
  permission: 'read',
  params: deliveryParams,
  query: Exact(retryChoice),
  answer: RetryTerms,
  errors: ['record_not_found'],
});

export const editDelivery = defineOperation({
  id: 'EditDelivery',
  method: 'PATCH',
  path: '/v1/delivery/{deliveryid}',
  summary:
    'Change notes, units, names, phone numbers, e-mail address or tip of a delivery before pickup; what is for the recipient of an own driver until the handover',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact(
    {
      pickup_name: Type.Optional(Words(200)),
      pickup_phone_number: Type.Optional(Words(max_phone_length)),
      pickup_unit: Type.Optional(Text(200)),
      pickup_notes: Type.Optional(Text(max_notes)),
      dropoff_name: Type.Optional(Words(200)),
      dropoff_phone_number: Type.Optional(Words(max_phone_length)),
      dropoff_email: Type.Optional(Email()),
      dropoff_unit: Type.Optional(Text(200)),
      dropoff_notes: Type.Optional(Text(max_notes)),
      tip: Type.Optional(Cents('Tip for the driver in cents, not less than before; what it adds is charged')),
    },
    { minProperties: 1 },
  ),
  answer: Delivery,
  errors: ['record_not_found', 'delivery_not_editable'],
});

export const cancelDelivery = defineOperation({
  id: 'CancelDelivery',
  method: 'POST',
  path: '/v1/delivery/{deliveryid}/cancel',
  summary: 'Cancel a delivery; the courier may charge a cancellation fee',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact({
    reason: Type.Optional(Text(500)),
    operator: Type.Optional(
      Type.Boolean({
        description:
          'Cancel as the operator of the service; requires an admin key. It is possible on the way back, too: what was charged then stays.',
      }),
    ),
    ...seenDelivery,
  }),
  answer: Delivery,
  errors: ['record_not_found', 'record_changed', 'delivery_not_cancelable'],
});

/** The cost of canceling a delivery now. */
export const Cancellation = Type.Object(
  {
    object: Type.Literal('cancellation'),
    delivery_id: Id('dlv'),
    cancelable: Type.Boolean(),
    reason: Type.String({ description: 'Why the delivery cannot be canceled; empty if it can' }),
    fee: Count({ description: 'Cancellation fee, in cents' }),
    fee_unknown: Type.Optional(
      Type.Boolean({
        description: 'Whether the courier charges what it does not say before: `fee` is then 0',
      }),
    ),
    refund: Count({ description: 'Amount refunded, in cents; the fee is charged separately' }),
  },
  { title: 'Cancellation' },
);
export type Cancellation = Static<typeof Cancellation>;

export const getCancellation = defineOperation({
  id: 'GetCancellation',
  method: 'GET',
  path: '/v1/delivery/{deliveryid}/cancellation',
  summary: 'Check whether a delivery can be canceled now, and at what cost',
  tag: 'Deliveries',
  permission: 'read',
  params: deliveryParams,
  answer: Cancellation,
  errors: ['record_not_found'],
});

export const disputeDelivery = defineOperation({
  id: 'DisputeDelivery',
  method: 'POST',
  path: '/v1/delivery/{deliveryid}/dispute',
  summary: 'Dispute a delivery reported as delivered, within 30 days',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact({ reason: Words(500), if_status: seenDelivery.if_status }),
  answer: Delivery,
  errors: ['record_not_found', 'record_changed', 'delivery_not_disputable'],
});

export const unlockDelivery = defineOperation({
  id: 'UnlockDelivery',
  method: 'POST',
  path: '/v2/deliveries/{deliveryid}/unlock',
  summary: 'Accept PINs again for a handover that wrong PINs have locked',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact(seenDelivery),
  answer: Delivery,
  errors: ['record_not_found', 'record_changed', 'delivery_not_locked'],
});

export const reportDelivery = defineOperation({
  id: 'ReportDelivery',
  method: 'POST',
  path: '/v2/deliveries/{deliveryid}/reports',
  summary: 'Report a status for an own driver who cannot',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact({
    status: Type.Enum(reportableStatuses, {
      description:
        'What happened: `failed` before the pickup, or if the parcel is lost; `enroute_to_return` if it could not be ' +
        'handed over',
    }),
    note: Words(300, {
      description: 'How you know; kept as an internal note, and the reason of what failed or goes back',
    }),
    failure_reason: Type.Optional(
      Type.Enum(handoverFailures, {
        description: 'With `enroute_to_return`: why it could not be handed over',
      }),
    ),
    ...seenDelivery,
  }),
  answer: Delivery,
  errors: ['record_not_found', 'record_changed', 'delivery_not_reportable'],
});
