import { Delivery, deliveryParams } from './deliveries.ts';
import { operation } from './operation.ts';
import { orderRequestFields, pickupOrStore } from './orders.ts';
import type { Static } from './schema.ts';
import { Count, Exact, Id, Instant, Nullable, Reference, Type } from './schema.ts';
import { quotePreferences } from './vocabulary.ts';

/** What version 1 quotes for, within the call. */
export const DeliveryQuote = Type.Object(
  {
    id: Id('quo'),
    fee: Count({ description: 'What a delivery with it shows as its fee, in cents' }),
    created: Instant(),
    dropoff_at: Instant('When the recipient would have it'),
    currency: Type.Literal('USD'),
    expires: Nullable(Instant()),
    service: Type.String({ description: 'Name of the delivery provider' }),
  },
  { title: 'DeliveryQuote' },
);
export type DeliveryQuote = Static<typeof DeliveryQuote>;

export const quoteDelivery = operation({
  id: 'QuoteDelivery',
  method: 'POST',
  path: '/v1/quote',
  summary: 'What each provider would take for one delivery, cheapest first',
  tag: 'Deliveries',
  permission: 'write',
  body: Exact({
    pickup_address: Type.Optional(orderRequestFields.pickup_address),
    pickup_store_id: orderRequestFields.pickup_store_id,
    dropoff_address: orderRequestFields.dropoff_address,
    pickup_at: orderRequestFields.pickup_at,
    dropoff_at: orderRequestFields.dropoff_at,
    items: orderRequestFields.items,
    request_signature: orderRequestFields.request_signature,
    vehicle: orderRequestFields.vehicle,
  }),
  answer: Type.Array(DeliveryQuote),
  errors: ['record_not_found', 'address_not_geocodable', 'simulation_not_allowed', 'simulation_unknown'],
});

const quoteForDelivery = Type.Optional(
  Reference({
    description:
      'A quote for the same stops and time: of `POST /v1/quote`, or of a draft route with one order. That route and its order stay as they are. An expired quote is replaced by a new one of the same provider, whose id and fee differ',
  }),
);

export const createDelivery = operation({
  id: 'CreateDeliveryInformation',
  method: 'POST',
  path: '/v1/delivery_information',
  summary: 'Store a delivery, or store and initiate it',
  tag: 'Deliveries',
  permission: 'write',
  body: Exact(
    {
      ...orderRequestFields,
      initiate: Type.Optional(
        Type.Boolean({ default: false, description: 'Whether a courier is selected at once' }),
      ),
      quote_id: quoteForDelivery,
    },
    { title: 'DeliveryRequest', ...pickupOrStore },
  ),
  answer: Delivery,
  errors: [
    'record_not_found',
    'quote_not_found',
    'address_not_geocodable',
    'simulation_not_allowed',
    'simulation_unknown',
  ],
});

export const initiateDelivery = operation({
  id: 'InitiateDelivery',
  method: 'POST',
  path: '/v1/delivery/{deliveryid}/initiate',
  summary: 'Select a courier for a stored delivery',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact({ quote_id: quoteForDelivery }),
  answer: Delivery,
  errors: ['record_not_found', 'quote_not_found', 'delivery_not_initiable'],
});

export const retryDelivery = operation({
  id: 'RetryDelivery',
  method: 'POST',
  path: '/v1/delivery/{deliveryid}/retry',
  summary: 'Try the order of a failed or canceled delivery again, on a new route with fresh quotes',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact({
    quote_preference: Type.Optional(Type.Enum(quotePreferences, { default: 'cheapest' })),
  }),
  answer: Delivery,
  errors: ['record_not_found', 'delivery_not_initiable'],
});
