import type { DispatchedRoute } from '../contract/dispatches.ts';
import type { Operation } from '../contract/operation.ts';
import type { WireResponse } from '../contract/wire.ts';
import { createAmountUnits, type UnitNotice } from './amount-units.ts';
import { type Answer, readAnswer } from './answers.ts';
import { createNotation } from './contract-notation.ts';
import type { DeliveryCalls } from './dispatched.ts';
import { ApiError, OutcomeUnknown, Unreachable } from './errors.ts';
import type { Feature, Features } from './feature-names.ts';
import { parsed, requiredFeature } from './features.ts';
import { isFields } from './lenient.ts';
import { pageRequest } from './list-positions.ts';
import { createListReader } from './lists.ts';
import { checkFeature, type Look, missingOperations, unsupported } from './missing-operations.ts';
import { sendAcceptedForm } from './other-forms.ts';
import { type CallInput, operationRequest, type Sender } from './requests.ts';
import { isGatewayError, type RetryPolicy, send as sendRequest } from './retries.ts';
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
  /** A service other than waybill's answered that it does not have an operation of the feature. */
  | { kind: 'lacking'; feature: Feature }
  | UnitNotice;

export interface CallerOptions extends Sender {
  /** The required mode; a response of the other mode is refused with `ModeMismatch`. */
  testMode?: boolean | null | undefined;
  /** The known features of the service: a request that needs a missing one is refused before it is sent. */
  features?: Features | null | undefined;
  onNotice?: ((notice: Notice) => void) | undefined;
  /** The address of the service, with which the URLs of further pages are compared. */
  baseUrl?: string | undefined;
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
      send: (form, given) => sendRequest(operationRequest(form, given, options), policy),
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
  const send = async (asked: Operation, input: CallInput, query = input.query ?? {}): Promise<Sent> => {
    const operation = details.formOf(asked);
    const page = isList(operation.answer) ? pageRequest(operation, input, query) : { operation, input };
    const response = await exchange(page.operation, page.input);
    const other = details.otherForm(operation, response, policy.wallNow());
    return other === null ? { operation, response } : send(other, input, query);
  };
  const fetchPage = async (asked: Operation, input: CallInput, query: Record<string, unknown>) => {
    const { operation, response } = await send(asked, input, query);
    return { operation, response, answer: read(operation, input, response) };
  };
  const readList = createListReader({
    ...{ fetchPage, notation, wallNow: policy.wallNow, baseUrl: options.baseUrl },
    onRead: ({ answer, filtered: names }) => {
      const { searched = 0, may_have_more = false, data } = answer;
      const isWhole = !data.has_more && !may_have_more;
      if (names.length > 0) onNotice?.({ kind: 'filtered', names, searched, isWhole });
    },
  });
  const finished = async (
    asked: Operation,
    input: CallInput,
    before: ReadonlySet<string> | null,
  ): Promise<Answer<unknown>> => {
    if (isList(asked.answer)) return readList(asked, input);
    const { operation, response } = await send(asked, input);
    const answer = read(operation, input, response);
    if (operation.method !== 'GET' && parsed(response.body) === undefined)
      onNotice?.({ kind: 'unread', status: response.status });
    if (operation.id !== 'DispatchRoute') return answer;
    return addDeliveries(answer, input, { response, before, deliveries: deliveries(), sleep: policy.sleep });
  };
  const missing = (operation: Operation, { status }: ApiError) => {
    const feature = requiredFeature(operation);
    if (feature !== null && features?.idempotency === false) onNotice?.({ kind: 'lacking', feature });
    return unsupported(operation, feature, status);
  };
  const call = async (asked: Operation, input: CallInput = {}): Promise<Answer<unknown>> => {
    checkFeature(asked, features);
    const isDispatch = asked.id === 'DispatchRoute' && features?.idempotency === false;
    const before = isDispatch ? await (await import('./dispatched.ts')).listedIds(deliveries()) : null;
    try {
      return await finished(asked, input, before);
    } catch (error) {
      const operation = details.formOf(asked);
      if (error instanceof ApiError && (await isMissing(operation, error))) throw missing(operation, error);
      throw policy.keys.isShown() ? error : asUnknown(error, operation, input.params);
    }
  };
  return { call, look };
}

/** A response, and the form of the operation that it answers. */
interface Sent {
  operation: Operation;
  response: WireResponse;
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
