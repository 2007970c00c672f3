import type { ColumnTypes, MigrationStep } from './first-schema.ts';

/** Removes erased personal data from the search index, now and from now on. */
export function searchErasure({ search_erasure }: ColumnTypes): readonly MigrationStep[] {
  return search_erasure;
}
