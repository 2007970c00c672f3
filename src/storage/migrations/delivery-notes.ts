import type { ColumnTypes } from './first-schema.ts';

/** Adds the internal notes of deliveries. */
export function deliveryNotes({ text, integer, table_end }: ColumnTypes): string[] {
  return [
    `create table delivery_notes (
      id ${text} primary key,
      account_id ${text} not null,
      test_mode ${integer} not null,
      delivery_id ${text} not null,
      note ${text} not null,
      tags ${text} not null,
      created_at ${integer} not null
    ${table_end}`,
    'create index delivery_notes_delivery on delivery_notes (delivery_id, id)',
    'create index delivery_notes_scope on delivery_notes (account_id, test_mode, id)',
  ];
}
