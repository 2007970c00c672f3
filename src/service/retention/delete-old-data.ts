/** Deletes what is older than its retention, table by table. */
import { idempotency_key_life_ms, type Retention } from '../../domain/operator-settings.ts';
import { allAccounts, deleteOldAuditEntries } from '../../storage/accounts.ts';
import type { Connection, Flag } from '../../storage/database.ts';
import {
  clearOldReports,
  deleteOldAttempts,
  deleteOldEvents,
  deleteUnusedQuotes,
  endpointIdsOf,
  type OldLimits,
  weighPictures,
} from '../../storage/deletion.ts';
import { deleteOldTaps } from '../../storage/drivers.ts';
import { deleteOldKeys } from '../../storage/idempotency.ts';
import { deleteOldPlaces } from '../../storage/places.ts';
import { expireOrders } from '../personal-data/expire-orders.ts';
import type { TrustedTime } from '../runtime/base-clock.ts';
import type { SharedContext } from '../runtime/context.ts';

/** The maximum number of rows in one transaction, so that requests do not wait long for it. */
const batch_size = 500;

/** Handles one batch of rows and returns their number; a full batch may have left some. */
type Step = (db: Connection) => Promise<number>;

/** The time that a jump of the clock may take from a key before it is noticed: see `createCleaner`. */
const key_margin_ms = 2 * idempotency_key_life_ms;

/** The times before which rows are old. What may contain personal data is kept no longer than that of orders. */
export function ageLimits(retention: Retention, { now, steady_ms }: TrustedTime): OldLimits {
  const max_ms = retention.personal_data_ms ?? Number.POSITIVE_INFINITY;
  const limit = (kept_ms: number) => now - Math.min(kept_ms, max_ms);
  return {
    events: now - retention.events_ms,
    attempts: limit(retention.attempts_ms),
    reports: limit(retention.reports_ms),
    quotes: limit(retention.quotes_ms),
    audit: now - retention.audit_ms,
    places: limit(retention.places_ms),
    people: retention.personal_data_ms === null ? null : now - retention.personal_data_ms,
    keys: now - idempotency_key_life_ms - (steady_ms >= idempotency_key_life_ms ? 0 : key_margin_ms),
  };
}

/** Deletes everything that is past its retention, in small transactions, until `hasToStop`. */
export async function deleteOldData(
  shared: SharedContext,
  retention: Retention,
  time: TrustedTime,
  hasToStop: () => boolean,
): Promise<void> {
  const { storage, timers } = shared;
  const limits = ageLimits(retention, time);
  const limit = batch_size;
  const repeat = async (step: Step) => {
    let count = limit;
    while (count === limit && !hasToStop()) {
      count = await storage.transaction(step);
      await timers.turn();
    }
  };
  await repeat((db) => deleteOldKeys(db, { before: limits.keys, limit }));
  await repeat((db) => deleteOldAuditEntries(db, { created_before: limits.audit, limit }));
  const test_ahead_ms = await aheadOf(shared, 1);
  await repeat((db) => clearOldReports(db, { before: limits.reports, test_ahead_ms, limit }));
  await storage.run((db) => deleteOldTaps(db, limits.reports));
  await repeat((db) => deleteOldPlaces(db, { before: limits.places, limit }));
  for (const prefix of ['rq_', 'quo_'] as const) {
    await repeat((db) => deleteUnusedQuotes(db, { prefix, before: limits.quotes, limit }));
  }
  const modes: readonly Flag[] = [0, 1];
  for (const { id: account_id } of await storage.read((db) => allAccounts(db))) {
    for (const test_mode of modes) {
      const ahead_ms = await aheadOf(shared, test_mode);
      const scope = { account_id, test_mode };
      // Pictures of an earlier version have no size yet, and count in no limit: each is read here, in the background.
      await repeat(async (db) => ((await weighPictures(db, scope)) ? limit : 0));
      await repeat((db) => deleteOldEvents(db, { ...scope, before: limits.events + ahead_ms, limit }));
      const before = limits.attempts + ahead_ms;
      for (const endpoint_id of await storage.read((db) => endpointIdsOf(db, scope))) {
        await repeat((db) => deleteOldAttempts(db, { endpoint_id, before, limit }));
      }
    }
  }
  const { people } = limits;
  if (people === null) return;
  for (const test_mode of modes) {
    const before = people + (await aheadOf(shared, test_mode));
    await expireOrders(shared, { test_mode, before }, hasToStop);
  }
}

/** How far the clock of a mode was set ahead of the others by its sandbox. */
async function aheadOf({ inMode }: SharedContext, test_mode: Flag): Promise<number> {
  const { clock } = inMode(test_mode);
  await clock.refresh();
  return clock.ahead_ms();
}
