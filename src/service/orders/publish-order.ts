import type { OrderStatus } from '../../contract/vocabulary.ts';
import type { OrderRow } from '../../storage/database.ts';
import { publishEvent } from '../events/publish-event.ts';
import type { WriteContext } from '../runtime/context.ts';
import { orderView } from './order-view.ts';

/** The order statuses that are published. */
type PublishedStatus = Extract<OrderStatus, 'dispatched' | 'unfulfilled' | 'failed' | 'canceled'>;

/** Publishes the status that an order has reached. */
export async function publishOrder(
  context: WriteContext,
  type: `order.${PublishedStatus}`,
  row: OrderRow,
): Promise<void> {
  const { account_id, test_mode, delivery_id, batch_id } = row;
  const id_parts = [row.id, type, delivery_id ?? ''];
  const data = orderView(row);
  // An event with a delivery is found by it.
  const order_id = delivery_id === null ? row.id : null;
  await publishEvent(context, {
    account_id,
    test_mode,
    type,
    id_parts,
    delivery_id,
    batch_id,
    order_id,
    data,
  });
}
