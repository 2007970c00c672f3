import { records } from '../../../client/pages.ts';
import type { Try } from '../../../contract/batches.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import type { Order } from '../../../contract/orders.ts';
import type { Context } from '../../session/command.ts';

/** How auto dispatch selected the provider of a delivery. */
export interface Choice {
  batch_id: string;
  /** The attempt that created this delivery. */
  try: Try;
  /** Earlier attempts, newest first; at most ten. */
  earlier: Try[];
}

const max_earlier = 10;

/** Finds the auto-dispatch attempt behind a delivery; null if a merchant selected the quote or retried it. */
export async function choiceOf(context: Context, { id }: Delivery, order: Order): Promise<Choice | null> {
  if (order.batch_id === null) return null;
  const client = await context.client();
  const params = { order_id: order.id };
  let chosen: Try | null = null;
  const earlier: Try[] = [];
  const list = ({ query }: { query: { limit: number; cursor?: string | undefined } }) =>
    client.tries.list({ params, query });
  for await (const attempt of records(list, { limit: 100 })) {
    if (chosen !== null) earlier.push(attempt);
    else if (attempt.delivery_id === id) chosen = attempt;
    if (earlier.length === max_earlier) break;
  }
  return chosen === null ? null : { batch_id: order.batch_id, try: chosen, earlier };
}

/** The next attempt of auto dispatch for an order. */
export interface NextTry {
  order_id: string;
  at: string | null;
}

/** True while the order is pending in its batch, when it cannot be retried manually. */
export async function nextTryOf(context: Context, { id, batch_id }: Order): Promise<NextTry | null> {
  if (batch_id === null) return null;
  const client = await context.client();
  const { data } = await client.batches.get({ params: { batch_id } });
  const entry = data.orders.find(({ order_id }) => order_id === id);
  return entry?.status === 'pending' ? { order_id: id, at: entry.next_attempt_at } : null;
}
