import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import type { Connection } from '../../src/storage/database.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { sqliteBuilder } from '../../src/storage/sqlite-driver.ts';
import { temporaryFolder } from './folder.ts';

/** An empty database that returns SQLite's plan for the last statement, and those of all. */
export async function planning(): Promise<{ db: Connection; plan: () => string; plans: () => string[] }> {
  const file = join(temporaryFolder(), 'waybill.db');
  await (await openStorage(file)).close();
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const prepare = database.prepare.bind(database);
  const plans: unknown[][] = [];
  database.prepare = (statement) => {
    plans.push(prepare(`explain query plan ${statement}`).all());
    return prepare(statement);
  };
  const texts = () => plans.map((plan) => JSON.stringify(plan));
  return { db: sqliteBuilder(database), plan: () => texts().at(-1) ?? '', plans: texts };
}
