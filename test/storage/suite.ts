import { describe, onTestFinished } from 'vitest';
import { openStorage, type Storage } from '../../src/storage/storage.ts';
import { insertAccounts } from './records.ts';
import { accountsSuite } from './suites/accounts.ts';
import { deliveriesSuite } from './suites/deliveries.ts';
import { idempotencySuite } from './suites/idempotency.ts';
import { ordersSuite } from './suites/orders.ts';
import { pagingSuite } from './suites/paging.ts';
import { quotesSuite } from './suites/quotes.ts';
import { tasksSuite } from './suites/tasks.ts';
import { transactionsSuite } from './suites/transactions.ts';

/** Opens a new database that holds the two accounts; it is closed when the test ends. */
export type FreshStorage = () => Promise<FreshDatabase>;

export interface FreshDatabase extends Storage {
  /** The same database, opened again; on SQLite, where a process opens a file once, itself. */
  another(): Promise<Storage>;
}

/** Proves every function of the storage on one engine. */
export function storageSuite(engine: string, newLocation: () => Promise<string>): void {
  const fresh: FreshStorage = async () => {
    const location = await newLocation();
    const storage = await openUntilTestEnds(location);
    await insertAccounts(storage.db);
    const another = async () => (storage.engine === 'sqlite' ? storage : openUntilTestEnds(location));
    return { ...storage, another };
  };
  describe(engine, () => {
    accountsSuite(fresh);
    ordersSuite(fresh);
    quotesSuite(fresh);
    deliveriesSuite(fresh);
    idempotencySuite(fresh);
    tasksSuite(fresh);
    pagingSuite(fresh);
    transactionsSuite(fresh);
  });
}

async function openUntilTestEnds(location: string): Promise<Storage> {
  const storage = await openStorage(location);
  onTestFinished(() => storage.close());
  return storage;
}
