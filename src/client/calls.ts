import type { DispatchedRoute } from '../contract/dispatches.ts';
import type { Operation } from '../contract/operation.ts';
import type { Page } from '../contract/schema.ts';
import type { WireResponse } from '../contract/wire.ts';
import { createAmountUnits, type UnitNotice } from './amount-units.ts';
import { type Answer, readAnswer } from './answers.ts';
import { createNotation, type Notation } from './contract-notation.ts';
import type { DeliveryCalls } from './dispatched.ts';
import { ApiError, OutcomeUnknown, Unreachable } from './errors.ts';
import type { Features } from './feature-names.ts';
import { parsed, requiredFeature } from './features.ts';
import { filtersOf } from './filters.ts';
import { isFields } from './lenient.ts';
import { checkFeature, type Look, missingOperations, unsupported } from './missing-operations.ts';
import { sendAcceptedForm } from './other-forms.ts';
import { type CallInput, operationRequest, type Sender } from './requests.ts';
import { isGatewayError, type RetryPolicy, send } from './retries.ts';
import { isList } from './unwrap-response.ts';
import { createDetailForms } from './without-details.ts';

/** Makes the calls of a client. */
export interface Caller {
  call(operation: Operation, input?: CallInput): Promise<Answer<unknown>>;
  look: Look;
}

/** A remark on a response. */
export type Notice =
  /** The service ignored filters of a list; `searched` records were filtered here. */
  | { kind: 'filtered'; names: readonly string[]; searched: number; isWhole: boolean }
  /** A write was accepted with a response that is not JSON. */
  | { kind: 'unread'; status: number }
  | UnitNotice;

export interface CallerOptions extends Sender {
  /** The required mode; a response of the other mode is refused with `ModeMismatch`. */
  testMode?: boolean | null | undefined;
  /** The known features of the service: a request that needs a missing one is refused before it is sent. */
  features?: Features | null | undefined;
  onNotice?: ((notice: Notice) => void) | undefined;
}

interface CallerParts {
  options: CallerOptions;
  policy: RetryPolicy;
  /** The calls that find the deliveries of a dispatch. */
  deliveries(): DeliveryCalls;
}

/** Creates calls that work with every service that has the operation, and tolerate missing and additional fields. */
export function createCaller({ options, policy, deliveries }: CallerParts): Caller {
  const { features = null, testMode = null, onNotice } = options;
  const notation = createNotation(features?.cents === false);
  const units = createAmountUnits(notation, onNotice);
  const exchange = (operation: Operation, input: CallInput): Promise<WireResponse> =>
    sendAcceptedForm(operation, units.inputFor(input), {
      send: (form, given) => send(operationRequest(form, given, options), policy),
      now: () => policy.wallNow(),
    });
  const look: Look = (operation, query) => exchange(operation, { query });
  const isMissing = missingOperations(features, look);
  const details = createDetailForms(features);
  const read = (operation: Operation, { params = {}, body }: CallInput, response: WireResponse) => {
    const expected = { testMode, wallNow: policy.wallNow(), params, body, notation };
    const answer = readAnswer(operation, response, expected);
    units.report(operation);
    return answer;
  };
  const finished = async (
    operation: Operation,
    input: CallInput,
    response: WireResponse,
    before: ReadonlySet<string> | null,
  ): Promise<Answer<unknown>> => {
    const answer = read(operation, input, response);
    const page = async (query: Record<string, unknown>) => {
      const next = { ...input, query };
      return read(operation, next, await exchange(operation, next));
    };
    if (isList(operation.answer))
      return applyFilters(operation, input, { answer, page, now: policy.wallNow(), notation, onNotice });
    if (operation.method !== 'GET' && parsed(response.body) === undefined)
      onNotice?.({ kind: 'unread', status: response.status });
    if (operation.id !== 'DispatchRoute') return answer;
    return addDeliveries(answer, input, { response, before, deliveries: deliveries(), sleep: policy.sleep });
  };
  const call = async (asked: Operation, input: CallInput = {}): Promise<Answer<unknown>> => {
    checkFeature(asked, features);
    const operation = details.formOf(asked);
    const isDispatch = operation.id === 'DispatchRoute' && features?.idempotency === false;
    const before = isDispatch ? await (await import('./dispatched.ts')).listedIds(deliveries()) : null;
    try {
      const response = await exchange(operation, input);
      const other = details.otherForm(operation, response, policy.wallNow());
      return other === null ? await finished(operation, input, response, before) : await call(other, input);
    } catch (error) {
      if (error instanceof ApiError && (await isMissing(operation, error)))
        throw unsupported(operation, requiredFeature(operation), error.status);
      throw policy.keys.isShown() ? error : asUnknown(error, operation, input.params);
    }
  };
  return { call, look };
}

interface Listed {
  answer: Answer<unknown>;
  page(query: Record<string, unknown>): Promise<Answer<unknown>>;
  /** Milliseconds since the epoch. */
  now: number;
  notation: Notation;
  onNotice: CallerOptions['onNotice'];
}

/**
 * Applies the filters of a list. A service that reports its time implements the whole contract and has filtered by its
 * own clock and search; others may ignore filters.
 */
async function applyFilters(
  { id }: Operation,
  { query = {} }: CallInput,
  listed: Listed,
): Promise<Answer<unknown>> {
  const { answer, page, now, onNotice } = listed;
  if (answer.service_time !== null || !isPage(answer)) return answer;
  const filters = filtersOf(id, query, now);
  if (filters === null) return answer;
  const { narrowList } = await import('./narrowing.ts');
  const list = async (next: Record<string, unknown>) => {
    const further = await page(next);
    return isPage(further) ? further : { ...further, data: emptyPage };
  };
  const { status, ...others } = query;
  const all =
    status === undefined || answer.data.data.length > 0 ? null : await list(others).catch(() => null);
  const knowsStatus = !listed.notation.hasOtherStatuses && all?.data.data.some(filters.matches) !== true;
  const from = all === null || knowsStatus ? { first: answer, query } : { first: all, query: others };
  const { answer: found, searched } = await narrowList(from.first, from.query, filters, list);
  const { names } = filters;
  if (searched !== null) onNotice?.({ kind: 'filtered', names, searched, isWhole: !found.data.has_more });
  return found;
}

const emptyPage: Page<unknown> = { object: 'list', data: [], has_more: false, next_cursor: null };

function isPage(answer: Answer<unknown>): answer is Answer<Page<unknown>> {
  return isFields(answer.data) && Array.isArray(answer.data.data);
}

interface Dispatching {
  response: WireResponse;
  before: ReadonlySet<string> | null;
  deliveries: DeliveryCalls;
  sleep(ms: number): Promise<void>;
}

/** Adds the deliveries to the response to a dispatch. */
async function addDeliveries(
  answer: Answer<unknown>,
  { params = {}, body }: CallInput,
  { response, before, ...tools }: Dispatching,
): Promise<Answer<unknown>> {
  if (!isDispatch(answer)) return answer;
  const { withDeliveries } = await import('./dispatched.ts');
  const quote_id = isFields(body) ? String(body.quote_id) : '';
  return withDeliveries(
    answer,
    { route_id: String(params.route_id), quote_id, body: parsed(response.body), before },
    tools,
  );
}

function isDispatch(answer: Answer<unknown>): answer is Answer<DispatchedRoute> {
  return isFields(answer.data);
}

/** Without idempotency keys, the outcome of an unanswered POST is unknown. */
export function asUnknown(
  error: unknown,
  { id, method }: Pick<Operation, 'id'> & { method: string },
  params: Record<string, unknown> = {},
): unknown {
  if (method !== 'POST') return error;
  if (error instanceof Unreachable)
    return error.mayHaveArrived ? new OutcomeUnknown(id, params, error) : error;
  return error instanceof ApiError && isGatewayError(error) ? new OutcomeUnknown(id, params, error) : error;
}
