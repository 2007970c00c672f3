/**
 * Reads a response of a service as the answer of an operation: checks its mode and its ID, and compares it with the schema.
 * Answers of services other than waybill's may lack fields, which read as empty unless the operation needs them.
 */
import type { Event } from '../contract/events.ts';
import type { AnswerOf, Operation, WireResponse } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import type { Order } from '../contract/orders.ts';
import type { Route } from '../contract/routes.ts';
import type { TSchema } from '../contract/schema.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import { invalidResponse, requestIdOf, toApiError, unexpectedResponse } from './error-responses.ts';
import { AcceptedUnread, ApiError, ModeMismatch } from './errors.ts';
import {
  hasRequiredField,
  isList,
  isStrict,
  itemSchema,
  type Presets,
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
  /** The mode that records must have; null accepts either. */
  testMode: boolean | null;
  wallNow: number;
  /** The parameters and the body of the request, which fill in fields that the response lacks. */
  params?: Fields;
  body?: unknown;
}

/** Parses a response, or throws its error. */
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
    request_id: requestIdOf(response),
    status: response.status,
    replayed: response.headers['idempotent-replayed'] === 'true',
    ...(Array.isArray(remarks) && remarks.length > 0 ? { remarks: remarks.map(String) } : {}),
  };
}

interface ExpectedMode {
  testMode: boolean | null;
  /** The request method: anything except GET may have changed data by now. */
  method: string;
}

/** Checks the mode of a response that was not parsed for an operation. */
export function checkRawMode(response: WireResponse, expected: ExpectedMode): void {
  if (response.status < 200 || response.status > 299) return;
  const data = parseJson(response.body);
  if (isFields(data)) checkMode(data, response, expected);
}

function checkMode(data: Fields, response: WireResponse, { testMode, method }: ExpectedMode): void {
  const records: unknown[] = Array.isArray(data.data) ? data.data : [data];
  const [first] = records;
  if (testMode === null || !isFields(first) || typeof first.test_mode !== 'boolean') return;
  if (first.test_mode === testMode) return;
  const [expected, actual] = testMode ? ['test', 'live'] : ['live', 'test'];
  const isRead = method === 'GET' || method === 'HEAD';
  const ids = records.flatMap((record) => {
    const id = isFields(record) ? (record.id ?? record.batch_id) : undefined;
    return id === undefined || id === null ? [] : String(id);
  });
  throw new ModeMismatch(
    `The service responded in ${actual} mode, but the profile is for ${expected} mode.`,
    {
      code: 'route_api_key_test_mode_mismatch',
      status: response.status,
      request_id: requestIdOf(response),
      written: isRead ? null : ids,
    },
  );
}

/** Reads a response as the answer of an operation; throws if a field that the operation needs is missing. */
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
  const part = isStrict(operation) ? undefined : usablePart(operation, schema, data, presets);
  if (isAnswer(operation, part, part !== undefined)) return part;
  throw unreadableError(operation, response, data, mismatch);
}

/**
 * Reads what a response has of an answer; undefined without a field that the operation needs. A write without an answer
 * is read as an empty record, as it was accepted all the same.
 */
function usablePart(operation: Operation, schema: TSchema, data: unknown, presets: Presets): unknown {
  const isWrite = operation.method !== 'GET';
  // A bare array may be the quotes that the request asked for.
  const isItems = Array.isArray(data) && itemSchema(schema) !== null;
  const given = isWrite && !isFields(data) && !isItems ? {} : data;
  if (!hasKnownPart(schema, given, isWrite)) return undefined;
  const { value } = readLeniently(schema, given, presets);
  if (!isFields(value) || isList(operation.answer)) return value;
  // The copy has no fields that only read as empty: those are in the prototype.
  return hasRequiredField(operation, { ...value }) ? value : undefined;
}

function unreadableError(
  operation: Operation,
  response: WireResponse,
  data: unknown,
  mismatch: string | null,
): Error {
  if (operation.method !== 'GET') {
    const reason = isStrict(operation) ? 'cannot be read' : unreadReason(data, operation);
    return new AcceptedUnread(operation.id, response, reason);
  }
  return data === undefined
    ? unexpectedResponse(response, 'is not JSON')
    : invalidResponse(response, mismatch);
}

/** The schema of a response. With status 202, or with only the ID of a batch, the work continues after the response. */
function schemaFor({ accepted, answer }: Operation, data: unknown, { status }: WireResponse): TSchema {
  if (accepted === undefined) return answer;
  const isBatch =
    isFields(data) && (data.object === accepted.object || ('batch_id' in data && !('id' in data)));
  return isBatch || status === 202 ? accepted.schema : answer;
}

/** Whether there is anything to read: the records of a list, or a known field of a record. A write needs neither. */
function hasKnownPart(schema: TSchema, data: unknown, isWrite: boolean): boolean {
  if (isList(schema)) return isFields(data) && Array.isArray(data.data);
  if (isWrite || !isFields(data)) return true;
  return Object.keys(readProperties(schema)).some((name) => Object.hasOwn(data, name));
}

/** Why the response to a write cannot be used, as the end of a sentence. */
function unreadReason(data: unknown, { answer }: Operation): string {
  if (data === undefined) return 'is not JSON';
  const noun = 'title' in answer && typeof answer.title === 'string' ? answer.title.toLowerCase() : 'record';
  return `does not say the ID of the ${noun}`;
}

/** Narrows data to the type of the answer, once it is known to be one. */
function isAnswer<O extends Operation>(_: O, _data: unknown, isRead: boolean): _data is AnswerOf<O> {
  return isRead;
}

/** The operations that return a record by its ID. */
const byId: ReadonlySet<string> = new Set([
  ...['GetDelivery', 'GetDetailedDelivery', 'GetOrder', 'GetRoute', 'GetBatch', 'GetStore'],
]);

/** Throws if a record has another ID than the requested one. */
function checkId({ id: operation }: Operation, data: unknown, params: Fields): void {
  if (!byId.has(operation) || !isFields(data)) return;
  const requested_id = Object.values(params).at(-1);
  const id = operation === 'GetBatch' ? data.batch_id : data.id;
  if (id === undefined || id === null || requested_id === undefined) return;
  if (String(id).toLowerCase() === String(requested_id).toLowerCase()) return;
  throw new ApiError(`The service answered with ${id} where ${requested_id} was asked for.`, {
    code: 'record_not_found',
    hasCode: true,
    status: 404,
  });
}
