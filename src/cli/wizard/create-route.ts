import type { Route } from '../../contract/routes.ts';
import { invocation } from '../kit/output/invocation.ts';
import { orderIds, type PlannedRoute, withoutRoute } from './plan.ts';
import { type Run, refusedWith, writeKey } from './run.ts';

/** The route as it is by now; null where there is none any more. */
export async function lookAtRoute(
  { context }: Pick<Run, 'context'>,
  route_id: string,
): Promise<Route | null> {
  const client = await context.client();
  try {
    return (await client.routes.get({ params: { route_id } })).data;
  } catch (error) {
    if (refusedWith(error, 'record_not_found')) return null;
    throw error;
  }
}

/** Makes the draft route of the orders as they are by now. */
export async function makeRoute(run: Run): Promise<Route> {
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

/** Sends a route again that was not heard of when the plan was left; one that cannot be made leaves the plan. */
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

/** Deletes the draft route, which gives its orders back. */
export async function dropRoute(run: Run): Promise<void> {
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
