/**
 * The types of columns in each engine, and tables as version 1 of the schema had them: those of couriers, drivers, events,
 * webhooks, tasks and the search. `migrations.ts` has the tables of orders and deliveries, and every column added since.
 */

/** The differences between the engines' schemas, as parts of statements. */
export interface ColumnTypes {
  /** Text compared by its bytes. */
  text: string;
  bytes: string;
  /** A 64-bit integer. */
  integer: string;
  /** An auto-incremented primary key. */
  counter: string;
  /** The end of a table definition. */
  table_end: string;
  /** The trigram index of `search_documents`. */
  search_index: readonly string[];
}

// Strict tables give SQLite the column checking that PostgreSQL has anyway.
export const sqliteTypes: ColumnTypes = {
  text: 'text',
  bytes: 'blob',
  integer: 'integer',
  counter: 'integer primary key autoincrement',
  table_end: ') strict',
  // The texts are stored once, in `search_documents` (https://sqlite.org/fts5.html#external_content_tables).
  search_index: [
    `create virtual table search_index using fts5(text, content = 'search_documents', content_rowid = 'number',
      detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1')`,
    // Without this setting deleted trigrams stay in the index until its parts are merged (https://sqlite.org/fts5.html).
    "insert into search_index (search_index, rank) values ('secure-delete', 1)",
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
};

export const postgresTypes: ColumnTypes = {
  text: 'text collate "C"',
  bytes: 'bytea',
  integer: 'bigint',
  counter: 'bigint generated always as identity primary key',
  table_end: ')',
  // Of core PostgreSQL alone: creating the extension pg_trgm is not allowed everywhere. PostgreSQL removes deleted
  // trigrams when it vacuums.
  search_index: [
    `create function search_trigrams(text) returns text[] language sql immutable strict parallel safe as
      $$ select array_agg(distinct substr($1, place, 3)) from generate_series(1, length($1) - 2) as place $$`,
    'create index search_documents_text on search_documents using gin (search_trigrams(text))',
    'create index search_documents_newest on search_documents (account_id, test_mode, number)',
  ],
};

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

/** The event log. The index by type has not its most frequent type, and that by batch only events of batches. */
export function eventTables({ text, bytes, integer, counter, table_end }: ColumnTypes): string[] {
  return [
    `create table events (
      position ${counter},
      id ${text} not null unique,
      account_id ${text} not null references accounts (id),
      test_mode ${integer} not null check (test_mode in (0, 1)),
      type ${text} not null,
      delivery_id ${text},
      batch_id ${text},
      order_id ${text},
      sequence ${integer},
      data ${bytes} not null,
      created_at ${integer} not null
    ${table_end}`,
    'create index events_newest on events (account_id, test_mode, position)',
    'create index events_time on events (account_id, test_mode, created_at, position)',
    `create index events_type on events (account_id, test_mode, type, position) where type <> 'delivery.updated'`,
    'create index events_delivery on events (delivery_id, sequence)',
    'create index events_batch on events (batch_id, position) where batch_id is not null',
    'create index events_order on events (order_id) where order_id is not null',
  ];
}

/** Webhook endpoints and their queues. Of a queue only the oldest message has a due time, as the indexes expect. */
export function webhookTables({ text, integer, counter, table_end }: ColumnTypes): string[] {
  return [
    `create table webhook_endpoints (
      id ${text} primary key,
      account_id ${text} not null references accounts (id),
      test_mode ${integer} not null check (test_mode in (0, 1)),
      url ${text} not null,
      events ${text} not null,
      description ${text} not null,
      status ${text} not null check (status in ('enabled', 'disabled')),
      disabled_reason ${text} not null,
      disabled_at ${integer},
      secret ${text} not null,
      previous_secrets ${text} not null,
      created_at ${integer} not null,
      updated_at ${integer} not null
    ${table_end}`,
    'create index webhook_endpoints_newest on webhook_endpoints (account_id, test_mode, id)',
    `create table webhook_messages (
      sequence ${counter},
      account_id ${text} not null,
      test_mode ${integer} not null,
      endpoint_id ${text} not null references webhook_endpoints (id),
      event_id ${text} not null,
      queue ${text} not null,
      status ${text} not null check (status in ('pending', 'exhausted')),
      attempts ${integer} not null,
      sends ${integer} not null,
      due_at ${integer},
      claim ${integer} not null default 0,
      claimed_until ${integer},
      created_at ${integer} not null
    ${table_end}`,
    'create unique index webhook_messages_event on webhook_messages (event_id, endpoint_id)',
    'create index webhook_messages_due on webhook_messages (endpoint_id, due_at, sequence) where due_at is not null',
    "create index webhook_messages_queue on webhook_messages (queue, endpoint_id, sequence) where status = 'pending'",
    'create index webhook_messages_status on webhook_messages (endpoint_id, status)',
    'create index webhook_messages_scope on webhook_messages (account_id, test_mode)',
  ];
}

/** What was sent to webhook endpoints, and what they answered. */
export function webhookAttemptTable({ text, integer, counter, table_end }: ColumnTypes): string[] {
  return [
    `create table webhook_attempts (
      sequence ${counter},
      id ${text} not null unique,
      account_id ${text} not null,
      test_mode ${integer} not null,
      endpoint_id ${text} not null,
      event_id ${text} not null,
      number ${integer} not null,
      status ${text} not null check (status in ('succeeded', 'failed')),
      status_code ${integer},
      reason ${text} not null,
      response ${text} not null,
      duration_ms ${integer} not null,
      next_attempt_at ${integer},
      created_at ${integer} not null
    ${table_end}`,
    'create index webhook_attempts_newest on webhook_attempts (endpoint_id, sequence)',
    'create index webhook_attempts_event on webhook_attempts (event_id, sequence)',
    "create index webhook_attempts_failed on webhook_attempts (endpoint_id, sequence) where status = 'failed'",
    'create index webhook_attempts_scope on webhook_attempts (account_id, test_mode)',
  ];
}

/** Background tasks, those that were given up, and the requests with an idempotency key. */
export function taskTables({ text, integer, counter, table_end }: ColumnTypes): string[] {
  return [
    `create table tasks (
      sequence ${counter},
      id ${text} not null unique,
      test_mode ${integer} not null default 1 check (test_mode in (0, 1)),
      kind ${text} not null,
      subject ${text} not null,
      due_at ${integer} not null,
      payload ${text} not null,
      claim ${integer} not null default 0,
      claimed_until ${integer},
      attempts ${integer} not null default 0
    ${table_end}`,
    'create index tasks_due on tasks (test_mode, due_at, sequence)',
    'create index tasks_subject on tasks (subject)',
    `create table failed_tasks (
      sequence ${counter},
      id ${text} not null unique,
      task_id ${text} not null,
      account_id ${text} not null,
      test_mode ${integer} not null,
      kind ${text} not null,
      subject ${text} not null,
      payload ${text} not null,
      due_at ${integer} not null,
      attempts ${integer} not null,
      error ${text} not null,
      is_concluded ${integer} not null,
      failed_at ${integer} not null
    ${table_end}`,
    'create index failed_tasks_scope on failed_tasks (account_id, test_mode, sequence)',
    `create table idempotency_keys (
      account_id ${text} not null,
      test_mode ${integer} not null,
      key ${text} not null,
      operation ${text} not null,
      body_hash ${text} not null,
      state ${text} not null check (state in ('running', 'done')),
      leased_until ${integer} not null,
      runner ${text} not null default '',
      status ${integer},
      body ${text},
      created_at ${integer} not null,
      primary key (account_id, test_mode, key)
    ${table_end}`,
    'create index idempotency_keys_age on idempotency_keys (created_at)',
  ];
}

/** The texts by which orders are searched. */
export function searchTables({ text, integer, counter, table_end, search_index }: ColumnTypes): string[] {
  return [
    `create table search_documents (
      number ${counter},
      order_id ${text} not null unique,
      account_id ${text} not null,
      test_mode ${integer} not null,
      text ${text} not null
    ${table_end}`,
    ...search_index,
  ];
}
