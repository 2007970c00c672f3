import { audit_retention_days } from '../../domain/service-limits.ts';
import { deleteOldAuditEntries } from '../../storage/audit.ts';
import type { ServiceConfig } from '../runtime/context.ts';

const retention_ms = audit_retention_days * 24 * 60 * 60 * 1_000;
/** How often a process looks for old entries. */
const interval_ms = 60 * 60 * 1_000;
/** The maximum number of entries in one transaction, so that requests do not wait long for it. */
const batch_size = 1_000;

/**
 * Deletes the entries that are past their retention, when there is work anyway. While a batch leaves some, each call
 * deletes another one. Its failure has no consequences.
 */
export function createAuditCleaner({
  storage,
  wall,
  monotonic,
  onFault,
}: Pick<ServiceConfig, 'storage' | 'wall' | 'monotonic' | 'onFault'>): () => Promise<void> {
  let next_at = Number.NEGATIVE_INFINITY;
  return async () => {
    if (monotonic.now() < next_at) return;
    next_at = monotonic.now() + interval_ms;
    const batch = { created_before: wall.now() - retention_ms, limit: batch_size };
    try {
      const deleted = await storage.write((db) => deleteOldAuditEntries(db, batch));
      if (deleted === batch_size) next_at = Number.NEGATIVE_INFINITY;
    } catch (fault) {
      onFault?.(fault, null);
    }
  };
}
