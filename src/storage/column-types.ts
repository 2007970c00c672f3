/** The differences between the engines' schemas, as parts of statements. */
export interface ColumnTypes {
  /** Text compared by its bytes. */
  text: string;
  bytes: string;
  /** A 64-bit integer. */
  integer: string;
  /** An auto-incremented primary key. */
  counter: string;
  /** The end of a table definition. */
  table_end: string;
  /** The trigram index of `search_documents`. */
  search_index: readonly string[];
}
