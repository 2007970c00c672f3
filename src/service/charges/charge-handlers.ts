import type { Charge, listCharges } from '../../contract/accounting.ts';
import type { ChargeRow } from '../../storage/database.ts';
import {
  type ChargedDelivery,
  chargedDeliveries,
  listCharges as listRows,
} from '../../storage/deliveries.ts';
import type { Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { instant } from '../runtime/time.ts';

export const pageOfCharges: Handler<typeof listCharges> = async ({ service, caller, query }) => {
  const { delivery_id, order_id, kind } = query;
  const wanted = { ...caller.scope, ...pageRequest(query, 'chg'), delivery_id, order_id, kind };
  return service.storage.read(async (db) => {
    const page = await listRows(db, wanted);
    const charged = await chargedDeliveries(db, page.rows);
    return pageOf(page, (row) => chargeView(row, charged.get(row.delivery_id)));
  });
};

/** A charge or refund as returned by the API. */
function chargeView(
  { id, delivery_id, kind, reason, amount, test_mode, created_at }: ChargeRow,
  delivery: ChargedDelivery | undefined,
): Charge {
  return {
    id,
    object: 'charge',
    delivery_id,
    external_order_ref: delivery?.external_order_ref ?? '',
    store_id: delivery?.store_id ?? null,
    kind,
    reason,
    amount,
    currency: 'USD',
    test_mode: test_mode === 1,
    created_at: instant(created_at),
  };
}
