import { records } from '../../../client/pages.ts';
import type { Try } from '../../../contract/batches.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import type { Order } from '../../../contract/orders.ts';
import type { Context } from '../../session/context.ts';

/** Who chose the provider of a delivery, where it was auto dispatch, and why. */
export interface Choice {
  batch_id: string;
  /** The try that led to this delivery. */
  try: Try;
  /** Those before it, the newest first; at most ten. */
  earlier: Try[];
}

/** As many as somebody reads. */
const mostEarlier = 10;

/** How auto dispatch came to a delivery; null where a merchant chose, by hand or by a retry. */
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
    if (earlier.length === mostEarlier) break;
  }
  return chosen === null ? null : { batch_id: order.batch_id, try: chosen, earlier };
}

/** When auto dispatch tries an order again itself; null where it does not. */
export interface NextTry {
  order_id: string;
  at: string | null;
}

/** Whether the order is still pending in its batch: then nobody else may try it again. */
export async function nextTryOf(context: Context, { id, batch_id }: Order): Promise<NextTry | null> {
  if (batch_id === null) return null;
  const client = await context.client();
  const { data } = await client.batches.get({ params: { batch_id } });
  const entry = data.orders.find(({ order_id }) => order_id === id);
  return entry?.status === 'pending' ? { order_id: id, at: entry.next_attempt_at } : null;
}
