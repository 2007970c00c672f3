import { type Fields, isFields } from './lenient.ts';

/** What the body of a refusal says, whatever its shape; null where it does not. */
export interface Refusal {
  code: string | null;
  message: string | null;
  /** The object that code and message stand in. */
  fields: Fields;
}

/** The codes that a status stands for, where the body has none. */
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

/** A word such as `record_not_found`; not a sentence, and not a number. */
function isCode(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z][a-z0-9]*(?:[_.-][a-z0-9]+)*$/.test(value);
}

/** More is not shown of a text. */
const max_characters = 300;

/** The first of a text; of HTML its title. */
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
