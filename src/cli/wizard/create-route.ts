import type { Route } from '../../contract/routes.ts';
import { invocation } from '../kit/output/invocation.ts';
import { orderIds, type PlannedRoute, withoutRoute } from './plan.ts';
import { type Run, refusedWith, writeKey } from './run.ts';

/** Fetches the route; null if it no longer exists. */
export async function fetchRoute({ context }: Pick<Run, 'context'>, route_id: string): Promise<Route | null> {
  const client = await context.client();
  try {
    return (await client.routes.get({ params: { route_id } })).data;
  } catch (error) {
    if (refusedWith(error, 'record_not_found')) return null;
    throw error;
  }
}

/** Creates the draft route of the current orders. */
export async function createRoute(run: Run): Promise<Route> {
  const { plan } = run;
  const number = plan.count + 1;
  const route = { number, order_ids: orderIds(plan), optimize: plan.optimize, id: null };
  run.keep({ ...withoutRoute(plan), count: number, route });
  const made = await sendRoute(run, route);
  run.say(`Created draft route ${made.id}. Equivalent command:`);
  const flags = route.order_ids.length > 1 && !route.optimize ? ['--no-optimize'] : [];
  run.tell(invocation('routes create', [...route.order_ids, ...flags]));
  return made;
}

async function sendRoute(run: Run, route: PlannedRoute): Promise<Route> {
  const client = await run.context.client();
  const { order_ids, optimize, number } = route;
  const { data } = await client.routes.create({
    body: { order_ids: [...order_ids], optimize },
    idempotencyKey: writeKey(run, `route-${number}`),
  });
  run.keep({ ...run.plan, route: { ...route, id: data.id } });
  return data;
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
