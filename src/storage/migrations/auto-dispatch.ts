import type { ColumnTypes } from './first-schema.ts';

/** Adds auto dispatch, the simulated couriers' records and the runner of a request. */
export function autoDispatch(types: ColumnTypes): string[] {
  return [
    ...batchTables(types),
    ...tryTable(types),
    ...courierTable(types),
    ...eventIndexes(),
    `alter table idempotency_keys add column runner ${types.text} not null default ''`,
  ];
}

function batchTables({ text, integer, table_end }: ColumnTypes): string[] {
  return [
    `create table batches (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      test_mode ${integer} not null check (test_mode in (0, 1)),
      status ${text} not null check (status in ('processing', 'complete')),
      order_count ${integer} not null,
      settings ${text} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      completed_at ${integer}
    ${table_end}`,
    'create index batches_newest on batches (account_id, test_mode, id)',
    'create index batches_status on batches (account_id, test_mode, status, id)',
    `create table batch_orders (
      order_id ${text} primary key,
      batch_id ${text} not null,
      position ${integer} not null,
      external_order_ref ${text} not null,
      status ${text} not null check (status in ('pending', 'dispatched', 'unfulfilled', 'failed', 'canceled')),
      attempts ${integer} not null,
      next_attempt_at ${integer},
      refusals ${text} not null,
      delivery_id ${text},
      reason ${text} not null,
      updated_at ${integer} not null
    ${table_end}`,
    'create index batch_orders_batch on batch_orders (batch_id, position)',
    'create index batch_orders_status on batch_orders (batch_id, status)',
  ];
}

function tryTable({ text, integer, table_end }: ColumnTypes): string[] {
  return [
    `create table tries (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      test_mode ${integer} not null check (test_mode in (0, 1)),
      order_id ${text} not null,
      batch_id ${text} not null,
      number ${integer} not null,
      status ${text} not null,
      route_id ${text} not null,
      provider ${text},
      quote_id ${text},
      delivery_id ${text},
      reason ${text} not null,
      left_out ${text} not null,
      created_at ${integer} not null,
      ended_at ${integer}
    ${table_end}`,
    'create index tries_order on tries (order_id, id)',
  ];
}

/** Events of the same time are ordered by position, in which they are read. */
function eventIndexes(): string[] {
  return [
    'drop index events_newest',
    'create index events_newest on events (account_id, test_mode, position)',
    'create index events_type on events (account_id, test_mode, type, position)',
    'create index events_batch on events (batch_id, position)',
  ];
}

function courierTable({ text, integer, counter, table_end }: ColumnTypes): string[] {
  return [
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
