import { promoteNext, stoppedQueues } from '../../../storage/webhook-messages.ts';
import { whileOwner } from '../../runtime/background-owner.ts';
import type { ServiceContext } from '../../runtime/context.ts';

const interval_ms = 5 * 60_000;
/** The maximum number of queues restarted by one search. */
const max_queues = 1_000;

/**
 * A search for queues without a due message, which must never occur. Restarts such queues and reports their number.
 * Calls within the interval do nothing.
 */
export function createQueueRepair(service: ServiceContext): () => Promise<void> {
  const { test_mode, storage, monotonic, clock } = service;
  let searched_at: number | null = null;
  const repair = async () => {
    const queues = await storage.run((db) => stoppedQueues(db, test_mode, max_queues));
    if (queues.length === 0) return;
    // Read committed: one statement decides and writes.
    const count = await storage.transaction((db) => promoteNext(db, queues, clock.now()), 'read committed');
    const message = `${count} stalled webhook queues were restarted; please report this`;
    if (count > 0) service.onFault?.(new Error(message), null);
  };
  return async () => {
    const now = monotonic.now();
    if (searched_at !== null && now - searched_at < interval_ms) return;
    if (await whileOwner(service, repair)) searched_at = now;
  };
}
