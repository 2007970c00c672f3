/** What a store says about dispatching its orders: whether it is paused, and which providers are asked. */
import { Problem } from '../../contract/errors.ts';
import { findZone } from '../../domain/addresses.ts';
import type { Connection, OrderRow, StoreRow } from '../../storage/database.ts';
import { loadStores } from '../../storage/places.ts';
import { instant } from '../runtime/time.ts';
import { storeRecord } from '../stores/store-record.ts';
import { type OrderRecord, orderRecord } from './order.ts';

/** Reads the stores of orders with one query, before each order needs its own. */
export async function storesOfOrders(db: Connection, orders: readonly OrderRow[]): Promise<StoreRow[]> {
  const ids = orders.flatMap((order) => orderRecord(order).store_id ?? []);
  return ids.length === 0 ? [] : loadStores(db, ids);
}

/** Until when a store is paused at a time; null if it is not. */
export function findPauseEnd(store: StoreRow, now: number): number | null {
  const { paused_until = 0 } = storeRecord(store);
  return paused_until > now ? paused_until : null;
}

/** The time of a pause without an end, and those after it. */
const paused_without_end = Date.parse('9999-01-01T00:00:00.000Z');

/** Why the orders of a paused store wait: `the store "Grill" is paused until Mar 2, 3:00 PM CST`. */
export function pauseText(store: StoreRow, until: number): string {
  const { name, address } = storeRecord(store);
  const end = until >= paused_without_end ? '' : ` until ${timeAt(until, findZone(address))}`;
  return `the store "${name}" is paused${end}`;
}

/** A time for people at a place; without a known zone as an ISO text. */
function timeAt(at: number, timeZone: string | null): string {
  if (timeZone === null) return instant(at);
  return new Intl.DateTimeFormat('en-US', {
    ...({ timeZone, month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const),
    timeZoneName: 'short',
  })
    .format(at)
    .replaceAll('\u202f', ' ');
}

/** Requires that no store of the orders is paused. Throws `store_paused`. */
export async function requireOpenStores(
  db: Connection,
  orders: readonly OrderRow[],
  now: number,
): Promise<void> {
  for (const store of await storesOfOrders(db, orders)) {
    const until = findPauseEnd(store, now);
    if (until === null) continue;
    const message = `Nothing is dispatched: ${pauseText(store, until)}.`;
    throw new Problem('store_paused', message, [], { related_ids: [store.id] });
  }
}

/** The providers that the store of an order asks, in order of preference; null for all. */
export async function providersOfStore(
  db: Connection,
  { store_id }: Pick<OrderRecord, 'store_id'>,
): Promise<readonly string[] | null> {
  if (store_id === null) return null;
  const [store] = await loadStores(db, [store_id]);
  const names = store === undefined ? [] : (storeRecord(store).providers ?? []);
  return names.length === 0 ? null : names;
}
