/** A conversion of the rows of a table: read by id in steps, each written by one statement. */
interface RowConversion {
  /** The rows after an id, with their ids, in their order. */
  read: (after_id: string) => string;
  write: (rows: readonly Readonly<Record<string, unknown>>[]) => string;
}

/** A statement, or a conversion that needs more than SQL. */
export type MigrationStep = string | RowConversion;

/** The differences between the engines' schemas, as parts of statements. */
export interface ColumnTypes {
  /** Text compared by its bytes. */
  text: string;
  /** A 64-bit integer. */
  integer: string;
  /** An auto-incremented primary key. */
  counter: string;
  /** The end of a table definition. */
  table_end: string;
  /** The text at a path in a JSON column. */
  json_text: (column: string, path: readonly string[]) => string;
  /** A JSON column with additional fields, whose values are expressions. */
  json_with: (column: string, fields: Readonly<Record<string, string>>) => string;
  /** An empty list as a value. */
  json_list: string;
  /** The trigram index of `search_documents`. */
  search_index: readonly string[];
  /** Makes that index delete the trigrams of a changed or deleted text at once. */
  search_erasure: readonly string[];
}

// Strict tables give SQLite the column checking that PostgreSQL has anyway.
export const sqliteTypes: ColumnTypes = {
  text: 'text',
  integer: 'integer',
  counter: 'integer primary key autoincrement',
  table_end: ') strict',
  json_text: (column, path) => `json_extract(${column}, '$.${path.join('.')}')`,
  json_with: (column, fields) => `json_set(${column}, ${pairs(fields, '$.')})`,
  json_list: "json('[]')",
  // The texts are stored once, in `search_documents` (https://sqlite.org/fts5.html#external_content_tables).
  search_index: [
    `create virtual table search_index using fts5(text, content = 'search_documents', content_rowid = 'number',
      detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1')`,
    "insert into search_index (search_index) values ('rebuild')",
    `create trigger search_documents_inserted after insert on search_documents begin
      insert into search_index (rowid, text) values (new.number, new.text);
    end`,
    `create trigger search_documents_deleted after delete on search_documents begin
      insert into search_index (search_index, rowid, text) values ('delete', old.number, old.text);
    end`,
    `create trigger search_documents_updated after update of text on search_documents begin
      insert into search_index (search_index, rowid, text) values ('delete', old.number, old.text);
      insert into search_index (rowid, text) values (new.number, new.text);
    end`,
  ],
  // Without this setting deleted trigrams stay in the index until its parts are merged (https://sqlite.org/fts5.html).
  search_erasure: [
    "insert into search_index (search_index, rank) values ('secure-delete', 1)",
    "insert into search_index (search_index) values ('rebuild')",
  ],
};

export const postgresTypes: ColumnTypes = {
  text: 'text collate "C"',
  integer: 'bigint',
  counter: 'bigint generated always as identity primary key',
  table_end: ')',
  json_text: (column, path) => `${column}::json #>> '{${path.join(',')}}'`,
  json_with: (column, fields) => `(${column}::jsonb || jsonb_build_object(${pairs(fields, '')}))::text`,
  json_list: "'[]'::jsonb",
  // Of core PostgreSQL alone: creating the extension pg_trgm is not allowed everywhere.
  search_index: [
    `create function search_trigrams(text) returns text[] language sql immutable strict parallel safe as
      $$ select array_agg(distinct substr($1, place, 3)) from generate_series(1, length($1) - 2) as place $$`,
    'create index search_documents_text on search_documents using gin (search_trigrams(text))',
    'create index search_documents_newest on search_documents (account_id, test_mode, number)',
  ],
  // PostgreSQL removes deleted trigrams when it vacuums.
  search_erasure: [],
};

function pairs(fields: Readonly<Record<string, string>>, before: string): string {
  return Object.entries(fields)
    .map(([name, value]) => `'${before}${name}', ${value}`)
    .join(', ');
}

/** The tables and indexes of version 1. */
export function firstSchema(types: ColumnTypes): string[] {
  return [
    ...accountTables(types),
    ...orderTables(types),
    ...quoteTables(types),
    ...deliveryTables(types),
    ...workTables(types),
  ];
}

function accountTables({ text, integer, table_end }: ColumnTypes): string[] {
  return [
    `create table settings (
      key ${text} primary key,
      value ${text} not null
    ${table_end}`,
    `create table accounts (
      id ${text} primary key,
      name ${text} not null,
      settings ${text} not null,
      created_at ${integer} not null
    ${table_end}`,
    `create table api_keys (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      hash ${text} not null unique,
      last_four ${text} not null,
      name ${text} not null,
      permission ${text} not null check (permission in ('read', 'write', 'admin')),
      test_mode ${integer} not null check (test_mode in (0, 1)),
      created_at ${integer} not null,
      revoked_at ${integer}
    ${table_end}`,
    'create index api_keys_account on api_keys (account_id, test_mode, id)',
  ];
}

function orderTables({ text, integer, table_end }: ColumnTypes): string[] {
  return [
    `create table orders (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      test_mode ${integer} not null check (test_mode in (0, 1)),
      status ${text} not null,
      route_id ${text},
      delivery_id ${text},
      batch_id ${text},
      external_order_ref ${text} not null,
      record ${text} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    ${table_end}`,
    'create index orders_newest on orders (account_id, test_mode, id)',
    'create index orders_status on orders (account_id, test_mode, status, id)',
    'create index orders_reference on orders (account_id, test_mode, external_order_ref, id)',
    'create index orders_batch on orders (batch_id, id)',
    'create index orders_route on orders (route_id)',
    `create table routes (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      test_mode ${integer} not null check (test_mode in (0, 1)),
      status ${text} not null,
      order_ids ${text} not null,
      stops ${text} not null,
      distance_tenths ${integer} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    ${table_end}`,
    'create index routes_newest on routes (account_id, test_mode, id)',
    'create index routes_status on routes (account_id, test_mode, status, id)',
  ];
}

function quoteTables({ text, integer, table_end }: ColumnTypes): string[] {
  return [
    `create table jobs (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      route_id ${text} not null,
      round ${integer} not null,
      status ${text} not null check (status in ('PENDING', 'COMPLETE')),
      asked ${integer} not null,
      requested_at ${integer} not null,
      completed_at ${integer},
      unique (route_id, round)
    ${table_end}`,
    `create table quotes (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      route_id ${text} not null,
      job_id ${text} not null,
      provider ${text} not null,
      cost_of_delivery ${integer} not null,
      service_fee ${integer} not null,
      expires_at ${integer},
      record ${text} not null,
      created_at ${integer} not null
    ${table_end}`,
    'create index quotes_job on quotes (job_id, id)',
    `create table quote_declines (
      job_id ${text} not null,
      provider ${text} not null,
      code ${text} not null,
      reason ${text} not null,
      created_at ${integer} not null,
      primary key (job_id, provider)
    ${table_end}`,
  ];
}

function deliveryTables({ text, integer, table_end }: ColumnTypes): string[] {
  return [
    `create table dispatches (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      route_id ${text} not null,
      quote_id ${text} not null,
      provider ${text} not null,
      provider_key ${text} not null,
      request_key ${text},
      state ${text} not null check (state in ('asking', 'accepted', 'refused')),
      reason ${text},
      created_at ${integer} not null,
      updated_at ${integer} not null,
      unique (provider, provider_key)
    ${table_end}`,
    'create index dispatches_route on dispatches (route_id, id)',
    `create table deliveries (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      test_mode ${integer} not null check (test_mode in (0, 1)),
      order_id ${text} not null,
      route_id ${text} not null,
      status ${text} not null,
      service ${text} not null,
      external_order_ref ${text} not null,
      pickup_phone ${text} not null,
      dropoff_phone ${text} not null,
      record ${text} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    ${table_end}`,
    'create index deliveries_newest on deliveries (account_id, test_mode, id)',
    'create index deliveries_status on deliveries (account_id, test_mode, status, id)',
    'create index deliveries_reference on deliveries (account_id, test_mode, external_order_ref, id)',
    'create index deliveries_service on deliveries (account_id, test_mode, service, id)',
    'create index deliveries_pickup on deliveries (account_id, test_mode, pickup_phone, id)',
    'create index deliveries_dropoff on deliveries (account_id, test_mode, dropoff_phone, id)',
    'create index deliveries_order on deliveries (order_id)',
    'create index deliveries_route on deliveries (route_id, id)',
  ];
}

function workTables({ text, integer, counter, table_end }: ColumnTypes): string[] {
  return [
    `create table charges (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      test_mode ${integer} not null check (test_mode in (0, 1)),
      delivery_id ${text} not null,
      kind ${text} not null,
      amount ${integer} not null,
      created_at ${integer} not null
    ${table_end}`,
    'create index charges_newest on charges (account_id, test_mode, id)',
    'create index charges_delivery on charges (delivery_id, id)',
    `create table idempotency_keys (
      account_id ${text} not null,
      test_mode ${integer} not null,
      key ${text} not null,
      operation ${text} not null,
      body_hash ${text} not null,
      state ${text} not null check (state in ('running', 'done')),
      leased_until ${integer} not null,
      status ${integer},
      body ${text},
      created_at ${integer} not null,
      primary key (account_id, test_mode, key)
    ${table_end}`,
    'create index idempotency_keys_age on idempotency_keys (created_at)',
    `create table tasks (
      sequence ${counter},
      id ${text} not null unique,
      kind ${text} not null,
      subject ${text} not null,
      due_at ${integer} not null,
      payload ${text} not null,
      claim ${integer} not null default 0,
      claimed_until ${integer},
      attempts ${integer} not null default 0
    ${table_end}`,
    'create index tasks_due on tasks (due_at, sequence)',
    'create index tasks_subject on tasks (subject)',
  ];
}
