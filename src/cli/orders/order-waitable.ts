import { ApiError } from '../../client/errors.ts';
import type { Order } from '../../contract/orders.ts';
import { type OrderStatus, orderStatuses } from '../../contract/vocabulary.ts';
import { patienceFor } from '../batches/awaiting.ts';
import { lookAtBatch } from '../batches/look.ts';
import { orderColumns } from '../columns/orders.ts';
import type { Context } from '../context.ts';
import { endingText } from '../deliveries/status-words.ts';
import { BadOutcome } from '../failures/failure.ts';
import type { NextStep } from '../kit/output/invocation.ts';
import { invocation } from '../kit/output/invocation.ts';
import { phrase } from '../kit/output/message.ts';
import type { Remark } from '../kit/polling/hints.ts';
import { record } from '../result.ts';
import type { Told } from '../waiting/event-notifications.ts';
import type { Moving } from '../waiting/status-records.ts';
import { type Course, outcomeAlong } from '../waiting/status-targets.ts';
import { holdOf } from './auto-hold.ts';

/** What is told of orders; that one is put in a route is not. */
export const toldOfOrders: Told = {
  types: ['order.dispatched', 'order.unfulfilled', 'order.failed', 'order.canceled'],
  isAbout: () => true,
};

const course: Course<OrderStatus> = {
  way: ['open', 'routed', 'dispatched'],
  left: { dispatched: ['failed', 'canceled'], unfulfilled: [], failed: [], canceled: [] },
};

const patience_ms = 1_800_000;

/** How long an order is waited for where nobody says it: as long as auto dispatch tries. */
export async function orderPatience(context: Context, { batch_id }: Order): Promise<number> {
  if (batch_id === null) return patience_ms;
  return patienceFor((await lookAtBatch(context, batch_id)).settings);
}

/** Orders as they are waited for. */
export const movingOrders: Moving<Order, OrderStatus> = {
  noun: 'order',
  statuses: orderStatuses,
  look: async (context, order_id) => {
    const client = await context.client();
    return (await client.orders.get({ params: { order_id } })).data;
  },
  told: ({ id }) => ({ ...toldOfOrders, isAbout: (data) => data.id === id }),
  standing: ({ id, status }) => phrase`${id} is ${status}. See it with: ${invocation('orders get', [id])}`,
  idle: (_, order) => nobodyMovesIt(order),
  outcome: async (context, order, goal) => {
    const outcome = outcomeAlong(order.status, goal, course);
    const isGivenUp = goal.fail_on?.includes('failed') ?? false;
    // Auto dispatch tries again what was refused.
    if (outcome !== 'lost' || order.status !== 'failed' || isGivenUp) return outcome;
    return (await holdOf(context, order)) === null ? 'lost' : 'open';
  },
  failure: async (context, order, details) => {
    const { text, next } = await reasonOf(context, order);
    const { id, status } = order;
    return new BadOutcome(`${id} ${text}`, { code: `order_${status}`, next, ...details });
  },
  answer: (order) => record(order, orderColumns),
  words: wordsOf,
};

function wordsOf({ status, batch_id, route_id, delivery_id }: Order): string {
  switch (status) {
    case 'open':
      return batch_id === null ? 'in no route yet' : `auto dispatch looks for a courier, in ${batch_id}`;
    case 'routed':
      return route_id === null ? `kept as ${delivery_id ?? 'a delivery'}` : `in ${route_id}`;
    case 'dispatched':
      return delivery_id ?? '';
    case 'unfulfilled':
      return 'nobody quoted in time';
    case 'failed':
      return 'its last dispatch was refused';
    case 'canceled':
      return delivery_id ?? '';
    default:
      return '';
  }
}

/** Of an order that somebody has to go on with: by waiting nothing happens to it. */
function nobodyMovesIt(order: Order): Remark | null {
  const { id, status, batch_id, route_id, delivery_id } = order;
  if (batch_id !== null || (status !== 'open' && status !== 'routed')) return null;
  const command =
    status === 'open'
      ? invocation('routes create', [id])
      : route_id === null
        ? invocation('deliveries initiate', [delivery_id ?? id])
        : invocation('routes quote', [route_id]);
  const message = phrase`${id} is ${wordsOf(order)}, and waits for somebody to go on with it: ${command}`;
  return { code: 'waits_for_somebody', message, command, when: 'go on with it' };
}

interface Reason {
  /** A sentence without its subject. */
  text: string;
  next: NextStep[];
}

/** Why an order is where it is: its delivery tells it, else its batch. */
async function reasonOf(context: Context, order: Order): Promise<Reason> {
  const { id, status, batch_id, delivery_id } = order;
  const tries = { ...invocation('orders tries', [id]), when: 'see who was asked, and why not' };
  const look = { ...invocation('orders get', [id]), when: 'see it' };
  if (delivery_id !== null) {
    const client = await context.client();
    const explain = {
      ...invocation('deliveries explain', [delivery_id]),
      when: 'see what happened',
    };
    const delivery = await client.deliveries.get({ params: { deliveryid: delivery_id } }).catch(unknown);
    if (delivery !== null)
      return { text: `is ${status}: ${delivery_id} ${endingText(delivery.data)}`, next: [explain] };
  }
  if (batch_id === null) return { text: `is ${status}.`, next: [look] };
  const batch = await lookAtBatch(context, batch_id).catch(unknown);
  const reason = batch?.orders.find(({ order_id }) => order_id === id)?.reason ?? '';
  return { text: `is ${status}${reason === '' ? '' : `: ${reason.replace(/\.+$/, '')}`}.`, next: [tries] };
}

/** The reason is a help: where it cannot be read, there is none. */
function unknown(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}
