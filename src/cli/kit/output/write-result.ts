import { Failure, UsageError } from '../errors/failure.ts';
import { type Host, PipeClosed, type Sink } from '../host/host.ts';
import { phrase, type Text, withArgs } from '../result/message.ts';
import {
  type DocumentResult,
  type DrawingResult,
  drawingFormats,
  isForPeople,
  isJson,
  type RecordResult,
  type Result,
  type StreamLine,
  type StreamResult,
  streamFormats,
  type TextResult,
} from '../result/result.ts';
import {
  checkedLines,
  checkFields,
  csvHeader,
  csvRows,
  jsonText,
  lineFields,
  tsvLine,
} from './json-output.ts';
import type { JqFilter, OutputSettings, RenderContext } from './output-settings.ts';
import { oneLine, sanitized } from './safe-text.ts';
import { idOf, recordText, recordTsv, renderList, withColumnsFor } from './table-output.ts';
import { type MessageContext, textForPeople, textStyleOf, wrappedMessage } from './text-formatting.ts';

interface ResultOutput {
  output: OutputSettings;
  serviceNow(): number;
  withContextFlags: MessageContext['withContextFlags'];
  formatFlags(): readonly string[];
  isWrite?: boolean;
  /** The transformation by `--jq`. */
  filter?: JqFilter | null;
}

/** Writes a result and its notes, and returns its exit code. */
export async function writeResult(
  result: Result,
  { output, serviceNow, withContextFlags, formatFlags, isWrite = false, filter = null }: ResultOutput,
  host: Pick<Host, 'stdout' | 'stderr' | 'environment' | 'pager'>,
): Promise<number> {
  let rows = 0;
  const counted =
    result.kind === 'list' ? { ...result, rows: countRows(result.rows, () => (rows += 1)) } : result;
  let isWhole = true;
  const columnsLeftOut = () => {
    isWhole = false;
  };
  const now = result.now ?? serviceNow;
  const context = { settings: output, serviceNow: now, isWrite, columnsLeftOut, filter };
  const work = (stdout: Sink) => render(counted, { ...context, stdout });
  if (isWrite && output.format === 'id' && host.stdout.isClosed)
    throw await lostResultError(host.stdout, work);
  try {
    if (!isReadInTerminal(host.stdout, output)) await work(host.stdout);
    else await (await import('./terminal-output.ts')).writeToTerminal(result.kind, output, host, work);
  } catch (error) {
    // A closed pipe hides the result; the exit code of the command is still right.
    if (error instanceof PipeClosed && typeof result.exit === 'number') return result.exit;
    if (isWrite && (result.kind === 'record' || result.kind === 'document') && isFieldOrFilterError(error))
      await host.stdout.write(
        await page(result, { ...context, settings: { ...output, fields: null }, stdout: host.stdout }),
      );
    throw error;
  }
  const notes = output.quiet ? [] : notesOf(result, rows, { output, formatFlags });
  if (!isWhole && !output.quiet && host.stderr.isTerminal) notes.unshift('-o wide shows all columns.');
  const messageContext = { output, stderr: host.stderr, now: now(), withContextFlags };
  for (const note of notes)
    await host.stderr.write(`${wrappedMessage(note, messageContext)}\n`).catch(() => {});
  return typeof result.exit === 'function' ? result.exit() : (result.exit ?? 0);
}

/** True if the answer has no such field or `--jq` fails on it. What a write returned is then written whole. */
function isFieldOrFilterError(error: unknown): boolean {
  return error instanceof UsageError && ['unknown_field', 'expression_failed'].includes(error.code);
}

/** Exit 1: the IDs that a script asked for cannot reach it. The error names them. */
async function lostResultError(stdout: Sink, work: (stdout: Sink) => Promise<void>): Promise<Failure> {
  let text = '';
  const write = async (part: string) => {
    text += part;
  };
  await work({ isTerminal: false, columns: stdout.columns, rows: stdout.rows, write });
  const message = `stdout is closed, so the answer is lost: ${text.trim().split('\n').join(', ')}`;
  return new Failure(1, 'output_failed', message);
}

/** True if a person reads the result in a terminal. */
function isReadInTerminal({ isTerminal }: Sink, { format, hasLinks, canPage }: OutputSettings): boolean {
  return isTerminal && isForPeople(format) && (hasLinks || canPage);
}

async function* countRows<T>(rows: Iterable<T> | AsyncIterable<T>, count: () => void): AsyncIterable<T> {
  for await (const row of rows) {
    count();
    yield row;
  }
}

function notesOf(
  result: Result,
  rows: number,
  { output, formatFlags }: Pick<ResultOutput, 'output' | 'formatFlags'>,
): Text[] {
  const { notes: given = [] } = result;
  const notes = [...(typeof given === 'function' ? given() : given)];
  if (result.kind !== 'list') return notes;
  if (rows === 0 && !output.json) notes.unshift(result.empty);
  const more = result.more();
  return more === null ? notes : [...notes, phrase`There is more: ${withArgs(more.command, formatFlags())}`];
}

/** Writes a result to stdout; nothing else writes there. */
export async function render(given: Result, context: RenderContext): Promise<void> {
  const { columns, values } = context.settings;
  const isChosen = columns !== null || values !== 'usual';
  const result = isChosen ? await (await import('./select-columns.ts')).selectColumns(given, context) : given;
  if (context.filter !== null) {
    const { renderFiltered } = await import('./jq.ts');
    return renderFiltered(result, context, context.filter);
  }
  if (result.kind === 'list') return renderList(result, context);
  if (result.kind === 'stream') return renderStream(result, context);
  await context.stdout.write(await page(result, context));
}

type Page = RecordResult | TextResult | DocumentResult | DrawingResult;

async function page(result: Page, context: RenderContext): Promise<string> {
  if (result.kind === 'record') return recordPage(result, context);
  if (result.kind === 'drawing') return drawingPage(result, context);
  const { format } = context.settings;
  if (result.kind === 'document') return documentPage(result.data, context);
  if (isJson(format)) return documentPage({ text: result.text }, context);
  const text = context.stdout.isTerminal ? sanitized(result.text) : result.text;
  return text.endsWith('\n') || text === '' ? text : `${text}\n`;
}

async function recordPage(result: RecordResult, context: RenderContext): Promise<string> {
  const { columns, row } = withColumnsFor(result, context.settings.format);
  switch (context.settings.format) {
    case 'json':
    case 'ndjson':
      return documentPage(row.data, context);
    case 'tsv':
      return recordTsv(columns, row);
    case 'id':
      return `${idOf(columns, row, context)}\n`;
    case 'csv':
      return csvHeader(columns, context.settings.values) + csvRows([row]);
    default:
      return recordText(columns, row, await textStyleOf(context), context.stdout.columns);
  }
}

async function drawingPage({ data, id, rows, draw }: DrawingResult, context: RenderContext): Promise<string> {
  switch (context.settings.format) {
    case 'json':
    case 'ndjson':
      return documentPage(data, context);
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

function documentPage(data: unknown, context: RenderContext): string {
  const { settings, stdout } = context;
  const indented = settings.format !== 'ndjson' && stdout.isTerminal;
  checkFields([data], context);
  return `${jsonText(data, { fields: settings.fields, indented })}\n`;
}

async function renderStream(stream: StreamResult, context: RenderContext): Promise<void> {
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
