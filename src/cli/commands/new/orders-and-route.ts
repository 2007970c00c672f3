/**
 * The orders and the route of the plan at the service. They are created, replaced and undone with keys that are saved
 * beforehand, and compared with the service after others have changed them.
 */
import { refusedWith } from '../../../client/errors.ts';
import { isPastKey } from '../../../client/retries.ts';
import type { Order } from '../../../contract/orders.ts';
import type { Route } from '../../../contract/routes.ts';
import { awaitedAnswer, fetchDispatched, type Outcome, outcomeAnswer } from '../../flow/dispatch-outcome.ts';
import { Declined } from '../../kit/errors/failure.ts';
import type { Choice } from '../../kit/host/host.ts';
import { invocation, joinedTexts, phrase } from '../../kit/result/message.ts';
import type { Wait } from '../../nouns/delivery-waiting.ts';
import { createOrder, fetchOrder } from '../../nouns/order.ts';
import { guardRefs } from '../../nouns/order-checks.ts';
import { toOrderRequests } from '../../nouns/order-input.ts';
import { createRoute, fetchRoute } from '../../nouns/route.ts';
import { creationLine, describeField, type Field, faultsIn, fieldAt, orderRequestFrom } from './answers.ts';
import {
  type Answers,
  type Draft,
  isResumable,
  newPlan,
  orderIds,
  type Plan,
  type PlannedOrder,
  type PlannedRoute,
  type Step,
  unfinishedOrders,
  withOrder,
  withoutOrder,
  withoutRoute,
  writeKey,
} from './plan.ts';
import { continueText, type Run, type StepResult } from './run.ts';

/**
 * Creates the order of the draft. Returns null; if the service refuses the order, it is a draft again and the wrong
 * fields are returned.
 */
export async function createDraft(run: Run, { answers, replaces }: Draft): Promise<Field[] | null> {
  const fields = await orderRequestFrom(run.context, answers);
  const [request] = toOrderRequests([fields], 'the order');
  const number = run.plan.count + 1;
  const order = { number, isOurs: true, answers, request: { ...request }, sent_at: null, id: null, replaces };
  return sendOrder(run, order);
}

/** Sends again what was unanswered when the plan was left, and cancels the orders that were to be replaced. */
export async function finishUnansweredOrders(run: Run): Promise<void> {
  for (const order of unfinishedOrders(run.plan)) {
    if (order.id === null) await sendOrder(run, order);
    else await cancelReplaced(run, order);
  }
}

/** The idempotency key is saved before the request, so that sending the order twice creates it once. */
async function sendOrder(run: Run, order: PlannedOrder): Promise<Field[] | null> {
  const sent = { ...order, sent_at: run.context.now() };
  run.savePlan({ ...withOrder(run.plan, sent), draft: null });
  try {
    const [request] = toOrderRequests([order.request], 'the order');
    if (request === undefined) throw new Error('the order has no request');
    const key = writeKey(run.plan, `order-${order.number}`);
    const unique = await guardRefs(run.context, [request], {
      allowDuplicateRef: false,
      replaces: order.replaces,
    });
    const { id } = await unique((check) => createOrder(run.context, request, key, check));
    const made = { ...sent, id };
    run.savePlan(withOrder(run.plan, made));
    run.print(`Created order ${id}. Equivalent command:`);
    run.printCommand(creationLine(order.answers));
    if (made.replaces !== null) await cancelReplaced(run, made);
    return null;
  } catch (error) {
    const faults =
      error instanceof Declined
        ? [{ path: 'external_order_ref', message: 'is in use; nothing was created' }]
        : faultsIn(error);
    if (faults === null) throw error;
    const { answers, replaces, number } = order;
    run.savePlan({ ...withoutOrder(run.plan, number), draft: { answers, items: [], replaces } });
    run.print('The order was not accepted:');
    const fields = faults.map(({ path, message }) => ({ field: fieldAt(path), message }));
    for (const { field, message } of fields)
      run.print(`  ${field === null ? '' : `${describeField(field)}: `}${message}`);
    return [...new Set(fields.flatMap(({ field }) => field ?? []))];
  }
}

/** Cancels the order that the new one replaces, and removes it from the plan. */
async function cancelReplaced(run: Run, order: PlannedOrder): Promise<void> {
  const old = run.plan.orders.find(({ id }) => id !== null && id === order.replaces);
  if (order.replaces !== null && !(await cancelOrder(run, order.replaces)))
    run.print(`The new order ${order.id} exists beside it.`);
  const others = old === undefined ? run.plan : withoutOrder(run.plan, old.number);
  run.savePlan(withOrder(others, { ...order, replaces: null }));
}

export function addOrders(run: Run, ids: readonly string[]): void {
  for (const id of ids) {
    const number = run.plan.count + 1;
    const answers: Answers = {};
    const order = { number, isOurs: false, answers, request: {}, sent_at: null, id, replaces: null };
    run.savePlan(withOrder(run.plan, order));
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
    run.print(`Order ${order_id} ${whyUnusable(left, run.plan) ?? 'is open'} and was not canceled.`);
    return false;
  }
  run.print(`Canceled order ${order_id}.`);
  run.printCommand(invocation('orders cancel', [order_id]));
  return true;
}

async function sendCancellation(run: Run, { id: order_id }: Order): Promise<Order | null> {
  const client = await run.context.client();
  const idempotencyKey = writeKey(run.plan, `close-${order_id.slice(-10)}`);
  try {
    return (await client.orders.cancel({ params: { order_id }, idempotencyKey })).data;
  } catch (error) {
    if (!refusedWith(error, 'order_not_open')) throw error;
    return fetchOrder(run.context, order_id);
  }
}

/** Why the order cannot be in the route of the plan, or null. */
function whyUnusable(order: Order | null, { route }: Plan): string | null {
  if (order === null) return 'no longer exists';
  const { status, route_id, batch_id } = order;
  if (status === 'routed') return route_id === route?.id ? null : `is now in route ${route_id}`;
  // A service may leave out the status.
  if (closedStatuses.includes(status)) return `is now ${status}`;
  return batch_id === null ? null : `belongs to auto dispatch (${batch_id})`;
}

const closedStatuses: readonly string[] = ['dispatched', 'unfulfilled', 'failed', 'canceled'];

/** Creates the route at the service; sent twice, it is created once. */
export async function sendRoute(run: Run, planned: PlannedRoute): Promise<Route> {
  const { route } = await createRoute(run.context, planned, writeKey(run.plan, `route-${planned.number}`));
  run.savePlan({ ...run.plan, route: { ...planned, id: route.id } });
  return route;
}

/** Sends a route again that was unanswered when the plan was left; removes it from the plan if it is refused. */
export async function finishUnansweredRoute(run: Run): Promise<void> {
  const { route } = run.plan;
  if (route === null || route.id !== null) return;
  try {
    await sendRoute(run, route);
  } catch (error) {
    if (!refusedWith(error, 'order_not_open', 'record_not_found')) throw error;
    run.savePlan(withoutRoute(run.plan));
  }
}

/** Deletes the draft route, which makes its orders open again. */
export async function deleteRoute(run: Run): Promise<void> {
  await finishUnansweredRoute(run);
  const route_id = run.plan.route?.id ?? null;
  if (route_id === null) return;
  const client = await run.context.client();
  try {
    await client.routes.delete({ params: { route_id } });
    run.print(`Deleted route ${route_id}; its orders are open again.`);
    run.printCommand(invocation('routes delete', [route_id]));
  } catch (error) {
    if (!refusedWith(error, 'record_not_found')) throw error;
  }
  run.savePlan(withoutRoute(run.plan));
}

/**
 * Undoes what this wizard created: the draft route and the orders. Orders that were open before stay. False if someone
 * else uses some of it by now.
 */
export async function rollBack(run: Run): Promise<boolean> {
  let isWhole = true;
  run.hasUndone = true;
  // An order whose response was lost may exist: sending it again returns its ID, by which it is then canceled.
  forgetUnrepeatable(run);
  await finishUnansweredOrders(run);
  await deleteRoute(run);
  for (const { id, isOurs, number } of run.plan.orders) {
    if (id !== null && isOurs && !(await cancelOrder(run, id))) isWhole = false;
    run.savePlan(withoutOrder(run.plan, number));
  }
  run.savePlan({ ...run.plan, draft: null });
  return isWhole;
}

/**
 * Resolves a refusal caused by someone else's change to the route or its orders, and returns the step to continue with.
 * Throws the error if nothing has changed: the same request would be refused again.
 */
export async function resolveConflict(run: Run, error: unknown): Promise<StepResult> {
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
export async function handleTakenRoute(run: Run, route: Route): Promise<StepResult> {
  const { context, prompts } = run;
  const become = `Route ${route.id} is now ${route.status}`;
  const see = invocation('routes get', [route.id]);
  context.setInterruptionText(phrase`${become}. See it with: \`${see}\`.`);
  run.print(`${become}: someone else changed it.`);
  run.printCommand(see);
  const action = await prompts.select('What now?', actions);
  if (action === 'see') {
    const outcome = await takenOutcome(run, route);
    return { end: () => outcomeAnswer(context, outcome) };
  }
  if (action === 'follow') {
    const outcome = await takenOutcome(run, route);
    const end = () => {
      // The dispatch is done, so nothing remains to be resumed.
      run.savePlan(newPlan(run.plan.key));
      return awaitedAnswer(context, outcome, { ...until_delivered, started_at: context.now() });
    };
    return { end };
  }
  run.savePlan(withoutRoute(run.plan));
  await reconcileOrders(run);
  if (action === 'orders') return 'orders';
  const rest = isResumable(run.plan) ? [continueText(run)] : [];
  throw new Declined(joinedTexts([`${become}.`, ...rest], ' '));
}

/** The deliveries of the route, which someone else has dispatched. */
export async function takenOutcome({ context, plan, print }: Run, before: Route): Promise<Outcome> {
  const { route } = await fetchDispatched(context, before);
  for (const order_id of orderIds(plan).filter((each) => !route.order_ids.includes(each)))
    print(`Order ${order_id} is not part of it and stays as it is.`);
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
  await finishUnansweredRoute(run);
  const route_id = run.plan.route?.id ?? null;
  const route = route_id === null ? null : await fetchRoute(run.context, route_id);
  if (route !== null && route.status !== 'draft') return route;
  if (route_id !== null && route === null) {
    run.print(`Route ${route_id} no longer exists.`);
    run.savePlan(withoutRoute(run.plan));
  }
  await reconcileOrders(run);
  run.savePlan({ ...run.plan, step: lastValidStep(run.plan) });
  return null;
}

/** Removes the orders from the plan that are canceled, gone, or used by someone else. True if there were any. */
export async function reconcileOrders(run: Run): Promise<boolean> {
  let isChanged = false;
  for (const order of run.plan.orders) {
    const { id, number } = order;
    const fault = id === null ? null : whyUnusable(await fetchOrder(run.context, id), run.plan);
    if (fault === null) continue;
    run.print(`Order ${id} ${fault}: removed from this delivery.`);
    run.savePlan(withoutOrder(run.plan, number));
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
    run.print(`It is not known whether the last order was created: ${why}.`);
    run.printCommand(hasKeys ? invocation('orders list', [], { status: 'open' }) : invocation('orders list'));
    run.savePlan({ ...withoutOrder(run.plan, number), draft: { answers, items: [], replaces } });
  }
  const { dispatch, route } = run.plan;
  if (!hasKeys && route !== null && route.id === null) run.savePlan(withoutRoute(run.plan));
  if (dispatch === null || !isForgotten(dispatch.sent_at)) return;
  if (!hasKeys) {
    run.print('It is not known whether the route was dispatched. Look before you dispatch it again:');
    run.printCommand(invocation('deliveries list'));
  }
  run.savePlan({ ...run.plan, dispatch: null });
}

/** The step of the plan, or the last one before it whose requirements are met. */
function lastValidStep({ step, orders, route }: Plan): Step {
  if (orders.length === 0 || orders.some(({ id }) => id === null)) return 'orders';
  return route === null && step !== 'orders' ? 'route' : step;
}
