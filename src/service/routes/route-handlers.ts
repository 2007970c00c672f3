import { Problem } from '../../contract/errors.ts';
import type { createRoute, deleteRoute, getRoute, listRoutes, Route } from '../../contract/routes.ts';
import { hasErasedEnd } from '../../domain/erasure.ts';
import { planStops, type Stop, totalTenths } from '../../domain/stops.ts';
import type { Connection, OrderRow, RouteRow, Scope } from '../../storage/database.ts';
import { addToRoute, findOrders, joinable, lockOrders, releaseFromRoute } from '../../storage/orders.ts';
import { deleteJobs } from '../../storage/quotes.ts';
import {
  deleteDraft,
  insertRoute,
  listRoutes as listRows,
  lockRoutes,
  routeById,
} from '../../storage/routes.ts';
import type { Storage } from '../../storage/storage.ts';
import { deleteTasksOfSubject } from '../../storage/tasks.ts';
import { requireNotPending } from '../batches/order-outcomes.ts';
import { invalidField } from '../http/answers.ts';
import type { CallBase, Caller, Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { orderNotFound, orderNotOpen } from '../orders/order-handlers.ts';
import { orderRecord } from '../orders/order-view.ts';
import { instant } from '../runtime/time.ts';

const hour = 60 * 60 * 1000;

export const addRoute: Handler<typeof createRoute> = async (call) =>
  call.commit(async (transaction) => {
    const { caller, body, now } = call;
    const orders = await freeOrders(transaction, caller.scope, body.order_ids);
    refuseFarTimes(orders, now);
    const row = draftRow(call, orders, { optimize: body.optimize ?? true });
    await insertRoute(transaction, row);
    const joined = { ...caller.scope, ids: body.order_ids, route_id: row.id, now };
    if ((await addToRoute(transaction, joined)) !== orders.length) {
      throw new Problem('order_not_open', 'Another request has just taken one of these orders.');
    }
    return routeView(row);
  }, 'read committed');

export const dropRoute: Handler<typeof deleteRoute> = async ({ caller, params, now, commit }) =>
  commit(async (transaction) => {
    const route = await lockRouteFor(transaction, caller, params.route_id);
    await requireNotPending(transaction, routeOrderIds(route));
    await releaseFromRoute(transaction, { route_id: route.id, now });
    await deleteTasksOfSubject(transaction, route.id, ['quote.ask']);
    await deleteJobs(transaction, route.id);
    if (!(await deleteDraft(transaction, route.id))) throw notDraft(route);
    return { id: route.id, object: 'route', deleted: true };
  }, 'read committed');

export function notDraft(route: RouteRow): Problem {
  const status = route.status === 'draft' ? 'no longer a draft' : route.status;
  return new Problem('route_not_draft', `Route ${route.id} is ${status}; only a draft can be changed.`);
}

/** The orders in the requested order, locked. Throws `record_not_found` and `order_not_open`. */
async function freeOrders(db: Connection, scope: Scope, ids: readonly string[]): Promise<OrderRow[]> {
  await lockOrders(db, ids);
  await requireNotPending(db, ids);
  const found = new Map((await findOrders(db, scope, ids)).map((order) => [order.id, order]));
  return ids.map((id) => {
    const order = found.get(id);
    if (order === undefined) throw orderNotFound(id);
    if (!joinable.includes(order.status)) throw orderNotOpen(order);
    if (hasErasedEnd(orderRecord(order))) throw orderErased(order);
    return order;
  });
}

function orderErased({ id }: OrderRow): Problem {
  return new Problem('order_not_open', `Order ${id} has no address anymore: its personal data was erased.`);
}

/** Creates a draft of orders in the given order, or in the shortest one. */
export function draftRow(
  { caller, now, id }: CallBase,
  orders: readonly OrderRow[],
  { optimize }: { optimize: boolean },
): RouteRow {
  const stops = planStops(orders.map(placesOf), { optimize });
  return {
    id: id('rte'),
    ...caller.scope,
    status: 'draft',
    order_ids: JSON.stringify(orders.map((order) => order.id)),
    stops: JSON.stringify(stops),
    distance_tenths: totalTenths(stops),
    created_at: now,
    updated_at: now,
  };
}

/** The pickup and dropoff of an order. */
function placesOf(row: OrderRow) {
  const { pickup, dropoff } = orderRecord(row);
  return { id: row.id, pickup, dropoff };
}

/** The scheduled times of one route must be within an hour; as soon as possible counts as now. */
function refuseFarTimes(orders: readonly OrderRow[], now: number): void {
  const times = orders.map((row) => {
    const { pickup, dropoff } = orderRecord(row);
    return pickup.at ?? dropoff.at ?? now;
  });
  if (Math.max(...times) - Math.min(...times) <= hour) return;
  const message = 'The scheduled times of the orders differ by more than an hour. Use separate routes.';
  throw invalidField('order_ids', 'have scheduled times more than an hour apart', message);
}

export const pageOfRoutes: Handler<typeof listRoutes> = async ({ service, caller, query }) => {
  const { status } = query;
  const wanted = { ...caller.scope, ...pageRequest(query, 'rte'), status };
  const page = await service.storage.read((db) => listRows(db, wanted));
  return pageOf(page, routeView);
};

export const readRoute: Handler<typeof getRoute> = async ({ service, caller, params }) =>
  routeView(await findRouteFor(service.storage, caller, params.route_id));

/** The caller's route, outside of a transaction. Throws as `lockRouteFor` does. */
export async function findRouteFor(storage: Storage, caller: Caller, route_id: string): Promise<RouteRow> {
  return visible(await storage.first(routeById, route_id, caller.scope.account_id), caller, route_id);
}

/**
 * The caller's route, locked until the transaction ends: for changes that follow from its status, quotes or orders.
 * Throws `record_not_found` and `route_api_key_test_mode_mismatch`.
 */
export async function lockRouteFor(db: Connection, caller: Caller, route_id: string): Promise<RouteRow> {
  const [row] = await lockRoutes(db, [route_id]);
  return visible(row?.account_id === caller.scope.account_id ? row : undefined, caller, route_id);
}

function visible(row: RouteRow | undefined, caller: Caller, route_id: string): RouteRow {
  if (row === undefined) throw new Problem('record_not_found', `There is no route ${route_id}.`);
  if (row.test_mode === caller.scope.test_mode) return row;
  const modes = caller.test_mode ? ['live', 'test'] : ['test', 'live'];
  const message = `Route ${route_id} was created in ${modes[0]} mode; this is a ${modes[1]} key.`;
  throw new Problem('route_api_key_test_mode_mismatch', message);
}

export function routeStops(row: RouteRow): Stop[] {
  return JSON.parse(row.stops);
}

export function routeOrderIds(row: RouteRow): string[] {
  return JSON.parse(row.order_ids);
}

/** A route as returned by the API. */
export function routeView(row: RouteRow): Route {
  return {
    id: row.id,
    object: 'route',
    status: row.status,
    order_ids: routeOrderIds(row),
    stops: routeStops(row).map(
      ({ leg_tenths, zip_tenths: _, spread_tenths: __, precision, ...stop }, index) => ({
        sequence: index + 1,
        ...stop,
        precision: precision ?? 'zip',
        leg_miles: leg_tenths / 10,
      }),
    ),
    distance_miles: row.distance_tenths / 10,
    test_mode: row.test_mode === 1,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}

/** The orders of a route, in its order. */
export async function ordersOfRoute(db: Connection, route: RouteRow): Promise<OrderRow[]> {
  const order_ids = routeOrderIds(route);
  const found = await findOrders(db, route, order_ids);
  return order_ids.flatMap((id) => found.find((order) => order.id === id) ?? []);
}
