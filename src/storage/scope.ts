/** A boolean as both engines store it. */
export type Flag = 0 | 1;

/** The account and mode whose records a caller may access. */
export interface Scope {
  account_id: string;
  test_mode: Flag;
}
