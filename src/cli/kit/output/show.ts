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
import type { Filter, OutputSettings, Surface } from './output-settings.ts';
import {
  checkedLines,
  checkFields,
  csvHeader,
  csvRows,
  jsonText,
  lineFields,
  tsvLine,
} from './program-output.ts';
import { idOf, meantFor, recordText, recordTsv, renderList } from './record-writer.ts';
import { oneLine, sanitized } from './safe-text.ts';
import { type Beside, people, sentence, textStyleOf } from './value-text.ts';

interface Shown {
  output: OutputSettings;
  serviceNow(): number;
  place: Beside['place'];
  formatFlags(): readonly string[];
  isWrite?: boolean;
  /** The transformation by `--jq`. */
  filter?: Filter | null;
}

/** Writes a result and its notes, and returns its exit code. */
export async function show(
  result: Result,
  { output, serviceNow, place, formatFlags, isWrite = false, filter = null }: Shown,
  host: Pick<Host, 'stdout' | 'stderr' | 'environment' | 'pager'>,
): Promise<number> {
  let rows = 0;
  const counted =
    result.kind === 'list' ? { ...result, rows: counting(result.rows, () => (rows += 1)) } : result;
  let isWhole = true;
  const leftOut = () => {
    isWhole = false;
  };
  const now = result.now ?? serviceNow;
  const surface = { settings: output, serviceNow: now, isWrite, leftOut, filter };
  const work = (stdout: Sink) => render(counted, { ...surface, stdout });
  if (isWrite && output.format === 'id' && host.stdout.isClosed) throw await lostAnswer(host.stdout, work);
  try {
    if (!isScreen(host.stdout, output)) await work(host.stdout);
    else await (await import('./paging.ts')).onScreen(result.kind, output, host, work);
  } catch (error) {
    // A closed pipe hides the result; the exit code of the command is still right.
    if (error instanceof PipeClosed && typeof result.exit === 'number') return result.exit;
    if (isWrite && (result.kind === 'record' || result.kind === 'document') && isFieldOrFilterError(error))
      await host.stdout.write(
        await page(result, { ...surface, settings: { ...output, fields: null }, stdout: host.stdout }),
      );
    throw error;
  }
  const notes = output.quiet ? [] : notesOf(result, rows, { output, formatFlags });
  if (!isWhole && !output.quiet && host.stderr.isTerminal) notes.unshift('-o wide shows all columns.');
  const beside = { output, stderr: host.stderr, now: now(), place };
  for (const note of notes) await host.stderr.write(`${sentence(note, beside)}\n`).catch(() => {});
  return typeof result.exit === 'function' ? result.exit() : (result.exit ?? 0);
}

/** True if the answer has no such field or `--jq` fails on it. What a write returned is then written whole. */
function isFieldOrFilterError(error: unknown): boolean {
  return error instanceof UsageError && ['unknown_field', 'expression_failed'].includes(error.code);
}

/** Exit 1: the IDs that a script asked for cannot reach it. The error names them. */
async function lostAnswer(stdout: Sink, work: (stdout: Sink) => Promise<void>): Promise<Failure> {
  let text = '';
  const write = async (part: string) => {
    text += part;
  };
  await work({ isTerminal: false, columns: stdout.columns, rows: stdout.rows, write });
  const message = `stdout is closed, so the answer is lost: ${text.trim().split('\n').join(', ')}`;
  return new Failure(1, 'output_failed', message);
}

/** True if a person reads the result in a terminal. */
function isScreen({ isTerminal }: Sink, { format, links, pages }: OutputSettings): boolean {
  return isTerminal && isForPeople(format) && (links || pages);
}

async function* counting<T>(rows: Iterable<T> | AsyncIterable<T>, count: () => void): AsyncIterable<T> {
  for await (const row of rows) {
    count();
    yield row;
  }
}

function notesOf(
  result: Result,
  rows: number,
  { output, formatFlags }: Pick<Shown, 'output' | 'formatFlags'>,
): Text[] {
  const { notes: given = [] } = result;
  const notes = [...(typeof given === 'function' ? given() : given)];
  if (result.kind !== 'list') return notes;
  if (rows === 0 && !output.json) notes.unshift(result.empty);
  const more = result.more();
  return more === null ? notes : [...notes, phrase`There is more: ${withArgs(more.command, formatFlags())}`];
}

/** Writes a result to stdout; nothing else writes there. */
export async function render(given: Result, surface: Surface): Promise<void> {
  const { columns, values } = surface.settings;
  const isChosen = columns !== null || values !== 'usual';
  const result = isChosen ? await (await import('./choose-columns.ts')).chosenColumns(given, surface) : given;
  if (surface.filter !== null) {
    const { renderFiltered } = await import('./jq.ts');
    return renderFiltered(result, surface, surface.filter);
  }
  if (result.kind === 'list') return renderList(result, surface);
  if (result.kind === 'stream') return renderStream(result, surface);
  await surface.stdout.write(await page(result, surface));
}

type Page = RecordResult | TextResult | DocumentResult | DrawingResult;

async function page(result: Page, surface: Surface): Promise<string> {
  if (result.kind === 'record') return recordPage(result, surface);
  if (result.kind === 'drawing') return drawingPage(result, surface);
  const { format } = surface.settings;
  if (result.kind === 'document') return documentPage(result.data, surface);
  if (isJson(format)) return documentPage({ text: result.text }, surface);
  const text = surface.stdout.isTerminal ? sanitized(result.text) : result.text;
  return text.endsWith('\n') || text === '' ? text : `${text}\n`;
}

async function recordPage(result: RecordResult, surface: Surface): Promise<string> {
  const { columns, row } = meantFor(result, surface.settings.format);
  switch (surface.settings.format) {
    case 'json':
    case 'ndjson':
      return documentPage(row.data, surface);
    case 'tsv':
      return recordTsv(columns, row);
    case 'id':
      return `${idOf(columns, row, surface)}\n`;
    case 'csv':
      return csvHeader(columns, surface.settings.values) + csvRows([row]);
    default:
      return recordText(columns, row, await textStyleOf(surface), surface.stdout.columns);
  }
}

async function drawingPage({ data, id, rows, draw }: DrawingResult, surface: Surface): Promise<string> {
  switch (surface.settings.format) {
    case 'json':
    case 'ndjson':
      return documentPage(data, surface);
    case 'tsv':
      return rows.map(tsvLine).join('');
    case 'id':
      return `${oneLine(id)}\n`;
    case 'csv':
      throw new UsageError('This answer cannot be written as csv.', { choices: drawingFormats });
    default:
      return people(draw, surface);
  }
}

function documentPage(data: unknown, surface: Surface): string {
  const { settings, stdout } = surface;
  const indented = settings.format !== 'ndjson' && stdout.isTerminal;
  checkFields([data], surface);
  return `${jsonText(data, { fields: settings.fields, indented })}\n`;
}

async function renderStream(stream: StreamResult, surface: Surface): Promise<void> {
  const { format } = surface.settings;
  if (format === 'csv' || format === 'id')
    throw new UsageError(`A stream cannot be written as ${format}.`, { choices: streamFormats });
  for await (const each of checkedLines(stream, surface)) {
    const text = await lineText(each, surface);
    if (text !== null) await surface.stdout.write(text);
  }
}

/** A line of a stream in the format; null if it has nothing to say to people. */
async function lineText({ data, line, rows }: StreamLine, surface: Surface): Promise<string | null> {
  const { format } = surface.settings;
  if (isJson(format)) return `${jsonText(data, { fields: lineFields(surface), indented: false })}\n`;
  if (format === 'tsv' && rows !== undefined) return rows.map(tsvLine).join('');
  return people(line, surface);
}
