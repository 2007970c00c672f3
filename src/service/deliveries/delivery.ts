/** Finds the delivery that a request names, if it is the caller's. */
import { Problem } from '../../contract/errors.ts';
import type { Connection, DeliveryRow } from '../../storage/database.ts';
import { deliveryById, lockDelivery } from '../../storage/deliveries.ts';
import type { CallBase } from '../http/handler.ts';

/** The caller's delivery. Throws `record_not_found`. */
export async function deliveryFor(db: Connection, { caller }: CallBase, id: string): Promise<DeliveryRow> {
  const { account_id, test_mode } = caller.scope;
  const row = await deliveryById.query(db, id, account_id, test_mode).executeTakeFirst();
  if (row === undefined) throw noDelivery(id);
  return row;
}

/** The caller's delivery, locked until the transaction ends, for changes that follow from what it is. Throws `record_not_found`. */
export async function lockDeliveryFor(
  db: Connection,
  { caller }: CallBase,
  id: string,
): Promise<DeliveryRow> {
  const row = await lockDelivery(db, id);
  const { account_id, test_mode } = caller.scope;
  if (row?.account_id === account_id && row.test_mode === test_mode) return row;
  throw noDelivery(id);
}

export function noDelivery(id: string): Problem {
  return new Problem('record_not_found', `There is no delivery ${id}.`);
}
