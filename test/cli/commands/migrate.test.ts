import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { schemaVersion } from '../../../src/storage/storage.ts';
import { errorOf, freshHome, jsonOf, waybill } from '../harness.ts';

/** Makes a database of waybill without tables. */
function databaseOfVersion(version: number, home: string): string {
  const file = join(home, 'shop.db');
  const database = new DatabaseSync(file);
  database.exec(`pragma application_id = ${0x77_61_79_62}; pragma user_version = ${version}`);
  database.close();
  return file;
}

test('migrate --check reports pending migrations and changes nothing; migrate runs them', async () => {
  const home = freshHome();
  const file = databaseOfVersion(0, home);
  const bytes = readFileSync(file);
  const run = (...flags: string[]) => waybill(['migrate', '--database', 'shop.db', ...flags], { home });
  const checked = await run('--check', '--json');
  expect(checked.exit).toBe(6);
  expect(jsonOf(checked.stdout)).toEqual({
    schema_version: 0,
    newest_version: schemaVersion,
    pending: schemaVersion,
  });
  expect(errorOf(checked.stderr)).toMatchObject({
    code: 'migrations_pending',
    next: [{ command: 'waybill migrate --database shop.db' }],
  });
  expect(readFileSync(file).equals(bytes)).toBe(true);
  const migrated = await run();
  expect([migrated.exit, migrated.stderr]).toEqual([
    0,
    `Database: ${file}\nThe database was empty or new.\nRan ${schemaVersion} migrations.\n`,
  ]);
  const after = await run('--check', '--json');
  expect([after.exit, jsonOf(after.stdout)]).toMatchObject([0, { pending: 0 }]);
});

test('a database that does not exist is not created by --check, and one of a newer version is refused', async () => {
  const home = freshHome();
  const missing = await waybill(['migrate', '--check', '--database', 'new.db', '--json'], { home });
  expect([missing.exit, jsonOf(missing.stdout)]).toMatchObject([6, { schema_version: 0 }]);
  expect(() => readFileSync(join(home, 'new.db'))).toThrow('ENOENT');
  databaseOfVersion(9999, home);
  const newer = await waybill(['migrate', '--check', '--database', 'shop.db', '--json'], { home });
  expect([newer.exit, errorOf(newer.stderr).message]).toEqual([7, expect.stringContaining('newer version')]);
});
