import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import type { Connection } from '../../src/storage/database.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { sqliteBuilder } from '../../src/storage/sqlite-driver.ts';
import { temporaryFolder } from './folder.ts';

/** An empty database that returns SQLite's plan for the last statement. */
export async function planning(): Promise<{ db: Connection; plan: () => string }> {
  const file = join(temporaryFolder(), 'waybill.db');
  await (await openStorage(file)).close();
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const prepare = database.prepare.bind(database);
  let plan: unknown[] = [];
  database.prepare = (statement) => {
    plan = prepare(`explain query plan ${statement}`).all();
    return prepare(statement);
  };
  return { db: sqliteBuilder(database), plan: () => JSON.stringify(plan) };
}
