import type { Expression, SqlBool } from 'kysely';

/** A boolean as both engines store it. */
export type Flag = 0 | 1;

/** The account and mode whose records a caller may access. */
export interface Scope {
  account_id: string;
  test_mode: Flag;
}

interface Conditions {
  and: (columns: Scope) => Expression<SqlBool>;
}

/** A condition of a query: that a row is of an account and mode. */
export function inScope({ account_id, test_mode }: Scope) {
  return ({ and }: Conditions) => and({ account_id, test_mode });
}
