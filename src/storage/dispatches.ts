import { appendedTable } from './collected-inserts.ts';
import type { Connection, DispatchRow } from './database.ts';
import { rowsById } from './transaction-rows.ts';

const dispatches = appendedTable<DispatchRow>((db, rows) => db.insertInto('dispatches').values(rows));

export async function insertDispatch(db: Connection, dispatch: DispatchRow): Promise<void> {
  await dispatches.append(db, [dispatch]);
  kept.inserted(db, [dispatch]);
}

const kept = rowsById<DispatchRow>(
  ({ id }) => id,
  async (db, ids) => {
    await dispatches.flush(db);
    return db.selectFrom('dispatches').selectAll().where('id', 'in', ids).execute();
  },
);

/** Dispatches of any account, unordered: for background tasks, which know the ids from their own records. */
export const findDispatches = kept.read;

export const findDispatch = kept.readOne;

/** The dispatch with a provider's key. */
export async function findDispatchByKey(
  db: Connection,
  provider: string,
  provider_key: string,
): Promise<DispatchRow | undefined> {
  await dispatches.flush(db);
  return db
    .selectFrom('dispatches')
    .selectAll()
    .where('provider', '=', provider)
    .where('provider_key', '=', provider_key)
    .executeTakeFirst();
}

/** The dispatches of a route, oldest first. */
export async function dispatchesOfRoute(db: Connection, route_id: string): Promise<DispatchRow[]> {
  await dispatches.flush(db);
  return db.selectFrom('dispatches').selectAll().where('route_id', '=', route_id).orderBy('id').execute();
}

/** Records a provider's response once and returns the dispatch; undefined if it already has a response. */
export async function settleDispatch(
  db: Connection,
  settle: { id: string; to: 'accepted' | 'refused'; reason: string | null; now: number },
): Promise<DispatchRow | undefined> {
  await dispatches.flush(db);
  const settled = await db
    .updateTable('dispatches')
    .set({ state: settle.to, reason: settle.reason, unsettled: null, updated_at: settle.now })
    .where('id', '=', settle.id)
    .where('state', '=', 'asking')
    .returningAll()
    .executeTakeFirst();
  if (settled !== undefined) kept.inserted(db, [settled]);
  return settled;
}

/** Records why only a person can find out whether the provider has accepted. */
export async function markUnsettled(
  db: Connection,
  { id, unsettled, now }: { id: string; unsettled: string; now: number },
): Promise<void> {
  await dispatches.flush(db);
  await db
    .updateTable('dispatches')
    .set({ unsettled, updated_at: now })
    .where('id', '=', id)
    .where('state', '=', 'asking')
    .execute();
  kept.forget(db);
}
