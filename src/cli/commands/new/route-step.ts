import { refusedWith } from '../../../client/errors.ts';
import type { Route } from '../../../contract/routes.ts';
import type { Choice } from '../../kit/host/host.ts';
import { invocation } from '../../kit/result/message.ts';
import { distanceText, fetchRoute } from '../../nouns/route.ts';
import { handleTakenRoute, reconcileOrders } from './conflicts.ts';
import { isRouteCurrent, orderIds, type Plan, withoutRoute } from './plan.ts';
import { deleteRoute, sendRoute, settleRoute } from './planned-orders.ts';
import { leave, Quit, type Run, type Turn, unlessBack } from './run.ts';

type RouteAction = 'quotes' | 'turn' | 'leave';

/** Makes sure that there is a draft route of the current orders; an outdated one is deleted first. */
export async function routeStep(run: Run): Promise<Turn> {
  if (orderIds(run.plan).length === 0) return 'back';
  const route = await draftRoute(run);
  if (route === null) return 'again';
  if (route.status !== 'draft') return handleTakenRoute(run, route);
  for (const { sequence, kind, address } of route.stops) run.say(`  ${sequence}. ${kind} at ${address}`);
  // A service may not describe its routes.
  const isKnown = route.stops.length > 0;
  const message = `${isKnown ? `${route.stops.length} stops, ${distanceText(route)}. ` : ''}What now?`;
  const action = await unlessBack(() => run.prompts.select(message, routeActions(run.plan), { back: true }));
  if (action === null) return 'back';
  if (action === 'leave') throw new Quit();
  if (action === 'quotes') return 'next';
  run.keep({ ...run.plan, optimize: !run.plan.optimize });
  return 'again';
}

function routeActions(plan: Plan): Choice<RouteAction>[] {
  const turned = plan.optimize ? 'Keep the stops in the given order' : 'Optimize the order of the stops';
  return [
    { name: 'Request quotes', value: 'quotes' },
    ...(orderIds(plan).length > 1 ? [{ name: turned, value: 'turn' } as const] : []),
    leave,
  ];
}

/** Returns the draft route; null if an order is no longer open, after removing it from the plan. */
async function draftRoute(run: Run): Promise<Route | null> {
  await settleRoute(run);
  const known = run.plan.route;
  if (known?.id && isRouteCurrent(run.plan)) {
    const route = await fetchRoute(run.context, known.id);
    if (route !== null) return route;
    run.say(`Route ${known.id} no longer exists.`);
    run.keep(withoutRoute(run.plan));
  }
  await deleteRoute(run);
  const { plan } = run;
  const number = plan.count + 1;
  const planned = { number, order_ids: orderIds(plan), optimize: plan.optimize, id: null };
  run.keep({ ...withoutRoute(plan), count: number, route: planned });
  try {
    const route = await sendRoute(run, planned);
    run.say(`Created draft route ${route.id}. Equivalent command:`);
    const flags = planned.order_ids.length > 1 && !planned.optimize ? ['--no-optimize'] : [];
    run.tell(invocation('routes create', [...planned.order_ids, ...flags]));
    return route;
  } catch (error) {
    if (!refusedWith(error, 'order_not_open', 'record_not_found')) throw error;
    run.keep(withoutRoute(run.plan));
    if (!(await reconcileOrders(run))) throw error;
    return null;
  }
}
