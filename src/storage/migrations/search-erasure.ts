import type { ColumnTypes, MigrationStep } from './first-schema.ts';

/** Lets the search keep nothing of what was erased. */
export function searchErasure({ search_erasure }: ColumnTypes): readonly MigrationStep[] {
  return search_erasure;
}
