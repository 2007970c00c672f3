import type { ColumnTypes } from './first-schema.ts';

/** Adds the disputes of deliveries; those that were raised before are open. */
export function disputes({ text, integer, table_end, json_text }: ColumnTypes): string[] {
  return [
    `create table disputes (
      id ${text} primary key,
      account_id ${text} not null,
      test_mode ${integer} not null,
      reason ${text} not null,
      outcome ${text},
      amount ${integer} not null,
      note ${text} not null,
      created_at ${integer} not null,
      resolved_at ${integer}
    ${table_end}`,
    'create index disputes_scope on disputes (account_id, test_mode, id)',
    `insert into disputes (id, account_id, test_mode, reason, outcome, amount, note, created_at, resolved_at)
      select id, account_id, test_mode, coalesce(${json_text('record', ['dispute_reason'])}, ''),
        null, 0, '', updated_at, null
      from deliveries where status = 'disputed'`,
  ];
}
