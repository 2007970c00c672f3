import type { ColumnTypes } from './first-schema.ts';

/** Adds the pictures that drivers take at the handover. */
export function proofPictures({ text, integer, table_end }: ColumnTypes): string[] {
  return [
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
