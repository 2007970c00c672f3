import type { ColumnTypes } from './first-schema.ts';

/** Lets an operator suspend an account, and a key expire. */
export function accountAdministration({ integer }: ColumnTypes): string[] {
  return [
    `alter table accounts add column suspended_at ${integer}`,
    `alter table api_keys add column expires_at ${integer}`,
  ];
}
