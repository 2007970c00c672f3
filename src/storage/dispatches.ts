import type { Connection, DispatchRow } from './database.ts';

export async function insertDispatch(db: Connection, dispatch: DispatchRow): Promise<void> {
  await db.insertInto('dispatches').values(dispatch).execute();
}

export async function findDispatch(db: Connection, id: string): Promise<DispatchRow | undefined> {
  return db.selectFrom('dispatches').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The dispatch a provider means when it names the key it was given. */
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

/** Writes a provider's answer down, once: false when there is one already. */
export async function settleDispatch(
  db: Connection,
  settle: { id: string; to: 'accepted' | 'refused'; reason: string | null; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('dispatches')
    .set({ state: settle.to, reason: settle.reason, updated_at: settle.now })
    .where('id', '=', settle.id)
    .where('state', '=', 'asking')
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}
