/** Reads a response of the service as the answer of an operation, or as the error of a refusal. */
import { type Fault, readRetryAfter } from '../contract/errors.ts';
import type { Event } from '../contract/events.ts';
import type { AnswerOf, Operation, WireResponse } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import type { Order } from '../contract/orders.ts';
import type { Route } from '../contract/routes.ts';
import type { TSchema } from '../contract/schema.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import { AcceptedUnread, ApiError, ModeMismatch, PageReceived } from './errors.ts';
import {
  hasRequiredField,
  isList,
  isStrict,
  itemSchema,
  parseJson,
  presetsFor,
  readLeniently,
  readProperties,
  unwrapResponse,
} from './incomplete-responses.ts';
import { withKnownNames } from './platform-records.ts';

export interface Answer<T> {
  data: T;
  /** The service time of the response, in milliseconds since the epoch; ages are computed from it. */
  service_time: number | null;
  request_id: string | null;
  status: number;
  /** True if this is the stored response of an earlier request with the same idempotency key. */
  replayed: boolean;
  /** What the service remarks on the request, each behind its path. */
  remarks?: readonly string[];
  /** Set if a list may have more records: it looks like a full page, and the service does not say whether it is all. */
  may_have_more?: boolean;
  /** How many records of a list were searched, if the service ignores the filters. */
  searched?: number;
}

interface Expected {
  testMode: boolean | null;
  wallNow: number;
  /** Of the request; used to fill in fields that the response lacks. */
  params?: Fields;
  body?: unknown;
}

/** Parses a response, or throws its error. `testMode` null accepts either mode. */
export function readAnswer<O extends Operation>(
  operation: O,
  response: WireResponse,
  expected: Expected,
): Answer<AnswerOf<O>> {
  if (response.status < 200 || response.status > 299) throw toApiError(response, expected.wallNow);
  const raw = unwrapResponse(operation, parseJson(response.body));
  if (isFields(raw)) checkMode(raw, response, { ...expected, method: operation.method });
  const data = checkedAnswer(operation, response, expected);
  checkId(operation, raw, expected.params ?? {});
  return { data, ...answerFields(response) };
}

/** The draft route of a service without route look-ups: only its ID is known, and all else reads as empty. */
export function assumedRoute(id: string): Route {
  return assumedRecord(operations.routes.get, { id, status: 'draft' });
}

/** The open order of a service without order look-ups: only its ID is known, and all else reads as empty. */
export function assumedOrder(id: string): Order {
  return assumedRecord(operations.orders.get, { id, status: 'open' });
}

function assumedRecord<O extends Operation>(operation: O, fields: Fields): AnswerOf<O> {
  const response = { status: 200, headers: {}, body: JSON.stringify(fields) };
  return readAnswer(operation, response, { testMode: null, wallNow: 0 }).data;
}

/** Parses an event of a stream like the response to a request for one event. */
export function readStreamEvent(text: string, response: WireResponse, testMode: boolean | null): Event {
  const { get } = operations.events;
  const data = checkedAnswer(get, { ...response, body: text }, { testMode, wallNow: 0 });
  checkMode({ ...data }, response, { testMode, method: get.method });
  return data;
}

/** The fields of an answer that come from the response headers. */
export function answerFields(response: WireResponse): Omit<Answer<unknown>, 'data'> {
  const service_time = Date.parse(response.headers['x-service-time'] ?? '');
  const remarks = parseJson(response.headers['x-remarks'] ?? '[]');
  return {
    service_time: Number.isNaN(service_time) ? null : service_time,
    request_id: requestId(response),
    status: response.status,
    replayed: response.headers['idempotent-replayed'] === 'true',
    ...(Array.isArray(remarks) && remarks.length > 0 ? { remarks: remarks.map(String) } : {}),
  };
}

interface ModeAsked {
  testMode: boolean | null;
  /** The request method: anything except GET may have changed data by now. */
  method: string;
}

/** Checks the mode of a response that was not parsed for an operation. */
export function checkRawMode(response: WireResponse, asked: ModeAsked): void {
  if (response.status < 200 || response.status > 299) return;
  const data = parseJson(response.body);
  if (isFields(data)) checkMode(data, response, asked);
}

function checkMode(data: Fields, response: WireResponse, { testMode, method }: ModeAsked): void {
  const records: unknown[] = Array.isArray(data.data) ? data.data : [data];
  const [first] = records;
  if (testMode === null || !isFields(first) || typeof first.test_mode !== 'boolean') return;
  if (first.test_mode === testMode) return;
  const [expected, actual] = testMode ? ['test', 'live'] : ['live', 'test'];
  const ids = records.flatMap((record) => {
    const id = isFields(record) ? (record.id ?? record.batch_id) : undefined;
    return id === undefined || id === null ? [] : String(id);
  });
  throw new ModeMismatch(
    `The service responded in ${actual} mode, but the profile is for ${expected} mode.`,
    {
      code: 'route_api_key_test_mode_mismatch',
      status: response.status,
      request_id: requestId(response),
      written: method === 'GET' || method === 'HEAD' ? null : ids,
    },
  );
}

/** Parses text as the response of an operation; throws if a field that the operation needs is missing. */
function checkedAnswer<O extends Operation>(
  operation: O,
  response: WireResponse,
  { params = {}, body }: Expected,
): AnswerOf<O> {
  const raw = unwrapResponse(operation, parseJson(response.body));
  const schema = schemaFor(operation, raw, response);
  // A service that reports its time implements the whole contract.
  const isOwn = response.headers['x-service-time'] !== undefined;
  const data = isOwn ? raw : withKnownNames(schema, raw);
  const presets = presetsFor(operation, params, body);
  const { mismatch } = readLeniently(schema, data, presets);
  if (isAnswer(operation, data, mismatch === null)) return data;
  const isWrite = operation.method !== 'GET';
  if (isStrict(operation)) {
    if (isWrite) throw new AcceptedUnread(operation.id, response, 'cannot be read');
    throw data === undefined ? unexpected(response, 'is not JSON') : invalid(response, mismatch);
  }
  // A list is no record either: it may be the quotes that the request asked for.
  const isEmpty = isWrite && !isFields(data) && !(Array.isArray(data) && itemSchema(schema) !== null);
  const part = isEmpty ? {} : data;
  const read = isUsable(schema, part, isWrite) ? readLeniently(schema, part, presets).value : undefined;
  const isWhole = isFields(read) && hasRequiredField(operation, { ...read });
  const isRead = isFields(read) ? isWhole || isList(operation.answer) : read !== undefined;
  if (isAnswer(operation, read, isRead)) return read;
  if (isWrite) throw new AcceptedUnread(operation.id, response, unreadReason(data, operation));
  throw data === undefined ? unexpected(response, 'is not JSON') : invalid(response, mismatch);
}

/** With 202, or with only the ID of a batch, the work continues after the response. */
function schemaFor({ accepted, answer }: Operation, data: unknown, { status }: WireResponse): TSchema {
  if (accepted === undefined) return answer;
  const isBatch =
    isFields(data) && (data.object === accepted.object || ('batch_id' in data && !('id' in data)));
  return isBatch || status === 202 ? accepted.schema : answer;
}

/**
 * True if the response can be used: any response to a write that needs no field; otherwise a record with at least one
 * known field.
 */
function isUsable(schema: TSchema, data: unknown, isWrite: boolean): boolean {
  if (isList(schema)) return isFields(data) && Array.isArray(data.data);
  if (isWrite || !isFields(data)) return true;
  return Object.keys(readProperties(schema)).some((name) => Object.hasOwn(data, name));
}

function unreadReason(data: unknown, { answer }: Operation): string {
  if (data === undefined) return 'is not JSON';
  const noun = 'title' in answer && typeof answer.title === 'string' ? answer.title.toLowerCase() : 'record';
  return `does not say the ID of the ${noun}`;
}

function isAnswer<O extends Operation>(_: O, _data: unknown, isRead: boolean): _data is AnswerOf<O> {
  return isRead;
}

/** The operations that return a record by its ID. */
const byId: ReadonlySet<string> = new Set([
  ...['GetDelivery', 'GetDetailedDelivery', 'GetOrder', 'GetRoute', 'GetBatch', 'GetStore'],
]);

/** A record with another ID is not the requested one. */
function checkId({ id: operation }: Operation, data: unknown, params: Fields): void {
  const asked = Object.values(params).at(-1);
  const id = isFields(data) ? (operation === 'GetBatch' ? data.batch_id : data.id) : undefined;
  if (!byId.has(operation) || id === undefined || id === null || asked === undefined) return;
  if (String(id).toLowerCase() === String(asked).toLowerCase()) return;
  throw new ApiError(`The service answered with ${id} where ${asked} was asked for.`, {
    code: 'record_not_found',
    hasCode: true,
    status: 404,
  });
}

const baseUrlHint = 'Check the base URL and any proxy in between.';

/** The error names the wrong field. */
function invalid(response: WireResponse, mismatch: string | null): ApiError {
  const what = mismatch ?? 'a field that is needed is missing';
  const message = `The response of the service is not valid: ${what}. ${baseUrlHint}`;
  const { status } = response;
  return new ApiError(message, { code: 'unexpected_answer', status, request_id: requestId(response) });
}

/** The code of each status, for a body without one. */
const codes: Readonly<Record<number, string>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  404: 'record_not_found',
  422: 'invalid_request',
  429: 'rate_limited',
};

export function toApiError(response: WireResponse, wallNow: number): ApiError {
  const points = redirection(response);
  if (points !== null) return unexpected(response, points);
  if (response.status < 300) return unexpected(response, 'does not come from the interface');
  const { code, message, fields } = refusalIn(response.body);
  // A web page or an empty body probably comes from a proxy or another site.
  const words = message === null ? '' : `, "${message}"`;
  const isFromElsewhere = isPage(response) || message === null;
  const text = isFromElsewhere
    ? `The service answered with status ${response.status}${words}. ${baseUrlHint}`
    : message;
  return new ApiError(text, {
    code: code ?? codes[response.status] ?? `http_${response.status}`,
    hasCode: code !== null,
    status: response.status,
    details: Array.isArray(fields.details) ? fields.details.filter(isFault) : [],
    param: typeof fields.param === 'string' ? fields.param : null,
    choices: textsIn(fields.choices),
    related_ids: textsIn(fields.related_ids),
    request_id: typeof fields.request_id === 'string' ? fields.request_id : requestId(response),
    retry_after_ms: readRetryAfter(response.headers, wallNow),
  });
}

export function isPage({ headers, body }: WireResponse): boolean {
  return (
    /^(text\/html|application\/xhtml)/.test(headers['content-type'] ?? '') ||
    /^\s*<(!doctype )?html/i.test(body)
  );
}

/** The error for a web page in the place of a service. */
export function pageError(response: WireResponse): ApiError {
  const { message } = refusalIn(response.body);
  const titled = message === null ? '' : ` ("${message}")`;
  const what = `is a web page${titled}, not the answer of a delivery service`;
  return unexpected(response, what, PageReceived);
}

function unexpected(response: WireResponse, what: string, Kind = ApiError): ApiError {
  const type = response.headers['content-type']?.split(';')[0];
  const kind = type === undefined ? 'without a content type' : `of type ${type}`;
  const message = `The response (status ${response.status}, ${kind}) ${what}. ${baseUrlHint}`;
  const { status } = response;
  return new Kind(message, { code: 'unexpected_answer', status, request_id: requestId(response) });
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

function requestId(response: WireResponse): string | null {
  return response.headers['x-request-id'] ?? null;
}

/** The content of an error body of any shape; null for missing parts. */
interface Refusal {
  code: string | null;
  message: string | null;
  /** The object that contains the code and the message. */
  fields: Fields;
}

const messageNames = ['message', 'error_description', 'detail', 'title', 'reason', 'error', 'msg'];

/** Reads `{ code, message }`, `{ error: { code, message } }`, `{ error: "..." }`, `{ message }`, text and HTML. */
function refusalIn(text: string): Refusal {
  const data = parseJson(text);
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
