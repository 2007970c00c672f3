import { type Fault, readRetryAfter } from '../contract/errors.ts';
import type { WireResponse } from '../contract/operation.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import { ApiError } from './errors.ts';
import { parsed } from './features.ts';

/** Converts an error response of any shape to an error. */
export function errorOf(response: WireResponse, wallNow: number): ApiError {
  const points = redirection(response);
  if (points !== null) return unexpected(response, points);
  if (response.status < 300) return unexpected(response, 'does not come from the interface');
  const { code, message, fields } = refusalIn(response.body);
  const isPage = /^text\/html/.test(response.headers['content-type'] ?? '');
  if (isPage || message === null) return withoutWords(response, message, code, wallNow);
  return new ApiError(message, {
    code: code ?? codeOfStatus(response.status),
    hasCode: code !== null,
    status: response.status,
    details: Array.isArray(fields.details) ? fields.details.filter(isFault) : [],
    param: typeof fields.param === 'string' ? fields.param : null,
    choices: textsIn(fields.choices),
    related_ids: textsIn(fields.related_ids),
    request_id: typeof fields.request_id === 'string' ? fields.request_id : requestId(response),
    retry_after_ms: readRetryAfter(response.headers['retry-after'], wallNow),
  });
}

/** The error for a web page or an empty body, which probably comes from a proxy or another site. */
function withoutWords(
  response: WireResponse,
  message: string | null,
  code: string | null,
  wallNow: number,
): ApiError {
  const words = message === null ? '' : `, "${message}"`;
  return new ApiError(`The service answered with status ${response.status}${words}. ${baseUrlHint}`, {
    code: code ?? codeOfStatus(response.status),
    hasCode: code !== null,
    status: response.status,
    request_id: requestId(response),
    retry_after_ms: readRetryAfter(response.headers['retry-after'], wallNow),
  });
}

export const baseUrlHint = 'Check the base URL and any proxy in between.';

export function unexpected(response: WireResponse, what: string): ApiError {
  const type = response.headers['content-type']?.split(';')[0];
  const kind = type === undefined ? 'without a content type' : `of type ${type}`;
  const message = `The response (status ${response.status}, ${kind}) ${what}. ${baseUrlHint}`;
  return new ApiError(message, {
    code: 'unexpected_answer',
    status: response.status,
    request_id: requestId(response),
  });
}

function redirection({ status, headers }: WireResponse): string | null {
  if (status < 300 || status > 399 || headers.location === undefined) return null;
  return `redirects to ${headers.location}, which is not followed`;
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function isFault(value: unknown): value is Fault {
  return isFields(value) && typeof value.path === 'string' && typeof value.message === 'string';
}

export function requestId(response: WireResponse): string | null {
  return response.headers['x-request-id'] ?? null;
}

/** The content of an error body of any shape; null for missing parts. */
interface Refusal {
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

function codeOfStatus(status: number): string {
  return codes[status] ?? `http_${status}`;
}

const messageNames = ['message', 'error_description', 'detail', 'title', 'reason', 'error', 'msg'];

/** Reads `{ code, message }`, `{ error: { code, message } }`, `{ error: "..." }`, `{ message }`, text and HTML. */
function refusalIn(text: string): Refusal {
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
