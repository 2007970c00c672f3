import { operation } from './operation.ts';
import { addressLine, PlacePrecision } from './orders.ts';
import { Exact, Latitude, Longitude, Nullable, type Static, Type, Words } from './schema.ts';

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
  },
  { title: 'FoundPlace' },
);
export type FoundPlace = Static<typeof FoundPlace>;

export const findPlaces = operation({
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
  errors: [],
});
