/** The providers that a merchant adds: connected couriers and own drivers. */
import { Delivery, seenDelivery } from './deliveries.ts';
import { defineOperation } from './operation.ts';
import { phoneFormat } from './orders.ts';
import {
  Deleted,
  Exact,
  Id,
  Instant,
  ListOf,
  Nullable,
  paging,
  Reference,
  type Static,
  Type,
  Words,
} from './schema.ts';
import { courierStates, driverVehicles, itemSizes, stopKinds, vehicleTypes } from './vocabulary.ts';

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

const courierParams = Exact({
  name: Type.String({ description: 'The name of the courier, such as `uber-direct`' }),
});

/** The longest value of a setting: private keys are long. */
const max_setting_length = 4_000;

export const listCouriers = defineOperation({
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
});

export const connectCourier = defineOperation({
  id: 'ConnectCourier',
  method: 'PUT',
  path: '/v2/couriers/{name}',
  summary:
    'Connect a courier, or change the settings of a connected one; they are checked at the courier first',
  tag: 'Couriers',
  permission: 'admin',
  params: courierParams,
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

const connected = { tag: 'Couriers', permission: 'admin', params: courierParams, answer: Courier } as const;

export const checkCourier = defineOperation({
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

export const enableCourier = defineOperation({
  id: 'EnableCourier',
  method: 'POST',
  path: '/v2/couriers/{name}/enable',
  summary: 'Request quotes from a disabled courier again',
  ...connected,
  errors: ['courier_unknown', 'courier_not_connected'],
});

export const disableCourier = defineOperation({
  id: 'DisableCourier',
  method: 'POST',
  path: '/v2/couriers/{name}/disable',
  summary: 'Request no more quotes from a courier, and keep its settings',
  ...connected,
  errors: ['courier_unknown', 'courier_not_connected'],
});

export const removeCourier = defineOperation({
  id: 'RemoveCourier',
  method: 'DELETE',
  path: '/v2/couriers/{name}',
  summary: 'Disconnect a courier and delete its settings',
  tag: 'Couriers',
  permission: 'admin',
  params: courierParams,
  query: Exact({
    force: Type.Optional(Type.Boolean({ description: 'Also while deliveries of the courier are under way' })),
  }),
  answer: Deleted({ name: Type.String() }, 'courier', 'DisconnectedCourier'),
  errors: ['courier_unknown', 'courier_not_connected', 'courier_has_deliveries'],
});

const VehicleName = Type.Enum(driverVehicles, { description: 'What the driver goes by' });

const driverFields = {
  id: Id('drv'),
  object: Type.Literal('driver'),
  name: Type.String(),
  phone_number: Type.String({ description: 'Without a leading plus sign' }),
  vehicle_type: VehicleName,
  on_duty: Type.Boolean({ description: 'Whether the driver takes deliveries now' }),
  assign_without_asking: Type.Boolean({
    description: 'Whether the driver gets deliveries without an offer, as an employed driver does',
  }),
  stops_left: Type.Integer({ description: 'The stops that the driver still has to make' }),
  stops: Type.Array(
    Type.Object({
      kind: Type.Enum(stopKinds, { description: 'What happens there' }),
      delivery_ids: Type.Array(Id('dlv'), { description: 'The deliveries of the stop' }),
      address: Type.String(),
      lat: Type.Number(),
      lng: Type.Number(),
      expected_at: Nullable(Instant('When the driver is expected there; null for a return')),
    }),
    { description: 'The stops that are left, in the order of driving' },
  ),
  deliveries: Type.Array(
    Type.Object({
      id: Id('dlv'),
      external_order_ref: Type.String(),
      picked_up: Type.Boolean({ description: 'Whether the driver has the parcel' }),
      pin_locked: Type.Boolean({ description: 'Whether wrong PINs have locked the handover' }),
    }),
    { description: 'The deliveries that the driver has and that have not ended' },
  ),
  location: Nullable(
    Type.Object(
      { lat: Type.Number(), lng: Type.Number(), recorded_at: Instant('When the phone was there') },
      { description: 'The last known position; null before the first' },
    ),
  ),
  would_arrive_at: Type.Optional(
    Nullable(
      Instant('With `for_id`: when its recipient would have it from this driver; null on its way back'),
    ),
  ),
  test_mode: Type.Boolean(),
  created_at: Instant(),
  updated_at: Instant(),
};

/** A driver of the merchant's own fleet. */
export const Driver = Type.Object(driverFields, { title: 'Driver' });
export type Driver = Static<typeof Driver>;

export const LinkedDriver = Type.Object(
  {
    ...driverFields,
    link: Nullable(Type.String({ description: "The driver's page; shown only in this response" })),
  },
  { title: 'LinkedDriver' },
);
export type LinkedDriver = Static<typeof LinkedDriver>;

const driverSettings = {
  vehicle_type: Type.Optional(VehicleName),
  assign_without_asking: Type.Optional(
    Type.Boolean({
      description: 'Gives the driver deliveries without an offer to accept or decline; default: false',
    }),
  ),
};

const driverParams = Exact({ driver_id: Id('drv') });

export const createDriver = defineOperation({
  id: 'CreateDriver',
  method: 'POST',
  path: '/v2/drivers',
  summary: 'Add a driver of your own, with the link of the page for their phone',
  tag: 'Drivers',
  permission: 'write',
  body: Exact({
    name: Words(100),
    phone_number: Words(30, { description: phoneFormat }),
    ...driverSettings,
  }),
  answer: LinkedDriver,
  secrets: ['link'],
});

export const changeDriver = defineOperation({
  id: 'UpdateDriver',
  method: 'PATCH',
  path: '/v2/drivers/{driver_id}',
  summary: 'Change a driver; fields that are left out stay',
  tag: 'Drivers',
  permission: 'write',
  params: driverParams,
  body: Exact({
    name: Type.Optional(Words(100)),
    phone_number: Type.Optional(Words(30, { description: phoneFormat })),
    ...driverSettings,
  }),
  answer: Driver,
  errors: ['record_not_found'],
});

export const listDrivers = defineOperation({
  id: 'ListDrivers',
  method: 'GET',
  path: '/v2/drivers',
  summary: 'List your own drivers, newest first',
  tag: 'Drivers',
  permission: 'read',
  query: Exact({
    ...paging,
    for_id: Type.Optional(
      Words(60, { description: 'The id of a delivery or order that a driver may be given' }),
    ),
  }),
  answer: ListOf(Driver),
  errors: ['record_not_found'],
});

export const getDriver = defineOperation({
  id: 'GetDriver',
  method: 'GET',
  path: '/v2/drivers/{driver_id}',
  summary: 'Get a driver',
  tag: 'Drivers',
  permission: 'read',
  params: driverParams,
  answer: Driver,
  errors: ['record_not_found'],
});

export const renewDriverLink = defineOperation({
  id: 'RenewDriverLink',
  method: 'POST',
  path: '/v2/drivers/{driver_id}/link',
  summary: "Replace the link of the driver's page; the old one stops working",
  tag: 'Drivers',
  permission: 'write',
  params: driverParams,
  answer: LinkedDriver,
  errors: ['record_not_found'],
  secrets: ['link'],
});

export const deleteDriver = defineOperation({
  id: 'DeleteDriver',
  method: 'DELETE',
  path: '/v2/drivers/{driver_id}',
  summary: 'Remove a driver without stops; deliveries keep the name',
  tag: 'Drivers',
  permission: 'write',
  params: driverParams,
  answer: Deleted({ id: Type.String() }, 'driver', 'DeletedDriver'),
  errors: ['record_not_found', 'driver_has_stops'],
});

export const assignDelivery = defineOperation({
  id: 'AssignDelivery',
  method: 'POST',
  path: '/v2/drivers/{driver_id}/assignments',
  summary: 'Give a delivery of your own fleet, with the rest of its route, to a driver',
  tag: 'Drivers',
  permission: 'write',
  params: driverParams,
  body: Exact({ delivery_id: Reference({ description: 'The delivery' }), ...seenDelivery }),
  answer: Delivery,
  is_answer_audited: true,
  errors: ['record_not_found', 'record_changed', 'delivery_not_assignable'],
});
