/** Sends a call again in another form if a service other than waybill's refuses it (`sendAcceptedForm`). */
import type { Operation, WireResponse } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import { isPage, pageError } from './error-responses.ts';
import { isList, parseJson } from './incomplete-responses.ts';
import { withStopObjects } from './platform-records.ts';
import { type CallInput, isGatewayError } from './retries.ts';
import { hasNoPath } from './service-features.ts';

/** Sends a call once, in the given form. */
export type SendForm = (operation: Operation, input: CallInput) => Promise<WireResponse>;

/** The statuses whose meaning is clear even with a page as the body: redirections and a limit. */
const clearStatuses: readonly number[] = [301, 302, 303, 307, 308, 429];

/**
 * Rejects with `ApiError` for a web page from an address that has not answered with JSON yet: the page may be a proxy's
 * or a network's that asks for a login, and says nothing about the service, whatever its status is. Where nothing was
 * answered before, the list that every service has is requested once.
 */
export function refusePages(send: SendForm): SendForm {
  let isShown = false;
  const observe = (response: WireResponse): boolean => {
    const data = parseJson(response.body);
    isShown ||= response.headers['x-service-time'] !== undefined || isFields(data) || Array.isArray(data);
    return isShown;
  };
  return async (operation, input) => {
    const response = await send(operation, input);
    if (observe(response) || !isPage(response)) return response;
    if (isGatewayError(response) || clearStatuses.includes(response.status)) return response;
    const { list } = operations.deliveries;
    // If the list fails, too, the page is refused.
    const probe = () => send(list, { query: { limit: '1' } }).then(observe, () => false);
    if (operation.id !== list.id && (await probe())) return response;
    throw pageError(response);
  };
}

/**
 * Sends a call. If its path does not exist or it is refused as invalid, sends it again with the other paths and forms
 * that other services accept; a list without its query. A refused form has no effect, so nothing is done twice.
 */
export async function sendAcceptedForm(
  operation: Operation,
  input: CallInput,
  send: SendForm,
): Promise<WireResponse> {
  let response = await send(operation, input);
  let sentOperation = operation;
  const isCreation = operation.id === 'CreateOrders';
  // An unknown path may be refused like an unknown order.
  if (isCreation && isMissingElsewhere(response)) {
    // The public platform creates orders at the path of their list.
    sentOperation = { ...operation, path: operations.orders.list.path };
    response = await send(sentOperation, input);
  }
  if (operation.id === 'CancelOrder' && isMissingElsewhere(response)) return deleteOrder(input, send);
  if (!isInvalid(response)) return response;
  const body = isCreation ? onlyOrder(input.body) : null;
  if (body !== null)
    return sendOrder(body, response, (form) => send(sentOperation, { ...input, body: form }));
  const { query = {}, ...others } = input;
  const isFiltered = Object.values(query).some((value) => value !== undefined && value !== null);
  if (!isList(operation.answer) || !isFiltered || query.cursor !== undefined) return response;
  const unfiltered = await send(sentOperation, others);
  return unfiltered.status < 300 ? unfiltered : response;
}

/** True if a service other than waybill's may not have the path. */
function isMissingElsewhere(response: WireResponse): boolean {
  return hasNoPath(response) && response.headers['x-service-time'] === undefined;
}

/** The public platform deletes an order that is not dispatched, as a program for its version 2 shows. */
async function deleteOrder({ params = {} }: CallInput, send: SendForm): Promise<WireResponse> {
  const response = await send(operations.orders.delete, { params });
  if (response.status > 299) return response;
  return { ...response, status: 200, body: JSON.stringify({ id: params.order_id, status: 'canceled' }) };
}

/** True if the form may cause the refusal: not of a service that reports its time, as that has the whole contract. */
function isInvalid({ status, headers }: WireResponse): boolean {
  return (status === 400 || status === 422) && headers['x-service-time'] === undefined;
}

/** The order of a request for one order without auto dispatch. */
function onlyOrder(body: unknown): Fields | null {
  if (!isFields(body) || !Array.isArray(body.orders) || body.orders.length !== 1) return null;
  const isManual = !isFields(body.settings) || (body.settings.mechanism ?? 'manual') === 'manual';
  return isManual && isFields(body.orders[0]) ? body.orders[0] : null;
}

/**
 * After a refusal of `{ "orders": [...] }`, sends the order as the body itself, or with its stops as objects if the
 * refusal names them. A refusal that mentions the field of a form shows that the service expects this form: the refusal
 * of that form is returned.
 */
async function sendOrder(
  order: Fields,
  refusal: WireResponse,
  send: (body: Fields) => Promise<WireResponse>,
): Promise<WireResponse> {
  // The refusal is about a field of the order, such as `orders[0].dropoff_name`, so the form is right.
  if (/\borders\W{1,3}0\b/.test(refusal.body)) return refusal;
  if (namesStop(refusal)) return send(withStopObjects(order));
  const bare = await send(order);
  if (!isInvalid(bare)) return bare;
  if (namesStop(bare)) return send(withStopObjects(order));
  return /\borders\b/.test(bare.body) ? refusal : bare;
}

/** True if a refusal names a stop itself, not a field such as `pickup_address`. */
function namesStop({ body }: WireResponse): boolean {
  return /\b(pickup|dropoff)\b(?![ _-]*(address|name|phone))/i.test(body);
}
