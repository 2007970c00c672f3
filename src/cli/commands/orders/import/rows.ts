import type { Fault } from '../../../../contract/errors.ts';

export type Fields = Record<string, unknown>;

/** One order of a file, as it was read. */
export interface Row {
  /** Where it begins, from 1. */
  line: number;
  /** The order as the interface takes it, as far as it could be read. */
  fields: Fields;
  /** What could not be read. */
  faults: Fault[];
  /** As it stood in the file, in the columns of the table. */
  cells: readonly string[];
}

/** The rows of a file, in its order. */
export interface Table {
  /** Headers of `cells`. */
  columns: readonly string[];
  /** Columns that no order has. */
  ignored: readonly string[];
  rows: AsyncGenerator<Row>;
  /** The column, or the field, that the path of a fault is about. */
  label(path: string): string;
}

/** No order is nearly as large: what is larger is an open quote, or no line at all. */
export const largestRow = 1024 * 1024;
