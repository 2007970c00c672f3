/** Erases the people from orders by their age: all people, of every order that has ended long enough ago. */
import type { ErasedPeople } from '../../domain/erasure.ts';
import type { Flag } from '../../storage/database.ts';
import { hasOpenDispute } from '../../storage/deliveries.ts';
import { markErased } from '../../storage/orders.ts';
import {
  type EndedQuery,
  type EndedRecord,
  endedDeliveries,
  endedOrders,
  type KeptOfOrder,
  readKeptOfOrder,
} from '../../storage/personal-data.ts';
import { StorageUnavailable } from '../../storage/storage.ts';
import type { SharedContext } from '../runtime/context.ts';
import { eraseOrder, tokensFrom } from './erase-orders.ts';
import { isFinished } from './people-in-orders.ts';

/** The number of orders that are found by one statement. */
const page_size = 100;
const everyone: ErasedPeople = { ends: ['pickup', 'dropoff'], drivers: true };

/**
 * Erases the people from the orders of a mode that ended before a time, until `hasToStop`: an order in each
 * transaction, so that requests do not wait long for it.
 */
export async function expireOrders(
  shared: SharedContext,
  { test_mode, before }: { test_mode: Flag; before: number },
  hasToStop: () => boolean,
): Promise<void> {
  const { clock } = shared.inMode(test_mode);
  for (const find of [endedDeliveries, endedOrders]) {
    let query: EndedQuery | null = { test_mode, before, after: null, limit: page_size };
    while (query !== null) {
      const wanted: EndedQuery = query;
      const found = await shared.storage.read((db) => find(db, wanted));
      for (const order_id of new Set(found.map((each) => each.order_id))) {
        if (hasToStop()) return;
        await expireOrder(shared, order_id, { before, now: clock.now() });
        await shared.timers.turn();
      }
      query = nextPage(wanted, found);
    }
  }
  // Also after a pass that erased nothing: an earlier one may have been stopped before this.
  await shared.storage.emptyLog();
}

/** The query for the page after `found`; null if that was the last. */
function nextPage(query: EndedQuery, found: readonly EndedRecord[]): EndedQuery | null {
  const after = found.at(-1);
  return after === undefined || found.length < query.limit ? null : { ...query, after };
}

async function expireOrder(
  { storage, secrets, onFault }: SharedContext,
  order_id: string,
  { before, now }: { before: number; now: number },
): Promise<void> {
  try {
    await storage.transaction(async (db) => {
      const kept = await readKeptOfOrder(db, order_id);
      // Another process may have erased it since it was found.
      if (kept === null || kept.order.erased_at !== null) return;
      if (lastEnd(kept) >= before || !(await isFinished(db, kept))) return;
      // An open dispute cannot be decided without the names and addresses.
      if (await hasOpenDispute(db, kept.deliveries)) return;
      await eraseOrder(db, kept, everyone, tokensFrom(secrets));
      await markErased(db, { order_id, now });
    });
  } catch (error) {
    if (error instanceof StorageUnavailable) throw error;
    // An order that cannot be read must not stop the erasure of the others.
    onFault?.(error, null);
  }
}

/** When the last delivery of an order ended; without a delivery, when the order did. */
function lastEnd({ order, deliveries }: KeptOfOrder): number {
  if (deliveries.length === 0) return order.updated_at;
  return Math.max(...deliveries.map(({ ended_at, updated_at }) => ended_at ?? updated_at));
}
