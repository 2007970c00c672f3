import { Problem } from '../../contract/errors.ts';
import type { createRoute, deleteRoute } from '../../contract/routes.ts';
import { hasErasedEnd } from '../../domain/erasure.ts';
import { planStops, totalTenths } from '../../domain/stops.ts';
import type { Connection, OrderRow, RouteRow, Scope } from '../../storage/database.ts';
import { deleteJobs } from '../../storage/jobs.ts';
import { addToRoute, findOrders, lockOrders, releaseFromRoute } from '../../storage/orders.ts';
import { deleteDraft, insertRoute } from '../../storage/routes.ts';
import { deleteTasksOfSubject } from '../../storage/tasks.ts';
import { requireNotPending } from '../batches/order-outcomes.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { orderNotFound, orderNotOpen } from '../orders/order-handlers.ts';
import { orderRecord } from '../orders/order-view.ts';
import { lockRouteFor } from './read-routes.ts';
import { routeOrderIds, routeView } from './route-view.ts';

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
    if (order.status !== 'open' && order.status !== 'failed') throw orderNotOpen(order);
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
  throw new Problem('invalid_request', message, [
    { path: 'order_ids', message: 'have scheduled times more than an hour apart' },
  ]);
}
