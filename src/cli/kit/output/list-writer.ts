import type { ColumnHead, ListResult, RecordResult, Row } from '../result/result.ts';
import { type Format, isForPeople } from '../result/result.ts';
import type { Surface } from './output-settings.ts';
import { checkFields, csvHeader, csvRows, formatRefused, jsonText, tsvRows } from './program-output.ts';
import { fitted } from './table.ts';
import { machineText, people, textStyleOf } from './value-text.ts';

/** Rows in memory at a time: one page of the API. */
const pageSize = 100;

/** Writes a list in pieces, so that memory does not grow with its length. */
export async function renderList(list: ListResult, surface: Surface): Promise<void> {
  const { format } = surface.settings;
  if (format === 'json') return renderArray(list, surface);
  if (list.isDrawn && isForPeople(format)) return renderDrawn(list, surface);
  const columns = list.columns.filter((column) => isShown(column, format));
  const writer = await pageWriter(columns, narrowed(list, columns), surface);
  let isFirst = true;
  for await (const rows of pages(list.rows)) {
    if (isFirst && format === 'ndjson') checkPage(rows, surface);
    await surface.stdout.write(writer(rows, isFirst));
    isFirst = false;
  }
  if (isFirst && format === 'csv') await surface.stdout.write(writer([], true));
  if (!isFirst && isForPeople(format)) await renderFoot(list, surface);
}

async function renderFoot({ foot }: ListResult, surface: Surface): Promise<void> {
  const text = foot === undefined ? null : await people(foot, surface);
  if (text !== null) await surface.stdout.write(`\n${text}`);
}

function isShown(column: ColumnHead, format: Format): boolean {
  const isWhole = format === 'wide' || format === 'csv' || (format === 'id' && column.kind === 'id');
  return isMeant(column, isForPeople(format)) && (column.wide === undefined || isWhole);
}

/** True unless the column is only for other readers: people, or programs. */
export function isMeant({ only }: ColumnHead, forPeople: boolean): boolean {
  return only === undefined || (only === 'people') === forPeople;
}

/** Writes rows that have their own drawing. */
async function renderDrawn({ rows, isDense }: ListResult, surface: Surface): Promise<void> {
  let before = '';
  for await (const row of rows) {
    await surface.stdout.write(before + (await people((show) => row.draw?.(show) ?? '', surface)));
    before = isDense ? '' : '\n';
  }
}

/** Reduces a record to the columns for the readers of the format. */
export function meantFor(
  { columns, row }: Pick<RecordResult, 'columns' | 'row'>,
  format: Format,
): Pick<RecordResult, 'columns' | 'row'> {
  const isKept = columns.map((column) => isMeant(column, isForPeople(format)));
  const cells = row.cells.filter((_, index) => isKept[index]);
  return { columns: columns.filter((_, index) => isKept[index]), row: withCells(row, cells) };
}

/** The same row with other cells. Its zone is only evaluated for people. */
function withCells(row: Row, cells: Row['cells']): Row {
  return {
    data: row.data,
    cells,
    get zone() {
      return row.zone ?? null;
    },
  };
}

type PageWriter = (rows: readonly Row[], isFirst: boolean) => string;
type Narrow = (row: Row) => Row;

/** Selects the cells of the visible columns. */
function narrowed(list: ListResult, columns: readonly ColumnHead[]): Narrow {
  const places = columns.map((column) => list.columns.indexOf(column));
  return (row) => {
    const all = row.cells;
    return withCells(
      row,
      places.map((place) => all[place]),
    );
  };
}

async function pageWriter(
  columns: readonly ColumnHead[],
  narrow: Narrow,
  surface: Surface,
): Promise<PageWriter> {
  switch (surface.settings.format) {
    case 'tsv':
      return (rows) => tsvRows(rows.map(narrow));
    case 'ndjson':
      return (rows) => rows.map(({ data }) => `${compact(data, surface)}\n`).join('');
    case 'id':
      return (rows) => rows.map((row) => `${idOf(columns, narrow(row), surface)}\n`).join('');
    case 'csv':
      return (rows, isFirst) =>
        (isFirst ? csvHeader(columns, surface.settings.values) : '') + csvRows(rows.map(narrow));
    default:
      return tableWriter(columns, narrow, surface);
  }
}

async function tableWriter(
  columns: readonly ColumnHead[],
  narrow: Narrow,
  surface: Surface,
): Promise<PageWriter> {
  const still = await textStyleOf(surface);
  const room = surface.stdout.columns ?? Number.POSITIVE_INFINITY;
  const isWide = surface.settings.format === 'wide';
  const all = columns.map(({ spare, ...column }) =>
    isWide || spare === undefined ? column : { ...column, spare },
  );
  let shown: readonly ColumnHead[] = all;
  return (given, isFirst) => {
    const style = { ...still, now: surface.serviceNow() };
    const rows = given.map(narrow);
    const page = fitted({ columns: all, rows, style, room }, shown);
    shown = page.columns;
    if (shown.length < columns.length) surface.leftOut?.();
    return (isFirst ? '' : '\n') + page.text;
  };
}

/** The value of the first column of ids. */
export function idOf(columns: readonly ColumnHead[], { cells, data }: Row, surface: Surface): string {
  const place = columns.findIndex(({ kind }) => kind === 'id');
  if (place === -1)
    throw formatRefused('There is no id in this answer: choose another format.', [data], surface);
  return machineText(cells[place]);
}

function compact(data: unknown, { settings }: Surface): string {
  return jsonText(data, { fields: settings.fields, indented: false });
}

/** Writes one JSON array row by row; nothing before the first row has arrived. */
async function renderArray(list: ListResult, surface: Surface): Promise<void> {
  const { settings, stdout } = surface;
  let opening = '[';
  for await (const rows of pages(list.rows)) {
    if (opening === '[') checkPage(rows, surface);
    for (const { data } of rows) {
      const json = jsonText(data, { fields: settings.fields, indented: stdout.isTerminal });
      const text = stdout.isTerminal ? json.replaceAll('\n', '\n  ') : json;
      await stdout.write(`${opening}\n${stdout.isTerminal ? '  ' : ''}${text}`);
      opening = ',';
    }
  }
  await stdout.write(opening === '[' ? '[]\n' : '\n]\n');
}

/** Checks the requested fields against the first page. */
function checkPage(rows: readonly Row[], surface: Surface): void {
  checkFields(
    rows.map(({ data }) => data),
    surface,
  );
}

/** Groups rows into pages as they arrive. */
export async function* pages(rows: Iterable<Row> | AsyncIterable<Row>): AsyncIterable<Row[]> {
  let page: Row[] = [];
  for await (const row of rows) {
    page.push(row);
    if (page.length < pageSize) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
