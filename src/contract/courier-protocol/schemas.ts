/**
 * The calls and documents of the protocol between waybill and a courier's own server. Receivers ignore unknown fields.
 * Names and reasons are those of the logistics interface of Open Delivery (https://www.opendelivery.com.br) where it has
 * them; reasons that it lacks come last.
 */
import { Instant, Nullable, type Static, Type } from '../schema.ts';

/** The value of `protocol` in a courier's description. */
export const courierProtocol = 'waybill-courier/1';

/** The calls that a courier answers, relative to its address. */
export const courierPaths = {
  describe: '/courier',
  quote: '/quotes',
  delivery: '/deliveries/{orderId}',
  cancel: '/deliveries/{orderId}/cancel',
  simulate: '/deliveries/{orderId}/simulate',
} as const;

const Name = Type.String({ minLength: 1, maxLength: 200 });
const ContactName = Type.String({ maxLength: 200, description: 'Empty in a quote for places alone' });
const Phone = Type.String({ description: 'E.164; empty in a quote for places alone' });
const OrderId = Type.String({
  pattern: '^[A-Za-z0-9_]{1,80}$',
  description: 'Given by waybill, the same in every attempt: the delivery is stored and found under it',
});
const Currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217' });

const Money = Type.Object(
  {
    value: Type.Integer({ minimum: 0, description: 'In the smallest unit of the currency, such as cents' }),
    currency: Currency,
  },
  { title: 'Money' },
);

const Address = Type.Object(
  {
    formattedAddress: Type.String({
      minLength: 1,
      description: 'The whole address in one line, without the complement',
    }),
    country: Type.String({ pattern: '^[A-Z]{2}$' }),
    state: Type.Optional(Type.String()),
    city: Type.Optional(Type.String()),
    street: Type.Optional(Type.String({ description: 'With the number' })),
    postalCode: Type.Optional(Type.String()),
    complement: Type.Optional(Type.String({ description: 'Apartment, suite or floor' })),
    latitude: Type.Optional(
      Type.Number({
        minimum: -90,
        maximum: 90,
        description: 'Of the house; absent, with the longitude, if only the address is known',
      }),
    ),
    longitude: Type.Optional(Type.Number({ minimum: -180, maximum: 180 })),
  },
  { title: 'Address' },
);

/** Whether the courier posts events or waits to be asked. */
const trackingModes = ['push', 'pull'] as const;

export const CourierDescription = Type.Object(
  {
    protocol: Type.String({ description: `${courierProtocol} for this version` }),
    name: Name,
    liveMode: Type.Boolean({ description: 'Whether deliveries of this API key are real' }),
    trackingMode: Type.Enum(trackingModes, {
      description: 'push: the courier posts every event. pull: waybill asks for them',
    }),
    currencies: Type.Array(Currency, { minItems: 1 }),
    countries: Type.Array(Type.String({ pattern: '^[A-Z]{2}$' }), {
      minItems: 1,
      description: 'ISO 3166 codes of two letters',
    }),
    testAddresses: Type.Optional(
      Type.Object(
        { pickup: Address, delivery: Address },
        {
          description:
            'Two addresses that it serves, for tests, which send no coordinates; default: two in Chicago',
        },
      ),
    ),
  },
  { title: 'Courier' },
);
export type CourierDescription = Static<typeof CourierDescription>;

export const parcelSizes = ['SMALL', 'MEDIUM', 'LARGE', 'EXTRA_LARGE'] as const;

const Item = Type.Object(
  {
    name: Type.String(),
    quantity: Type.Integer({ minimum: 1 }),
    size: Type.Enum(parcelSizes),
  },
  { title: 'Item' },
);

export const courierVehicles = ['CAR', 'SUV', 'PICKUP_TRUCK', 'CARGO_VAN', 'BOX_TRUCK'] as const;

/** Everything that is known about an order, in quote requests and in deliveries alike. */
const order = {
  orderDisplayId: Type.String({ description: "The merchant's own number; may be empty" }),
  merchant: Type.Object({ name: ContactName, phone: Phone }, { title: 'Merchant' }),
  pickupAddress: Address,
  pickupInstructions: Type.String(),
  customerName: ContactName,
  customerPhone: Phone,
  deliveryAddress: Address,
  specialInstructions: Type.String({ description: 'For the handover to the customer' }),
  items: Type.Array(Item),
  packageDescription: Type.String(),
  totalOrderPrice: Money,
  tip: Money,
  vehicle: Type.Optional(Type.Object({ type: Type.Array(Type.Enum(courierVehicles)) })),
  signatureRequired: Type.Boolean(),
  leaveAtDoor: Type.Boolean(),
  returnToMerchant: Type.Boolean({ description: 'Bring back what cannot be delivered' }),
  pickupDatetime: Type.Optional(Instant('Scheduled pickup; without either time: as soon as possible')),
  deliveryDatetime: Type.Optional(Instant('Scheduled handover')),
};

export const CourierQuoteRequest = Type.Object(order, { title: 'QuoteRequest' });
export type CourierQuoteRequest = Static<typeof CourierQuoteRequest>;

const Eta = Type.Object({ pickupEtaDatetime: Instant(), deliveryEtaDatetime: Instant() }, { title: 'Eta' });

export const CourierQuote = Type.Object(
  {
    quoteId: Type.String({ minLength: 1, maxLength: 200 }),
    deliveryPrice: Money,
    eta: Eta,
    expiresAt: Nullable(Instant('Null: it does not expire')),
  },
  { title: 'Quote' },
);
export type CourierQuote = Static<typeof CourierQuote>;

export const DeliveryRequest = Type.Object(
  {
    quoteId: Nullable(Type.String({ description: 'Null: book at the present price' })),
    callbackURL: Type.Optional(
      Type.String({
        description: 'Post the events of this delivery here instead of to the registered address',
      }),
    ),
    ...order,
  },
  { title: 'DeliveryRequest' },
);
export type DeliveryRequest = Static<typeof DeliveryRequest>;

/** The events of a delivery, in their usual order. */
export const deliveryEvents = [
  'PENDING',
  'ACCEPTED',
  'REJECTED',
  'PICKUP_ONGOING',
  'ARRIVED_AT_MERCHANT',
  'ORDER_PICKED',
  'DELIVERY_ONGOING',
  'ARRIVED_AT_CUSTOMER',
  'ORDER_DELIVERED',
  'RETURNING_TO_MERCHANT',
  'RETURNED_TO_MERCHANT',
  'DELIVERY_FINISHED',
  'CANCELLED',
] as const;
export type DeliveryEventType = (typeof deliveryEvents)[number];

/** Why a courier brings a delivery back or gives it up. */
export const problemReasons = [
  'DELIVERYPERSON_OCCURRENCE',
  'PAYMENT_PROBLEMS',
  'WRONG_PRODUCT_OR_ITEM',
  'ORDER_DELAYED',
  'ORDER_DAMAGED_OR_VIOLATED',
  'CUSTOMER_DID_NOT_PLACE_ORDER',
  'CUSTOMER_ADDRESS_UNKNOWN',
  'ORDER_MISSING_ITEMS',
  'NOBODY_TO_RECEIVE',
  'DELIVERYPERSON_WAITING_PAYMENT_FOR_ALREADY_PAID_ORDER',
  'ORDER_DELIVERED_WITHOUT_PAYMENT',
  'FRAUD_OR_THEFT',
  'OTHER',
] as const;
export type ProblemReason = (typeof problemReasons)[number];

/** Why a courier takes no quote request, order or cancellation. */
export const rejectionReasons = [
  'PRICE_EXCEEDED',
  'VEHICLE_NOT_AVAILABLE',
  'NO_DELIVERYPERSON_AVAILABLE',
  'DOES_NOT_MEET_REQUESTED_TIMES',
  'REGION_NOT_SERVED',
  'OTHER',
  'ADDRESS_UNKNOWN',
  'DISTANCE_TOO_LONG',
  'ITEM_TOO_LARGE',
  'VALUE_TOO_HIGH',
  'CONTACT_REFUSED',
  'SIGNATURE_NOT_OFFERED',
  'SCHEDULED_NOT_TAKEN',
  'QUOTE_EXPIRED',
  'ACCOUNT_BLOCKED',
  'ORDER_ALREADY_PICKED',
] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** Why a merchant cancels. */
const cancelReasons = [
  'CONSUMER_CANCELLATION_REQUESTED',
  'NO_SHOW',
  'PROBLEM_AT_MERCHANT',
  'HIGH_ACCEPTANCE_TIME',
  'INCORRECT_ORDER_OR_PRODUCT_PICKUP',
  'PROBLEM_RESOLUTION',
  'DISCOMBINE_ORDER',
  'OTHER',
] as const;

const Event = Type.Object(
  {
    id: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'Unique within the delivery; never changes',
    }),
    type: Type.Enum(deliveryEvents),
    datetime: Instant('When it happened'),
    message: Type.Optional(Type.String({ description: 'For people' })),
    reason: Type.Optional(
      Type.Enum([...new Set([...problemReasons, ...rejectionReasons, ...cancelReasons])], {
        description: 'Of REJECTED, RETURNING_TO_MERCHANT and CANCELLED',
      }),
    ),
  },
  { title: 'Event' },
);

const proofKinds = ['PHOTO', 'SIGNATURE'] as const;

export const CourierDelivery = Type.Object(
  {
    orderId: OrderId,
    deliveryId: Type.String({ minLength: 1, maxLength: 200, description: "The courier's own ID" }),
    liveMode: Type.Boolean({ description: 'Whether it is a real delivery' }),
    deliveryPrice: Money,
    cancellationPrice: Type.Optional(Nullable(Money)),
    returnPrice: Type.Optional(Nullable(Money)),
    refundPrice: Type.Optional(Nullable(Money)),
    externalTrackingURL: Type.Optional(Nullable(Type.String())),
    eta: Type.Optional(Nullable(Eta)),
    deliveryPerson: Type.Optional(
      Nullable(
        Type.Object(
          {
            name: Name,
            phone: Type.Optional(Type.String({ description: 'E.164' })),
            pictureURL: Type.Optional(Type.String()),
            vehicle: Type.Optional(Type.String({ description: 'Such as CAR or BICYCLE' })),
          },
          { title: 'DeliveryPerson' },
        ),
      ),
    ),
    geoLocalization: Type.Optional(
      Nullable(
        Type.Object(
          { latitude: Type.Number(), longitude: Type.Number(), datetime: Instant() },
          { title: 'GeoLocalization' },
        ),
      ),
    ),
    proofs: Type.Optional(
      Type.Array(Type.Object({ type: Type.Enum(proofKinds), url: Type.String() }, { title: 'Proof' })),
    ),
    events: Type.Array(Event, {
      minItems: 1,
      description: 'Every event so far, in the order in which they happened',
    }),
  },
  { title: 'Delivery' },
);
export type CourierDelivery = Static<typeof CourierDelivery>;

export const CancelRequest = Type.Object(
  { reason: Type.Enum(cancelReasons), message: Type.Optional(Type.String()) },
  { title: 'CancelRequest' },
);

export const SimulateRequest = Type.Object(
  { event: Type.Enum(deliveryEvents), reason: Type.Optional(Type.Enum([...problemReasons])) },
  { title: 'SimulateRequest' },
);

export const Rejection = Type.Object(
  {
    rejectionInfo: Type.Object({
      reason: Type.Enum(rejectionReasons),
      message: Type.String({ description: 'For people' }),
    }),
  },
  { title: 'Rejection' },
);

export const CourierError = Type.Object({ message: Type.String() }, { title: 'Error' });
