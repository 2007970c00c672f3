/** Writes the result of a command to stdout in its format, and its notes to stderr (`writeResult`). */
import { Failure, UsageError } from '../errors/failure.ts';
import { type Host, PipeClosed, type Sink } from '../host/host.ts';
import { phrase, type Text, withArgs } from '../result/message.ts';
import {
  type ColumnHead,
  type DocumentResult,
  type DrawingResult,
  drawingFormats,
  type Format,
  groupIntoPages,
  isColumnFor,
  isColumnShown,
  isForPeople,
  isJson,
  type ListResult,
  type RecordResult,
  type Result,
  type Row,
  type StreamLine,
  type StreamResult,
  streamFormats,
  type TextResult,
} from '../result/result.ts';
import { csvHeader, csvRows, recordTsv, tsvLine, tsvRows } from './csv-output.ts';
import { checkedLines, checkFieldsOfPage, formatError, lineFields } from './json-fields.ts';
import { jsonDocument, jsonText, ndjsonLine, writeJsonArray } from './json-output.ts';
import type { JqFilter, OutputSettings, RenderContext } from './output-settings.ts';
import { oneLine, sanitized, withIsolates } from './safe-text.ts';
import { createTableWriter, type PageWriter, recordText } from './table-output.ts';
import {
  createTextStyle,
  type MessageContext,
  textForPeople,
  valueForPrograms,
  wrappedMessage,
} from './text-formatting.ts';

interface ResultOutput {
  output: OutputSettings;
  serviceNow(): number;
  withContextFlags: MessageContext['withContextFlags'];
  formatFlags(): readonly string[];
  isWrite?: boolean;
  areFieldsKnown?: boolean;
  /** The transformation by `--jq`. */
  filter?: JqFilter | null;
}

/** Writes a result and its notes, and returns its exit code. */
export async function writeResult(
  result: Result,
  run: ResultOutput,
  host: Pick<Host, 'stdout' | 'stderr' | 'environment' | 'pager'>,
): Promise<number> {
  const { output, isWrite = false, filter = null } = run;
  const areFieldsKnown = run.areFieldsKnown === true || result.areFieldsKnown === true;
  let rows = 0;
  const counted =
    result.kind === 'list' ? { ...result, rows: countRows(result.rows, () => (rows += 1)) } : result;
  let isWhole = true;
  const columnsLeftOut = () => {
    isWhole = false;
  };
  const now = result.now ?? run.serviceNow;
  const context = { settings: output, serviceNow: now, isWrite, areFieldsKnown, columnsLeftOut, filter };
  try {
    await writeData(counted, context, host);
  } catch (error) {
    // A closed pipe hides the result; the exit code of the command is still right.
    if (error instanceof PipeClosed && typeof result.exit === 'number') return result.exit;
    throw error;
  }
  const notes = output.quiet ? [] : await notesOf(result, rows, run);
  if (!isWhole && !output.quiet && host.stderr.isTerminal) notes.unshift('-o wide shows all columns.');
  const { withContextFlags } = run;
  const messageContext = { output, stderr: host.stderr, now: now(), withContextFlags };
  for (const note of notes)
    await host.stderr.write(`${wrappedMessage(note, messageContext)}\n`).catch(() => {});
  return typeof result.exit === 'function' ? result.exit() : (result.exit ?? 0);
}

/** Writes the data to stdout. If that fails for the answer of a write, its IDs are shown, or all of it. */
async function writeData(
  result: Result,
  context: Omit<RenderContext, 'stdout'>,
  host: Pick<Host, 'stdout' | 'stderr' | 'environment' | 'pager'>,
): Promise<void> {
  const { settings, isWrite } = context;
  const { stdout } = host;
  const work = (sink: Sink) => writeInFormat(result, { ...context, stdout: sink });
  // Not a failure: a program that discards the output (Python's DEVNULL) looks the same as a shell that closed it.
  if (isWrite && settings.format === 'id' && stdout.isClosed)
    await host.stderr.write(`Nobody reads stdout: ${await resultIds(stdout, work)}\n`).catch(() => {});
  try {
    if (!usesTerminalFeatures(stdout, settings)) return await work(stdout);
    // What was done is shown without a pager, which would take the lines that follow in a pasted script.
    const shown = isWrite ? { ...settings, canPage: false } : settings;
    await (await import('./terminal-output.ts')).writeToTerminal(result.kind, shown, host, work);
  } catch (error) {
    if (isWrite && settings.format === 'id' && result.kind === 'record' && isOutputFailure(error))
      throw await lostResultError(stdout, work, error.message.replace(/\.$/, ''));
    if (isWrite && (result.kind === 'record' || result.kind === 'document') && isFieldOrFilterError(error))
      await stdout.write(
        await resultText(result, { ...context, settings: { ...settings, fields: null }, stdout }),
      );
    throw error;
  }
}

/** True if the answer has no such field, or `--jq` fails on it. */
function isFieldOrFilterError(error: unknown): boolean {
  return error instanceof UsageError && ['unknown_field', 'expression_failed'].includes(error.code);
}

/** True if the output could not be written. */
function isOutputFailure(error: unknown): error is Failure {
  return error instanceof Failure && error.code === 'output_failed';
}

/** The error for IDs that cannot reach the script that asked for them; it names them. */
async function lostResultError(
  stdout: Sink,
  work: (stdout: Sink) => Promise<void>,
  why: string,
): Promise<Failure> {
  return new Failure(1, 'output_failed', `${why}, so the answer is lost: ${await resultIds(stdout, work)}`);
}

/** The IDs that `work` writes, separated by commas. */
async function resultIds(stdout: Sink, work: (stdout: Sink) => Promise<void>): Promise<string> {
  let text = '';
  const write = async (part: string) => {
    text += part;
  };
  await work({ isTerminal: false, columns: stdout.columns, rows: stdout.rows, write });
  return text.trim().split('\n').join(', ');
}

/** True if the terminal may show the result with hyperlinks or in a pager. */
function usesTerminalFeatures(
  { isTerminal }: Sink,
  { format, stdoutColour, canPage }: OutputSettings,
): boolean {
  return isTerminal && isForPeople(format) && (canPage || stdoutColour > 0);
}

async function* countRows<T>(rows: Iterable<T> | AsyncIterable<T>, count: () => void): AsyncIterable<T> {
  for await (const row of rows) {
    count();
    yield row;
  }
}

/** The notes below a result: what the command says, that nothing was found, and how the list goes on. */
async function notesOf(
  result: Result,
  rows: number,
  { output, formatFlags }: Pick<ResultOutput, 'output' | 'formatFlags'>,
): Promise<Text[]> {
  const { notes: commandNotes = [] } = result;
  const more = result.kind === 'list' ? result.more() : null;
  // The notes may be about the whole list, which is read to count it.
  const total = more === null || output.json ? null : await more.count().catch(() => null);
  const notes = [...(typeof commandNotes === 'function' ? commandNotes() : commandNotes)];
  if (result.kind !== 'list') return notes;
  if (rows === 0 && !output.json)
    notes.unshift(typeof result.empty === 'function' ? result.empty() : result.empty);
  if (more === null) return notes;
  if (total === null) return [...notes, phrase`There is more: ${withArgs(more.command, formatFlags())}`];
  const of = `${rows} of ${total.isLeast ? 'more than ' : ''}${total.count}`;
  return [...notes, phrase`${of} are shown. All: ${withArgs(more.all, formatFlags())}`];
}

/** Writes a result to stdout; nothing else writes there. */
export async function writeInFormat(whole: Result, givenContext: RenderContext): Promise<void> {
  const context = withIsolatedText(givenContext);
  const { columns, values } = context.settings;
  const isChosen = columns !== null || values !== 'usual';
  const result = isChosen ? await (await import('./select-columns.ts')).selectColumns(whole, context) : whole;
  if (context.filter !== null) {
    const { writeFilteredResult } = await import('./filtered-output.ts');
    return writeFilteredResult(result, context, context.filter);
  }
  if (result.kind === 'list') return writeList(result, context);
  if (result.kind === 'stream') return writeStream(result, context);
  await context.stdout.write(await resultText(result, context));
}

/** Isolates text that is written from right to left on a terminal, so that it does not move what stands beside it. */
function withIsolatedText(context: RenderContext): RenderContext {
  const { stdout, settings } = context;
  if (!stdout.isTerminal || !['table', 'wide'].includes(settings.format)) return context;
  const write = (text: string) => stdout.write(withIsolates(text));
  return { ...context, stdout: Object.create(stdout, { write: { value: write } }) };
}

type SingleResult = RecordResult | TextResult | DocumentResult | DrawingResult;

async function resultText(result: SingleResult, context: RenderContext): Promise<string> {
  if (result.kind === 'record') return recordTextOf(result, context);
  if (result.kind === 'drawing') return drawingTextOf(result, context);
  const { format } = context.settings;
  if (result.kind === 'document') return jsonDocument(result.data, context);
  if (isJson(format)) return jsonDocument({ text: result.text }, context);
  const text = context.stdout.isTerminal ? sanitized(result.text) : result.text;
  return text.endsWith('\n') || text === '' ? text : `${text}\n`;
}

async function recordTextOf(result: RecordResult, context: RenderContext): Promise<string> {
  const { settings } = context;
  const { columns, row } = withColumnsFor(result, settings.format);
  switch (settings.format) {
    case 'json':
    case 'ndjson':
      return jsonDocument(row.data, context);
    case 'tsv':
      return recordTsv(columns, row, settings.isFormatNamed || settings.columns !== null);
    case 'id':
      return `${idOf(columns, row, context)}\n`;
    case 'csv':
      return csvHeader(columns, settings, row.zone) + csvRows([row], columns);
    default:
      return recordText(columns, row, await createTextStyle(context), context.stdout.columns);
  }
}

async function drawingTextOf(
  { data, id, rows, draw }: DrawingResult,
  context: RenderContext,
): Promise<string> {
  switch (context.settings.format) {
    case 'json':
    case 'ndjson':
      return jsonDocument(data, context);
    case 'tsv':
      return rows.map(tsvLine).join('');
    case 'id':
      return `${oneLine(id)}\n`;
    case 'csv':
      throw new UsageError('This answer cannot be written as csv.', { choices: drawingFormats });
    default:
      return textForPeople(draw, context);
  }
}

async function writeStream(stream: StreamResult, context: RenderContext): Promise<void> {
  const { format } = context.settings;
  if (format === 'csv' || format === 'id')
    throw new UsageError(`A stream cannot be written as ${format}.`, { choices: streamFormats });
  for await (const each of checkedLines(stream, context)) {
    const text = await lineText(each, context);
    if (text !== null) await context.stdout.write(text);
  }
}

/** A line of a stream in the format; null if it has nothing to say to people. */
async function lineText({ data, line, rows }: StreamLine, context: RenderContext): Promise<string | null> {
  const { format } = context.settings;
  if (isJson(format)) return `${jsonText(data, { fields: lineFields(context), indented: false })}\n`;
  if (format === 'tsv' && rows !== undefined) return rows.map(tsvLine).join('');
  return textForPeople(line, context);
}

/** The most rows with one layout. A longer list is written as several tables, so that memory does not grow. */
const max_table_rows = 500;

/** Writes a list in pieces, so that memory does not grow with its length. */
export async function writeList(list: ListResult, context: RenderContext): Promise<void> {
  const { format } = context.settings;
  if (format === 'json') return writeJsonArray(list, context);
  if (list.isDrawn && isForPeople(format)) return writeDrawings(list, context);
  const columns = list.columns.filter((column) => isColumnShown(column, format));
  const writer = await createPageWriter(list, columns, context);
  let isFirst = true;
  for await (const rows of groupIntoPages(list.rows, isForPeople(format) ? max_table_rows : undefined)) {
    if (isFirst && format === 'ndjson') checkFieldsOfPage(rows, context);
    await context.stdout.write(writer(rows, isFirst));
    isFirst = false;
  }
  if (isFirst && format === 'csv') await context.stdout.write(writer([], true));
  if (!isFirst && isForPeople(format)) await writeFooter(list, context);
}

async function writeFooter({ footer }: ListResult, context: RenderContext): Promise<void> {
  const text = footer === undefined ? null : await textForPeople(footer, context);
  if (text !== null && text.trim() !== '') await context.stdout.write(`\n${text}`);
}

/** Writes rows that have their own drawing. */
async function writeDrawings({ rows, isDense }: ListResult, context: RenderContext): Promise<void> {
  let before = '';
  for await (const row of rows) {
    await context.stdout.write(before + (await textForPeople((show) => row.draw?.(show) ?? '', context)));
    before = isDense ? '' : '\n';
  }
}

async function createPageWriter(
  list: ListResult,
  columns: readonly ColumnHead[],
  context: RenderContext,
): Promise<PageWriter> {
  const selectCells = cellSelector(list, columns);
  switch (context.settings.format) {
    case 'tsv':
      return (rows) => tsvRows(rows.map(selectCells));
    case 'ndjson':
      return (rows) => rows.map(({ data }) => ndjsonLine(data, context)).join('');
    case 'id':
      return (rows) => rows.map((row) => `${idOf(columns, selectCells(row), context)}\n`).join('');
    case 'csv':
      return (rows, isFirst) =>
        (isFirst ? csvHeader(columns, context.settings, rows[0]?.zone) : '') +
        csvRows(rows.map(selectCells), columns);
    default: {
      const write = await createTableWriter(columns, context);
      return (rows, isFirst) => write(rows.map(selectCells), isFirst);
    }
  }
}

/** Returns the function that reduces a row of the list to the cells of these columns. */
function cellSelector(list: ListResult, columns: readonly ColumnHead[]): (row: Row) => Row {
  const indexes = columns.map((column) => list.columns.indexOf(column));
  return (row) => {
    const all = row.cells;
    return withCells(
      row,
      indexes.map((index) => all[index]),
    );
  };
}

/** Reduces a record to the columns for the readers of the format. */
function withColumnsFor(
  { columns, row }: Pick<RecordResult, 'columns' | 'row'>,
  format: Format,
): Pick<RecordResult, 'columns' | 'row'> {
  const isKept = columns.map((column) => isColumnFor(column, isForPeople(format)));
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

/** The value of the first column of ids. */
function idOf(columns: readonly ColumnHead[], { cells, data }: Row, context: RenderContext): string {
  const index = columns.findIndex(({ kind }) => kind === 'id');
  if (index === -1)
    throw formatError('There is no id in this answer: choose another format.', [data], context);
  return valueForPrograms(cells[index]);
}
