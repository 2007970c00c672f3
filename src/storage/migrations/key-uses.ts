import type { ColumnTypes } from './first-schema.ts';

/** Remembers when a key was last used. */
export function keyUses({ integer }: ColumnTypes): string[] {
  return [`alter table api_keys add column last_used_at ${integer}`];
}
