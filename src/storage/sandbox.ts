import type { Connection, Scope } from './database.ts';
import { inScope } from './scope.ts';

/**
 * Deletes all records of an account's test mode and their tasks; keeps the API keys, their audit entries, and one
 * idempotency key. Returns the number of deleted deliveries.
 */
export async function deleteTestRecords(
  db: Connection,
  account_id: string,
  kept_key: string,
): Promise<number> {
  const scope: Scope = { account_id, test_mode: 1 };
  await deleteTasks(db, scope);
  await deleteQuotes(db, scope);
  const routes = idsOf(db, 'routes', scope);
  const deliveries = idsOf(db, 'deliveries', scope);
  await db
    .deleteFrom('courier_entries')
    .where('reference', 'in', db.selectFrom('dispatches').select('id').where('route_id', 'in', routes))
    .execute();
  await db.deleteFrom('dispatches').where('route_id', 'in', routes).execute();
  await db
    .deleteFrom('batch_orders')
    .where('order_id', 'in', idsOf(db, 'orders', scope))
    .execute();
  await db.deleteFrom('reports').where('delivery_id', 'in', deliveries).execute();
  for (const table of ['driver_taps', 'driver_pushes'] as const) {
    await db
      .deleteFrom(table)
      .where('driver_id', 'in', idsOf(db, 'drivers', scope))
      .execute();
  }
  for (const table of [
    'failed_tasks',
    'search_documents',
    'charges',
    'disputes',
    'delivery_notes',
    'webhook_messages',
    'webhook_attempts',
    'events',
    'stores',
    'courier_bookings',
    'driver_assignments',
    'proof_pictures',
    'drivers',
    'tries',
    'batches',
    'orders',
    'routes',
  ] as const) {
    await db.deleteFrom(table).where(inScope(scope)).execute();
  }
  await db.deleteFrom('idempotency_keys').where(inScope(scope)).where('key', '!=', kept_key).execute();
  const result = await db.deleteFrom('deliveries').where(inScope(scope)).executeTakeFirst();
  return Number(result.numDeletedRows);
}

function idsOf(
  db: Connection,
  table: 'orders' | 'routes' | 'deliveries' | 'batches' | 'drivers',
  scope: Scope,
) {
  return db.selectFrom(table).select('id').where(inScope(scope));
}

/** A worker that runs one of them loses its claim, and so writes nothing. */
async function deleteTasks(db: Connection, scope: Scope): Promise<void> {
  for (const table of ['orders', 'routes', 'deliveries', 'batches'] as const) {
    await db
      .deleteFrom('tasks')
      .where('subject', 'in', idsOf(db, table, scope))
      .execute();
  }
}

/** Quotes belong to a route; those of version 1 have none and belong to the mode in their record. */
async function deleteQuotes(db: Connection, scope: Scope): Promise<void> {
  const routes = idsOf(db, 'routes', scope);
  const jobs = db.selectFrom('jobs').select('id').where('route_id', 'in', routes);
  await db.deleteFrom('quote_declines').where('job_id', 'in', jobs).execute();
  await db.deleteFrom('quotes').where('route_id', 'in', routes).execute();
  await db.deleteFrom('jobs').where('route_id', 'in', routes).execute();
  await db
    .deleteFrom('quotes')
    .where('route_id', '=', '')
    .where('account_id', '=', scope.account_id)
    .where('record', 'like', '%"isTest":true%')
    .execute();
}
