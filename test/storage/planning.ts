import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import type { Connection } from '../../src/storage/database.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { sqliteBuilder } from '../../src/storage/sqlite-driver.ts';
import { temporaryFolder } from './folder.ts';
import { insertAccounts } from './records.ts';

interface Planning {
  db: Connection;
  /** SQLite's plan for the last statement. */
  plan: () => string;
  plans: () => string[];
  /** The same database, which plans statements again that `db` has prepared. */
  again: () => Connection;
}

export async function planning(
  fill: (db: Connection) => Promise<unknown> = insertAccounts,
): Promise<Planning> {
  const file = join(temporaryFolder(), 'waybill.db');
  const storage = await openStorage(file);
  await storage.run(fill);
  await storage.close();
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const prepare = database.prepare.bind(database);
  const plans: unknown[][] = [];
  database.prepare = (statement) => {
    plans.push(prepare(`explain query plan ${statement}`).all());
    return prepare(statement);
  };
  const texts = () => plans.map((plan) => JSON.stringify(plan));
  const again = () => sqliteBuilder(database);
  return { db: again(), plan: () => texts().at(-1) ?? '', plans: texts, again };
}
