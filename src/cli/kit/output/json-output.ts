/** JSON output: a document (`jsonDocument`), an array by rows (`writeJsonArray`), and lines (`ndjsonLine`). */
import { groupIntoPages, type ListResult } from '../result/result.ts';
import { checkFields, checkFieldsOfPage, type SelectedFields, selectFields } from './json-fields.ts';
import type { RenderContext } from './output-settings.ts';
import { escapedJson } from './safe-text.ts';

/** Formats a value as JSON: indented for people, on one line for programs. */
export function jsonText(
  data: unknown,
  { fields, indented }: { fields: SelectedFields; indented: boolean },
): string {
  return escapedJson(JSON.stringify(selectFields(data, fields), null, indented ? 2 : 0) ?? 'null');
}

/** A result as one JSON document. */
export function jsonDocument(data: unknown, context: RenderContext): string {
  const { settings, stdout } = context;
  const indented = settings.format !== 'ndjson' && stdout.isTerminal;
  checkFields([data], context);
  return `${jsonText(data, { fields: settings.fields, indented })}\n`;
}

/** Writes one JSON array row by row; nothing before the first row has arrived. */
export async function writeJsonArray(list: ListResult, context: RenderContext): Promise<void> {
  const { settings, stdout } = context;
  let opening = '[';
  for await (const rows of groupIntoPages(list.rows)) {
    if (opening === '[') checkFieldsOfPage(rows, context);
    for (const { data } of rows) {
      const json = jsonText(data, { fields: settings.fields, indented: stdout.isTerminal });
      const text = stdout.isTerminal ? json.replaceAll('\n', '\n  ') : json;
      await stdout.write(`${opening}\n${stdout.isTerminal ? '  ' : ''}${text}`);
      opening = ',';
    }
  }
  await stdout.write(opening === '[' ? '[]\n' : '\n]\n');
}

/** A record on a line of its own. */
export function ndjsonLine(data: unknown, { settings }: RenderContext): string {
  return `${jsonText(data, { fields: settings.fields, indented: false })}\n`;
}
