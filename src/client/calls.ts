/**
 * Makes typed calls of the operations of the contract, at waybill's own service and others. A call of `orders.get`:
 *
 * 1. `checkFeature` refuses what the service is known to lack.
 * 2. `createSender` sends the request with retries, in the form that the service has, and completes its response.
 * 3. `readAnswer` reads the response by its schema; a list of another service is filtered here (`createListReader`).
 * 4. A refusal of a path that the service does not have is `Unsupported` (`missingOperations`), and a write without an
 *    answer `OutcomeUnknown`.
 */
import type { Operation, WireResponse } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { isFields } from '../domain/fields.ts';
import { refusePages, type SendForm, sendAcceptedForm } from './accepted-forms.ts';
import { type Answer, readAnswer } from './answers.ts';
import type { DeliveryCalls } from './dispatched-deliveries.ts';
import { toApiError } from './error-responses.ts';
import { ApiError, OutcomeUnknown, PageReceived, Unreachable, Unsupported } from './errors.ts';
import { isList, parseJson } from './incomplete-responses.ts';
import type { FetchedPage, Query } from './lists-of-other-services.ts';
import { listPosition } from './pages.ts';
import type { Completion } from './platform-orders.ts';
import {
  type CallInput,
  isServerFault,
  operationRequest,
  type RetryPolicy,
  type Sender,
  sendWithRetries as sendRequest,
} from './retries.ts';
import {
  type Feature,
  type Features,
  featureOf,
  featureTexts,
  hasNoPath,
  isOptional,
  probes,
  requiredFeature,
  showsFeature,
} from './service-features.ts';

/** A remark on a response. */
export type Notice =
  /** The service ignored filters of a list; `searched` records were filtered here. */
  | { kind: 'filtered'; names: readonly string[]; searched: number; isWhole: boolean }
  /** A write was accepted with a response that is not JSON. */
  | { kind: 'unread'; status: number }
  /** A service other than waybill's answered that it does not have an operation of the feature. */
  | { kind: 'lacking'; feature: Feature };

export interface CallerOptions extends Sender {
  /** The required mode; a response of the other mode is refused with `ModeMismatch`. */
  testMode?: boolean | null | undefined;
  /**
   * The known features of the service: a request that needs a missing one is refused before it is sent. Null if it is
   * waybill's own, as far as is known.
   */
  features?: Features | null | undefined;
  onNotice?: ((notice: Notice) => void) | undefined;
  /** The address of the service, for errors. */
  baseUrl?: string | undefined;
}

interface CallerParts {
  options: CallerOptions;
  policy: RetryPolicy;
  /** The calls that find the deliveries of a dispatch. */
  deliveries(): DeliveryCalls;
}

/** Creates calls that work with every service that has the operation, and tolerate missing and additional fields. */
export function createCaller({ options, policy, deliveries }: CallerParts) {
  const { features = null, testMode = null, onNotice } = options;
  const sendForm = refusePages((form, given) =>
    sendRequest(operationRequest(form, given, options), policy, given),
  );
  const exchange: SendForm = (operation, input) => sendAcceptedForm(operation, input, sendForm);
  const sendGet: SendGet = (operation, query) => exchange(operation, { query });
  const isMissing = missingOperations(features, sendGet);
  const details = createDetailForms(features, policy);
  const send = createSender(exchange, details, features);
  const read = (operation: Operation, { params = {}, body }: CallInput, response: WireResponse) =>
    readAnswer(operation, response, { testMode, wallNow: policy.wallNow(), params, body });
  const fetchPage = async (requested: Operation, input: CallInput, query: Record<string, unknown>) => {
    const { operation, response } = await send(requested, input, query);
    return { operation, answer: read(operation, input, response) };
  };
  const readList = createListReader(fetchPage, policy, onNotice);
  const perform = async (requested: Operation, input: CallInput): Promise<Answer<unknown>> => {
    if (isList(requested.answer)) return readList(requested, input);
    const { operation, response } = await send(requested, input);
    const answer = read(operation, input, withoutDelivery(operation, input, response));
    if (operation.method !== 'GET' && parseJson(response.body) === undefined)
      onNotice?.({ kind: 'unread', status: response.status });
    if (operation.id !== 'DispatchRoute') return answer;
    const { withDeliveries } = await import('./dispatched-deliveries.ts');
    const tools = { deliveries: deliveries(), sleep: policy.sleep };
    return withDeliveries(answer, { input, response }, tools);
  };
  const missingFeature = (operation: Operation, { status }: ApiError) => {
    const feature = requiredFeature(operation);
    if (feature !== null && features?.idempotency === false) onNotice?.({ kind: 'lacking', feature });
    return unsupported(operation, feature, status);
  };
  const call = async (requested: Operation, input: CallInput = {}): Promise<Answer<unknown>> => {
    checkFeature(requested, features);
    try {
      return await perform(requested, input);
    } catch (error) {
      const operation = details.formOf(requested);
      if (error instanceof ApiError && (await isMissing(operation, error)))
        throw withVersionHint(missingFeature(operation, error), options.baseUrl);
      throw policy.keys.isShown() ? error : asUnknown(error, operation, input.params);
    }
  };
  return { call, sendGet };
}

/** A response, and the form of the operation that it answers. */
interface Sent {
  operation: Operation;
  response: WireResponse;
}

/** The forms of operations that answer with details: with them, or without. */
interface DetailForms {
  /** The form in which an operation is sent. */
  formOf: (operation: Operation) => Operation;
  /** The form to send instead after a response; null if the response counts. */
  otherForm: (operation: Operation, response: WireResponse) => Operation | null;
}

/** Sends calls in the form that the service has, and completes what services other than waybill's answer. */
function createSender(exchange: SendForm, details: DetailForms, features: Features | null) {
  const complete = createCompletion(exchange, features);
  const send = async (requested: Operation, input: CallInput, query = input.query ?? {}): Promise<Sent> => {
    const operation = details.formOf(requested);
    const given = { ...input, query };
    const response = await exchange(operation, given);
    const other = details.otherForm(operation, response);
    if (other !== null) return send(other, input, query);
    return { operation, response: await complete(operation, given, response) };
  };
  return send;
}

/** Completes look-ups of services other than waybill's; the code for it is loaded with the first one. */
function createCompletion(exchange: SendForm, features: Features | null): Completion {
  let completed: Completion | null = null;
  return async (operation, input, response) => {
    if (response.headers['x-service-time'] !== undefined) return response;
    const { completePlatformOrders } = await import('./platform-orders.ts');
    completed ??= completePlatformOrders(exchange, features);
    return completed(operation, input, response);
  };
}

/** Removes a delivery from the response to a dispatch, where a service answers with it instead of with the route. */
function withoutDelivery(
  operation: Operation,
  { params = {} }: CallInput,
  response: WireResponse,
): WireResponse {
  if (operation.id !== 'DispatchRoute' || response.status > 299) return response;
  const record = parseJson(response.body);
  const { id, test_mode } = isFields(record) ? record : {};
  const { route_id } = params;
  if (id === undefined || String(id) === String(route_id)) return response;
  return { ...response, body: JSON.stringify({ id: route_id, test_mode }) };
}

/**
 * Converts the error of a POST that the service may have executed to `OutcomeUnknown`, as a service without idempotency
 * keys would execute it again; returns any other error as it is.
 */
export function asUnknown(
  error: unknown,
  { id, method }: Pick<Operation, 'id'> & { method: string },
  params: Record<string, unknown> = {},
): unknown {
  if (method !== 'POST') return error;
  if (error instanceof Unreachable)
    return error.mayHaveArrived ? new OutcomeUnknown(id, params, error) : error;
  // A web page with a good status does not say whether the service received the request.
  const isUnknown =
    error instanceof ApiError &&
    (isServerFault(error) || (error instanceof PageReceived && error.status < 300));
  return isUnknown ? new OutcomeUnknown(id, params, error) : error;
}

/**
 * Reads lists. A service that reports its time implements the whole contract: it has filtered by its own clock and
 * search. Others may ignore filters, limits and cursors.
 */
function createListReader(
  fetchPage: (operation: Operation, input: CallInput, query: Query) => Promise<FetchedPage>,
  { wallNow }: Pick<RetryPolicy, 'wallNow'>,
  onNotice: CallerOptions['onNotice'],
) {
  return async (operation: Operation, input: CallInput): Promise<Answer<unknown>> => {
    const { query = {} } = input;
    const start = listPosition(query.cursor);
    const fetch = (pageQuery: Query) => fetchPage(operation, input, pageQuery);
    const first = await fetch({ ...query, cursor: start.page });
    if (first.answer.service_time !== null) return first.answer;
    const { readListOfOtherService } = await import('./lists-of-other-services.ts');
    const { answer, filtered: names } = await readListOfOtherService({ query, start, first, fetch, wallNow });
    const { searched = 0, may_have_more = false, data } = answer;
    const isWhole = !data.has_more && !may_have_more;
    if (names.length > 0) onNotice?.({ kind: 'filtered', names, searched, isWhole });
    return answer;
  };
}

/** The version 1 form of an operation with details, which then read as empty; null for any other operation. */
function formWithoutDetails({ id }: Operation): Operation | null {
  const { list, get, getDetailed, listDetailed } = operations.deliveries;
  const record = { ...getDetailed.answer, title: 'Delivery' };
  if (id === 'GetDetailedDelivery') return { ...get, answer: record };
  if (id !== 'ListDetailedDeliveries') return null;
  const { answer } = listDetailed;
  const data = { ...answer.properties.data, items: record };
  return { ...list, answer: { ...answer, properties: { ...answer.properties, data } } };
}

/**
 * Selects the version of operations that answer with details. Only a service that reports its time has details: another
 * one may answer those paths with anything.
 */
function createDetailForms(
  features: Features | null,
  { wallNow }: Pick<RetryPolicy, 'wallNow'>,
): DetailForms {
  let hasDetails = features?.idempotency !== false;
  return {
    formOf: (operation) => (hasDetails ? operation : (formWithoutDetails(operation) ?? operation)),
    otherForm: (operation, response) => {
      const other = formWithoutDetails(operation);
      const isOwn = response.headers['x-service-time'] !== undefined;
      if (other === null || (isOwn && !isWithoutPath(response, wallNow()))) return null;
      // An own service that is overloaded may answer without its time.
      if (response.status < 500) hasDetails = false;
      return other;
    },
  };
}

/** Throws if the service is known to lack a feature that the operation needs. */
function checkFeature(operation: Operation, features: Features | null): void {
  const feature = requiredFeature(operation);
  if (feature !== null && features?.[feature] === false) throw unsupported(operation, feature, null);
}

/** Explains a 404 of a base URL that ends with a version, as in other programs; here the version is part of each path. */
export function withVersionHint(error: unknown, baseUrl = ''): unknown {
  const [, version] = /\/(v\d+)\/*$/.exec(baseUrl) ?? [];
  if (version === undefined || !(error instanceof ApiError) || error.status !== 404) return error;
  const message = `There is no delivery service at ${baseUrl}. Leave out /${version}: it is part of each path.`;
  return new ApiError(message, { code: 'unexpected_answer', status: 404, request_id: error.request_id });
}

/** The error for a feature that is known to be missing, or for an operation that the service does not have. */
export function unsupported(
  operation: Operation,
  feature: Feature | null,
  status: number | null,
): Unsupported {
  const { method, path, summary } = operation;
  const what = feature === null ? `operation "${summary}"` : featureTexts[feature];
  const answered = status === null ? '' : ` (${method} ${path} answered ${status})`;
  return new Unsupported(`This service has no ${what}${answered}.`, {
    code: 'not_supported',
    status: status ?? 404,
  });
}

/**
 * True if the refusal of an operation that every service has means an unknown path. A path with an ID may be refused for
 * its record, except for a dispatch, whose route was read before.
 */
function isPathMissing({ path, id }: Operation, error: ApiError): boolean {
  const isRecordCertain = !path.includes('{') || id === 'DispatchRoute';
  const namesRecord = /(?<![/\w])(order|route|quote)s?\b/i.test(error.message);
  return hasNoPath(error) && isRecordCertain && !namesRecord;
}

/** Sends a GET of an operation; resolves for any status. */
type SendGet = (operation: Operation, query: Record<string, string>) => Promise<WireResponse>;

/** Finds out whether a refusal means that the service lacks the operation, if needed by the list of such records. */
function missingOperations(features: Features | null, sendGet: SendGet) {
  return async (operation: Operation, error: ApiError): Promise<boolean> => {
    if (isAboutRecord(error) || error instanceof PageReceived || !hasNoPath(error)) return false;
    if (!isOptional(operation)) return isPathMissing(operation, error);
    const feature = featureOf(operation);
    if (feature === null || !operation.path.includes('{') || error.status !== 404) return true;
    if (features?.[feature] === true) return false;
    const probe = probes[feature]?.();
    if (probe === undefined) return true;
    return sendGet(probe, {}).then(
      (response) => !showsFeature(probe, response),
      () => false,
    );
  };
}

/** True if a response means an unknown path rather than an unknown record. */
function isWithoutPath(response: WireResponse, now: number): boolean {
  return hasNoPath(response) && !isAboutRecord(toApiError(response, now));
}

/** True if a refusal with 404 has a code for an unknown record. */
function isAboutRecord({ code, hasCode, status }: ApiError): boolean {
  return status === 404 && hasCode && code !== 'not_found' && /not_found|unknown|missing/.test(code);
}
