import { expect } from 'vitest';
import type { CourierEntryRow, DispatchRow } from '../../src/storage/database.ts';
import type { Storage } from '../../src/storage/storage.ts';

/** Checks that the couriers' records of these deliveries agree with the service's. */
export async function checkCourierRecords(
  storage: Storage,
  deliveries: readonly { id: string }[],
): Promise<void> {
  const ids = deliveries.map(({ id }) => id);
  if (ids.length === 0) return;
  const { dispatches, entries } = await storage.run(async (db) => {
    const routes = db.selectFrom('deliveries').select('route_id').where('id', 'in', ids);
    const dispatches = await db
      .selectFrom('dispatches')
      .selectAll()
      .where('route_id', 'in', routes)
      .where('route_id', '!=', '')
      .execute();
    const references = dispatches.map(({ id }) => id);
    const entries = await db
      .selectFrom('courier_entries')
      .selectAll()
      .where('reference', 'in', references.length === 0 ? [''] : references)
      .execute();
    return { dispatches, entries };
  });
  for (const dispatch of dispatches) {
    checkDispatch(
      dispatch,
      entries.filter(({ reference }) => reference === dispatch.id),
    );
  }
}

function checkDispatch({ id, provider, state, reason }: DispatchRow, entries: CourierEntryRow[]): void {
  const count = (kind: CourierEntryRow['kind']) => entries.filter((entry) => entry.kind === kind).length;
  const what = `${provider} and ${id}, which is ${state} (${reason})`;
  for (const entry of entries) expect(entry.provider, what).toBe(provider);
  expect(count('created'), `taken by ${what}`).toBeLessThanOrEqual(1);
  if (state === 'accepted') expect(count('created'), `taken by ${what}`).toBe(1);
  if (state !== 'refused' || count('created') === 0) return;
  // A courier that accepted after a cancellation must have received the cancellation later.
  expect(count('canceled'), `let go by ${what}`).toBeGreaterThan(0);
}
