import { refusedWith } from '../../../client/errors.ts';
import type { Route } from '../../../contract/routes.ts';
import { invocation } from '../../kit/result/message.ts';
import { createRoute } from '../routes/route-requests.ts';
import { keyOf, type PlannedRoute, withoutRoute } from './plan.ts';
import type { Run } from './run.ts';

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
