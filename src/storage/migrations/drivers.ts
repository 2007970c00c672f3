import type { ColumnTypes } from './first-schema.ts';

/** Adds the drivers of merchants, the routes that they drive, and what they tap on their page. */
export function drivers({ text, integer, table_end }: ColumnTypes): string[] {
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
