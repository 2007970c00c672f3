/**
 * What programs for the public platform behind this interface send and read beside its own fields. The service takes
 * these, and no others: what is spelled wrongly is still refused. `service/orders/platform-forms.ts` turns each into own
 * fields, so that nothing behind it knows them.
 *
 * | Field | Where it was seen |
 * |---|---|
 * | `pickup`, `dropoff` as objects with `at`, `contact_email`, `address_details` | a program for version 2 orders |
 * | `length`, `width`, `height`, `weight` and their units | the same; the platform refuses its orders without them |
 * | `preferred_provider_settings.require_dropoff_photo` | the same |
 * | `items[].unit_price`, `items[].description` | the same |
 * | `store_id`, `dropoff_store_id`, `*_contact_email` | the platform's page on version 1 orders |
 * | `*_address_details`, with coordinates as text | a script for version 1 quotes |
 * | `vehicle_type`, `quote_preference` at the request of quotes | a comment of the program for version 2 orders |
 * | `latest_delivery` and its fields | answers of the platform that the same program reads |
 */
import { contentRules, fieldsOfPickup, fieldsOfPlace } from './order-rules.ts';
import {
  Cents,
  Email,
  Exact,
  type FieldRule,
  Instant,
  Latitude,
  Longitude,
  Nullable,
  Text,
  Type,
  Words,
} from './schema.ts';
import { deliveryStatuses, quotePreferences, vehicleTypes } from './vocabulary.ts';

/** Fields of an item. Their order and its items tell couriers the same. */
export const platformItemFields = {
  unit_price: Type.Optional(
    Cents('Price of one in cents; the sum of all items is the `order_value`, unless that is given'),
  ),
  description: Type.Optional(
    Text(500, { description: 'Added to `items_description`, unless that is given' }),
  ),
};

/** A coordinate as a number, or as text as the script for version 1 sends it. */
const coordinate = (number: ReturnType<typeof Longitude>) =>
  Type.Optional(Type.Union([number, Type.String({ pattern: '^-?[0-9]{1,3}([.][0-9]{1,20})?$' })]));

const AddressDetails = Exact(
  {
    street: Type.Optional(Text(200, { description: 'House number and street' })),
    city: Type.Optional(Text(200, { description: 'City' })),
    state: Type.Optional(Text(100, { description: 'State' })),
    postal_code: Type.Optional(Text(20, { description: 'ZIP code' })),
    country: Type.Optional(Text(100, { description: 'Country' })),
    latitude: coordinate(Latitude()),
    longitude: coordinate(Longitude()),
  },
  {
    title: 'AddressDetails',
    description:
      'The parts of the address, whose line counts. The coordinates are those of the place, where both are given',
    rules: [{ together: ['latitude', 'longitude'] }],
  },
);

const pickupEmail = Email({ description: 'Checked, but not kept: nobody is written to at the pickup' });
const dropoffEmail = Email({ description: 'As `dropoff_email`' });

/** One end of an order as an object. */
function stop(title: string, contact_email: ReturnType<typeof Email>, phone: string) {
  return Exact(
    {
      address: Words(200, { description: 'One line: street, city, state, ZIP' }),
      unit: Type.Optional(Text(200, { description: 'Apartment, suite or floor' })),
      name: Words(200, { description: 'Name of the place or person' }),
      phone_number: Words(100, { description: phone }),
      contact_email: Type.Optional(contact_email),
      notes: Type.Optional(Text(500, { description: 'Notes for the driver' })),
      at: Type.Optional(Instant('Schedules the delivery; at one of the two ends only')),
      address_details: Type.Optional(AddressDetails),
    },
    { title, description: 'One end of an order as an object, instead of its own fields' },
  );
}

export const PickupStop = stop('PickupStop', pickupEmail, 'Phone number of the pickup place');
export const DropoffStop = stop('DropoffStop', dropoffEmail, 'Phone number of the recipient');

const size = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 100_000, description }));

const dropoffStore = Words(100, { description: 'A store to deliver to, instead of the dropoff fields' });

/** The places of a parcel beyond its lines. */
export const platformPlaceFields = {
  store_id: Type.Optional(Words(100, { description: 'As `pickup_store_id`' })),
  dropoff_store_id: Type.Optional(dropoffStore),
  pickup_address_details: Type.Optional(AddressDetails),
  dropoff_address_details: Type.Optional(AddressDetails),
};

/** What else an order of the platform has. */
export const platformOrderFields = {
  ...platformPlaceFields,
  pickup_contact_email: Type.Optional(pickupEmail),
  dropoff_contact_email: Type.Optional(dropoffEmail),
  length: size(
    'Of all items together, as the width and the height; items without a size get theirs from them',
  ),
  width: size('See `length`'),
  height: size('See `length`'),
  dimension_unit: Type.Optional(Type.Enum(['in', 'cm'], { description: 'The unit of the three' })),
  weight: size('Of all items together; items without a size get theirs from it'),
  weight_unit: Type.Optional(Type.Enum(['lb', 'kg', 'g'], { description: 'The unit of the weight' })),
  preferred_provider_settings: Type.Optional(
    Exact(
      {
        require_dropoff_photo: Type.Optional(
          Type.Boolean({
            description:
              'Whether a photo of the handover is wanted. Own drivers are asked for it; couriers that take none may still carry the order',
          }),
        ),
      },
      { description: 'Wishes that exclude no courier' },
    ),
  ),
};

/** The fields of a parcel's size are given together. */
const sizeRules: readonly FieldRule[] = [
  { together: ['length', 'width', 'height', 'dimension_unit'] },
  { together: ['weight', 'weight_unit'] },
];

/** A store stands for its place. */
const storeRules: readonly FieldRule[] = [
  { without: ['store_id', 'pickup_store_id', ...fieldsOfPickup, 'pickup_address_details'] },
  { without: ['pickup_store_id', 'pickup_address_details'] },
  { without: ['dropoff_store_id', ...fieldsOfPlace('dropoff'), 'dropoff_address_details'] },
];

/** Coordinates are own fields, or within the details of the address. */
const detailRules: readonly FieldRule[] = (['pickup', 'dropoff'] as const).flatMap((end) =>
  (['latitude', 'longitude'] as const).map((name) => ({
    schema: {
      anyOf: [
        { properties: { [`${end}_${name}`]: { type: 'null' } } },
        { properties: { [`${end}_address_details`]: { properties: { [name]: { type: 'null' } } } } },
      ],
    },
  })),
);

const orderPickups = [
  ['pickup_store_id'],
  ['store_id'],
  ['pickup_address', 'pickup_name', 'pickup_phone_number'],
];
const orderDropoffs = [['dropoff_store_id'], ['dropoff_address', 'dropoff_name', 'dropoff_phone_number']];

/** The rules of the fields of an order beyond which places it needs. */
const sharedRules: readonly FieldRule[] = [...contentRules, ...sizeRules, ...storeRules, ...detailRules];

/** The rules of the fields of a version 1 delivery. */
export const deliveryRules: readonly FieldRule[] = [
  { any: orderPickups },
  { any: orderDropoffs },
  ...sharedRules,
];

/** The times of an order whose ends are objects. */
const stopTimes: readonly FieldRule[] = [
  ['pickup', 'dropoff'],
  ['pickup', 'dropoff_at'],
  ['pickup_at', 'dropoff'],
].map((names) => ({
  schema: {
    not: {
      required: names,
      properties: Object.fromEntries(
        names.map((name) => [
          name,
          name.endsWith('_at')
            ? { type: 'string' }
            : { type: 'object', required: ['at'], properties: { at: { type: 'string' } } },
        ]),
      ),
    },
  },
}));

const fieldsOfStop = (end: string) => [
  ...fieldsOfPlace(end),
  ...['name', 'phone_number', 'notes', 'at', 'contact_email', 'address_details'].map(
    (name) => `${end}_${name}`,
  ),
];

/** The rules of one order, whose ends may be objects. */
export const singleOrderRules: readonly FieldRule[] = [
  { any: [['pickup'], ...orderPickups] },
  { any: [['dropoff'], ...orderDropoffs] },
  { without: ['pickup', 'store_id', 'pickup_store_id', ...fieldsOfStop('pickup')] },
  { without: ['dropoff', 'dropoff_store_id', 'dropoff_email', ...fieldsOfStop('dropoff')] },
  ...stopTimes,
  ...sharedRules,
];

/** The fields of an end of a version 1 quote besides its store. */
const placeOf = (end: 'pickup' | 'dropoff') =>
  ['address', 'latitude', 'longitude', 'address_details'].map((name) => `${end}_${name}`);

/** The rules of the places of a version 1 quote. */
export const quoteRules: readonly FieldRule[] = [
  { any: [['pickup_address'], ['pickup_store_id'], ['store_id']] },
  { any: [['dropoff_address'], ['dropoff_store_id']] },
  { without: ['store_id', 'pickup_store_id', ...placeOf('pickup')] },
  { without: ['pickup_store_id', ...placeOf('pickup')] },
  { without: ['dropoff_store_id', ...placeOf('dropoff')] },
  { one: ['pickup_at', 'dropoff_at'] },
  { together: ['pickup_latitude', 'pickup_longitude'] },
  { together: ['dropoff_latitude', 'dropoff_longitude'] },
  ...detailRules,
];

/** What may be said with a request of quotes. */
export const platformQuoteFields = {
  vehicle_type: Type.Optional(
    Type.Enum(vehicleTypes, { description: 'Only quotes of couriers that have this vehicle' }),
  ),
  quote_preference: Type.Optional(
    Type.Enum(quotePreferences, {
      description: 'Changes nothing here: all quotes are listed, cheapest first, and the caller picks one',
    }),
  ),
};

/** The delivery within an order, in the fields of the platform's version 2. */
export const LatestDelivery = Type.Object(
  {
    id: Type.String({ description: 'Id that starts with dlv_' }),
    status: Type.Enum(deliveryStatuses),
    tracking_url: Type.String(),
    courier: Nullable(
      Type.Object(
        {
          name: Nullable(Type.String({ description: 'The name of the driver' })),
          phone_number: Nullable(Type.String({ description: 'The phone number of the driver' })),
          phone_number_for_customer: Nullable(
            Type.String({ description: 'The number that the recipient may call: the same' }),
          ),
        },
        { description: 'The driver; null until one is assigned' },
      ),
    ),
    total_amount_due: Type.Integer({ description: 'Charged without the tip, in cents: `payment_amount`' }),
    fee: Type.Integer({ description: 'For display, in cents' }),
    currency: Type.Literal('USD'),
    provider: Type.String({ description: 'Name of the delivery provider; empty without a provider' }),
    quote_id: Nullable(Type.String({ description: 'The quote used; null without one' })),
    proof_of_delivery_image_urls: Type.Array(Type.String(), {
      description: 'The URLs of the photos of the handover',
    }),
    signature_image_url: Nullable(Type.String({ description: "The URL of the recipient's signature" })),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'LatestDelivery', description: 'The latest delivery of an order' },
);
