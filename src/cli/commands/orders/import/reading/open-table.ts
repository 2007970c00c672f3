import { UsageError } from '../../../../kit/errors/failure.ts';
import { type Row, type Source, type Table, type Tally, textsOf } from '../source.ts';
import { type Column, columnsIn, fieldOf, fieldsIn, type OwnFile, ownColumns } from './csv-columns.ts';
import { type CsvRecord, recordsIn, separated, wrongWidth } from './csv-records.ts';
import { jsonTable, ndjsonTable, rowOf } from './json-table.ts';
import { presetTable, wooTable } from './preset-table.ts';

/** Opens a file as rows and adds up its contents in `tally`. Throws UsageError. */
export async function openTable(source: Source, tally: Tally): Promise<Table> {
  const { layout } = source;
  const table = await tableOf(source, textsOf(source, tally));
  return layout.store === null ? table : { ...table, rows: pickedUpAt(layout.store, table.rows) };
}

async function tableOf(source: Source, texts: AsyncGenerator<string>): Promise<Table> {
  const { format, name, layout } = source;
  if (format === 'csv') return csvTable(texts, source);
  const table = format === 'json' ? await jsonTable(texts, name) : ndjsonTable(texts, name);
  return layout.preset === null ? table : wooTable(table);
}

/** Adds the store to rows that have no pickup of their own. */
async function* pickedUpAt(store: string, rows: AsyncGenerator<Row>): AsyncGenerator<Row> {
  for await (const row of rows) {
    const { pickup_address, pickup_store_id } = row.fields;
    const hasOwn = pickup_address !== undefined || pickup_store_id !== undefined;
    yield hasOwn ? row : { ...row, fields: { ...row.fields, pickup_store_id: store } };
  }
}

/**
 * Reads values whose first line names the fields (RFC 4180), separated by commas, or by semicolons or tabs if its first
 * line is. Throws UsageError.
 */
async function csvTable(
  texts: AsyncGenerator<string>,
  { name, layout }: Pick<Source, 'name' | 'layout'>,
): Promise<Table> {
  const { separator, all } = await separated(texts);
  const records = recordsIn(all, name, separator);
  const first = await records.next();
  if (first.done === true) throw new UsageError(`There is nothing in ${name}.`);
  const headers = first.value.cells;
  if (isOwnJson(headers))
    return { columns: ['order'], ignored: [], rows: jsonRowsIn(records), label: (path) => path };
  if (layout.preset !== null) return presetTable(records, headers, { name, preset: layout.preset });
  const { columns, ignored, own, fields } = columnsIn(headers, name, layout);
  const hasItemColumns = columns.some((column) => column?.field.startsWith('item_') === true);
  return {
    columns: headers,
    ignored,
    rows: rowsIn(records, columns, own),
    label: (path) => {
      const shown = hasItemColumns ? path.replace(/^items\[0\]\.(\w+)$/, 'item_$1') : path;
      const own = layout.map.find(([, field]) => field === shown && isAlone(field, fields));
      return own === undefined ? shown : `${own[0]} (${shown})`;
    },
  };
}

function isAlone(field: string, fields: readonly string[]): boolean {
  return fields.indexOf(field) === fields.lastIndexOf(field);
}

/** True if the file contains the failed rows of a JSON file. */
function isOwnJson(headers: readonly string[]): boolean {
  return headers.map(fieldOf).join() === ['order', ...ownColumns].join();
}

async function* rowsIn(
  records: AsyncGenerator<CsvRecord>,
  columns: readonly (Column | null)[],
  own: OwnFile,
): AsyncGenerator<Row> {
  for await (const { cells, line } of records) {
    const fault = wrongWidth(cells, columns.length);
    const read = fault === null ? fieldsIn(cells, columns, own) : { fields: {}, faults: [fault] };
    yield { line, cells, ...read };
  }
}

/** Reads the failed rows of a JSON file: the first cell contains the order. */
async function* jsonRowsIn(records: AsyncGenerator<CsvRecord>): AsyncGenerator<Row> {
  for await (const { cells, line } of records) yield rowOf(cells[0] ?? '', line);
}
