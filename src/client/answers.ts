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
  /** The service time of the response, in milliseconds since the epoch; ages are computed from it. */
  service_time: number | null;
  request_id: string | null;
  status: number;
  /** Whether this is the stored response of an earlier request with the same idempotency key. */
  replayed: boolean;
}

type Fields = Record<string, unknown>;

/** Parses the response of an operation, or throws the error that it stands for. `testMode` null accepts both modes. */
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

/** Parses the event in a stream message, as `events.get` would return it. */
export function readEvent(text: string, response: WireResponse, testMode: boolean | null): Event {
  const { get } = operations.events;
  const data = checkedAnswer(get, text, response);
  checkMode({ ...data }, response, { testMode, method: get.method });
  return data;
}

/** The fields of an answer that come from the response headers. */
export function answerFields(response: WireResponse): Omit<Answer<unknown>, 'data'> {
  const service_time = Date.parse(response.headers['x-service-time'] ?? '');
  return {
    service_time: Number.isNaN(service_time) ? null : service_time,
    request_id: response.headers['x-request-id'] ?? null,
    status: response.status,
    replayed: response.headers['idempotent-replayed'] === 'true',
  };
}

/**
 * Converts an error response to an `ApiError`; one that is not from the service, such as a proxy's error page, is
 * reported as such.
 */
export function errorOf(response: WireResponse, wallNow: number): ApiError {
  const body = parsed(response.body);
  if (!isFields(body) || body.object !== 'error' || typeof body.code !== 'string') {
    return unexpected(response, redirection(response) ?? 'is not from a waybill service');
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

const baseUrlHint = 'Check the base URL and any proxy in between.';

function unexpected(response: WireResponse, what: string): ApiError {
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

interface ModeAsked {
  testMode: boolean | null;
  /** The request method: anything except GET may have changed data by now. */
  method: string;
}

/** Checks the mode of a response that was not parsed for an operation. */
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

/** Parses the response of an operation; throws `ApiError` with the first field of the wrong type. */
function checkedAnswer<O extends Operation>(operation: O, text: string, response: WireResponse): AnswerOf<O> {
  const data = parsed(text);
  if (data === undefined) throw unexpected(response, 'is not valid JSON');
  const mismatch = mismatchOf(operation, data);
  if (isAnswer(operation, data, mismatch)) return data;
  if (isFields(data) || Array.isArray(data)) throw invalid(operation, response, mismatch);
  throw unexpected(response, 'is not a JSON object');
}

/** A successful write must not fail because its response lacks a field: only reads must be complete. */
function mismatchOf({ accepted, answer, method }: Operation, data: unknown): Mismatch {
  const isAccepted = accepted !== undefined && isFields(data) && data.object === accepted.object;
  return findMismatch(isAccepted ? accepted.schema : answer, data, method === 'GET');
}

function isAnswer<O extends Operation>(_: O, _data: unknown, mismatch: Mismatch): _data is AnswerOf<O> {
  return mismatch === null;
}

/** Reports the invalid field. A write that was accepted is reported as accepted. */
function invalid({ method }: Operation, response: WireResponse, mismatch: Mismatch): ApiError {
  const { status } = response;
  const more = method === 'GET' ? baseUrlHint : `The service did accept the request (status ${status}).`;
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
