import type { Order } from '../../contract/orders.ts';
import type { Route } from '../../contract/routes.ts';
import { isPastKey } from '../imports/keys.ts';
import { invocation } from '../kit/output/invocation.ts';
import { fetchRoute, settleRoute } from './create-route.ts';
import { type Plan, type PlannedOrder, type Step, withoutOrder, withoutRoute } from './plan.ts';
import { type Run, refusedWith } from './run.ts';

/**
 * Compares the plan with the service; what no longer exists is reported and removed from the plan. Returns the route
 * if it is no longer a draft.
 */
export async function reconcile(run: Run): Promise<Route | null> {
  forgetExpired(run);
  await settleRoute(run);
  const route_id = run.plan.route?.id ?? null;
  const route = route_id === null ? null : await fetchRoute(run, route_id);
  if (route !== null && route.status !== 'draft') return route;
  if (route_id !== null && route === null) {
    run.say(`Route ${route_id} no longer exists.`);
    run.keep(withoutRoute(run.plan));
  }
  await reconcileOrders(run);
  run.keep({ ...run.plan, step: lastValidStep(run.plan) });
  return null;
}

/** Removes the orders from the plan that are canceled, gone, or used by someone else. True if there were any. */
export async function reconcileOrders(run: Run): Promise<boolean> {
  let isChanged = false;
  for (const order of run.plan.orders) {
    const { id, number } = order;
    const fault = id === null ? null : faultOf(await fetchOrder(run, id), run.plan);
    if (fault === null) continue;
    run.say(`Order ${id} ${fault}: removed from this delivery.`);
    run.keep(withoutOrder(run.plan, number));
    isChanged = true;
  }
  return isChanged;
}

/** Fetches the order; null if it no longer exists. */
export async function fetchOrder({ context }: Run, order_id: string): Promise<Order | null> {
  const client = await context.client();
  try {
    return (await client.orders.get({ params: { order_id } })).data;
  } catch (error) {
    if (refusedWith(error, 'record_not_found')) return null;
    throw error;
  }
}

/** Why the order cannot be in the route of the plan, or null. */
export function faultOf(order: Order | null, { route }: Plan): string | null {
  if (order === null) return 'no longer exists';
  if (order.status === 'open' && order.batch_id === null) return null;
  if (order.status === 'open') return `belongs to auto dispatch (${order.batch_id})`;
  if (order.status !== 'routed') return `is now ${order.status}`;
  return order.route_id === route?.id ? null : `is now in route ${order.route_id}`;
}

/** Forgets unanswered requests that are too old to be repeated with the same key. */
function forgetExpired(run: Run): void {
  const isOld = ({ id, sent_at }: PlannedOrder) =>
    id === null && sent_at !== null && isPastKey(sent_at, run.context.now());
  for (const { number, answers, replaces } of run.plan.orders.filter(isOld)) {
    run.say('It is not known whether the last order was created: the request is too old to repeat.');
    run.tell(invocation('orders list', [], { status: 'open' }));
    run.keep({ ...withoutOrder(run.plan, number), draft: { answers, items: [], replaces } });
  }
  const { dispatch } = run.plan;
  if (dispatch !== null && isPastKey(dispatch.sent_at, run.context.now()))
    run.keep({ ...run.plan, dispatch: null });
}

/** The step of the plan, or the last one before it whose requirements are met. */
function lastValidStep({ step, orders, route }: Plan): Step {
  if (orders.length === 0 || orders.some(({ id }) => id === null)) return 'orders';
  return route === null && step !== 'orders' ? 'route' : step;
}
