import type { Connection, DeliveryRow } from '../../storage/database.ts';
import { deliveryByToken, loadDelivery } from '../../storage/deliveries.ts';
import { loadOrder } from '../../storage/orders.ts';
import { pendingOrder } from '../batches/order-outcomes.ts';

export interface LinkedDelivery {
  row: DeliveryRow;
  /** Whether it failed and auto dispatch tries its order again. */
  is_retried: boolean;
}

/**
 * The delivery that a tracking link leads to: the newest attempt of the order that the link was made for, so that a link
 * stays good when another courier carries the order. Null for an unknown link.
 */
export async function linkedDelivery(db: Connection, token: string): Promise<LinkedDelivery | null> {
  const linked = await deliveryByToken.query(db, token).executeTakeFirst();
  if (linked === undefined) return null;
  // Only an ended delivery is followed by another one.
  const order = linked.ended_at === null ? undefined : await loadOrder(db, linked.order_id);
  if (order === undefined || order.delivery_id === null) return { row: linked, is_retried: false };
  const newest = order.delivery_id === linked.id ? linked : await loadDelivery(db, order.delivery_id);
  const row = newest ?? linked;
  const isPending = row.status === 'failed' && (await pendingOrder(db, order.id)) !== null;
  return { row, is_retried: isPending };
}
