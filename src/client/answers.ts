import type { Fault } from '../contract/errors.ts';
import type { Event } from '../contract/events.ts';
import type { AnswerOf, Operation } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { readRetryAfter } from '../contract/retry-after.ts';
import type { WireResponse } from '../contract/wire.ts';
import { ApiError, ModeMismatch } from './errors.ts';
import { findMismatch, type Mismatch } from './shape.ts';

export interface Answer<T> {
  data: T;
  /** The service's own clock when it answered, milliseconds since the epoch; ages are counted from it. */
  service_time: number | null;
  request_id: string | null;
  status: number;
  /** Whether this is the kept answer of an earlier request with the same idempotency key. */
  replayed: boolean;
}

type Fields = Record<string, unknown>;

/** The answer of an operation, or the error it amounts to. `testMode` null: either mode is taken. */
export function readAnswer<O extends Operation>(
  operation: O,
  response: WireResponse,
  expected: { testMode: boolean | null; wallNow: number },
): Answer<AnswerOf<O>> {
  if (response.status < 200 || response.status > 299) throw errorOf(response, expected.wallNow);
  const data = checkedAnswer(operation, response.body, response);
  if (isFields(data)) checkMode(data, response, { ...expected, method: operation.method });
  return { data, ...answerFields(response) };
}

/** The event in a message of a stream, as the call that reads one event would give it. */
export function readEvent(text: string, response: WireResponse, testMode: boolean | null): Event {
  const { get } = operations.events;
  const data = checkedAnswer(get, text, response);
  checkMode({ ...data }, response, { testMode, method: get.method });
  return data;
}

/** What an answer says about itself in its headers. */
export function answerFields(response: WireResponse): Omit<Answer<unknown>, 'data'> {
  const service_time = Date.parse(response.headers['x-service-time'] ?? '');
  return {
    service_time: Number.isNaN(service_time) ? null : service_time,
    request_id: response.headers['x-request-id'] ?? null,
    status: response.status,
    replayed: response.headers['idempotent-replayed'] === 'true',
  };
}

/** An error answer as an error; one that is not the interface's own, such as a proxy's page, says so. */
export function errorOf(response: WireResponse, wallNow: number): ApiError {
  const body = parsed(response.body);
  if (!isFields(body) || body.object !== 'error' || typeof body.code !== 'string') {
    return unexpected(response, redirection(response) ?? 'does not come from the interface');
  }
  return new ApiError(typeof body.message === 'string' ? body.message : body.code, {
    code: body.code,
    status: response.status,
    details: Array.isArray(body.details) ? body.details.filter(isFault) : [],
    param: typeof body.param === 'string' ? body.param : null,
    choices: textsIn(body.choices),
    related_ids: textsIn(body.related_ids),
    request_id: typeof body.request_id === 'string' ? body.request_id : requestId(response),
    retry_after_ms: readRetryAfter(response.headers['retry-after'], wallNow),
  });
}

const baseUrlHint = 'Is the base URL right, and is a proxy in between?';

function unexpected(response: WireResponse, what: string): ApiError {
  const type = response.headers['content-type']?.split(';')[0];
  const kind = type === undefined ? 'without a content type' : `of type ${type}`;
  const message = `The answer (status ${response.status}, ${kind}) ${what}. ${baseUrlHint}`;
  return new ApiError(message, {
    code: 'unexpected_answer',
    status: response.status,
    request_id: requestId(response),
  });
}

function redirection({ status, headers }: WireResponse): string | null {
  if (status < 300 || status > 399 || headers.location === undefined) return null;
  return `points to ${headers.location}, which is not followed`;
}

interface ModeAsked {
  testMode: boolean | null;
  /** Of the request: all but GET have changed something by the time the answer is here. */
  method: string;
}

/** The mode of an answer that was not read by an operation. */
export function checkRawMode(response: WireResponse, asked: ModeAsked): void {
  if (response.status < 200 || response.status > 299) return;
  const data = parsed(response.body);
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
    return typeof id === 'string' ? id : [];
  });
  throw new ModeMismatch(`The service answered in ${actual} mode, but the profile is for ${expected} mode.`, {
    code: 'route_api_key_test_mode_mismatch',
    status: response.status,
    request_id: requestId(response),
    written: method === 'GET' || method === 'HEAD' ? null : ids,
  });
}

/** The text as the answer of an operation; throws `ApiError` with the first field that is not of its type. */
function checkedAnswer<O extends Operation>(operation: O, text: string, response: WireResponse): AnswerOf<O> {
  const data = parsed(text);
  if (data === undefined) throw unexpected(response, 'is not JSON');
  const mismatch = mismatchOf(operation, data);
  if (isAnswer(operation, data, mismatch)) return data;
  if (isFields(data) || Array.isArray(data)) throw invalid(operation, response, mismatch);
  throw unexpected(response, 'is not a JSON object');
}

/** What a write did counts more than what its answer leaves out: only what is read must be complete. */
function mismatchOf({ accepted, answer, method }: Operation, data: unknown): Mismatch {
  const isAccepted = accepted !== undefined && isFields(data) && data.object === accepted.object;
  return findMismatch(isAccepted ? accepted.schema : answer, data, method === 'GET');
}

function isAnswer<O extends Operation>(_: O, _data: unknown, mismatch: Mismatch): _data is AnswerOf<O> {
  return mismatch === null;
}

/** The field that is wrong is named. A write that was accepted stays accepted. */
function invalid({ method }: Operation, response: WireResponse, mismatch: Mismatch): ApiError {
  const { status } = response;
  const more =
    method === 'GET' ? baseUrlHint : `The service accepted the request all the same (status ${status}).`;
  return new ApiError(`The response of the service is not valid: ${mismatch}. ${more}`, {
    code: 'unexpected_answer',
    status,
    request_id: requestId(response),
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
