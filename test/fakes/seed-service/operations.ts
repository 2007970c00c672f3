import { isFields } from '../../../src/domain/fields.ts';
import { json, listed, type Reply, refused, written } from './answers.ts';
import {
  type Delivery,
  deliveryView,
  type Fields,
  type Id,
  type Order,
  orderView,
  quotesOf,
  type Route,
  type Store,
} from './records.ts';
import type { Switches } from './switches.ts';

export interface Request {
  method: string;
  path: string;
  query: URLSearchParams;
  key: string | undefined;
  body: Fields;
}

/** What the service does with a request. Unknown fields are ignored, and so are queries, except for filters. */
export function answer(request: Request, store: Store, switches: Switches): Reply {
  const { method, path } = request;
  const refuse = (status: number, code: string, message: string) => refused(status, code, message, switches);
  if (request.key === undefined || !request.key.startsWith('key_'))
    return refuse(401, 'unauthorized', 'The API key is not known.');
  if (method === 'POST' && path === '/orders/create') return createOrders(request, store, switches);
  if (method === 'POST' && path === '/v2/routes') return createRoute(request, store, switches);
  const [, routeId, verb] = /^\/v2\/routes\/([^/]+)\/(quotes|dispatch)$/.exec(path) ?? [];
  if (routeId !== undefined) {
    const route = store.routes.find(({ id }) => String(id) === decodeURIComponent(routeId));
    if (route === undefined) return refuse(404, 'record_not_found', 'The route does not exist.');
    if (method === 'POST' && verb === 'quotes') return requestQuotes(route, store, switches);
    if (method === 'GET' && verb === 'quotes') return listQuotes(route, switches);
    if (method === 'POST' && verb === 'dispatch') return dispatch(route, request, store, switches);
  }
  if (method === 'POST' && path === '/v1/delivery_information')
    return createDelivery(request, store, switches);
  if (method === 'GET' && path === '/v1/deliveries') {
    const now = Date.now();
    const known = store.deliveries.filter((each) => switches.areRouteDeliveriesListed || !each.isOfRoute);
    const all = known.map((delivery) => deliveryView(delivery, now, switches));
    const status = switches.isFiltering ? request.query.get('status') : null;
    const found = all.filter((each) => status === null || each.status === status);
    return listed(found, request.query, switches);
  }
  const [, deliveryId] = /^\/v1\/delivery\/([^/]+)$/.exec(path) ?? [];
  if (method === 'GET' && deliveryId !== undefined) {
    const found = store.deliveries.find(({ id }) => String(id) === decodeURIComponent(deliveryId));
    if (found === undefined) return refuse(404, 'record_not_found', 'The delivery does not exist.');
    return json(200, deliveryView(found, Date.now(), switches));
  }
  const [, orderId] = /^\/v2\/orders(?:\/([^/]+))?$/.exec(path) ?? [path, null];
  if (method === 'GET' && orderId !== null && switches.orderList !== 'none')
    return findOrders(request, orderId, store, switches);
  return json(404, { error: 'Not Found' });
}

/** One order, or the list of them. */
function findOrders(request: Request, id: string | undefined, store: Store, switches: Switches): Reply {
  const views = store.orders.map((order) => orderView(order, switches)).reverse();
  if (id === undefined) return listed(views, request.query, switches);
  const found = views.find((each) => String(each.id) === decodeURIComponent(id));
  return found === undefined
    ? refused(404, 'record_not_found', 'The order does not exist.', switches)
    : json(200, found);
}

function createOrders({ body }: Request, store: Store, switches: Switches): Reply {
  if (!Array.isArray(body.orders)) return refused(422, 'invalid_request', 'orders is required', switches);
  const orders: Fields[] = body.orders;
  const settings: Fields = isFields(body.settings) ? body.settings : {};
  const created_at = Date.now();
  const made: Order[] = orders.map((fields) => ({ id: store.newId(), fields, created_at, delivery: null }));
  store.orders.push(...made);
  if (settings.mechanism === 'auto') {
    for (const order of made) store.deliveries.unshift(dispatched(order, {}, store, store.newId()));
    const batch_id = store.newId();
    store.batches.push(batch_id);
    return written(202, { batch_id }, switches);
  }
  const [only] = made;
  if (made.length !== 1 || only === undefined)
    return refused(400, 'invalid_request', 'Manual dispatch takes one order.', switches);
  return written(200, { id: only.id }, switches);
}

function createRoute({ body }: Request, store: Store, switches: Switches): Reply {
  const ids: unknown[] = Array.isArray(body.order_ids) ? body.order_ids : [];
  const orders = store.orders.filter(({ id }) => ids.some((each) => String(each) === String(id)));
  if (orders.length === 0 || orders.length !== ids.length)
    return refused(404, 'record_not_found', 'An order does not exist.', switches);
  const route: Route = { id: store.newId(), orders, status: 'draft', quotes_at: null, quotes: [] };
  store.routes.push(route);
  const status = switches.fields === 'minimal' ? {} : { status: 'draft' };
  return written(200, { id: route.id, ...status }, switches);
}

function requestQuotes(route: Route, store: Store, switches: Switches): Reply {
  if (route.status !== 'draft') return refused(409, 'route_not_draft', 'The route is no draft.', switches);
  route.quotes_at = Date.now() + switches.quotes_ms;
  route.quotes = quotesOf(route, store, switches);
  return written(200, { job_id: store.newId(), object: 'job' }, switches);
}

function listQuotes({ quotes_at, quotes }: Route, { fields }: Switches): Reply {
  const isReady = quotes_at !== null && Date.now() >= quotes_at;
  const object = fields === 'minimal' ? {} : { object: 'route_quotes' };
  if (!isReady) return json(200, { ...object, status: 'PENDING', data: null });
  return json(200, { ...object, status: 'COMPLETE', data: quotes });
}

function dispatch(route: Route, { body }: Request, store: Store, switches: Switches): Reply {
  if (route.status !== 'draft') return refused(409, 'route_not_draft', 'The route is no draft.', switches);
  const quote = route.quotes.find(({ id }) => String(id) === String(body.quote_id));
  if (quote === undefined) return refused(404, 'record_not_found', 'The quote does not exist.', switches);
  route.status = 'dispatched';
  const quote_id = switches.isDispatchSilent ? store.newId() : Number(quote.id);
  const tip = body.tip === undefined ? {} : { tip: body.tip };
  const made = route.orders.map((order) => dispatched(order, tip, store, quote_id));
  store.deliveries.unshift(...made);
  if (switches.isDispatchSilent) return { status: 204, type: 'text/plain', body: '' };
  return written(200, { id: route.id, status: 'dispatched' }, switches);
}

function createDelivery({ body }: Request, store: Store, switches: Switches): Reply {
  const now = Date.now();
  const quote_id = typeof body.quote_id === 'number' ? body.quote_id : String(body.quote_id ?? store.newId());
  const begun_at = body.initiate === true ? now : null;
  const delivery = { id: store.newId(), fields: body, begun_at, quote_id, created_at: now };
  store.deliveries.unshift(delivery);
  return written(200, deliveryView(delivery, now, switches), switches);
}

/** The delivery of an order, which is its latest from then on. */
function dispatched(order: Order, changes: Fields, store: Store, quote_id: Id): Delivery {
  const now = Date.now();
  const fields = { ...order.fields, ...changes };
  order.delivery = { id: store.newId(), fields, begun_at: now, quote_id, created_at: now, isOfRoute: true };
  return order.delivery;
}
