import type { ColumnTypes } from './first-schema.ts';

/** Records in the audit what is changed without an API key, with who changed it and what exactly. */
export function auditActors({ text }: ColumnTypes): string[] {
  return [
    `alter table audit_entries add column actor ${text} not null default 'key'`,
    `alter table audit_entries add column actor_name ${text}`,
    `alter table audit_entries add column driver_id ${text}`,
    `alter table audit_entries add column detail ${text}`,
  ];
}
