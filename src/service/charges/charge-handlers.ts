import type { Charge, listCharges } from '../../contract/accounting.ts';
import type { ChargeRow } from '../../storage/database.ts';
import { listCharges as listRows } from '../../storage/deliveries.ts';
import type { Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { instant } from '../runtime/time.ts';

export const pageOfCharges: Handler<typeof listCharges> = async ({ service, caller, query }) => {
  const { delivery_id, order_id, kind } = query;
  const wanted = { ...caller.scope, ...pageRequest(query, 'chg'), delivery_id, order_id, kind };
  const page = await service.storage.read((db) => listRows(db, wanted));
  return pageOf(page, chargeView);
};

/** A charge or refund as returned by the API. */
function chargeView({ id, delivery_id, kind, reason, amount, test_mode, created_at }: ChargeRow): Charge {
  return {
    id,
    object: 'charge',
    delivery_id,
    kind,
    reason,
    amount,
    currency: 'USD',
    test_mode: test_mode === 1,
    created_at: instant(created_at),
  };
}
