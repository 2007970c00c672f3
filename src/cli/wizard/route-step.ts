import type { Route } from '../../contract/routes.ts';
import type { Choice } from '../kit/prompts/prompts.ts';
import { overtaken } from './conflicts.ts';
import { dropRoute, lookAtRoute, makeRoute, settleRoute } from './create-route.ts';
import { isRouteCurrent, orderIds, type Plan, withoutRoute } from './plan.ts';
import { mendOrders } from './reconcile.ts';
import { Left, leave, type Run, refusedWith, type Turn, unlessBack } from './run.ts';

type Action = 'quotes' | 'turn' | 'leave';

/** A draft route of the orders; one that is of others, or stops in another way, gives its orders back first. */
export async function routeStep(run: Run): Promise<Turn> {
  if (orderIds(run.plan).length === 0) return 'back';
  const route = await draftRoute(run);
  if (route === null) return 'again';
  if (route.status !== 'draft') return overtaken(run, route);
  for (const { sequence, kind, address } of route.stops) run.show(`  ${sequence}. ${kind} at ${address}`);
  const message = `${route.stops.length} stops, ${route.distance_miles} mi. What now?`;
  const action = await unlessBack(() =>
    run.prompts.select(message, actionsFor(run.plan), { back: true, id: 'route' }),
  );
  if (action === null) return 'back';
  if (action === 'leave') throw new Left();
  if (action === 'quotes') return 'next';
  run.keep({ ...run.plan, optimize: !run.plan.optimize });
  return 'again';
}

function actionsFor(plan: Plan): Choice<Action>[] {
  const turned = plan.optimize ? 'Keep the stops in the given order' : 'Optimize the order of the stops';
  return [
    { name: 'Request quotes', value: 'quotes' },
    ...(orderIds(plan).length > 1 ? [{ name: turned, value: 'turn' } as const] : []),
    leave,
  ];
}

/** Null where an order is not free any more: which one, is said and mended. */
async function draftRoute(run: Run): Promise<Route | null> {
  await settleRoute(run);
  const known = run.plan.route;
  if (known?.id && isRouteCurrent(run.plan)) {
    const route = await lookAtRoute(run, known.id);
    if (route !== null) return route;
    run.say(`Route ${known.id} no longer exists.`);
    run.keep(withoutRoute(run.plan));
  }
  await dropRoute(run);
  try {
    return await makeRoute(run);
  } catch (error) {
    if (!refusedWith(error, 'order_not_open', 'record_not_found')) throw error;
    run.keep(withoutRoute(run.plan));
    if (!(await mendOrders(run))) throw error;
    return null;
  }
}
