import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { errorOf, freshHome, waybill } from '../../harness.ts';

const page_bytes = 4096;

/** A home with a database that can be opened, but whose tables cannot be read. */
async function withDamagedTables() {
  const home = freshHome();
  const run = (...words: string[]) => waybill([...words, '--database', 'shop.db', '--json'], { home });
  await run('admin', 'accounts', 'create', '--name', 'Grill', '--key-out', 'keys.json');
  const file = join(home, 'shop.db');
  const database = new DatabaseSync(file);
  const tables = database.prepare('select rootpage from sqlite_schema where rootpage > 1').all();
  database.close();
  const bytes = readFileSync(file);
  for (const { rootpage } of tables)
    bytes.fill(0xff, (Number(rootpage) - 1) * page_bytes, Number(rootpage) * page_bytes);
  writeFileSync(file, bytes);
  return run;
}

test.each([
  ['admin', 'accounts', 'create', '--name', 'Diner'],
  ['admin', 'accounts', 'list'],
  ['admin', 'erase', '--yes', '--phone', '+13125550142'],
  ['admin', 'export', '--phone', '+13125550142'],
  ['secrets', 'status'],
  ['secrets', 'rotate'],
])('%s %s says that the database cannot be used, also once it was opened', async (...words) => {
  const run = await withDamagedTables();
  const { exit, stderr } = await run(...words);
  expect([exit, errorOf(stderr)]).toEqual([
    7,
    expect.objectContaining({
      code: 'storage_unavailable',
      message: 'Cannot use the database: database disk image is malformed.',
    }),
  ]);
});
