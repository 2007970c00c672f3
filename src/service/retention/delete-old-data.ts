import type { Retention } from '../../domain/operator-settings.ts';
import { allAccounts, deleteOldAuditEntries } from '../../storage/accounts.ts';
import type { Connection, Flag } from '../../storage/database.ts';
import {
  clearOldReports,
  deleteOldAttempts,
  deleteOldEvents,
  deleteUnusedQuotes,
  endpointIdsOf,
} from '../../storage/deletion.ts';
import { deleteOldTaps } from '../../storage/drivers.ts';
import { deleteOldKeys } from '../../storage/idempotency.ts';
import { leaseTime } from '../../storage/locks.ts';
import { deleteOldPlaces } from '../../storage/places.ts';
import { expireOrders } from '../personal-data/erase-orders.ts';
import type { SharedContext } from '../runtime/context.ts';

/** The maximum number of rows in one transaction, so that requests do not wait long for it. */
const batch_size = 500;

/** Handles one batch of rows and returns their number; a full batch may have left some. */
type Step = (db: Connection) => Promise<number>;

/** The retention of what may contain personal data, which is kept no longer than that of orders. */
function limited(retention: Retention): Retention {
  const max_ms = retention.personal_data_ms ?? Number.POSITIVE_INFINITY;
  return {
    ...retention,
    attempts_ms: Math.min(retention.attempts_ms, max_ms),
    reports_ms: Math.min(retention.reports_ms, max_ms),
    quotes_ms: Math.min(retention.quotes_ms, max_ms),
    places_ms: Math.min(retention.places_ms, max_ms),
  };
}

/** Deletes everything that is past its retention, in small transactions, until `hasToStop`. */
export async function deleteOldData(shared: SharedContext, hasToStop: () => boolean): Promise<void> {
  const { storage, timers, wall } = shared;
  const retention = limited(shared.retention);
  const limit = batch_size;
  const repeat = async (step: Step) => {
    let count = limit;
    while (count === limit && !hasToStop()) {
      count = await storage.transaction(step);
      await timers.turn();
    }
  };
  const now = wall.now();
  await storage.run((db) => deleteOldKeys(db, leaseTime(shared)));
  await repeat((db) => deleteOldAuditEntries(db, { created_before: now - retention.audit_ms, limit }));
  await repeat((db) => clearOldReports(db, { before: now - retention.reports_ms, limit }));
  await storage.run((db) => deleteOldTaps(db, now - retention.reports_ms));
  await repeat((db) => deleteOldPlaces(db, { before: now - retention.places_ms, limit }));
  for (const prefix of ['rq_', 'quo_'] as const) {
    await repeat((db) => deleteUnusedQuotes(db, { prefix, before: now - retention.quotes_ms, limit }));
  }
  const modes: readonly Flag[] = [0, 1];
  for (const { id: account_id } of await storage.read((db) => allAccounts(db))) {
    for (const test_mode of modes) {
      const { clock } = shared.inMode(test_mode);
      await clock.refresh();
      const scope = { account_id, test_mode };
      const events = { ...scope, before: clock.now() - retention.events_ms, limit };
      await repeat((db) => deleteOldEvents(db, events));
      const before = clock.now() - retention.attempts_ms;
      for (const endpoint_id of await storage.read((db) => endpointIdsOf(db, scope))) {
        await repeat((db) => deleteOldAttempts(db, { endpoint_id, before, limit }));
      }
    }
  }
  const { personal_data_ms: kept_ms } = retention;
  if (kept_ms === null) return;
  for (const test_mode of modes) await expireOrders(shared, { test_mode, kept_ms }, hasToStop);
}
