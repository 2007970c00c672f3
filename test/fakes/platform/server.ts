import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from '../../local-server.ts';
import {
  type Fields,
  fieldsIn,
  flatShown,
  isShown,
  orderShown,
  type PlatformDelivery,
  type PlatformOrder,
  type PlatformRoute,
  type PlatformStore,
  platformStore,
} from './records.ts';
import { type PlatformSwitches, platformDefaults } from './switches.ts';

export interface Platform {
  url: string;
  store: PlatformStore;
  switches: PlatformSwitches;
  /** `POST /v2/orders`, in the order in which they came. */
  requests: string[];
  close(): Promise<void>;
}

interface Asked {
  method: string;
  path: string;
  query: URLSearchParams;
  body: Fields;
}

interface Reply {
  status: number;
  body: unknown;
}

type Parts = Pick<Platform, 'store' | 'switches'>;

/**
 * A server that behaves as public pages and programs show the public platform: orders with nested stops and without a
 * status, their delivery in `latest_delivery` where it is asked for, and version 1 beside it. What nobody knows is a
 * switch. It knows nothing of this program.
 */
export async function publicPlatform(changes: Partial<PlatformSwitches> = {}): Promise<Platform> {
  const switches = { ...platformDefaults, ...changes };
  const store = platformStore();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    answer(request, requests, { store, switches })
      .then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(body === undefined ? '' : JSON.stringify(body));
      })
      .catch(() => response.destroy());
  });
  const { port, close } = await listenLocally(server);
  return { url: `http://127.0.0.1:${port}`, store, switches, requests, close };
}

async function answer(request: IncomingMessage, requests: string[], parts: Parts): Promise<Reply> {
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://platform');
  const method = request.method ?? 'GET';
  requests.push(`${method} ${request.url}`);
  const body = bodyIn(await text(request));
  if (!/^[0-9a-f-]{36}$/.test(String(request.headers['x-api-key'])))
    return refusal(parts, 401, 'unauthorized', 'The API key is missing or wrong.');
  const asked = { method, path, query, body };
  return version2(asked, parts) ?? version1(asked, parts) ?? refusal(parts, 404, 'not_found', 'Not found.');
}

function bodyIn(given: string): Fields {
  try {
    return fieldsIn(JSON.parse(given));
  } catch {
    return {};
  }
}

function refusal({ switches }: Pick<Parts, 'switches'>, status: number, code: string, words: string): Reply {
  return { status, body: { code, [switches.words]: words } };
}

function version2(asked: Asked, parts: Parts): Reply | null {
  const { method, path } = asked;
  const [, noun, id, verb] = /^\/v2\/(orders|routes)(?:\/([^/]+))?(?:\/([^/]+))?$/.exec(path) ?? [];
  if (noun === 'orders' && verb === undefined) {
    if (id === undefined && method === 'POST') return createOrder(asked, parts);
    if (id === undefined && method === 'GET') return listOrders(asked, parts);
    if (id !== undefined && method !== 'POST') return oneOrder(id, asked, parts);
  }
  if (noun === 'routes' && id === undefined && method === 'POST') return createRoute(asked, parts);
  const route = parts.store.routes.find((each) => each.id === id);
  if (noun !== 'routes' || id === undefined) return null;
  if (route === undefined) return refusal(parts, 404, 'record_not_found', 'Route not found.');
  if (verb === undefined && method === 'DELETE') return deleteRoute(route, parts);
  if (verb === 'quotes' && method === 'POST') {
    route.polls = 0;
    return { status: parts.switches.created, body: { object: 'job', job_id: parts.store.newId('job_') } };
  }
  if (verb === 'quotes' && method === 'GET') return quotesOf(route, parts);
  const { dispatch: form } = parts.switches;
  if (verb === 'dispatch' && method === 'POST' && form !== 'none') return dispatch(route, asked, parts);
  return null;
}

function createOrder({ body }: Asked, parts: Parts): Reply {
  const { store, switches } = parts;
  const invalid = (code: string, words: string) => refusal(parts, 400, code, words);
  for (const end of ['pickup', 'dropoff']) {
    const stop = body[end];
    if (typeof stop !== 'object' || stop === null) return invalid('invalid_request', `${end} is required`);
    for (const name of ['address', 'name', 'phone_number'])
      if (typeof fieldsIn(stop)[name] !== 'string')
        return invalid('invalid_request', `${end}.${name} is required`);
  }
  if (!Array.isArray(body.items) || body.items.length === 0)
    return invalid('invalid_request', 'items is required');
  const sizes = ['length', 'width', 'height', 'weight'];
  if (switches.needsDimensions && !sizes.every((name) => typeof body[name] === 'number'))
    return invalid('dimensions_required', 'Dimensions are required: length, width, height and weight.');
  const order = { id: store.newId('o_'), fields: body, deliveries: [] };
  store.orders.unshift(order);
  return { status: switches.created, body: orderShown(order, false, switches) };
}

function listOrders({ query }: Asked, parts: Parts): Reply {
  const { store, switches } = parts;
  const expand = query.get('expand');
  if (expand !== null && switches.isStrict)
    return refusal(parts, 400, 'invalid_request', 'expand is not permitted');
  const ref = switches.isFiltering ? query.get('external_order_ref') : null;
  const found = store.orders.filter(({ fields }) => ref === null || fields.external_order_ref === ref);
  const isExpanded = switches.isExpandedInLists && expand === 'latest_delivery';
  return listed(
    found.map((each) => orderShown(each, isExpanded, switches)),
    query,
    switches,
  );
}

function listed(records: Fields[], query: URLSearchParams, switches: PlatformSwitches): Reply {
  const { lists, max_listed } = switches;
  const page = records.slice(0, Math.min(max_listed, Number(query.get('limit') ?? max_listed)));
  return { status: 200, body: lists === 'array' ? page : { data: page } };
}

function oneOrder(id: string, { method, query }: Asked, parts: Parts): Reply {
  const { store, switches } = parts;
  const order = store.orders.find((each) => each.id === id);
  if (order === undefined) return refusal(parts, 404, 'record_not_found', 'Order not found.');
  const isExpanded = switches.isExpandedAlone && query.get('expand') === 'latest_delivery';
  if (method === 'GET') return { status: 200, body: orderShown(order, isExpanded, switches) };
  if (method !== 'DELETE') return refusal(parts, 404, 'not_found', 'Not found.');
  if (order.deliveries.length > 0)
    return refusal(parts, 400, 'order_deletion_prohibited_in_current_state', 'The order is under way.');
  store.orders.splice(store.orders.indexOf(order), 1);
  return { status: 200, body: { id, deleted: true } };
}

function createRoute({ body }: Asked, parts: Parts): Reply {
  const { store, switches } = parts;
  const { routeStatus: status } = switches;
  const ids: unknown[] = Array.isArray(body.order_ids) ? body.order_ids : [];
  const orders = store.orders.filter(({ id }) => ids.includes(id));
  if (orders.length === 0 || orders.length !== ids.length)
    return refusal(parts, 404, 'record_not_found', 'Order not found.');
  const route: PlatformRoute = { id: store.newId('r_'), orders, polls: null, isDispatched: false };
  store.routes.push(route);
  return { status: switches.created, body: { id: route.id, ...(status === '' ? {} : { status }) } };
}

function deleteRoute(route: PlatformRoute, { store }: Parts): Reply {
  store.routes.splice(store.routes.indexOf(route), 1);
  return { status: 200, body: {} };
}

const prices = { Uber: 850, grubhub: 1350 };

function quotesOf(route: PlatformRoute, { switches }: Parts): Reply {
  const { fee, pending } = switches;
  const polls = route.polls ?? 0;
  route.polls = polls + 1;
  const isReady = polls >= pending;
  const names = fee === 'both' ? ['burq_fee', 'service_fee'] : [fee];
  const fees = Object.fromEntries(names.map((name) => [name, 99]));
  const data = Object.entries(prices).map(([provider, cost_of_delivery]) => ({
    ...{ id: `qo_${provider}_${route.id}`, provider, cost_of_delivery, ...fees },
    expires_at: new Date(Date.now() + 300_000).toISOString(),
  }));
  return {
    status: 200,
    body: { object: 'route_quotes', status: isReady ? 'COMPLETE' : 'PENDING', data: isReady ? data : [] },
  };
}

function dispatch(route: PlatformRoute, { body }: Asked, parts: Parts): Reply {
  const { store, switches } = parts;
  const chosen = Object.entries(prices).find(([provider]) => body.quote_id === `qo_${provider}_${route.id}`);
  if (chosen === undefined) return refusal(parts, 404, 'record_not_found', 'Quote not found.');
  if (route.isDispatched) return refusal(parts, 400, 'route_dispatched', 'The route is dispatched.');
  route.isDispatched = true;
  const [provider, cost] = chosen;
  const made = route.orders.map((order) => {
    const delivery = newDelivery(store, { provider, fee: cost + 99, quote_id: String(body.quote_id) });
    order.deliveries.push(delivery);
    return flatShown(delivery, order, switches);
  });
  const answers = { route: { id: route.id }, delivery: made[0], empty: {}, none: null };
  return { status: switches.created, body: answers[switches.dispatch] };
}

function newDelivery(store: PlatformStore, changes: Partial<PlatformDelivery>): PlatformDelivery {
  const about = { fee: 949, provider: 'Uber', quote_id: null, held: null, fields: null };
  return { id: store.newId('d_'), begun_at: Date.now(), ...about, ...changes };
}

function version1(asked: Asked, parts: Parts): Reply | null {
  const { store, switches } = parts;
  const { method, path, query, body } = asked;
  const ofOrders = store.orders.flatMap((order) =>
    order.deliveries.map((delivery) => ({ delivery, order: switches.isSeenByVersion1 ? order : null })),
  );
  const seen: { delivery: PlatformDelivery; order: PlatformOrder | null }[] = [
    ...ofOrders.filter(({ delivery }) => switches.isSeenByVersion1 && isShown(delivery, switches)),
    ...store.alone.map((delivery) => ({ delivery, order: null })),
  ].toSorted((left, right) => right.delivery.begun_at - left.delivery.begun_at);
  if (method === 'POST' && path === '/v1/delivery_information') {
    const delivery = newDelivery(store, { fields: body, held: body.initiate === true ? null : 'request' });
    store.alone.push(delivery);
    return { status: switches.created, body: flatShown(delivery, null, switches) };
  }
  if (method === 'GET' && path === '/v1/deliveries') {
    const ref = switches.isFiltering ? query.get('external_order_ref') : null;
    const shown = seen
      .filter(({ delivery }) => isShown(delivery, switches))
      .map(({ delivery, order }) => flatShown(delivery, order, switches));
    return listed(
      shown.filter((each) => ref === null || each.external_order_ref === ref),
      query,
      switches,
    );
  }
  const [, id, verb] = /^\/v1\/delivery\/([^/]+)(\/cancel)?$/.exec(path) ?? [];
  if (id === undefined) return null;
  // A cancellation of version 1 is for deliveries of both versions.
  const all = method === 'POST' ? [...seen, ...ofOrders] : seen;
  const found = all.find(({ delivery }) => delivery.id === id);
  if (found === undefined) return refusal(parts, 404, 'record_not_found', 'Delivery not found.');
  if (method === 'POST' && verb !== undefined) found.delivery.held = 'customer_canceled';
  if (method === 'GET' ? verb !== undefined : verb === undefined) return null;
  return { status: 200, body: flatShown(found.delivery, found.order, switches) };
}
