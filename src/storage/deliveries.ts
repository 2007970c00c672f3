import type { DeliveryStatus } from '../contract/vocabulary.ts';
import type { Connection, DeliveryRow, Flag, Scope } from './database.ts';
import type { Lookup } from './lookups.ts';
import type { Page, PageQuery } from './paging.ts';
import { batches, type OneOrMore, statuses } from './rows.ts';

export interface DeliveryQuery extends PageQuery {
  status?: OneOrMore<DeliveryStatus> | undefined;
  external_order_ref?: string | undefined;
  service?: string | undefined;
  /** Of either end, as it is stored. */
  phone?: string | undefined;
}

/** What a change of a delivery may set. */
export type DeliveryChange = Partial<Omit<DeliveryRow, 'id' | keyof Scope | 'created_at' | 'updated_at'>>;

export async function insertDeliveries(db: Connection, deliveries: readonly DeliveryRow[]): Promise<void> {
  for (const batch of batches(deliveries)) {
    await db.insertInto('deliveries').values(batch).execute();
  }
}

/** A delivery of an account and mode. */
export const deliveryById: Lookup<DeliveryRow, [id: string, account_id: string, test_mode: Flag]> = {
  name: 'delivery by id',
  sample: ['id', 'account', 1],
  query: (db, id, account_id, test_mode) =>
    db
      .selectFrom('deliveries')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', account_id)
      .where('test_mode', '=', test_mode),
};

/** For background work, which knows the id from a record of its own. */
export async function loadDelivery(db: Connection, id: string): Promise<DeliveryRow | undefined> {
  return db.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The deliveries of a route, oldest first. */
export async function deliveriesOfRoute(db: Connection, route_id: string): Promise<DeliveryRow[]> {
  return db.selectFrom('deliveries').selectAll().where('route_id', '=', route_id).orderBy('id').execute();
}

export async function listDeliveries(db: Connection, query: DeliveryQuery): Promise<Page<DeliveryRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const all = db.selectFrom('deliveries').selectAll().where(pageBounds(query, 'dlv_'));
  const { external_order_ref, service, phone } = query;
  let deliveries = all;
  if (external_order_ref !== undefined) {
    deliveries = deliveries.where('external_order_ref', '=', external_order_ref);
  }
  if (service !== undefined) {
    deliveries = deliveries.where('service', '=', service);
  }
  const ends = phone === undefined ? [deliveries] : eitherEnd(deliveries, phone);
  const each =
    query.status === undefined
      ? ends
      : statuses(query.status).flatMap((status) => ends.map((end) => end.where('status', '=', status)));
  return readPage(db, query.limit, each);
}

type DeliverySelection = ReturnType<typeof selection>;

function selection(db: Connection) {
  return db.selectFrom('deliveries').selectAll();
}

/** One query for each end, without a row in both. */
function eitherEnd(deliveries: DeliverySelection, phone: string): DeliverySelection[] {
  return [
    deliveries.where('pickup_phone', '=', phone),
    deliveries.where('dropoff_phone', '=', phone).where('pickup_phone', '!=', phone),
  ];
}

/** Changes a delivery that is in one of the statuses `from`; false, and nothing changed, when it is not. */
export async function updateDelivery(
  db: Connection,
  update: { id: string; from: OneOrMore<DeliveryStatus>; change: DeliveryChange; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('deliveries')
    .set({ ...update.change, updated_at: update.now })
    .where('id', '=', update.id)
    .where('status', 'in', statuses(update.from))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
