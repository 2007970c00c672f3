import type { listTries, Try } from '../../contract/batches.ts';
import { listOrderAttempts as listRows } from '../../storage/attempts.ts';
import type { AttemptRow } from '../../storage/database.ts';
import { findOrder } from '../../storage/orders.ts';
import type { Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { orderNotFound } from '../orders/order-handlers.ts';
import { instant, instantOrNull } from '../runtime/timestamps.ts';

/** Lists the attempts of an order; a manually dispatched order has none. */
export const pageOfAttempts: Handler<typeof listTries> = async ({ service, caller, params, query }) =>
  service.storage.read(async (db) => {
    const order = await findOrder(db, caller.scope, params.order_id);
    if (order === undefined) throw orderNotFound(params.order_id);
    const page = { ...caller.scope, ...pageRequest(query, 'try'), order_id: order.id };
    return pageOf(await listRows(db, page), attemptView);
  });

function attemptView(row: AttemptRow): Try {
  const { id, order_id, batch_id, number, status, route_id, provider, quote_id, delivery_id, reason } = row;
  return {
    id,
    object: 'try',
    ...{ order_id, batch_id, number, status, route_id, provider, quote_id, delivery_id, reason },
    left_out: JSON.parse(row.left_out),
    created_at: instant(row.created_at),
    ended_at: instantOrNull(row.ended_at),
  };
}
