/**
 * Reduces a list or a record to the columns of `--columns`, with the values that `--raw` decides on. With
 * `--columns id,tip` a row has two cells, and its JSON is `{"id":"dlv_1","tip":300}`.
 */
import { UsageError } from '../errors/failure.ts';
import { columnMeant, columnName } from '../result/column-names.ts';
import {
  type CellValue,
  type ColumnHead,
  isColumnFor,
  isForPeople,
  type ListResult,
  type RecordResult,
  type Result,
  type Row,
} from '../result/result.ts';
import type { OutputSettings, RenderContext } from './output-settings.ts';
import { createTextStyle, type TextStyle, valueForPrograms, valueForSpreadsheet } from './text-formatting.ts';

/** A column to show, and the indexes of the cells that may have its value; the first one with a value is shown. */
interface SelectedColumn {
  head: ColumnHead;
  cell_indexes: readonly number[];
}

/** Selects the columns of a result. Throws UsageError for results without columns. */
export async function selectColumns(result: Result, context: RenderContext): Promise<Result> {
  if (result.kind !== 'list' && result.kind !== 'record') throw noColumnsError(context.settings);
  const selected = findColumns(result, context.settings);
  const columns = selected.map(({ head }) => withKind(head, context.settings));
  const style = await createTextStyle(context);
  const isFile = context.settings.values === 'formatted';
  // A file has one zone, which its header names: that of its first row.
  let first: Row | undefined;
  const selectFrom = (row: Row) => {
    first ??= row;
    const zone = isFile ? (first.zone ?? null) : null;
    const selectedRow = selectCells(row, selected, { context, style: { ...style, zone } });
    return isFile ? { ...selectedRow, zone } : selectedRow;
  };
  if (result.kind === 'record') return { ...result, columns, row: selectFrom(result.row) };
  return { ...result, columns, rows: mapRows(result.rows, selectFrom), isDrawn: false };
}

function noColumnsError({ columns }: OutputSettings): UsageError {
  const flag = columns === null ? '--raw' : '--columns';
  return new UsageError(`${flag} needs a list or a record: this result has no columns.`, {
    param: flag,
    hint: 'With --json, =a,b.c selects fields of each line.',
  });
}

async function* mapRows(rows: ListResult['rows'], map: (row: Row) => Row): AsyncIterable<Row> {
  for await (const row of rows) yield map(row);
}

/** True if the values are formatted for people: dollars, local times, masked phone numbers. */
function isFormatted({ format, values }: OutputSettings): boolean {
  return values === 'usual' ? isForPeople(format) : values === 'formatted';
}

function findColumns({ columns }: ListResult | RecordResult, settings: OutputSettings): SelectedColumn[] {
  const isForReader = (head: ColumnHead) => isColumnFor(head, isFormatted(settings));
  if (settings.columns === null) return allColumns(columns, isForReader);
  const names = columns.flatMap(({ field, header }) => [field, columnName(header)]);
  const named = settings.columns.map((name) => columnMeant(name, names));
  const kept = isForPeople(settings.format) ? columns.filter(({ isKept }) => isKept) : [];
  const unnamed = kept.map(({ field }) => field).filter((field) => !named.includes(field));
  return [...new Set([...unnamed, ...named])].map((name) => findColumn(name, columns, isForReader));
}

/** The columns for the readers of the format; columns of one field become one. */
function allColumns(
  columns: readonly ColumnHead[],
  isForReader: (head: ColumnHead) => boolean,
): SelectedColumn[] {
  const fields = new Set(columns.filter(isForReader).map(({ field }) => field));
  return [...fields].map((name) => {
    const cell_indexes = indexesOf(columns, (each) => each.field === name && isForReader(each));
    const { only: _, ...head } = columns[cell_indexes[0] ?? -1] ?? absentColumn(name);
    return { head, cell_indexes };
  });
}

/**
 * The column with this field or heading, preferably one for the readers of the format. If its cell is empty, that of the
 * column for the other readers is shown, unless it is a time: no format lacks what another one has.
 */
function findColumn(
  name: string,
  columns: readonly ColumnHead[],
  isForReader: (head: ColumnHead) => boolean,
): SelectedColumn {
  const hasField = ({ field }: ColumnHead) => field === name;
  const hasHeading = (head: ColumnHead) => columnName(head.header) === name;
  const indexes = [
    indexesOf(columns, (head) => hasField(head) && isForReader(head)),
    indexesOf(columns, (head) => hasHeading(head) && isForReader(head)),
    indexesOf(columns, hasField),
    indexesOf(columns, hasHeading),
  ].find(({ length }) => length > 0);
  const [first = -1] = indexes ?? [];
  const { field, header, kind, prose, only } = columns[first] ?? absentColumn(name);
  const isForOthers = (head: ColumnHead) =>
    head.field === field && head.only !== only && head.kind !== 'time';
  const cell_indexes = [...(indexes ?? []), ...indexesOf(columns, isForOthers)];
  return { head: { field: name, header, kind, isSelected: true, ...(prose ? { prose } : {}) }, cell_indexes };
}

function indexesOf(columns: readonly ColumnHead[], isWanted: (head: ColumnHead) => boolean): number[] {
  return columns.flatMap((head, index) => (isWanted(head) ? [index] : []));
}

/** A column that this result does not have, such as `matched` without a search. */
function absentColumn(name: string): ColumnHead {
  return { field: name, header: name.replaceAll('_', ' '), kind: 'text' };
}

const numberKinds: readonly string[] = ['money', 'miles', 'count'];

/** The column with the kind of its values: in a table, raw values are text, and raw numbers stay aligned. */
function withKind(head: ColumnHead, { format, values }: OutputSettings): ColumnHead {
  if (values !== 'raw' || !isForPeople(format)) return head;
  return { ...head, kind: numberKinds.includes(head.kind) ? 'count' : 'text' };
}

function selectCells(
  row: Row,
  selected: readonly SelectedColumn[],
  { context: { settings, serviceNow }, style }: { context: RenderContext; style: TextStyle },
): Row {
  const all = row.cells;
  const cells = selected.map(({ head, cell_indexes }): CellValue => {
    const values = cell_indexes.map((index) => all[index]);
    const value = values.find((each) => valueForPrograms(each) !== '') ?? values.find(Array.isArray);
    if (isForPeople(settings.format)) return settings.values === 'raw' ? valueForPrograms(value) : value;
    return settings.values === 'formatted'
      ? valueForSpreadsheet(value, head.kind, {
          ...style,
          now: serviceNow(),
          hasUnits: settings.format === 'csv',
        })
      : value;
  });
  const data = settings.columns === null ? row.data : objectOf(selected, cells);
  return {
    data,
    cells,
    get zone() {
      return row.zone ?? null;
    },
  };
}

/** The selected cells as a JSON object; a missing value is null. */
function objectOf(selected: readonly SelectedColumn[], cells: readonly CellValue[]): Record<string, unknown> {
  return Object.fromEntries(selected.map(({ head }, index) => [head.field, cells[index] ?? null]));
}
