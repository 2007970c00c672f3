/**
 * Completes the orders and deliveries of services that keep a delivery within its order: for `GET /orders/ord_1` they
 * answer `{"id":"ord_1"}`, and with `?expand=latest_delivery` also `"latest_delivery":{"id":"dlv_1","status":"delivered"}`.
 * What completes an answer depends on what the service answers:
 *
 * - Orders with a status need nothing. They are waybill's own, or their service keeps deliveries apart.
 * - If lists take `expand=latest_delivery`, `expandedList` requests the list once more.
 * - If only single orders take it, `withState` requests each order of a list, up to `max_requested_orders` of them.
 * - Deliveries that exist only within orders are found there by `delivery` and `withDeliveriesOfOrders`.
 */
import type { Operation, WireResponse } from '../contract/operation.ts';
import { operations } from '../contract/operations.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import { parseJson, recordsIn, unwrapResponse } from './incomplete-responses.ts';
import { looksFull } from './lists-of-other-services.ts';
import { deliveryWithin, lacksState } from './platform-records.ts';
import type { CallInput } from './retries.ts';
import type { Features } from './service-features.ts';

type Exchange = (operation: Operation, input: CallInput) => Promise<WireResponse>;

/** Returns the response to a look-up with what the service has in other records. */
export type Completion = (o: Operation, input: CallInput, response: WireResponse) => Promise<WireResponse>;

const { get: getOrder, list: listOrders } = operations.orders;
const { get: getDelivery, list: listDeliveries } = operations.deliveries;
const expand = 'latest_delivery';
/** The most orders that are requested one by one, if their list does not have the deliveries. */
const max_requested_orders = 20;
const page_limit = 100;

/** Completes the responses to look-ups of a service whose deliveries may be within its orders. */
export function completePlatformOrders(exchange: Exchange, features: Features | null): Completion {
  const orders = createOrderReader(exchange, features);
  const withDeliveriesOfOrders = async (query: Fields, response: WireResponse): Promise<WireResponse> => {
    const listed = recordsIn(listDeliveries, response);
    const { external_order_ref } = query;
    const { records, isCut } = await orders.search({ external_order_ref, limit: page_limit });
    const ids = new Set(listed.map(({ id }) => String(id)));
    const within = records.map(deliveryWithin).filter((each) => each !== null);
    const missing = within.filter(({ id }) => !ids.has(String(id)));
    const [first] = missing;
    const more = isCut ? { has_more: true } : {};
    // A list with the deliveries of the orders that were read also has those of the others. If no delivery was read and
    // not all orders were, there may be more.
    if (first === undefined)
      return isCut && within.length === 0 ? withRecords(response, listDeliveries, listed, more) : response;
    // A delivery that can be requested by its ID may be on a later page of the list.
    const requested = await exchange(getDelivery, { params: { deliveryid: String(first.id) } });
    if (requested.status < 300) return response;
    const all = [...missing, ...listed].toSorted((left, right) => timeOf(right) - timeOf(left));
    return withRecords(response, listDeliveries, all, more);
  };
  return async (operation, input, response) => {
    const { params = {}, query = {} } = input;
    if (operation.id === 'GetDelivery' && response.status === 404) {
      const delivery = await orders.delivery(String(params.deliveryid));
      return delivery === null ? response : { ...response, status: 200, body: JSON.stringify(delivery) };
    }
    if (response.status > 299) return response;
    if (operation.id === 'ListOrders') return orders.expandedList(input, response);
    if (operation.id === 'GetOrder') {
      const order = recordIn(getOrder, response);
      if (order === null || !lacksState(order) || query.expand === expand) return response;
      return (await orders.expanded(String(params.order_id))) ?? response;
    }
    const isFirst = operation.id === 'ListDeliveries' && query.cursor === undefined;
    return isFirst && orders.mayHaveDeliveries() ? withDeliveriesOfOrders(query, response) : response;
  };
}

/** Reads orders with their deliveries, and remembers what the service has shown: whether its lists take `expand`. */
function createOrderReader(exchange: Exchange, features: Features | null) {
  /** Whether orders may show deliveries; null if nothing is known of the service. */
  let hasOrders = features === null ? null : features.orders !== false;
  let areListsExpanded = true;
  /** The IDs of orders by those of their deliveries. */
  const orderIds = new Map<string, string>();
  const rememberDelivery = (order: Fields): void => {
    const { latest_delivery: latest } = order;
    if (isFields(latest) && order.id !== undefined) orderIds.set(String(latest.id), String(order.id));
  };
  const expanded = async (order_id: string): Promise<WireResponse | null> => {
    const response = await exchange(getOrder, { params: { order_id }, query: { expand } });
    const order = recordIn(getOrder, response);
    if (response.status > 299 || order === null) return null;
    rememberDelivery(order);
    return response;
  };
  const withState = async (order: Fields): Promise<Fields> => {
    const response = lacksState(order) ? await expanded(String(order.id)) : null;
    return (response && recordIn(getOrder, response)) ?? order;
  };
  const expandedList = async (input: CallInput, response: WireResponse): Promise<WireResponse> => {
    if (!recordsIn(listOrders, response).some(lacksState)) return response;
    hasOrders = true;
    let best = response;
    if (areListsExpanded) {
      const second = await exchange(listOrders, { ...input, query: { ...input.query, expand } });
      areListsExpanded = second.status < 300 && !recordsIn(listOrders, second).some(lacksState);
      if (second.status < 300) best = second;
    }
    const records = recordsIn(listOrders, best);
    if (areListsExpanded || records.length > max_requested_orders) return best;
    return withRecords(best, listOrders, await Promise.all(records.map(withState)));
  };
  /** Lists orders with their deliveries; `isCut` if there may be orders whose deliveries were not read. */
  const search = async (query: Fields): Promise<{ records: Fields[]; isCut: boolean }> => {
    const none = { records: [], isCut: false };
    if (hasOrders === false) return none;
    const response = await exchange(listOrders, { query });
    if (response.status === 429 || response.status >= 500) return { records: [], isCut: true };
    const first = recordsIn(listOrders, response);
    hasOrders = response.status < 300 && first.every(mayShowDelivery);
    if (!hasOrders) return none;
    const records = recordsIn(listOrders, await expandedList({ query }, response));
    records.forEach(rememberDelivery);
    const isUnread = records.length > max_requested_orders && records.some(lacksState);
    const has_more = recordIn(listOrders, response)?.has_more ?? looksFull(records.length, query.limit);
    return { records, isCut: has_more === true || isUnread };
  };
  /** A delivery that version 1 does not find; null if no order has it. */
  const delivery = async (id: string): Promise<Fields | null> => {
    if (!orderIds.has(id)) await search({ limit: page_limit });
    const order_id = orderIds.get(id);
    const response = order_id === undefined ? null : await expanded(order_id);
    const order = response && recordIn(getOrder, response);
    const within = order && deliveryWithin(order);
    return within && String(within.id) === id ? within : null;
  };
  return { expanded, expandedList, search, delivery, mayHaveDeliveries: () => hasOrders === true };
}

function recordIn(operation: Operation, { body }: WireResponse): Fields | null {
  const record = unwrapResponse(operation, parseJson(body));
  return isFields(record) ? record : null;
}

/** Whether an order may have its delivery within it: an order with a status, but without the delivery, never has it. */
function mayShowDelivery({ status, latest_delivery: latest }: Fields): boolean {
  return typeof status !== 'string' || latest !== undefined;
}

/** The response to a list with other records, and `more` fields of the list. */
function withRecords(
  response: WireResponse,
  operation: Operation,
  data: readonly Fields[],
  more: Fields = {},
): WireResponse {
  const list = unwrapResponse(operation, parseJson(response.body));
  return { ...response, body: JSON.stringify({ ...(isFields(list) ? list : {}), ...more, data }) };
}

function timeOf({ created_at }: Fields): number {
  return Date.parse(String(created_at)) || 0;
}
