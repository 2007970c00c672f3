import { type Fields, isFields } from './lenient.ts';

/** The content of an error body of any shape; null for missing parts. */
export interface Refusal {
  code: string | null;
  message: string | null;
  /** The object that contains the code and the message. */
  fields: Fields;
}

/** The code of each status, for a body without one. */
const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  404: 'record_not_found',
  422: 'invalid_request',
  429: 'rate_limited',
};

export function codeOfStatus(status: number): string {
  return codes[status] ?? `http_${status}`;
}

const messageNames = ['message', 'error_description', 'detail', 'title', 'reason', 'error', 'msg'];

/** Reads `{ code, message }`, `{ error: { code, message } }`, `{ error: "..." }`, `{ message }`, text and HTML. */
export function refusalIn(text: string): Refusal {
  const data = parsed(text);
  if (typeof data === 'string') return { code: null, message: data, fields: {} };
  const fields = Array.isArray(data) ? data[0] : data;
  if (!isFields(fields)) return { code: null, message: plainText(text), fields: {} };
  const inner = [fields.error, firstOf(fields.errors)].find(isFields) ?? fields;
  const code = [inner.code, inner.type, inner.error, fields.code].find(isCode) ?? null;
  const message = [...textsOf(inner), ...textsOf(fields), ...textIn(firstOf(fields.errors))].find(
    (each) => each !== code,
  );
  return { code, message: message ?? code, fields: inner };
}

function firstOf(value: unknown): unknown {
  return Array.isArray(value) ? value[0] : undefined;
}

function textsOf(fields: Fields): string[] {
  return messageNames.flatMap((name) => textIn(fields[name]));
}

function textIn(value: unknown): string[] {
  return typeof value === 'string' && value.trim() !== '' ? [value] : [];
}

/** True for a code such as `record_not_found`, not for a sentence or a number. */
function isCode(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z][a-z0-9]*(?:[_.-][a-z0-9]+)*$/.test(value);
}

/** The maximum length of a text that is shown. */
const max_characters = 300;

/** The start of a text; the title of an HTML page. */
function plainText(text: string): string | null {
  const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1] ?? /<h1[^>]*>([^<]*)/i.exec(text)?.[1];
  const words = title ?? text.replace(/<[^>]*>/g, ' ');
  const line = words.replace(/\s+/g, ' ').trim();
  if (line === '') return null;
  return line.length > max_characters ? `${line.slice(0, max_characters)}…` : line;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
