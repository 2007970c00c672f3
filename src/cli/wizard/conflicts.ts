import type { Route } from '../../contract/routes.ts';
import { dispatchedAnswer } from '../dispatching/dispatched.ts';
import { Declined } from '../failures/failure.ts';
import { invocation } from '../kit/output/invocation.ts';
import { joinedTexts, phrase } from '../kit/output/message.ts';
import type { Choice } from '../kit/prompts/prompts.ts';
import type { Result } from '../result.ts';
import { answerOf } from '../shipping/arrival.ts';
import { dispatchedBefore } from '../shipping/dispatch-before.ts';
import type { Shipped } from '../shipping/shipping.ts';
import { newPlan, orderIds, withoutRoute } from './plan.ts';
import { mend, mendOrders } from './reconcile.ts';
import { type Run, refusedWith, type Turn } from './run.ts';
import { isWorthKeeping, standingText } from './status-text.ts';

/**
 * Where a refusal leads that comes of what somebody else did to the route or to its orders: the same again would be
 * refused again. Throws the error where all is as the plan has it.
 */
export async function meanwhile(run: Run, error: unknown): Promise<Turn> {
  if (!refusedWith(error, 'route_not_draft', 'order_not_open', 'record_not_found')) throw error;
  const { route, orders } = run.plan;
  const taken = await mend(run);
  if (taken !== null) return overtaken(run, taken);
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

/** What can still be done once somebody else dispatched the route; there is nothing to go back to. */
export async function overtaken(run: Run, route: Route): Promise<Turn> {
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
  await mendOrders(run);
  if (action === 'orders') return 'orders';
  const rest = isWorthKeeping(run.plan) ? [standingText(run.plan)] : [];
  throw new Declined(joinedTexts([`${become}.`, ...rest], ' '));
}

/** Its deliveries as they are by now. */
async function seen(run: Run, before: Route): Promise<Shipped> {
  const { route } = await dispatchedBefore(run.context, before);
  for (const order_id of orderIds(run.plan).filter((each) => !route.order_ids.includes(each)))
    run.say(`Order ${order_id} is not part of it and stays as it is.`);
  return { route, told: `Route ${route.id} is already ${route.status}.` };
}

/** However they end, there is nothing to take up again. */
async function followed(run: Run, made: Shipped): Promise<Result> {
  const { context } = run;
  run.keep(newPlan(run.plan.key));
  const until = { text: 'delivered', statuses: ['delivered'] } as const;
  const wait = { until, fail_on: null, timeout_ms: undefined, interval_ms: undefined };
  return answerOf(context, made, { ...wait, begun: context.now() });
}
