/**
 * Reads a response that is no answer as an error: a refusal in any of the shapes that services use, a redirection, a web
 * page in the place of a service, or an answer that does not fit its schema.
 */
import { type Fault, readRetryAfter } from '../contract/errors.ts';
import type { WireResponse } from '../contract/operation.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import { ApiError, PageReceived } from './errors.ts';
import { parseJson } from './incomplete-responses.ts';

const baseUrlHint = 'Check the base URL and any proxy in between.';

/** The error for a response that breaks the rules of the interface; `what` continues "The response of the service". */
export function brokenResponse(what: string, status: number): ApiError {
  return new ApiError(`The response of the service ${what}.`, { code: 'unexpected_answer', status });
}

/** The error for an answer that does not fit its schema; it names the wrong field. */
export function invalidResponse(response: WireResponse, mismatch: string | null): ApiError {
  const what = mismatch ?? 'a field that is needed is missing';
  const message = `The response of the service is not valid: ${what}. ${baseUrlHint}`;
  const { status } = response;
  return new ApiError(message, { code: 'unexpected_answer', status, request_id: requestIdOf(response) });
}

/** The codes of statuses, for a refusal without a code. */
const codesOfStatuses: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  404: 'record_not_found',
  422: 'invalid_request',
  429: 'rate_limited',
};

/** Reads a response with an error status, or another one that is no answer, as an error. */
export function toApiError(response: WireResponse, wallNow: number): ApiError {
  const { status, headers } = response;
  if (status >= 300 && status < 400 && headers.location !== undefined)
    return unexpectedResponse(response, `redirects to ${headers.location}, which is not followed`);
  if (status < 300) return unexpectedResponse(response, 'does not come from the interface');
  const { code, message, fields } = refusalIn(response.body);
  return new ApiError(refusalText(response, message), {
    code: code ?? codesOfStatuses[status] ?? `http_${status}`,
    hasCode: code !== null,
    status,
    details: Array.isArray(fields.details) ? fields.details.filter(isFault) : [],
    param: typeof fields.param === 'string' ? fields.param : null,
    choices: textsIn(fields.choices),
    related_ids: textsIn(fields.related_ids),
    request_id: typeof fields.request_id === 'string' ? fields.request_id : requestIdOf(response),
    retry_after_ms: readRetryAfter(headers, wallNow),
  });
}

/** The message of a refusal. A web page or an empty body probably comes from a proxy or another site. */
function refusalText(response: WireResponse, message: string | null): string {
  if (message !== null && !isPage(response)) return message;
  const quotedMessage = message === null ? '' : `, "${message}"`;
  return `The service answered with status ${response.status}${quotedMessage}. ${baseUrlHint}`;
}

export function isPage({ headers, body }: WireResponse): boolean {
  return (
    /^(text\/html|application\/xhtml)/.test(headers['content-type'] ?? '') ||
    /^\s*<(!doctype )?html/i.test(body)
  );
}

export function pageError(response: WireResponse): ApiError {
  const { message } = refusalIn(response.body);
  const titled = message === null ? '' : ` ("${message}")`;
  const what = `is a web page${titled}, not the answer of a delivery service`;
  return unexpectedResponse(response, what, PageReceived);
}

/** The error for a response that a service would not send; `what` continues "The response". */
export function unexpectedResponse(response: WireResponse, what: string, ErrorClass = ApiError): ApiError {
  const { status } = response;
  const type = response.headers['content-type']?.split(';')[0];
  const typeText = type === undefined ? 'without a content type' : `of type ${type}`;
  const message = `The response (status ${status}, ${typeText}) ${what}. ${baseUrlHint}`;
  return new ErrorClass(message, { code: 'unexpected_answer', status, request_id: requestIdOf(response) });
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function isFault(value: unknown): value is Fault {
  return isFields(value) && typeof value.path === 'string' && typeof value.message === 'string';
}

export function requestIdOf(response: WireResponse): string | null {
  return response.headers['x-request-id'] ?? null;
}

/** The content of an error body of any shape; null for missing parts. */
interface Refusal {
  code: string | null;
  message: string | null;
  /** The object that contains the code and the message. */
  fields: Fields;
}

/** The fields in which services put a message, the most telling one first. */
const messageNames = ['message', 'error_description', 'detail', 'title', 'reason', 'error', 'msg'];

/** Reads a refusal: `{ code, message }`, `{ error: { code, message } }`, `{ error: "..." }`, text or HTML. */
function refusalIn(body: string): Refusal {
  const data = parseJson(body);
  if (typeof data === 'string') return { code: null, message: data, fields: {} };
  const fields = Array.isArray(data) ? data[0] : data;
  if (!isFields(fields)) return { code: null, message: messageOfText(body), fields: {} };
  const firstError = Array.isArray(fields.errors) ? fields.errors[0] : undefined;
  const inner = [fields.error, firstError].find(isFields) ?? fields;
  const code = [inner.code, inner.type, inner.error, fields.code].find(isCode) ?? null;
  const messages = [...messagesIn(inner), ...messagesIn(fields), ...nonEmptyText(firstError)];
  const message = messages.find((each) => each !== code);
  return { code, message: message ?? code, fields: inner };
}

function messagesIn(fields: Fields): string[] {
  return messageNames.flatMap((name) => nonEmptyText(fields[name]));
}

function nonEmptyText(value: unknown): string[] {
  return typeof value === 'string' && value.trim() !== '' ? [value] : [];
}

/** True for a code such as `record_not_found`, not for a sentence or a number. */
function isCode(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z][a-z0-9]*(?:[_.-][a-z0-9]+)*$/.test(value);
}

/** The maximum length of a message that is made of a text body. */
const max_message_characters = 300;

/** The start of a text body, or the title of a web page; null if it is empty. */
function messageOfText(body: string): string | null {
  const title = /<title[^>]*>([^<]*)/i.exec(body)?.[1] ?? /<h1[^>]*>([^<]*)/i.exec(body)?.[1];
  const line = (title ?? body.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ').trim();
  if (line === '') return null;
  return line.length > max_message_characters ? `${line.slice(0, max_message_characters)}…` : line;
}
