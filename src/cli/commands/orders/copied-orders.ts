import { ApiError } from '../../../client/errors.ts';
import type { Order, OrderRequest } from '../../../contract/orders.ts';
import type { Context } from '../../session/command.ts';
import { findOrderId } from './find-order.ts';
import { copyOf, keepsStore } from './order-input.ts';

type Changes = Partial<OrderRequest>;

/**
 * Copies an order for `--like`, found by its ID, its delivery's ID or its reference, as a request. If its store no
 * longer exists, the copy has the store's fields. Fails with exit 5 if there is no such order, and with exit 2 if
 * several have the reference.
 */
export async function copyLike(context: Context, like: string, changes: Changes): Promise<Changes> {
  const { order, now } = await originalOf(context, like);
  const { pickup_store_id: store_id } = order;
  const isGone = store_id !== null && keepsStore(order, changes) && (await isStoreGone(context, store_id));
  if (!isGone) return copyOf(order, now, changes);
  context.note(`The store of ${order.id} is gone: its pickup fields are copied instead.`);
  return copyOf({ ...order, pickup_store_id: null }, now, changes);
}

interface Original {
  order: Order;
  /** The service's time in milliseconds since the epoch. */
  now: number;
}

async function originalOf(context: Context, like: string): Promise<Original> {
  const client = await context.client();
  const order_id = await findOrderId(context, like);
  const { data, service_time } = await client.orders.get({ params: { order_id } });
  return { order: data, now: service_time ?? context.now() };
}

/** True if the service responds that the store does not exist; after any other error the copy is attempted. */
async function isStoreGone(context: Context, store_id: string): Promise<boolean> {
  const client = await context.client();
  try {
    await client.stores.get({ params: { store_id } });
    return false;
  } catch (error) {
    if (error instanceof ApiError) return error.status === 404;
    throw error;
  }
}
