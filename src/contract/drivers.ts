import { Delivery } from './deliveries.ts';
import { operation } from './operation.ts';
import { phoneFormat } from './orders.ts';
import type { Static } from './schema.ts';
import { Exact, Id, Instant, ListOf, Nullable, paging, Reference, Type, Words } from './schema.ts';
import { driverVehicles, stopKinds } from './vocabulary.ts';

const VehicleName = Type.Enum(driverVehicles, { description: 'What the driver goes by' });

const fields = {
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
  test_mode: Type.Boolean(),
  created_at: Instant(),
  updated_at: Instant(),
};

/** A driver of the merchant's own fleet. */
export const Driver = Type.Object(fields, { title: 'Driver' });
export type Driver = Static<typeof Driver>;

/** A driver with the link of the driver's page. */
export const LinkedDriver = Type.Object(
  {
    ...fields,
    link: Nullable(Type.String({ description: "The driver's page; shown only in this response" })),
  },
  { title: 'LinkedDriver' },
);
export type LinkedDriver = Static<typeof LinkedDriver>;

const settings = {
  vehicle_type: Type.Optional(VehicleName),
  assign_without_asking: Type.Optional(
    Type.Boolean({
      description: 'Gives the driver deliveries without an offer to accept or decline; default: false',
    }),
  ),
};

const driverParams = Exact({ driver_id: Id('drv') });

export const createDriver = operation({
  id: 'CreateDriver',
  method: 'POST',
  path: '/v2/drivers',
  summary: 'Add a driver of your own, with the link of the page for their phone',
  tag: 'Drivers',
  permission: 'write',
  body: Exact({
    name: Words(100),
    phone_number: Words(30, { description: phoneFormat }),
    ...settings,
  }),
  answer: LinkedDriver,
  errors: [],
  secrets: ['link'],
});

export const changeDriver = operation({
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
    ...settings,
  }),
  answer: Driver,
  errors: ['record_not_found'],
});

export const listDrivers = operation({
  id: 'ListDrivers',
  method: 'GET',
  path: '/v2/drivers',
  summary: 'List your own drivers, newest first',
  tag: 'Drivers',
  permission: 'read',
  query: Exact({ ...paging }),
  answer: ListOf(Driver),
  errors: [],
});

export const getDriver = operation({
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

export const renewDriverLink = operation({
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

export const deleteDriver = operation({
  id: 'DeleteDriver',
  method: 'DELETE',
  path: '/v2/drivers/{driver_id}',
  summary: 'Remove a driver without stops; deliveries keep the name',
  tag: 'Drivers',
  permission: 'write',
  params: driverParams,
  answer: Type.Object(
    { id: Type.String(), object: Type.Literal('driver'), deleted: Type.Literal(true) },
    { title: 'DeletedDriver' },
  ),
  errors: ['record_not_found', 'driver_has_stops'],
});

export const assignDelivery = operation({
  id: 'AssignDelivery',
  method: 'POST',
  path: '/v2/drivers/{driver_id}/assignments',
  summary: 'Give a delivery of your own fleet, with the rest of its route, to a driver',
  tag: 'Drivers',
  permission: 'write',
  params: driverParams,
  body: Exact({ delivery_id: Reference({ description: 'The delivery' }) }),
  answer: Delivery,
  is_answer_audited: true,
  errors: ['record_not_found', 'delivery_not_assignable'],
});
