/** Writes results through the filter of `--jq`: a list by page, a stream by event, and any other result whole. */
import { groupIntoPages, type ListResult, type Result, type StreamResult } from '../result/result.ts';
import { checkedLines, checkFields, formatError, lineFields, selectFields } from './json-fields.ts';
import type { JqFilter, RenderContext } from './output-settings.ts';

/** Writes a result through `--jq`. */
export async function writeFilteredResult(
  result: Result,
  context: RenderContext,
  filter: JqFilter,
): Promise<void> {
  if (result.kind === 'list') return writeFilteredList(result, context, filter);
  if (result.kind === 'stream') return writeFilteredStream(result, context, filter);
  const data = documentOf(result);
  checkFields([data], context);
  await writeFilteredDocuments([data], context, filter);
}

function documentOf(result: Exclude<Result, ListResult | StreamResult>): unknown {
  if (result.kind === 'record') return result.row.data;
  return result.kind === 'text' ? { text: result.text } : result.data;
}

/** Filters a list page by page, in constant memory; the format json is one document, which is filtered as a whole. */
async function writeFilteredList(
  { rows }: ListResult,
  context: RenderContext,
  filter: JqFilter,
): Promise<void> {
  const isOneDocument = context.settings.format === 'json';
  const all: unknown[] = [];
  let isFirst = true;
  for await (const page of groupIntoPages(rows)) {
    const records = page.map(({ data }) => data);
    if (isFirst) checkFields(records, context);
    isFirst = false;
    if (isOneDocument) all.push(...records);
    else await writeFilteredDocuments(records, context, filter);
  }
  if (isOneDocument) await writeFilteredDocuments([all], context, filter);
}

async function writeFilteredStream(
  stream: StreamResult,
  context: RenderContext,
  filter: JqFilter,
): Promise<void> {
  for await (const { data } of checkedLines(stream, context))
    await writeFilteredDocuments([data], context, filter, lineFields(context));
}

async function writeFilteredDocuments(
  documents: readonly unknown[],
  context: RenderContext,
  filter: JqFilter,
  fields = context.settings.fields,
): Promise<void> {
  const { stdout } = context;
  const selected = documents.map((data) => selectFields(data, fields));
  const { text, fault } = await filter.apply(selected, stdout.isTerminal);
  if (text !== '') await stdout.write(text);
  if (fault !== null) throw formatError(fault, documents, context, { code: 'expression_failed' });
}
