import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { Fault } from '../../../../../contract/errors.ts';
import { UsageError } from '../../../../kit/errors/failure.ts';
import { max_row_characters } from '../source.ts';

export interface CsvRecord {
  cells: readonly string[];
  line: number;
}

const separators = [',', ';', '\t'];

/** The separator that the first line has most often outside of quotes, and all texts. */
export async function separated(texts: AsyncGenerator<string>) {
  let head = '';
  while (!head.includes('\n') && head.length < max_row_characters) {
    const next = await texts.next();
    if (next.done === true) break;
    head += next.value;
  }
  const [line = ''] = head
    .replace(/^\ufeff/, '')
    .replaceAll(/"[^"]*"/g, '')
    .trimStart()
    .split('\n');
  const counts = separators.map((each) => line.split(each).length);
  const separator = separators[counts.indexOf(Math.max(...counts))] ?? ',';
  return { separator, all: withHead(head, texts) };
}

async function* withHead(head: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head;
  yield* rest;
}

/** The records of a text, the line with the names included. Throws UsageError. */
export async function* recordsIn(
  texts: AsyncIterable<string>,
  name: string,
  delimiter = ',',
): AsyncGenerator<CsvRecord> {
  const parser = parse({
    info: true,
    delimiter,
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
    for await (const each of parser) yield recordOf(each);
  } catch (error) {
    throw error instanceof CsvError ? broken(error, name) : error;
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

const reasons: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote is opened and never closed',
  CSV_MAX_RECORD_SIZE: 'a row is longer than 1 MiB: perhaps a quote is never closed',
  INVALID_OPENING_QUOTE: 'a quote stands inside of a value: it is written "" there, and the value in quotes',
  CSV_INVALID_CLOSING_QUOTE: 'more follows after a closing quote: a quote in a value is written ""',
};

function broken(error: CsvError, name: string): UsageError {
  const line = typeof error.lines === 'number' ? error.lines : null;
  const where = line === null ? name : `${name}, near line ${line}`;
  return new UsageError(`${where}: ${reasons[error.code] ?? error.message}.`, { cause: error });
}

/** A row must have as many cells as the header; extra empty cells are allowed. */
export function wrongWidth(cells: readonly string[], width: number): Fault | null {
  if (cells.length === width || (cells.length > width && cells.slice(width).every((cell) => cell === '')))
    return null;
  return { path: 'row', message: `has ${cells.length} values, the header has ${width}` };
}
