import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { errorOf, freshHome, waybill } from '../../harness.ts';

/** A home with a database whose only audit entry is older than it is kept. */
async function withOldEntry() {
  const home = freshHome();
  const run = (...words: string[]) => waybill([...words, '--database', 'shop.db', '--json'], { home });
  await run('admin', 'accounts', 'create', '--name', 'Grill', '--key-out', 'keys.json');
  const database = () => new DatabaseSync(join(home, 'shop.db'));
  const opened = database();
  const old = `update audit_entries set created_at = 1, id = 'aud_0000000000' || substr(id, 15)`;
  opened.exec(old);
  opened.close();
  const entries = () => {
    const read = database();
    const { count } = read.prepare('select count(*) as count from audit_entries').get() ?? {};
    read.close();
    return count;
  };
  return { run, entries };
}

test('old data is shown by kind, and deleted after a confirmation', async () => {
  const { run, entries } = await withOldEntry();
  const before = entries();
  const { stdout } = await run('admin', 'clean', '--preview');
  expect(JSON.parse(stdout)).toContainEqual({ kind: 'audit', old: before, total: before });
  const asked = await run('admin', 'clean');
  expect([asked.exit, errorOf(asked.stderr).message]).toEqual([
    2,
    expect.stringMatching(/It is \d{4}-.*Z by the clock of .*shop\.db\. Delete what is old.*\d of \d audit/),
  ]);
  expect(entries()).toBe(before);
  const cleaned = await run('admin', 'clean', '--yes');
  expect(JSON.parse(cleaned.stdout)).toEqual([{ kind: 'audit', old: before, total: before }]);
  // What is left says who has cleaned.
  expect(entries()).toBe(2);
});

test('a database that does not exist is not made', async () => {
  const { exit, stderr } = await waybill(['admin', 'clean', '--database', 'no.db', '--yes', '--json']);
  expect([exit, errorOf(stderr).message]).toEqual([7, expect.stringContaining('there is no file')]);
});
