/** A yes or no as both engines store it. */
export type Flag = 0 | 1;

/** Whose records, and of which mode, a caller may see. */
export interface Scope {
  account_id: string;
  test_mode: Flag;
}
