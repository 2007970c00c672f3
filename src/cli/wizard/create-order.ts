import type { Order } from '../../contract/orders.ts';
import { invocation } from '../kit/output/invocation.ts';
import { requestsOf } from '../orders/order-input.ts';
import { orderIn } from '../orders/order-sending.ts';
import { dropRoute } from './create-route.ts';
import { creationLine, type Field, fieldAt, labelOf, requestOf } from './fields.ts';
import { type Answers, type Draft, type PlannedOrder, unsettled, withOrder, withoutOrder } from './plan.ts';
import { faultOf, lookAtOrder } from './reconcile.ts';
import { faultsIn, type Run, refusedWith, writeKey } from './run.ts';

/**
 * Makes the order that was typed. Where the service refuses what it says, it is being typed again, and the fields
 * that are wrong are given back; else null.
 */
export async function makeOrder(run: Run, { answers, replaces }: Draft): Promise<Field[] | null> {
  const fields = await requestOf(run.context, answers);
  const [request] = requestsOf([fields], 'the order');
  const number = run.plan.count + 1;
  const order = { number, isOurs: true, answers, request: { ...request }, sent_at: null, id: null, replaces };
  return sendOrder(run, order);
}

/** Sends what was not heard of when the plan was left; closes what was to be replaced. */
export async function settleOrders(run: Run): Promise<void> {
  for (const order of unsettled(run.plan)) {
    if (order.id === null) await sendOrder(run, order);
    else await replace(run, order);
  }
}

/** The same order twice is one: its key is kept before it is sent. */
async function sendOrder(run: Run, order: PlannedOrder): Promise<Field[] | null> {
  const sent = { ...order, sent_at: run.context.now() };
  run.keep({ ...withOrder(run.plan, sent), draft: null });
  try {
    const { id } = await create(run, sent);
    const made = { ...sent, id };
    run.keep(withOrder(run.plan, made));
    run.say(`Created order ${id}. Equivalent command:`);
    run.tell(creationLine(order.answers));
    if (made.replaces !== null) await replace(run, made);
    return null;
  } catch (error) {
    const faults = faultsIn(error);
    if (faults === null) throw error;
    const { answers, replaces, number } = order;
    run.keep({ ...withoutOrder(run.plan, number), draft: { answers, items: [], replaces } });
    run.show('The order was not accepted:');
    const fields = faults.map(({ path, message }) => ({ field: fieldAt(path), message }));
    for (const { field, message } of fields)
      run.show(`  ${field === null ? '' : `${labelOf(field)}: `}${message}`);
    return [...new Set(fields.flatMap(({ field }) => field ?? []))];
  }
}

async function create(run: Run, { request, number }: PlannedOrder): Promise<Order> {
  const client = await run.context.client();
  const idempotencyKey = writeKey(run, `order-${number}`);
  const body = { orders: requestsOf([request], 'the order') };
  return orderIn((await client.orders.create({ body, idempotencyKey })).data);
}

/** The order that the new one stands for is closed, and leaves the plan. */
async function replace(run: Run, order: PlannedOrder): Promise<void> {
  const old = run.plan.orders.find(({ id }) => id !== null && id === order.replaces);
  if (order.replaces !== null && !(await closeOrder(run, order.replaces)))
    run.say(`The new order ${order.id} exists beside it.`);
  const others = old === undefined ? run.plan : withoutOrder(run.plan, old.number);
  run.keep(withOrder(others, { ...order, replaces: null }));
}

/**
 * Closes an order at the service, out of the draft route where it is in that. False where somebody else took it up
 * meanwhile, which is said.
 */
export async function closeOrder(run: Run, order_id: string): Promise<boolean> {
  await dropRoute(run);
  const order = await lookAtOrder(run, order_id);
  // One that is dispatched would have its delivery canceled, which may cost something.
  const left = order === null || faultOf(order, run.plan) !== null ? order : await canceled(run, order);
  if (left?.status !== 'canceled') {
    run.say(`Order ${order_id} ${faultOf(left, run.plan) ?? 'is open'} and was not canceled.`);
    return false;
  }
  run.say(`Canceled order ${order_id}.`);
  run.tell(invocation('orders cancel', [order_id]));
  return true;
}

async function canceled(run: Run, { id: order_id }: Order): Promise<Order | null> {
  const client = await run.context.client();
  const idempotencyKey = writeKey(run, `close-${order_id.slice(-10)}`);
  try {
    return (await client.orders.cancel({ params: { order_id }, idempotencyKey })).data;
  } catch (error) {
    if (!refusedWith(error, 'order_not_open')) throw error;
    return lookAtOrder(run, order_id);
  }
}

/** Orders that were open before, by their ids. */
export function addOrders(run: Run, ids: readonly string[]): void {
  for (const id of ids) {
    const number = run.plan.count + 1;
    const answers: Answers = {};
    const order = { number, isOurs: false, answers, request: {}, sent_at: null, id, replaces: null };
    run.keep(withOrder(run.plan, order));
  }
}
