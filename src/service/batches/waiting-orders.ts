import type { listWaitingOrders } from '../../contract/orders.ts';
import { listPendingOrders } from '../../storage/batch-orders.ts';
import { loadBatches } from '../../storage/batches.ts';
import { loadOrders } from '../../storage/orders.ts';
import type { Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { orderView } from '../orders/order-view.ts';
import { instant, instantOrNull } from '../runtime/timestamps.ts';
import { settingsOfBatch } from './batch-settings.ts';

export const pageOfWaitingOrders: Handler<typeof listWaitingOrders> = async ({ service, caller, query }) =>
  service.storage.read(async (db) => {
    const page = await listPendingOrders(db, { ...caller.scope, ...pageRequest(query, 'ord') });
    const orders = await loadOrders(
      db,
      page.rows.map(({ order_id }) => order_id),
    );
    const batches = await loadBatches(
      db,
      page.rows.map(({ batch_id }) => batch_id),
    );
    return pageOf(page, ({ order_id, batch_id, attempts, next_attempt_at, reason }) => {
      const order = orders.find(({ id }) => id === order_id);
      const batch = batches.find(({ id }) => id === batch_id);
      if (order === undefined || batch === undefined) throw new Error(`order ${order_id} is not complete`);
      const { retry_window } = settingsOfBatch(batch);
      return {
        object: 'waiting_order',
        order: orderView(order),
        attempts,
        waiting_since: instant(batch.created_at),
        next_attempt_at: instantOrNull(next_attempt_at),
        retry_until: instant(batch.created_at + retry_window * 1000),
        reason,
      };
    });
  });
