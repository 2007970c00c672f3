import { UsageError } from '../errors/failure.ts';
import type { ListResult, Result, StreamResult } from '../result/result.ts';
import { type JqRun, openJq, SyncTimeout, TooLarge } from '../system/jq-engine.ts';
import type { Surface } from './destination.ts';
import { checkedLines, checkFields, formatRefused, lineFields } from './field-check.ts';
import { type Filter, picked } from './json.ts';
import { pages } from './list-writer.ts';
import { escapedJson, sanitized } from './sanitize.ts';

/** Writes a result through `--jq`. */
export async function renderFiltered(result: Result, surface: Surface, filter: Filter): Promise<void> {
  if (result.kind === 'list') return filteredList(result, surface, filter);
  if (result.kind === 'stream') return filteredStream(result, surface, filter);
  const data = dataOf(result);
  checkFields([data], surface);
  await write([data], surface, filter);
}

function dataOf(result: Exclude<Result, ListResult | StreamResult>): unknown {
  if (result.kind === 'record') return result.row.data;
  return result.kind === 'text' ? { text: result.text } : result.data;
}

/** Transforms page by page, in constant memory; a filter of a JSON document gets all of it. */
async function filteredList({ rows }: ListResult, surface: Surface, filter: Filter): Promise<void> {
  const isWhole = surface.settings.format === 'json';
  const whole: unknown[] = [];
  let isFirst = true;
  for await (const page of pages(rows)) {
    const records = page.map(({ data }) => data);
    if (isFirst) checkFields(records, surface);
    isFirst = false;
    if (isWhole) whole.push(...records);
    else await write(records, surface, filter);
  }
  if (isWhole) await write([whole], surface, filter);
}

/** Transforms each event as it arrives. */
async function filteredStream(stream: StreamResult, surface: Surface, filter: Filter): Promise<void> {
  for await (const { data } of checkedLines(stream, surface))
    await write([data], surface, filter, lineFields(surface));
}

async function write(
  documents: readonly unknown[],
  surface: Surface,
  filter: Filter,
  fields = surface.settings.fields,
): Promise<void> {
  const { stdout } = surface;
  const parts = documents.map((data) => picked(data, fields));
  const { text, fault } = await filter.apply(parts, stdout.isTerminal);
  if (text !== '') await stdout.write(text);
  if (fault !== null) throw formatRefused(fault, documents, surface, { code: 'expression_failed' });
}

/** Applies the filter of `--jq`. UsageError with jq's message if it is invalid. */
export async function jqFilter(filter: string, { warn }: { warn(line: string): void }): Promise<Filter> {
  const jq = openJq();
  const { status, stderr } = await withUsageErrors(jq('', filter));
  if (status !== 0)
    throw new UsageError(`Invalid --jq filter.\n${stderr.trim()}`, { code: 'bad_expression' });
  return {
    async apply(documents, isTerminal) {
      const input = documents.map((data) => JSON.stringify(data) ?? 'null').join('\n');
      const { status: end, stdout, stderr: said } = await withUsageErrors(jq(input, filter));
      const text = printedLines(stdout, isTerminal);
      if (end !== 0) return { text, fault: `--jq does not fit the answer.\n${said.trim()}` };
      for (const line of said.split('\n')) if (line !== '') warn(line);
      return { text, fault: null };
    },
  };
}

async function withUsageErrors(run: Promise<JqRun>): Promise<JqRun> {
  try {
    return await run;
  } catch (error) {
    if (error instanceof SyncTimeout || error instanceof TooLarge)
      throw new UsageError(`--jq was stopped: ${error.message}.`, {
        code: 'expression_failed',
        cause: error,
      });
    throw error;
  }
}

/** Prints strings raw, sanitized for a terminal, and all else as JSON on a line. */
function printedLines(lines: string, isTerminal: boolean): string {
  return lines
    .split('\n')
    .map((line) => (line.startsWith('"') ? raw(line, isTerminal) : escapedJson(line)))
    .join('\n');
}

function raw(json: string, isTerminal: boolean): string {
  const text: unknown = JSON.parse(json);
  return isTerminal ? sanitized(String(text)) : String(text);
}
