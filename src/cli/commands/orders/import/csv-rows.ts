import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { UsageError } from '../../../kit/errors/failure.ts';
import { type Column, columnsIn, fieldsIn, isOwnJson, wrongWidth } from './csv-columns.ts';
import { rowOf } from './ndjson-rows.ts';
import { max_row_characters, type Row, type Table } from './rows.ts';

interface CsvRecord {
  cells: readonly string[];
  line: number;
}

/** Reads comma-separated values (RFC 4180) whose first line names the fields. Throws UsageError. */
export async function csvTable(texts: AsyncGenerator<string>, name: string): Promise<Table> {
  const records = recordsIn(texts, name);
  const first = await records.next();
  if (first.done === true) throw new UsageError(`There is nothing in ${name}.`);
  const headers = first.value.cells;
  if (isOwnJson(headers))
    return { columns: ['order'], ignored: [], rows: jsonRowsIn(records), label: (path) => path };
  const { columns, ignored, isOwn } = columnsIn(headers, name);
  const hasItemColumns = columns.some((column) => column?.field.startsWith('item_') === true);
  return {
    columns: headers,
    ignored,
    rows: rowsIn(records, columns, isOwn),
    label: (path) => (hasItemColumns ? path.replace(/^items\[0\]\.(\w+)$/, 'item_$1') : path),
  };
}

async function* rowsIn(
  records: AsyncGenerator<CsvRecord>,
  columns: readonly (Column | null)[],
  isOwn: boolean,
): AsyncGenerator<Row> {
  for await (const { cells, line } of records) {
    const fault = wrongWidth(cells, columns.length);
    const read = fault === null ? fieldsIn(cells, columns, isOwn) : { fields: {}, faults: [fault] };
    yield { line, cells, ...read };
  }
}

/** Reads the failed rows of a JSON file: the first cell contains the order. */
async function* jsonRowsIn(records: AsyncGenerator<CsvRecord>): AsyncGenerator<Row> {
  for await (const { cells, line } of records) yield rowOf(cells[0] ?? '', line);
}

/** The records of a text, the line with the names included. Throws UsageError. */
export async function* recordsIn(texts: AsyncIterable<string>, name: string): AsyncGenerator<CsvRecord> {
  const parser = parse({
    info: true,
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
