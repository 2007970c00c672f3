import type { ColumnTypes } from './first-schema.ts';

/** Adds the record of who changed what. */
export function audit({ text, integer, table_end }: ColumnTypes): string[] {
  return [
    `create table audit_entries (
      id ${text} primary key,
      account_id ${text} not null,
      test_mode ${integer} not null,
      key_id ${text} not null,
      key_last_four ${text} not null,
      operation ${text} not null,
      record_id ${text},
      address ${text},
      created_at ${integer} not null
    ${table_end}`,
    'create index audit_entries_scope on audit_entries (account_id, test_mode, id)',
    'create index audit_entries_record on audit_entries (record_id, id)',
  ];
}
