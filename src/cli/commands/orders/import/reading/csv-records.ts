import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { Fault } from '../../../../../contract/errors.ts';
import { UsageError } from '../../../../kit/errors/failure.ts';

/** The records of a text of separated values (RFC 4180), read as leniently as other programs read them. */

export interface CsvRecord {
  cells: readonly string[];
  line: number;
}

/** A longer row is not an order but an unclosed quote, or a file without line breaks. */
export const max_row_characters = 1024 * 1024;

interface CsvForm {
  separator?: string;
  hasQuotes?: boolean;
}

/**
 * The records of a text, the line with the names included. A quote within a value is part of it: `24" pizza`. Throws
 * UsageError.
 */
export async function* recordsIn(
  texts: AsyncIterable<string>,
  name: string,
  { separator = ',', hasQuotes = true }: CsvForm = {},
): AsyncGenerator<CsvRecord> {
  const parser = parse({
    info: true,
    delimiter: separator,
    quote: hasQuotes ? '"' : null,
    relax_quotes: true,
    record_delimiter: '\n',
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
    trim: true,
    max_record_size: max_row_characters,
  });
  // Its errors are thrown in the loop as well.
  const feeding = pipeline(texts, parser).catch(() => {});
  try {
    for await (const each of parser) {
      const record = recordOf(each);
      yield hasQuotes ? record : { ...record, cells: record.cells.map(unquoted) };
    }
  } catch (error) {
    throw error instanceof CsvError ? csvFault(error, name) : error;
  } finally {
    parser.destroy();
    await feeding;
  }
}

/** The parser reports the line on which a record ends. */
function recordOf({ record, info }: { record: string[]; info: { lines: number } }): CsvRecord {
  let line = info.lines;
  for (const cell of record) if (cell.includes('\n')) line -= cell.split('\n').length - 1;
  return { cells: record, line };
}

/** A value that is quoted as a whole, in a file that has no other quotes. */
function unquoted(cell: string): string {
  return /^".*"$/s.test(cell) && cell.length > 1 ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

const reasons: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_MAX_RECORD_SIZE: 'a row is longer than 1 MiB: perhaps a quote is never closed',
  CSV_NON_TRIMABLE_CHAR_AFTER_CLOSING_QUOTE: 'more follows after the closing quote of a value',
};

function csvFault(error: CsvError, name: string): UsageError {
  const { lines, records } = error;
  // A quote that is not closed is noticed at the end of the file.
  const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED' && typeof records === 'number';
  const place = isOpen
    ? `in or below row ${records + 1}, that of the headers included`
    : `near line ${lines}`;
  return new UsageError(`${name}, ${place}: ${reasons[error.code] ?? error.message}.`, {
    cause: error,
    hint: 'Write "" for a quote that is part of a quoted value.',
  });
}

/** A row must have as many cells as the header; extra empty cells are allowed. */
export function widthFault(cells: readonly string[], width: number): Fault | null {
  if (cells.length === width || (cells.length > width && cells.slice(width).every((cell) => cell === '')))
    return null;
  return { path: 'row', message: `has ${cells.length} values, the header has ${width}` };
}
