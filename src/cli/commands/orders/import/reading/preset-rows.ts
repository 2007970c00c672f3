/** The orders of a shop's export, each from the rows of its items. */
import type { Layout, PresetName } from '../source.ts';
import { cellText, withPhonesRead } from './cell-values.ts';
import type { OwnFile } from './csv-columns.ts';
import { type CsvRecord, widthFault } from './csv-records.ts';
import { asWritten } from './csv-rows.ts';
import type { Row } from './group-rows.ts';
import { type Cells, foldedColumn, presets, wooJsonOrder } from './presets.ts';
import type { Findings, OrderFilter } from './ready-orders.ts';

/** Reads the cells of a record by the names of their columns. */
export function cellsOf(headers: readonly string[], ownFile: OwnFile): (record: CsvRecord) => Cells {
  const indexes = new Map(headers.map((header, index) => [foldedColumn(header), index]));
  return ({ cells }) => {
    const read = (column: string) => {
      const cell = cells[indexes.get(foldedColumn(column)) ?? cells.length] ?? '';
      return cellText(asWritten(cell, ownFile)).replace(/^'/, '').trim();
    };
    return Object.assign(read, { columns: headers });
  };
}

interface PresetParts {
  layout: Layout;
  preset: PresetName;
  filter: OrderFilter;
  findings: Findings;
  width: number;
}

/** Reads the rows of each order; those of one order stand together. */
export async function* presetRows(
  records: AsyncGenerator<CsvRecord>,
  read: (record: CsvRecord) => Cells,
  { layout, preset, filter, findings, width }: PresetParts,
): AsyncGenerator<Row> {
  const { keyOf, orderOf, referenceOf } = presets[preset];
  const known = new Set<string>();
  for await (const { key, first, others } of groupsOf(records, (record) => keyOf(read(record)))) {
    const group = [first, ...others];
    const { line, cells } = first;
    const row = { line, cells, ...(others.length === 0 ? {} : { more: others.map((each) => each.cells) }) };
    if (key !== null && known.has(key)) yield { ...row, fields: {}, faults: [scattered] };
    if (key !== null && known.has(key)) continue;
    if (key !== null) known.add(key);
    const [fault] = group.flatMap((each) => widthFault(each.cells, width) ?? []);
    const choice = fault ?? filter(group.map((each) => each.cells));
    const order =
      choice !== null && 'path' in choice
        ? { fields: {}, faults: [choice] }
        : (choice ?? orderOf(read(first), group.map(read), layout));
    if ('left_out' in order) findings.leaveOut(order, referenceOf(read(first)));
    else {
      for (const text of order.unused ?? []) findings.remarks.add(text, line);
      yield withPhonesRead({ ...row, ...order });
    }
  }
}

/** A second order would be made of a row that stands apart from its order. */
const scattered = {
  path: 'row',
  message: 'belongs to an order further up: sort the file, so that the rows of each order stand together',
};

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

/** Reads orders as the REST interface of WooCommerce has them. */
export async function* wooRows(
  rows: AsyncIterable<Row>,
  layout: Layout,
  { leaveOut, remarks }: Findings,
): AsyncGenerator<Row> {
  for await (const row of rows) {
    if (row.faults.length > 0) {
      yield row;
      continue;
    }
    const order = wooJsonOrder(row.fields, layout);
    if ('left_out' in order)
      leaveOut(order, String(row.fields.number ?? row.fields.id ?? `line ${row.line}`));
    else {
      for (const text of order.unused ?? []) remarks.add(text, row.line);
      yield withPhonesRead({ ...row, ...order });
    }
  }
}
