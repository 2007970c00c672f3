import type { ColumnTypes } from './first-schema.ts';

/** Adds the columns for finding a delivery, its end, its reports and events, and stores. */
export function deliveryLife(types: ColumnTypes): string[] {
  return [...deliveryColumns(types), deliveryRecords(types), ...deliveryIndexes(), ...newTables(types)];
}

/** Fills in older deliveries, which were only created or failed. */
function deliveryRecords({ integer, json_text, json_with, json_list }: ColumnTypes): string {
  const payment = `cast(${json_text('record', ['payment_amount'])} as ${integer})`;
  const record = json_with('record', {
    store_id: 'null',
    cost_of_delivery: payment,
    fee: payment,
    upsell: 'null',
    subsidized: 'null',
    dispute_reason: 'null',
    driver: 'null',
    way: json_list,
    proof: json_list,
    signature: 'null',
    reported_at: '0',
    event_count: '0',
  });
  return `update deliveries set record = ${record}`;
}

function deliveryColumns({ text, integer, json_text }: ColumnTypes): string[] {
  const texts = ['tracking_token', 'pickup_name', 'dropoff_name', 'pickup_place', 'dropoff_place'];
  return [
    ...texts.map((name) => `alter table deliveries add column ${name} ${text} not null default ''`),
    `alter table deliveries add column dropoff_eta ${integer} not null default 0`,
    `alter table deliveries add column ended_at ${integer}`,
    `update deliveries set
      tracking_token = ${json_text('record', ['tracking_token'])},
      pickup_name = lower(${json_text('record', ['pickup', 'name'])}),
      dropoff_name = lower(${json_text('record', ['dropoff', 'name'])}),
      pickup_place = lower(${json_text('record', ['pickup', 'address'])}),
      dropoff_place = lower(${json_text('record', ['dropoff', 'address'])}),
      dropoff_eta = cast(${json_text('record', ['dropoff', 'eta'])} as ${integer}),
      ended_at = case when status = 'failed' then updated_at end`,
  ];
}

/** The condition for finding late or stuck deliveries: initiated and not ended. */
const underWay = "where ended_at is null and status <> 'request'";

function deliveryIndexes(): string[] {
  const scoped = (name: string, column: string) =>
    `create index deliveries_${name} on deliveries (account_id, test_mode, ${column}, id)`;
  return [
    'create unique index deliveries_tracking on deliveries (tracking_token)',
    scoped('pickup_name', 'pickup_name'),
    scoped('dropoff_name', 'dropoff_name'),
    scoped('pickup_place', 'pickup_place'),
    scoped('dropoff_place', 'dropoff_place'),
    `create index deliveries_due on deliveries (account_id, test_mode, dropoff_eta, id, ended_at) ${underWay}`,
    `create index deliveries_changed on deliveries (account_id, test_mode, updated_at, id, ended_at) ${underWay}`,
  ];
}

function newTables({ text, integer, counter, table_end }: ColumnTypes): string[] {
  return [
    `create table reports (
      sequence ${counter},
      provider ${text} not null,
      provider_report_id ${text} not null,
      account_id ${text} not null references accounts (id),
      delivery_id ${text} not null,
      status ${text},
      effect ${text} not null,
      occurred_at ${integer} not null,
      received_at ${integer} not null,
      record ${text} not null
    ${table_end}`,
    'create index reports_delivery on reports (delivery_id, sequence)',
    'create index reports_provider on reports (provider, provider_report_id)',
    `create table events (
      position ${counter},
      id ${text} not null unique,
      account_id ${text} not null references accounts (id),
      test_mode ${integer} not null check (test_mode in (0, 1)),
      type ${text} not null,
      delivery_id ${text},
      batch_id ${text},
      sequence ${integer},
      data ${text} not null,
      created_at ${integer} not null
    ${table_end}`,
    'create index events_newest on events (account_id, test_mode, id)',
    'create index events_delivery on events (delivery_id, sequence)',
    `create table stores (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      test_mode ${integer} not null check (test_mode in (0, 1)),
      record ${text} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    ${table_end}`,
    'create index stores_newest on stores (account_id, test_mode, id)',
  ];
}
