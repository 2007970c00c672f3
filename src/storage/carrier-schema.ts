import type { ColumnTypes } from './column-types.ts';

/** The connected couriers and what was booked at them, and the simulated couriers' own records. */
export function courierTables({ text, integer, counter, table_end }: ColumnTypes): string[] {
  return [
    `create table couriers (
      account_id ${text} not null,
      test_mode ${integer} not null,
      name ${text} not null,
      state ${text} not null check (state in ('enabled', 'disabled')),
      settings ${text} not null,
      secrets ${text} not null,
      push_token ${text} not null unique,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      checked_at ${integer},
      last_push_at ${integer},
      primary key (account_id, test_mode, name)
    ${table_end}`,
    `create table courier_bookings (
      dispatch_id ${text} not null,
      order_id ${text} not null,
      account_id ${text} not null,
      test_mode ${integer} not null,
      provider ${text} not null,
      key ${text} not null,
      state ${text} not null check (state in ('planned', 'asking', 'booked', 'refused', 'canceled')),
      quote_reference ${text},
      reference ${text},
      tracking_url ${text},
      cost ${integer},
      bill ${text},
      cancellation_fee ${integer},
      reason ${text},
      updated_at ${integer} not null,
      primary key (dispatch_id, order_id)
    ${table_end}`,
    'create unique index courier_bookings_key on courier_bookings (provider, key)',
    'create index courier_bookings_reference on courier_bookings (provider, reference)',
    `create table courier_entries (
      sequence ${counter},
      provider ${text} not null,
      reference ${text} not null,
      name ${text} not null,
      kind ${text} not null,
      answer ${text} not null,
      entered_at ${integer} not null
    ${table_end}`,
    'create index courier_entries_name on courier_entries (provider, name, sequence)',
    'create index courier_entries_reference on courier_entries (provider, reference, sequence)',
  ];
}

/** Merchants' own drivers, the routes that they drive, and what they tap on their page. */
export function driverTables({ text, integer, table_end }: ColumnTypes): string[] {
  return [
    `create table drivers (
      id ${text} primary key,
      account_id ${text} not null,
      test_mode ${integer} not null,
      name ${text} not null,
      phone ${text} not null,
      vehicle_type ${text} not null,
      link_hash ${text} not null,
      on_duty ${integer} not null,
      assign_without_asking ${integer} not null,
      position ${text},
      plan ${text} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    ${table_end}`,
    'create index drivers_scope on drivers (account_id, test_mode, id)',
    'create unique index drivers_link on drivers (link_hash)',
    `create table driver_assignments (
      dispatch_id ${text} primary key,
      account_id ${text} not null,
      test_mode ${integer} not null,
      route_id ${text} not null,
      driver_id ${text},
      state ${text} not null,
      offer ${integer} not null,
      answer_by ${integer},
      passed ${text} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    ${table_end}`,
    'create index driver_assignments_driver on driver_assignments (driver_id, state)',
    'create index driver_assignments_route on driver_assignments (route_id)',
    `create table driver_taps (
      driver_id ${text} not null,
      id ${text} not null,
      kind ${text} not null,
      outcome ${text} not null,
      occurred_at ${integer} not null,
      received_at ${integer} not null,
      primary key (driver_id, id)
    ${table_end}`,
  ];
}

/** The phones of own drivers, and the pictures that they take. */
export function driverPhoneTables({ text, integer, table_end }: ColumnTypes): string[] {
  return [
    `create table push_keys (
      id ${text} primary key,
      public_key ${text} not null,
      private_key ${text} not null
    ${table_end}`,
    `create table driver_pushes (
      id ${text} primary key,
      driver_id ${text} not null,
      subscription ${text} not null,
      created_at ${integer} not null
    ${table_end}`,
    'create index driver_pushes_driver on driver_pushes (driver_id)',
    `create table proof_pictures (
      id ${text} primary key,
      account_id ${text} not null,
      test_mode ${integer} not null,
      delivery_id ${text} not null,
      data ${text} not null,
      created_at ${integer} not null
    ${table_end}`,
    'create index proof_pictures_delivery on proof_pictures (delivery_id)',
  ];
}
