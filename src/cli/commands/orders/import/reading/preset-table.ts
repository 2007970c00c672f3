import { UsageError } from '../../../../kit/errors/failure.ts';
import type { Row, Table } from '../source.ts';
import { type CsvRecord, wrongWidth } from './csv-records.ts';
import {
  type Cells,
  folded,
  missingColumns,
  type PresetName,
  presets,
  recognized,
  wooJsonOrder,
} from './presets.ts';

/** Reads the export of a shop system: the rows of each order are one row of the table. Throws UsageError. */
export function presetTable(
  records: AsyncGenerator<CsvRecord>,
  headers: readonly string[],
  { name, preset }: { name: string; preset: PresetName },
): Table {
  const missing = missingColumns(preset, headers);
  if (missing.length > 0) {
    throw new UsageError(`${name} is not ${presets[preset].title}: it has no column ${missing.join(', ')}.`, {
      hint: recognized(headers) ?? 'Without --preset, name its columns with --map.',
      missing,
    });
  }
  const left_out = new Map<string, number>();
  const rows = presetRows(records, headers, { preset, left_out });
  return { columns: ['order'], ignored: [], rows, label: (path) => path, left_out };
}

async function* presetRows(
  records: AsyncGenerator<CsvRecord>,
  headers: readonly string[],
  { preset, left_out }: { preset: PresetName; left_out: Map<string, number> },
): AsyncGenerator<Row> {
  const { keyOf, orderOf } = presets[preset];
  const indexes = new Map(headers.map((header, index) => [folded(header), index]));
  const cellsOf =
    ({ cells }: CsvRecord): Cells =>
    (column) =>
      (cells[indexes.get(folded(column)) ?? cells.length] ?? '').replace(/^'/, '').trim();
  const read = new Set<string>();
  for await (const { key, first, others } of groupsOf(records, (record) => keyOf(cellsOf(record)))) {
    if (key !== null && read.has(key)) yield apart(first);
    if (key !== null) read.add(key);
    const group = [first, ...others];
    const [fault] = group.flatMap(({ cells }) => wrongWidth(cells, headers.length) ?? []);
    const found =
      fault === undefined ? orderOf(cellsOf(first), group.map(cellsOf)) : { fields: {}, faults: [fault] };
    if ('fields' in found) yield { line: first.line, cells: [JSON.stringify(found.fields)], ...found };
    else countLeftOut(left_out, found.left_out);
  }
}

/** The rows of an order. */
interface Group {
  key: string | null;
  first: CsvRecord;
  others: CsvRecord[];
}

/** Groups rows that follow each other and have the same key; one without a key belongs to the row before. */
async function* groupsOf(
  records: AsyncGenerator<CsvRecord>,
  keyOf: (record: CsvRecord) => string | null,
): AsyncGenerator<Group> {
  let group: Group | null = null;
  for await (const record of records) {
    const key = keyOf(record);
    if (group !== null && (key === null || key === group.key)) {
      group.others.push(record);
      continue;
    }
    if (group !== null) yield group;
    group = { key, first: record, others: [] };
  }
  if (group !== null) yield group;
}

/** Refuses a row of an order that has already been read: it would become a second order. */
function apart({ cells, line }: CsvRecord): Row {
  const message =
    'belongs to an order further up: sort the file, so that the rows of each order stand together';
  return { line, cells: [JSON.stringify(cells)], fields: {}, faults: [{ path: 'row', message }] };
}

/** Reads orders as the REST interface of WooCommerce has them. */
export function wooTable({ rows, ...table }: Table): Table {
  const left_out = new Map<string, number>();
  return { ...table, rows: wooRows(rows, left_out), left_out };
}

async function* wooRows(rows: AsyncGenerator<Row>, left_out: Map<string, number>): AsyncGenerator<Row> {
  for await (const row of rows) {
    const found = row.faults.length > 0 ? row : wooJsonOrder(row.fields);
    if ('fields' in found) yield { ...row, ...found };
    else countLeftOut(left_out, found.left_out);
  }
}

function countLeftOut(left_out: Map<string, number>, reason: string): void {
  left_out.set(reason, (left_out.get(reason) ?? 0) + 1);
}
