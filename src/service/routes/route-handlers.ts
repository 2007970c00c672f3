/** Creates, lists, reads and deletes routes. Other handlers quote and dispatch them. */
import { Problem } from '../../contract/errors.ts';
import type { createRoute, deleteRoute, getRoute, listRoutes } from '../../contract/routes.ts';
import { hour_ms } from '../../domain/durations.ts';
import { hasErasedEnd } from '../../domain/erasure.ts';
import type { Connection, OrderRow, Scope } from '../../storage/database.ts';
import { addToRoute, findOrders, joinable, lockOrders, releaseFromRoute } from '../../storage/orders.ts';
import { deleteJobs } from '../../storage/quotes.ts';
import { deleteDraft, insertRoute, listRoutes as listRows } from '../../storage/routes.ts';
import { deleteTasksOfSubject } from '../../storage/tasks.ts';
import { requireNotPending } from '../batches/order-outcomes.ts';
import { invalidField } from '../http/answers.ts';
import type { Handler } from '../http/handler.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import { orderNotFound, orderNotOpen, orderRecord } from '../orders/order.ts';
import { draftRow, findRouteFor, lockRouteFor, notDraft, routeOrderIds, routeView } from './route.ts';

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

/** The orders in the requested order, locked. Throws `record_not_found` and `order_not_open`. */
async function freeOrders(db: Connection, scope: Scope, ids: readonly string[]): Promise<OrderRow[]> {
  await lockOrders(db, ids);
  const found = new Map((await findOrders(db, scope, ids)).map((order) => [order.id, order]));
  const orders = ids.map((id) => {
    const order = found.get(id);
    if (order === undefined) throw orderNotFound(id);
    return order;
  });
  await requireNotPending(db, ids);
  return orders.map((order) => {
    if (!joinable.includes(order.status)) throw orderNotOpen(order);
    if (hasErasedEnd(orderRecord(order))) throw orderErased(order);
    return order;
  });
}

function orderErased({ id }: OrderRow): Problem {
  return new Problem('order_not_open', `Order ${id} has no address anymore: its personal data was erased.`);
}

/** The scheduled times of one route must be within an hour; as soon as possible counts as now. */
function refuseFarTimes(orders: readonly OrderRow[], now: number): void {
  const times = orders.map((row) => {
    const { pickup, dropoff } = orderRecord(row);
    return pickup.at ?? dropoff.at ?? now;
  });
  if (Math.max(...times) - Math.min(...times) <= hour_ms) return;
  const message = 'The scheduled times of the orders differ by more than an hour. Use separate routes.';
  throw invalidField('order_ids', 'have scheduled times more than an hour apart', message);
}

export const pageOfRoutes: Handler<typeof listRoutes> = async ({ service, caller, query }) => {
  const { status } = query;
  const wanted = { ...caller.scope, ...pageRequest(query, 'rte'), status };
  const page = await service.storage.read((db) => listRows(db, wanted));
  return toPage(page, routeView);
};

export const readRoute: Handler<typeof getRoute> = async ({ service, caller, params }) =>
  routeView(await findRouteFor(service.storage, caller, params.route_id));
