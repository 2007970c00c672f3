import { assumedOrder, assumedRoute } from '../../client/assumed-records.ts';
import { ApiError, ifSupported } from '../../client/errors.ts';
import type { AcceptedBatch } from '../../contract/batches.ts';
import type { DispatchedRoute } from '../../contract/dispatches.ts';
import type { Order, OrderRequest } from '../../contract/orders.ts';
import type { Job } from '../../contract/quotes.ts';
import type { Route } from '../../contract/routes.ts';
import { UsageError } from '../kit/errors/failure.ts';
import type { Context } from '../session/context.ts';

/**
 * The requests of a delivery, one for each step. A write takes its idempotency key: sent again with the same key, it
 * has the answer of the first, and nothing is created twice.
 */
type Service = Pick<Context, 'client'>;

/** The maximum length of an idempotency key from which each step derives its own. */
const max_key_length = 155 - '/dispatch-0123456789'.length;

/** UsageError if the keys of the later steps would be too long, before anything is created. */
export function checkKeyLength({ asked: { idempotencyKey } }: Pick<Context, 'asked'>): void {
  if (idempotencyKey === undefined || idempotencyKey.length <= max_key_length) return;
  throw new UsageError(
    `--idempotency-key has ${idempotencyKey.length} characters; here it has at most ${max_key_length}, because each step derives its own key from it.`,
  );
}

/** Creates an order for manual dispatch. */
export async function createOrder(
  service: Service,
  request: OrderRequest,
  idempotencyKey: string,
  headers: Record<string, string> = {},
): Promise<Order> {
  const client = await service.client();
  const body = { orders: [request] };
  return orderIn((await client.orders.create({ body, headers, idempotencyKey })).data);
}

/** The order in the answer of manual dispatch. */
export function orderIn(answer: Order | AcceptedBatch): Order {
  if (answer.object === 'order') return answer;
  throw new Error(`the service created batch ${answer.batch_id} where an order was requested`);
}

/** Creates a draft route. A repeat has the route as it was when it was created, and `isNew` is false. */
export async function createRoute(
  service: Service,
  { order_ids, optimize }: { order_ids: readonly string[]; optimize: boolean },
  idempotencyKey: string,
): Promise<{ route: Route; isNew: boolean }> {
  const client = await service.client();
  const body = { order_ids: [...order_ids], optimize };
  const { data, replayed } = await client.routes.create({ body, idempotencyKey });
  return { route: data, isNew: !replayed };
}

/** Starts a round of quotes for a draft route; those of the rounds before can no longer be used. */
export async function requestQuotes(
  service: Service,
  route_id: string,
  idempotencyKey: string,
): Promise<Job> {
  const client = await service.client();
  return (await client.quotes.request({ params: { route_id }, idempotencyKey })).data;
}

/** Dispatches a draft route. Without a tip the driver gets the tips of the orders. */
export async function dispatchRoute(
  service: Service,
  { route_id, quote_id, tip }: { route_id: string; quote_id: string; tip: number | null },
  idempotencyKey: string,
): Promise<DispatchedRoute> {
  const client = await service.client();
  const body = { quote_id, ...(tip === null ? {} : { tip }) };
  return (await client.dispatches.create({ params: { route_id }, body, idempotencyKey })).data;
}

/**
 * The route as it is now; null if it no longer exists. A service that looks no routes up refuses what can no longer be
 * done itself, so that the route counts as a draft.
 */
export function fetchRoute(service: Service, route_id: string): Promise<Route | null> {
  return ifSupported(
    unlessMissing(async () => {
      const client = await service.client();
      return (await client.routes.get({ params: { route_id } })).data;
    }),
    assumedRoute(route_id),
  );
}

/** The order as it is now; null if it no longer exists. Where the service looks no orders up, it counts as open. */
export function fetchOrder(service: Service, order_id: string): Promise<Order | null> {
  return ifSupported(
    unlessMissing(async () => {
      const client = await service.client();
      return (await client.orders.get({ params: { order_id } })).data;
    }),
    assumedOrder(order_id),
  );
}

async function unlessMissing<T>(fetch: () => Promise<T>): Promise<T | null> {
  try {
    return await fetch();
  } catch (error) {
    if (refusedWith(error, 'record_not_found')) return null;
    throw error;
  }
}

/** A route that is dispatched, with its orders and the deliveries that these have now. */
export interface Dispatched {
  route: DispatchedRoute;
  orders: readonly Order[];
}

/** Fetches the deliveries of a route that is no longer a draft. */
export async function fetchDispatched(service: Service, route: Route): Promise<Dispatched> {
  const client = await service.client();
  const orders: Order[] = [];
  for (const order_id of route.order_ids) {
    const call = client.orders.get({ params: { order_id }, query: { expand: 'delivery' } });
    const found = await ifSupported(call, null);
    if (found !== null) orders.push(found.data);
  }
  return { route: { ...route, deliveries: orders.flatMap(({ delivery }) => delivery ?? []) }, orders };
}

/** Whether the service refused the request with one of these codes. */
export function refusedWith(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof ApiError && codes.includes(error.code);
}

/** Whether the service refused the request, so that it had no effect. After any other error that is unknown. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && error.code !== 'idempotency_key_in_use';
}
