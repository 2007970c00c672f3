import type { ColumnTypes } from './first-schema.ts';

/** Adds webhook endpoints, their messages and attempts. */
export function webhooks(types: ColumnTypes): string[] {
  return [...endpointTable(types), ...messageTable(types), ...attemptTable(types)];
}

function endpointTable({ text, integer, table_end }: ColumnTypes): string[] {
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
  ];
}

/** A queue is read from its oldest message; only one message of a queue is due, the others wait. */
function messageTable({ text, integer, counter, table_end }: ColumnTypes): string[] {
  return [
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

function attemptTable({ text, integer, counter, table_end }: ColumnTypes): string[] {
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
