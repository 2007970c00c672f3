import type { Connection, DispatchRow } from './database.ts';
import { keptRows } from './transaction-rows.ts';

const rows = keptRows<DispatchRow>('dispatches', ({ id }) => id);

const byId = rows.byKey((db, ids) =>
  db.selectFrom('dispatches').selectAll().where('id', 'in', ids).execute(),
);

const insertDispatches = rows.appendBy((db, dispatches) => db.insertInto('dispatches').values(dispatches));

export async function insertDispatch(db: Connection, dispatch: DispatchRow): Promise<void> {
  await insertDispatches(db, [dispatch]);
}

/** Dispatches of any account, unordered: for background tasks, which know the ids from their own records. */
export const findDispatches = byId.read;

export const findDispatch = byId.readOne;

/** The dispatch with a provider's key. */
export async function findDispatchByKey(
  db: Connection,
  provider: string,
  provider_key: string,
): Promise<DispatchRow | undefined> {
  return db
    .selectFrom('dispatches')
    .selectAll()
    .where('provider', '=', provider)
    .where('provider_key', '=', provider_key)
    .executeTakeFirst();
}

/** The dispatches of a route, oldest first. */
export async function dispatchesOfRoute(db: Connection, route_id: string): Promise<DispatchRow[]> {
  return db.selectFrom('dispatches').selectAll().where('route_id', '=', route_id).orderBy('id').execute();
}

/** Records a provider's response once and returns the dispatch; undefined if it already has a response. */
export async function settleDispatch(
  db: Connection,
  settle: { id: string; to: 'accepted' | 'refused'; reason: string | null; now: number },
): Promise<DispatchRow | undefined> {
  const [settled] = await rows.change(
    db,
    db
      .updateTable('dispatches')
      .set({ state: settle.to, reason: settle.reason, unsettled: null, updated_at: settle.now })
      .where('id', '=', settle.id)
      .where('state', '=', 'asking'),
  );
  return settled;
}

/** Records why only a person can find out whether the provider has accepted. */
export async function markUnsettled(
  db: Connection,
  { id, unsettled, now }: { id: string; unsettled: string; now: number },
): Promise<void> {
  await db
    .updateTable('dispatches')
    .set({ unsettled, updated_at: now })
    .where('id', '=', id)
    .where('state', '=', 'asking')
    .execute();
}
