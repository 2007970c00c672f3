import { refusedWith } from '../../../client/errors.ts';
import { isPastKey } from '../../../client/retries.ts';
import type { Route } from '../../../contract/routes.ts';
import { awaitedAnswer, fetchDispatched, type Outcome, outcomeAnswer } from '../../flow/deliver.ts';
import { Declined } from '../../kit/errors/failure.ts';
import type { Choice } from '../../kit/host/host.ts';
import { invocation, joinedTexts, phrase } from '../../kit/result/message.ts';
import type { Wait } from '../../nouns/delivery-waiting.ts';
import { fetchOrder } from '../../nouns/order.ts';
import { fetchRoute } from '../../nouns/route.ts';
import {
  isResumable,
  newPlan,
  orderIds,
  type Plan,
  type PlannedOrder,
  type Step,
  withoutOrder,
  withoutRoute,
} from './plan.ts';
import { settleRoute, whyUnusable } from './planned-orders.ts';
import { type Run, statusText, type Turn } from './run.ts';

/**
 * Resolves a refusal caused by someone else's change to the route or its orders, and returns the step to continue with.
 * Throws the error if nothing has changed: the same request would be refused again.
 */
export async function resolveConflict(run: Run, error: unknown): Promise<Turn> {
  if (!refusedWith(error, 'route_not_draft', 'order_not_open', 'record_not_found')) throw error;
  const { route, orders } = run.plan;
  const taken = await reconcile(run);
  if (taken !== null) return handleTakenRoute(run, taken);
  if (run.plan.route === route && run.plan.orders === orders) throw error;
  return run.plan.step;
}

type Action = 'follow' | 'see' | 'orders' | 'leave';

const actions: readonly Choice<Action>[] = [
  { name: 'Watch its deliveries until they end', value: 'follow' },
  { name: 'Show its deliveries and quit', value: 'see' },
  { name: 'Start again from the orders', value: 'orders' },
  { name: 'Quit', value: 'leave' },
];

/** Asks what to do once someone else has dispatched the route. There is no step to go back to. */
export async function handleTakenRoute(run: Run, route: Route): Promise<Turn> {
  const { context, prompts } = run;
  const become = `Route ${route.id} is now ${route.status}`;
  const see = invocation('routes get', [route.id]);
  context.setInterruptionText(phrase`${become}. See it with: \`${see}\`.`);
  run.say(`${become}: someone else changed it.`);
  run.tell(see);
  const action = await prompts.select('What now?', actions);
  if (action === 'see') {
    const outcome = await takenOutcome(run, route);
    return { end: () => outcomeAnswer(context, outcome) };
  }
  if (action === 'follow') {
    const outcome = await takenOutcome(run, route);
    const end = () => {
      // The dispatch is done, so nothing remains to be resumed.
      run.keep(newPlan(run.plan.key));
      return awaitedAnswer(context, outcome, { ...until_delivered, started_at: context.now() });
    };
    return { end };
  }
  run.keep(withoutRoute(run.plan));
  await reconcileOrders(run);
  if (action === 'orders') return 'orders';
  const rest = isResumable(run.plan) ? [statusText(run)] : [];
  throw new Declined(joinedTexts([`${become}.`, ...rest], ' '));
}

/** The deliveries of the route, which someone else has dispatched. */
export async function takenOutcome({ context, plan, say }: Run, before: Route): Promise<Outcome> {
  const { route } = await fetchDispatched(context, before);
  for (const order_id of orderIds(plan).filter((each) => !route.order_ids.includes(each)))
    say(`Order ${order_id} is not part of it and stays as it is.`);
  return { route, text: `Route ${route.id} is already ${route.status}.` };
}

const until_delivered: Pick<Wait, 'until' | 'fail_on' | 'timeout_ms' | 'interval_ms'> = {
  until: { text: 'delivered', statuses: ['delivered'] },
  fail_on: null,
  timeout_ms: undefined,
  interval_ms: undefined,
};

/**
 * Compares the plan with the service; what no longer exists is reported and removed from the plan. Returns the route
 * if it is no longer a draft.
 */
export async function reconcile(run: Run): Promise<Route | null> {
  forgetUnrepeatable(run);
  await settleRoute(run);
  const route_id = run.plan.route?.id ?? null;
  const route = route_id === null ? null : await fetchRoute(run.context, route_id);
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
    const fault = id === null ? null : whyUnusable(await fetchOrder(run.context, id), run.plan);
    if (fault === null) continue;
    run.say(`Order ${id} ${fault}: removed from this delivery.`);
    run.keep(withoutOrder(run.plan, number));
    isChanged = true;
  }
  return isChanged;
}

/** Forgets unanswered requests that may not be repeated: their key is too old, or the service has no keys. */
export function forgetUnrepeatable(run: Run): void {
  const hasKeys = run.context.has('idempotency');
  const isForgotten = (sent_at: number) => !hasKeys || isPastKey(sent_at, run.context.now());
  const isLost = ({ id, sent_at }: PlannedOrder) => id === null && sent_at !== null && isForgotten(sent_at);
  const why = hasKeys ? 'the request is too old to repeat' : 'the service would create another one';
  for (const { number, answers, replaces } of run.plan.orders.filter(isLost)) {
    run.say(`It is not known whether the last order was created: ${why}.`);
    run.tell(hasKeys ? invocation('orders list', [], { status: 'open' }) : invocation('orders list'));
    run.keep({ ...withoutOrder(run.plan, number), draft: { answers, items: [], replaces } });
  }
  const { dispatch, route } = run.plan;
  if (!hasKeys && route !== null && route.id === null) run.keep(withoutRoute(run.plan));
  if (dispatch === null || !isForgotten(dispatch.sent_at)) return;
  if (!hasKeys) {
    run.say('It is not known whether the route was dispatched. Look before you dispatch it again:');
    run.tell(invocation('deliveries list'));
  }
  run.keep({ ...run.plan, dispatch: null });
}

/** The step of the plan, or the last one before it whose requirements are met. */
function lastValidStep({ step, orders, route }: Plan): Step {
  if (orders.length === 0 || orders.some(({ id }) => id === null)) return 'orders';
  return route === null && step !== 'orders' ? 'route' : step;
}
