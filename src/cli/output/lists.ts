import { UsageError } from '../failure.ts';
import type { ColumnHead, ListResult, Row } from '../result.ts';
import { jsonText } from './json.ts';
import { cardsText } from './record.ts';
import { looksOf, type Surface } from './surface.ts';
import { tsvRows } from './tsv.ts';
import { machineText } from './values.ts';
import { displayWidth } from './width.ts';

/** Rows held at a time: one page of the interface. */
const pageSize = 100;

/** Writes a list in pieces, so that a list of any length takes the same memory. */
export async function renderList(list: ListResult, surface: Surface): Promise<void> {
  const { format } = surface.settings;
  if (format === 'json') return renderArray(list, surface);
  const columns = list.columns.filter(
    ({ wide }) => wide === undefined || format === 'wide' || format === 'csv',
  );
  const writer = await pageWriter(columns, narrowed(list, columns), surface);
  let isFirst = true;
  for await (const rows of pages(list.rows)) {
    await surface.stdout.write(writer(rows, isFirst));
    isFirst = false;
  }
  if (isFirst && format === 'csv') await surface.stdout.write(writer([], true));
}

type PageWriter = (rows: readonly Row[], isFirst: boolean) => string;
type Narrow = (row: Row) => Row;

/** Takes the cells of the columns shown out of those of all columns. */
function narrowed(list: ListResult, columns: readonly ColumnHead[]): Narrow {
  const places = columns.map((column) => list.columns.indexOf(column));
  return (row) => {
    const all = row.cells;
    return { data: row.data, cells: places.map((place) => all[place]) };
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
      return (rows) => rows.map((row) => `${idOf(columns, narrow(row))}\n`).join('');
    case 'csv': {
      const { csvHeader, csvRows } = await import('./delimited.ts');
      return (rows, isFirst) => (isFirst ? csvHeader(columns) : '') + csvRows(rows.map(narrow));
    }
    default:
      return tableWriter(columns, narrow, surface);
  }
}

async function tableWriter(
  columns: readonly ColumnHead[],
  narrow: Narrow,
  surface: Surface,
): Promise<PageWriter> {
  const { tableText } = await import('./table.ts');
  const { palette } = await looksOf(surface);
  const room = surface.stdout.columns ?? Number.POSITIVE_INFINITY;
  return (given, isFirst) => {
    const rows = given.map(narrow);
    const looks = { palette, now: surface.serviceNow() };
    const text = tableText(columns, rows, looks);
    if (text.split('\n').every((line) => displayWidth(line) <= room)) return isFirst ? text : `\n${text}`;
    return (isFirst ? '' : '\n') + cardsText(columns, rows, looks);
  };
}

/** The value of the first column of ids. */
export function idOf(columns: readonly ColumnHead[], { cells }: Row): string {
  const place = columns.findIndex(({ kind }) => kind === 'id');
  if (place === -1) throw new UsageError('There is no id in this answer: choose another format.');
  return machineText(cells[place]);
}

function compact(data: unknown, { settings }: Surface): string {
  return jsonText(data, { fields: settings.fields, indented: false });
}

/** One JSON array, written row by row; nothing at all before the first row is there. */
async function renderArray(list: ListResult, surface: Surface): Promise<void> {
  const { settings, stdout } = surface;
  let opening = '[';
  for await (const { data } of list.rows) {
    const json = jsonText(data, { fields: settings.fields, indented: stdout.isTerminal });
    const text = stdout.isTerminal ? json.replaceAll('\n', '\n  ') : json;
    await stdout.write(`${opening}\n${stdout.isTerminal ? '  ' : ''}${text}`);
    opening = ',';
  }
  await stdout.write(opening === '[' ? '[]\n' : '\n]\n');
}

async function* pages(rows: Iterable<Row> | AsyncIterable<Row>): AsyncIterable<Row[]> {
  let page: Row[] = [];
  for await (const row of rows) {
    page.push(row);
    if (page.length < pageSize) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
