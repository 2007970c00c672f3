import { UsageError } from '../errors/failure.ts';
import type {
  DocumentResult,
  DrawingResult,
  RecordResult,
  Result,
  StreamResult,
  TextResult,
} from '../result/result.ts';
import { tsvLine } from './delimited.ts';
import { type Surface, textStyleOf } from './destination.ts';
import { checkEvents, checkFields } from './field-check.ts';
import { drawingFormats, streamFormats } from './formats.ts';
import { jsonText, unknownFields } from './json.ts';
import { idOf, meantFor, renderList } from './list-writer.ts';
import { people } from './people-text.ts';
import { recordText, recordTsv } from './record.ts';
import { oneLine, sanitized } from './sanitize.ts';

/** Writes a result to stdout; nothing else writes there. */
export async function render(given: Result, surface: Surface): Promise<void> {
  const { columns, values } = surface.settings;
  const isChosen = columns !== null || values !== 'usual';
  const result = isChosen ? await (await import('./choose-columns.ts')).chosenColumns(given, surface) : given;
  if (surface.shape !== null) {
    const { renderShaped } = await import('./shaped.ts');
    return renderShaped(result, surface, surface.shape);
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
  if (format === 'json' || format === 'ndjson') return documentPage({ text: result.text }, surface);
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
    case 'csv': {
      const { csvHeader, csvRows } = await import('./delimited.ts');
      return csvHeader(columns, surface.settings.values) + csvRows([row]);
    }
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

async function renderStream({ lines, areFieldsKnown }: StreamResult, surface: Surface): Promise<void> {
  const { format, fields } = surface.settings;
  if (format === 'csv' || format === 'id')
    throw new UsageError(`A stream cannot be written as ${format}.`, { choices: streamFormats });
  let unknown = areFieldsKnown ? [] : (fields ?? []);
  let last: unknown;
  for await (const { data, line, rows } of lines) {
    unknown = unknownFields([data], unknown);
    last = data;
    if (format === 'json' || format === 'ndjson') {
      const chosen = fields === null ? null : ['type', ...fields];
      await surface.stdout.write(`${jsonText(data, { fields: chosen, indented: false })}\n`);
      continue;
    }
    const text =
      format === 'tsv' && rows !== undefined ? rows.map(tsvLine).join('') : await people(line, surface);
    if (text !== null) await surface.stdout.write(text);
  }
  checkEvents(last, unknown, surface);
}
