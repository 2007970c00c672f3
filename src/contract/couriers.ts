import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Exact, Instant, Nullable, Type } from './schema.ts';
import { courierStates, itemSizes, vehicleTypes } from './vocabulary.ts';

const Setting = Type.Object({
  name: Type.String(),
  label: Type.String({ description: 'The question in a form' }),
  help: Type.String({ description: 'Where the value is found' }),
  is_secret: Type.Boolean({ description: 'Whether the value is stored encrypted and never shown' }),
  is_optional: Type.Boolean({ description: 'Whether it may be left out' }),
  choices: Type.Array(Type.String(), { description: 'The accepted values; empty: any' }),
  is_set: Type.Boolean({ description: 'Whether it has a value' }),
  value: Nullable(Type.String({ description: 'Null if it is secret or not set' })),
});

const Capabilities = Type.Object(
  {
    vehicles: Type.Array(Type.Enum(vehicleTypes), {
      description: 'The vehicle types that can be required; empty: the courier chooses',
    }),
    largest_item: Type.Enum(itemSizes, { description: 'The largest item that it carries' }),
    scheduled: Type.Boolean({ description: 'Whether deliveries can be scheduled' }),
    signature: Type.Boolean({ description: 'Whether a signature can be required' }),
    photo: Type.Boolean({ description: 'Whether it takes a photo at the handover' }),
    pin: Type.Boolean({ description: 'Whether a PIN can be required at the handover' }),
    tip: Type.Boolean({ description: 'Whether it takes tips' }),
    edits: Type.Boolean({ description: 'Whether a delivery can be changed after it is created' }),
    returns: Type.Boolean({ description: 'Whether it brings back items that cannot be delivered' }),
    cancel_until: Type.Enum(['assigned', 'picked_up', 'refused'], {
      description: 'Until when it takes a cancellation; `refused`: until it refuses one',
    }),
    reports: Type.Enum(['push', 'poll'], {
      description: 'Whether the courier calls the service, or the service asks the courier',
    }),
    location: Type.Boolean({ description: "Whether it reports the driver's position" }),
    currencies: Type.Array(Type.String(), { description: 'ISO 4217' }),
    countries: Type.Array(Type.String(), { description: 'ISO 3166, two letters' }),
    binding_quotes: Type.Boolean({ description: 'Whether the price of a quote is that of the delivery' }),
  },
  { description: 'What the courier can and cannot do' },
);

/** A courier company that can be connected, and the connection in the mode of the key. */
export const Courier = Type.Object(
  {
    object: Type.Literal('courier'),
    name: Type.String({ description: 'As in `providers`' }),
    title: Type.String({ description: 'As people write it' }),
    state: Type.Enum(courierStates),
    settings: Type.Array(Setting),
    capabilities: Capabilities,
    untested_live: Type.Boolean({
      description:
        "Whether waybill was not yet run against the courier's live service, only against a copy of it",
    }),
    push_url: Nullable(
      Type.String({
        description:
          'The secret address to enter at the courier; null if it is not connected or sends nothing',
      }),
    ),
    push_setup: Type.String({ description: 'How to enter the address at the courier; may be empty' }),
    test_mode: Type.Boolean(),
    connected_at: Nullable(Instant('Null if it is not connected')),
    updated_at: Nullable(Instant('Null if it is not connected')),
    checked_at: Nullable(Instant('When the settings were last found to work')),
    last_push_at: Nullable(Instant('When the courier last sent an authentic report, to the minute')),
    calls_paused_until: Nullable(
      Instant('Until when the courier is not called, as it has failed repeatedly; null if it is called'),
    ),
  },
  { title: 'Courier' },
);
export type Courier = Static<typeof Courier>;

const params = Exact({
  name: Type.String({ description: 'The name of the courier, such as `uber-direct`' }),
});

/** The longest value of a setting: private keys are long. */
const max_setting_length = 4_000;

export const listCouriers = operation({
  id: 'ListCouriers',
  method: 'GET',
  path: '/v2/couriers',
  summary: 'List the couriers that can be connected, with the state of each',
  tag: 'Couriers',
  permission: 'read',
  answer: Type.Object(
    { object: Type.Literal('list'), data: Type.Array(Courier), has_more: Type.Literal(false) },
    { title: 'CourierList' },
  ),
  errors: [],
});

export const connectCourier = operation({
  id: 'ConnectCourier',
  method: 'PUT',
  path: '/v2/couriers/{name}',
  summary:
    'Connect a courier, or change the settings of a connected one; they are checked at the courier first',
  tag: 'Couriers',
  permission: 'admin',
  params,
  body: Exact({
    settings: Type.Object(
      {},
      {
        additionalProperties: Type.String({ maxLength: max_setting_length }),
        description:
          'The values by the names of the settings. A connected courier keeps those that are left out; an empty text removes an optional one',
      },
    ),
  }),
  answer: Courier,
  errors: ['courier_unknown', 'courier_check_failed', 'courier_mode_mismatch', 'secret_key_missing'],
});

const connected = { tag: 'Couriers', permission: 'admin', params, answer: Courier } as const;

export const checkCourier = operation({
  id: 'CheckCourier',
  method: 'POST',
  path: '/v2/couriers/{name}/check',
  summary: 'Check the settings of a connected courier by a call that changes nothing',
  ...connected,
  errors: [
    'courier_unknown',
    'courier_not_connected',
    'courier_check_failed',
    'courier_mode_mismatch',
    'secret_key_missing',
  ],
});

export const enableCourier = operation({
  id: 'EnableCourier',
  method: 'POST',
  path: '/v2/couriers/{name}/enable',
  summary: 'Request quotes from a disabled courier again',
  ...connected,
  errors: ['courier_unknown', 'courier_not_connected'],
});

export const disableCourier = operation({
  id: 'DisableCourier',
  method: 'POST',
  path: '/v2/couriers/{name}/disable',
  summary: 'Request no more quotes from a courier, and keep its settings',
  ...connected,
  errors: ['courier_unknown', 'courier_not_connected'],
});

export const removeCourier = operation({
  id: 'RemoveCourier',
  method: 'DELETE',
  path: '/v2/couriers/{name}',
  summary: 'Disconnect a courier and delete its settings',
  tag: 'Couriers',
  permission: 'admin',
  params,
  query: Exact({
    force: Type.Optional(Type.Boolean({ description: 'Also while deliveries of the courier are under way' })),
  }),
  answer: Type.Object(
    { name: Type.String(), object: Type.Literal('courier'), deleted: Type.Literal(true) },
    { title: 'DisconnectedCourier' },
  ),
  errors: ['courier_unknown', 'courier_not_connected', 'courier_has_deliveries'],
});
