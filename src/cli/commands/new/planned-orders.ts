import { refusedWith } from '../../../client/errors.ts';
import type { Order } from '../../../contract/orders.ts';
import type { Route } from '../../../contract/routes.ts';
import { invocation } from '../../kit/result/message.ts';
import { createOrder, fetchOrder } from '../../nouns/order.ts';
import { requestsOf } from '../../nouns/order-input.ts';
import { createRoute } from '../../nouns/route.ts';
import { creationLine, type Field, faultsIn, fieldAt, labelOf, requestOf } from './answers.ts';
import {
  type Answers,
  type Draft,
  keyOf,
  type Plan,
  type PlannedOrder,
  type PlannedRoute,
  unsettled,
  withOrder,
  withoutOrder,
  withoutRoute,
} from './plan.ts';
import type { Run } from './run.ts';

/**
 * Creates the order of the draft. Returns null; if the service refuses the order, it is a draft again and the wrong
 * fields are returned.
 */
export async function createDraft(run: Run, { answers, replaces }: Draft): Promise<Field[] | null> {
  const fields = await requestOf(run.context, answers);
  const [request] = requestsOf([fields], 'the order');
  const number = run.plan.count + 1;
  const order = { number, isOurs: true, answers, request: { ...request }, sent_at: null, id: null, replaces };
  return sendOrder(run, order);
}

/** Sends again what was unanswered when the plan was left, and cancels the orders that were to be replaced. */
export async function settleOrders(run: Run): Promise<void> {
  for (const order of unsettled(run.plan)) {
    if (order.id === null) await sendOrder(run, order);
    else await replace(run, order);
  }
}

/** The idempotency key is saved before the request, so that sending the order twice creates it once. */
async function sendOrder(run: Run, order: PlannedOrder): Promise<Field[] | null> {
  const sent = { ...order, sent_at: run.context.now() };
  run.keep({ ...withOrder(run.plan, sent), draft: null });
  try {
    const [request] = requestsOf([order.request], 'the order');
    if (request === undefined) throw new Error('the order has no request');
    const { id } = await createOrder(run.context, request, keyOf(run.plan, `order-${order.number}`));
    const made = { ...sent, id };
    run.keep(withOrder(run.plan, made));
    run.say(`Created order ${id}. Equivalent command:`);
    run.tell(creationLine(order.answers));
    if (made.replaces !== null) await replace(run, made);
    return null;
  } catch (error) {
    const faults = faultsIn(error);
    if (faults === null) throw error;
    const { answers, replaces, number } = order;
    run.keep({ ...withoutOrder(run.plan, number), draft: { answers, items: [], replaces } });
    run.say('The order was not accepted:');
    const fields = faults.map(({ path, message }) => ({ field: fieldAt(path), message }));
    for (const { field, message } of fields)
      run.say(`  ${field === null ? '' : `${labelOf(field)}: `}${message}`);
    return [...new Set(fields.flatMap(({ field }) => field ?? []))];
  }
}

/** Cancels the order that the new one replaces, and removes it from the plan. */
async function replace(run: Run, order: PlannedOrder): Promise<void> {
  const old = run.plan.orders.find(({ id }) => id !== null && id === order.replaces);
  if (order.replaces !== null && !(await cancelOrder(run, order.replaces)))
    run.say(`The new order ${order.id} exists beside it.`);
  const others = old === undefined ? run.plan : withoutOrder(run.plan, old.number);
  run.keep(withOrder(others, { ...order, replaces: null }));
}

/** Adds open orders to the plan. */
export function addOrders(run: Run, ids: readonly string[]): void {
  for (const id of ids) {
    const number = run.plan.count + 1;
    const answers: Answers = {};
    const order = { number, isOurs: false, answers, request: {}, sent_at: null, id, replaces: null };
    run.keep(withOrder(run.plan, order));
  }
}

/**
 * Cancels an order at the service, after removing it from the draft route. False, with a remark, if someone else uses
 * it by then.
 */
export async function cancelOrder(run: Run, order_id: string): Promise<boolean> {
  await deleteRoute(run);
  const order = await fetchOrder(run.context, order_id);
  // Canceling a dispatched order would cancel its delivery, which may cost a fee.
  const left =
    order === null || whyUnusable(order, run.plan) !== null ? order : await sendCancellation(run, order);
  if (left?.status !== 'canceled') {
    run.say(`Order ${order_id} ${whyUnusable(left, run.plan) ?? 'is open'} and was not canceled.`);
    return false;
  }
  run.say(`Canceled order ${order_id}.`);
  run.tell(invocation('orders cancel', [order_id]));
  return true;
}

async function sendCancellation(run: Run, { id: order_id }: Order): Promise<Order | null> {
  const client = await run.context.client();
  const idempotencyKey = keyOf(run.plan, `close-${order_id.slice(-10)}`);
  try {
    return (await client.orders.cancel({ params: { order_id }, idempotencyKey })).data;
  } catch (error) {
    if (!refusedWith(error, 'order_not_open')) throw error;
    return fetchOrder(run.context, order_id);
  }
}

/** Why the order cannot be in the route of the plan, or null. */
export function whyUnusable(order: Order | null, { route }: Plan): string | null {
  if (order === null) return 'no longer exists';
  if (order.status === 'open' && order.batch_id === null) return null;
  if (order.status === 'open') return `belongs to auto dispatch (${order.batch_id})`;
  if (order.status !== 'routed') return `is now ${order.status}`;
  return order.route_id === route?.id ? null : `is now in route ${order.route_id}`;
}

/** Creates the route at the service; sent twice, it is created once. */
export async function sendRoute(run: Run, planned: PlannedRoute): Promise<Route> {
  const { route } = await createRoute(run.context, planned, keyOf(run.plan, `route-${planned.number}`));
  run.keep({ ...run.plan, route: { ...planned, id: route.id } });
  return route;
}

/** Sends a route again that was unanswered when the plan was left; removes it from the plan if it is refused. */
export async function settleRoute(run: Run): Promise<void> {
  const { route } = run.plan;
  if (route === null || route.id !== null) return;
  try {
    await sendRoute(run, route);
  } catch (error) {
    if (!refusedWith(error, 'order_not_open', 'record_not_found')) throw error;
    run.keep(withoutRoute(run.plan));
  }
}

/** Deletes the draft route, which makes its orders open again. */
export async function deleteRoute(run: Run): Promise<void> {
  await settleRoute(run);
  const route_id = run.plan.route?.id ?? null;
  if (route_id === null) return;
  const client = await run.context.client();
  try {
    await client.routes.delete({ params: { route_id } });
    run.say(`Deleted route ${route_id}; its orders are open again.`);
    run.tell(invocation('routes delete', [route_id]));
  } catch (error) {
    if (!refusedWith(error, 'record_not_found')) throw error;
  }
  run.keep(withoutRoute(run.plan));
}

/**
 * Undoes what this wizard created: the draft route and the orders. Orders that were open before stay. False if someone
 * else uses some of it by now.
 */
export async function rollBack(run: Run): Promise<boolean> {
  let isWhole = true;
  run.hasUndone = true;
  await deleteRoute(run);
  for (const { id, isOurs, number } of run.plan.orders) {
    if (id !== null && isOurs && !(await cancelOrder(run, id))) isWhole = false;
    run.keep(withoutOrder(run.plan, number));
  }
  run.keep({ ...run.plan, draft: null });
  return isWhole;
}
