/** Places: the pickup places that are saved as stores, and the search for the coordinates of an address. */
import { defineOperation } from './operation.ts';
import { addressLine, givenLatitude, max_phone_length, phoneFormat, undeliverable } from './orders.ts';
import {
  Deleted,
  Exact,
  Id,
  Instant,
  Latitude,
  ListOf,
  Longitude,
  Nullable,
  PlacePrecision,
  paging,
  type Static,
  Text,
  Type,
  Words,
} from './schema.ts';
import { max_notes, storeKinds, undeliverableActions } from './vocabulary.ts';

const kindText =
  'Chooses words of the tracking page: what is not handed over goes back to the shop or the kitchen';

/** A saved pickup location. */
export const Store = Type.Object(
  {
    id: Id('str'),
    object: Type.Literal('store'),
    name: Type.String(),
    address: Type.String(),
    latitude: Latitude(),
    longitude: Longitude(),
    precision: PlacePrecision(),
    phone_number: Type.String({ description: 'Without a leading plus sign' }),
    unit: Type.String(),
    notes: Type.String(),
    support_phone_number: Type.String({
      description: 'Shown to recipients on the tracking page, without a leading plus sign; empty: no number',
    }),
    undeliverable_action: Type.Enum(undeliverableActions, {
      description: `For orders that do not say it. ${undeliverable}`,
    }),
    logo: Type.String({ description: 'Shown on the tracking page; empty: no logo' }),
    kind: Type.Enum(storeKinds, { description: kindText }),
    paused_until: Nullable(
      Instant('Nothing is dispatched from it before: orders wait. Null: it is not paused'),
    ),
    providers: Type.Array(Type.String(), {
      description:
        'The providers asked for its orders if a request names none, in order of preference; empty: all',
    }),
    test_mode: Type.Boolean(),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { title: 'Store' },
);
export type Store = Static<typeof Store>;

/** The longest logo: a data image of about 48 kB. */
const max_logo = 65_536;

const pageFields = {
  support_phone_number: Type.Optional(
    Text(30, { description: `Shown to recipients on the tracking page; empty: no number. ${phoneFormat}` }),
  ),
  logo: Type.Optional(
    Text(max_logo, {
      description:
        'Shown on the tracking page: an https URL, or a data URL of a PNG, JPEG, GIF, WebP or SVG image in base64; empty: no logo',
    }),
  ),
  kind: Type.Optional(Type.Enum(storeKinds, { description: `${kindText}. Default: \`shop\`` })),
};

const dispatchFields = {
  paused_until: Type.Optional(
    Instant(
      'Nothing is dispatched from it before. A far time for a pause without an end; a past time resumes it',
    ),
  ),
  providers: Type.Optional(
    Type.Array(Words(50), {
      maxItems: 20,
      uniqueItems: true,
      description:
        'The providers to ask for its orders if a request names none, in order of preference; empty: all available to the account',
    }),
  ),
};

const coordinates = {
  latitude: Type.Optional(Latitude(givenLatitude)),
  longitude: Type.Optional(Longitude()),
};

const undeliverableField = Type.Optional(
  Type.Enum(undeliverableActions, {
    description: `For orders that do not say it; default: \`return\`. ${undeliverable}`,
  }),
);

const storeParams = Exact({ store_id: Id('str') });

export const createStore = defineOperation({
  id: 'CreateStore',
  method: 'POST',
  path: '/v2/stores',
  summary: 'Create a store, a saved pickup location',
  tag: 'Stores',
  permission: 'write',
  body: Exact(
    {
      name: Words(200),
      address: Words(200, { description: addressLine }),
      ...coordinates,
      undeliverable_action: undeliverableField,
      phone_number: Words(max_phone_length, { description: phoneFormat }),
      unit: Type.Optional(Text(200)),
      notes: Type.Optional(Text(max_notes)),
      ...pageFields,
      ...dispatchFields,
    },
    { title: 'StoreRequest', rules: [{ together: ['latitude', 'longitude'] }] },
  ),
  answer: Store,
  errors: ['address_not_geocodable'],
});

export const listStores = defineOperation({
  id: 'ListStores',
  method: 'GET',
  path: '/v2/stores',
  summary: 'List stores, newest first',
  tag: 'Stores',
  permission: 'read',
  query: Exact({ ...paging }),
  answer: ListOf(Store),
});

export const getStore = defineOperation({
  id: 'GetStore',
  method: 'GET',
  path: '/v2/stores/{store_id}',
  summary: 'Get a store',
  tag: 'Stores',
  permission: 'read',
  params: storeParams,
  answer: Store,
  errors: ['record_not_found'],
});

export const updateStore = defineOperation({
  id: 'UpdateStore',
  method: 'PATCH',
  path: '/v2/stores/{store_id}',
  summary: 'Update a store; existing records keep the old values',
  tag: 'Stores',
  permission: 'write',
  params: storeParams,
  body: Exact(
    {
      name: Type.Optional(Words(200)),
      address: Type.Optional(
        Words(200, { description: `${addressLine}. Coordinates that were given before are forgotten` }),
      ),
      ...coordinates,
      undeliverable_action: undeliverableField,
      phone_number: Type.Optional(Words(max_phone_length, { description: phoneFormat })),
      unit: Type.Optional(Text(200)),
      notes: Type.Optional(Text(max_notes)),
      ...pageFields,
      ...dispatchFields,
    },
    { minProperties: 1, rules: [{ together: ['latitude', 'longitude'] }] },
  ),
  answer: Store,
  errors: ['record_not_found', 'address_not_geocodable'],
});

export const deleteStore = defineOperation({
  id: 'DeleteStore',
  method: 'DELETE',
  path: '/v2/stores/{store_id}',
  summary: 'Delete a store; existing records keep its values',
  tag: 'Stores',
  permission: 'write',
  params: storeParams,
  answer: Deleted({ id: Type.String() }, 'store', 'DeletedStore'),
  errors: ['record_not_found'],
});

/** Why an address has no coordinates of its own, but at most those of its ZIP code. */
const placeProblems = ['unknown_address', 'not_found', 'other_state', 'too_far', 'not_asked'] as const;

/** An address with its coordinates. */
const FoundPlace = Type.Object(
  {
    address: Type.String({ description: 'The address as given' }),
    latitude: Nullable(Latitude()),
    longitude: Nullable(Longitude()),
    precision: PlacePrecision(),
    problem: Nullable(
      Type.Enum(placeProblems, {
        description:
          '`unknown_address`: orders with it are refused. `not_found`: the geocoder does not know it. `other_state`: it ' +
          'is found in another state only. `too_far`: it is found more than 25 miles from its ZIP code only. ' +
          '`not_asked`: the geocoder has not answered within two seconds. Null: none, or there is no geocoder',
      }),
    ),
    understood: Nullable(
      Type.String({ description: 'The address as an order with it has it; null if such orders are refused' }),
    ),
    warnings: Type.Array(Type.String(), {
      description:
        'What may be wrong with it, and what was left out or filled in, each as the end of a sentence that begins with ' +
        'the address; of a refused one, why',
    }),
  },
  { title: 'FoundPlace' },
);
export type FoundPlace = Static<typeof FoundPlace>;

export const findPlaces = defineOperation({
  id: 'FindPlaces',
  method: 'POST',
  path: '/v2/places',
  summary: 'Find where addresses are, without an order',
  tag: 'Orders',
  permission: 'read',
  body: Exact({
    addresses: Type.Array(Words(200, { description: addressLine }), {
      minItems: 1,
      maxItems: 20,
      description: 'The addresses to find',
    }),
  }),
  answer: Type.Object(
    { object: Type.Literal('found_places'), data: Type.Array(FoundPlace) },
    { title: 'FoundPlaces' },
  ),
});
