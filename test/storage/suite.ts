import { describe, onTestFinished } from 'vitest';
import type { Connection } from '../../src/storage/database.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { insertAccounts } from './records.ts';
import { accountsSuite } from './suites/accounts.ts';
import { appendedRowsSuite } from './suites/appended-rows.ts';
import { courierEntriesSuite } from './suites/courier-entries.ts';
import { couriersSuite } from './suites/couriers.ts';
import { deletionSuite } from './suites/deletion.ts';
import { deliveriesSuite } from './suites/deliveries.ts';
import { deliveryQueriesSuite } from './suites/delivery-queries.ts';
import { erasureSuite } from './suites/erasure.ts';
import { eventsSuite } from './suites/events.ts';
import { idempotencySuite } from './suites/idempotency.ts';
import { lockedRowsSuite } from './suites/locked-rows.ts';
import { lookUpsSuite } from './suites/look-ups.ts';
import { ordersSuite } from './suites/orders.ts';
import { pagingSuite } from './suites/paging.ts';
import { quotesSuite } from './suites/quotes.ts';
import { tasksSuite } from './suites/tasks.ts';
import { transactionRowsSuite } from './suites/transaction-rows.ts';
import { transactionsSuite } from './suites/transactions.ts';
import { webhookEndpointsSuite } from './suites/webhook-endpoints.ts';
import { webhookMessagesSuite } from './suites/webhook-messages.ts';
import { webhookQueuesSuite } from './suites/webhook-queues.ts';

/** Gives a database with the two accounts and nothing else. */
export type FreshStorage = () => Promise<FreshDatabase>;

export interface FreshDatabase extends Storage {
  /** The database itself, with untranslated engine errors. */
  db: Connection;
  /** The same database, opened again; on SQLite, where a process opens a file once, the same object. */
  another(): Promise<Storage>;
}

/** A database without rows, and what opens it again. */
export interface Emptied {
  storage: Storage;
  another: FreshDatabase['another'];
}

/** Tests on one engine what the tests of the service show only by chance. */
export function storageSuite(engine: string, emptied: () => Promise<Emptied>): void {
  const fresh: FreshStorage = async () => {
    const { storage, another } = await emptied();
    const db = await storage.run(async (inside) => inside);
    await insertAccounts(db);
    return { ...storage, db, another };
  };
  describe(engine, () => {
    accountsSuite(fresh);
    ordersSuite(fresh);
    quotesSuite(fresh);
    deliveriesSuite(fresh);
    deliveryQueriesSuite(fresh);
    eventsSuite(fresh);
    erasureSuite(fresh);
    courierEntriesSuite(fresh);
    couriersSuite(fresh);
    deletionSuite(fresh);
    idempotencySuite(fresh);
    tasksSuite(fresh);
    pagingSuite(fresh);
    appendedRowsSuite(fresh);
    lockedRowsSuite(fresh);
    lookUpsSuite(fresh);
    transactionRowsSuite(fresh);
    transactionsSuite(fresh);
    webhookEndpointsSuite(fresh);
    webhookMessagesSuite(fresh);
    webhookQueuesSuite(fresh);
  });
}

/** Opens a storage until the end of the test. */
export async function openUntilTestEnds(location: string): Promise<Storage> {
  const storage = await openStorage(location);
  onTestFinished(() => storage.close());
  return storage;
}
