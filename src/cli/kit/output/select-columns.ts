import { UsageError } from '../errors/failure.ts';
import {
  type CellValue,
  type ColumnHead,
  columnName,
  isColumnFor,
  isForPeople,
  type ListResult,
  type RecordResult,
  type Result,
  type Row,
} from '../result/result.ts';
import type { OutputSettings, RenderContext } from './output-settings.ts';
import { type TextStyle, textStyleOf, valueForPrograms, valueForSpreadsheet } from './text-formatting.ts';

/** A column to show, and the indexes of the cells that may have its value; the first one with a value is shown. */
interface SelectedColumn {
  head: ColumnHead;
  cells: readonly number[];
}

/**
 * Reduces a list or a record to the columns of `--columns`, with the values that `--raw` decides on. Throws UsageError
 * for results without columns.
 */
export async function selectColumns(result: Result, context: RenderContext): Promise<Result> {
  if (result.kind !== 'list' && result.kind !== 'record') throw noColumnsError(context.settings);
  const chosen = findColumns(result, context.settings);
  const columns = chosen.map(({ head }) => withKind(head, context.settings));
  const style = await textStyleOf(context);
  const work = (row: Row) => selectCells(row, chosen, { context, style });
  if (result.kind === 'record') return { ...result, columns, row: work(result.row) };
  return { ...result, columns, rows: mapRows(result.rows, work), isDrawn: false };
}

function noColumnsError({ columns }: OutputSettings): UsageError {
  const flag = columns === null ? '--raw' : '--columns';
  return new UsageError(`${flag} needs a list or a record: this result has no columns.`, {
    param: flag,
    hint: 'With --json, =a,b.c selects fields of each line.',
  });
}

async function* mapRows(rows: ListResult['rows'], work: (row: Row) => Row): AsyncIterable<Row> {
  for await (const row of rows) yield work(row);
}

/** True if the values are formatted for people: dollars, local times, masked phone numbers. */
function isFormatted({ format, values }: OutputSettings): boolean {
  return values === 'usual' ? isForPeople(format) : values === 'formatted';
}

function findColumns({ columns }: ListResult | RecordResult, settings: OutputSettings): SelectedColumn[] {
  const isShown = (head: ColumnHead) => isColumnFor(head, isFormatted(settings));
  const indexes = (fits: (head: ColumnHead) => boolean) =>
    columns.flatMap((head, index) => (fits(head) ? [index] : []));
  if (settings.columns === null) {
    const fields = new Set(columns.filter(isShown).map(({ field }) => field));
    return [...fields].map((field) => {
      const cells = indexes((head) => head.field === field && isShown(head));
      const { only: _, ...head } = columns[cells[0] ?? -1] ?? absentColumn(field);
      return { head, cells };
    });
  }
  return settings.columns.map((name) => {
    const isField = ({ field }: ColumnHead) => field === name;
    const isHeading = ({ header }: ColumnHead) => columnName(header) === name;
    const found = [
      indexes((head) => isField(head) && isShown(head)),
      indexes((head) => isHeading(head) && isShown(head)),
      indexes(isField),
      indexes(isHeading),
    ].find(({ length }) => length > 0);
    const cells = found ?? [];
    const { header, kind, prose } = columns[cells[0] ?? -1] ?? absentColumn(name);
    return { head: { field: name, header, kind, ...(prose ? { prose } : {}) }, cells };
  });
}

/** A column that this result does not have, such as `matched` without a search. */
function absentColumn(name: string): ColumnHead {
  return { field: name, header: name.replaceAll('_', ' '), kind: 'text' };
}

const numberKinds: readonly string[] = ['money', 'miles', 'count'];

/** Raw values in a table are text; numbers stay aligned. */
function withKind(head: ColumnHead, { format, values }: OutputSettings): ColumnHead {
  if (values !== 'raw' || !isForPeople(format)) return head;
  return { ...head, kind: numberKinds.includes(head.kind) ? 'count' : 'text' };
}

function selectCells(
  row: Row,
  chosen: readonly SelectedColumn[],
  { context: { settings, serviceNow }, style }: { context: RenderContext; style: TextStyle },
): Row {
  const all = row.cells;
  const cells = chosen.map(({ head, cells }): CellValue => {
    const values = cells.map((index) => all[index]);
    const value = values.find((each) => each !== null && each !== undefined && each !== '');
    if (isForPeople(settings.format)) return settings.values === 'raw' ? valueForPrograms(value) : value;
    return settings.values === 'formatted'
      ? valueForSpreadsheet(value, head.kind, { ...style, now: serviceNow() })
      : value;
  });
  const data = settings.columns === null ? row.data : objectOf(chosen, cells);
  return {
    data,
    cells,
    get zone() {
      return row.zone ?? null;
    },
  };
}

/** The columns as JSON; a missing value is null. */
function objectOf(chosen: readonly SelectedColumn[], cells: readonly CellValue[]): Record<string, unknown> {
  return Object.fromEntries(chosen.map(({ head }, index) => [head.field, cells[index] ?? null]));
}
