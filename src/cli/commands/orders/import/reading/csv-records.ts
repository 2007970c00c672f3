/**
 * The records of a text of separated values (RFC 4180), read as leniently as other programs read them, and where their
 * table begins and ends: the line with the headers, what separates values, and the totals below.
 */
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { Fault } from '../../../../../contract/errors.ts';
import { UsageError } from '../../../../kit/errors/failure.ts';

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

/**
 * A row must have as many cells as the header. Extra empty cells are allowed, unless the comma in an amount without quotes
 * has moved the others: `$1,234.50`.
 */
export function widthFault(cells: readonly string[], width: number): Fault | null {
  const isSplit = (cell: string, index: number) =>
    /^\$\d{1,3}$/.test(cell) && /^\d{3}(?:\.\d\d)?$/.test(cells[index + 1] ?? '');
  const isLonger = cells.length > width && cells.slice(width).every((cell) => cell === '');
  if (cells.length === width || (isLonger && !cells.some(isSplit))) return null;
  return { path: 'row', message: `has ${cells.length} values, the header has ${width}` };
}

/** The header is looked for in so many lines; those above it may be titles. */
const max_title_lines = 20;

const separators = [',', ';', '\t', '|'];

export interface TableStart {
  separator: string;
  /** The lines above the header that are not part of the table: titles, and `sep=;`, as Excel reads it. */
  titles: readonly string[];
  /**
   * Whether quotes enclose values. Not in a file of tabs, unless a header or a value of several lines is quoted: in
   * `24" pizza` the quote is an inch.
   */
  hasQuotes: boolean;
}

/** Whether the text has enough lines to find the header. */
export function hasHead(text: string): boolean {
  return text.split('\n', max_title_lines + 1).length > max_title_lines;
}

/**
 * The header is the first line with at least two names that are known, or else the first line of the file. `countKnown`
 * says how many are.
 */
export function findTableStart(head: string, countKnown: (names: readonly string[]) => number): TableStart {
  const lines = head.replace(/^\ufeff/, '').split('\n', max_title_lines + 1);
  const first = lines.findIndex((line) => line.trim() !== '');
  const sep = /^"?sep=(.)"?$/i.exec(lines[first]?.trim() ?? '')?.[1];
  const start = sep === undefined ? Math.max(0, first) : first + 1;
  const choices = sep === undefined ? separators : [sep];
  for (const [index, line] of lines.entries()) {
    if (index < start) continue;
    const found = mostBy(choices, (separator) => countKnown(namesIn(line, separator)));
    if (found.count >= 2) return tableStart(lines, index, { separator: found.separator, head });
  }
  const { separator } = mostBy(choices, (each) => withoutQuoted(lines[start] ?? '').split(each).length);
  return tableStart(lines, start, { separator, head });
}

/** A value of several lines, which a spreadsheet quotes. */
const quotedLines = /(?:^|\t)"(?:[^"\t]|"")*\n(?:[^"\t]|"")*"(?=[\t\n]|$)/m;

function mostBy(choices: readonly string[], countOf: (separator: string) => number) {
  let found = { separator: choices[0] ?? ',', count: -1 };
  for (const separator of choices) {
    const count = countOf(separator);
    if (count > found.count) found = { separator, count };
  }
  return found;
}

function tableStart(
  lines: readonly string[],
  index: number,
  { separator, head }: { separator: string; head: string },
): TableStart {
  const titles = lines.slice(0, index);
  const hasQuotes = separator !== '\t' || lines[index]?.includes('"') === true || quotedLines.test(head);
  return { separator, titles, hasQuotes };
}

function namesIn(line: string, separator: string): string[] {
  const names = line.split(separator).map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
  return [...new Set(names.filter((name) => name !== ''))];
}

function withoutQuoted(line: string): string {
  return line.replaceAll(/"[^"]*"/g, '');
}

/** Whether a line is the end of a report: totals, or who made it. */
export function isFooter(cells: readonly string[], width: number): boolean {
  const filled = cells.map((cell) => cell.trim()).filter((cell) => cell !== '');
  const [first = ''] = filled;
  if (filled.length === 0 || filled.length > Math.max(2, Math.floor(width / 2))) return false;
  return footerWords.test(filled.join(', ')) || totalWords.test(first);
}

const totalWords = /^(grand |sub-?)?totals?\b[\s:=\d]*(orders?|rows?|records?|items?)?[\s:]*$/i;
const footerWords =
  /^\d*[,\s]*record\(s\) downloaded|^seller id\b|^\W*(generated|exported|printed|downloaded) (on|at|by|from)\b|^\W*end of (file|report|list)|^page \d+( of \d+)?$/i;

/** Reads the first items of a stream, or all if there are fewer. */
export async function firstOf<T>(records: AsyncGenerator<T>, count: number): Promise<T[]> {
  const first: T[] = [];
  while (first.length < count) {
    const next = await records.next();
    if (next.done === true) break;
    first.push(next.value);
  }
  return first;
}

/** A stream that begins with items that were read of it before. */
export async function* chained<T>(first: readonly T[], rest: AsyncGenerator<T>): AsyncGenerator<T> {
  yield* first;
  yield* rest;
}
