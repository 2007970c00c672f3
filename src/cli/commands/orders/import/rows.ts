import type { Fault } from '../../../../contract/errors.ts';

export type Fields = Record<string, unknown>;

/** One order of a file, as read. */
export interface Row {
  /** The line where it starts, from 1. */
  line: number;
  /** The order in the form of the contract, as far as it could be read. */
  fields: Fields;
  /** The values that could not be read. */
  faults: Fault[];
  /** The original cells, in the columns of the table. */
  cells: readonly string[];
}

/** The rows of a file, in order. */
export interface Table {
  /** The headers of `cells`. */
  columns: readonly string[];
  /** Columns that are not order fields. */
  ignored: readonly string[];
  rows: AsyncGenerator<Row>;
  /** The column or field that the path of a fault refers to. */
  label(path: string): string;
}

/** A longer row is not an order but an unclosed quote, or a file without line breaks. */
export const max_row_characters = 1024 * 1024;
