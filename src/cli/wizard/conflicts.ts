import type { Route } from '../../contract/routes.ts';
import { Declined } from '../failures/failure.ts';
import type { Shipped } from '../flow/deliver.ts';
import { dispatchedAnswer } from '../flow/outcome.ts';
import { invocation } from '../kit/output/invocation.ts';
import { joinedTexts, phrase } from '../kit/output/message.ts';
import type { Choice } from '../kit/prompts/prompts.ts';
import type { Result } from '../result.ts';
import { answerOf } from '../shipping/arrival.ts';
import { dispatchedBefore } from '../shipping/dispatch-before.ts';
import { newPlan, orderIds, withoutRoute } from './plan.ts';
import { reconcile, reconcileOrders } from './reconcile.ts';
import { type Run, refusedWith, type Turn } from './run.ts';
import { isResumable, statusText } from './status-text.ts';

/**
 * Resolves a refusal that is caused by a change of someone else to the route or its orders, and returns the step to
 * continue with. Throws the error if nothing has changed: the same request would be refused again.
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
  context.standing(phrase`${become}. See it with: \`${see}\`.`);
  run.say(`${become}: someone else changed it.`);
  run.tell(see);
  const action = await prompts.select('What now?', actions);
  if (action === 'see') {
    const { route: dispatched, told } = await seen(run, route);
    return { result: dispatchedAnswer(context, dispatched, told) };
  }
  if (action === 'follow') {
    const made = await seen(run, route);
    return { awaited: () => followed(run, made) };
  }
  run.keep(withoutRoute(run.plan));
  await reconcileOrders(run);
  if (action === 'orders') return 'orders';
  const rest = isResumable(run.plan) ? [statusText(run.plan)] : [];
  throw new Declined(joinedTexts([`${become}.`, ...rest], ' '));
}

/** Fetches the deliveries of the route. */
async function seen(run: Run, before: Route): Promise<Shipped> {
  const { route } = await dispatchedBefore(run.context, before);
  for (const order_id of orderIds(run.plan).filter((each) => !route.order_ids.includes(each)))
    run.say(`Order ${order_id} is not part of it and stays as it is.`);
  return { route, told: `Route ${route.id} is already ${route.status}.` };
}

/** Watches the deliveries. There is nothing to resume, whatever their outcome. */
async function followed(run: Run, made: Shipped): Promise<Result> {
  const { context } = run;
  run.keep(newPlan(run.plan.key));
  const until = { text: 'delivered', statuses: ['delivered'] } as const;
  const wait = { until, fail_on: null, timeout_ms: undefined, interval_ms: undefined };
  return answerOf(context, made, { ...wait, begun: context.now() });
}
