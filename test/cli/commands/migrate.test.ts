import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { sqliteTypes } from '../../../src/storage/migrations/first-schema.ts';
import { schemaVersion } from '../../../src/storage/version.ts';
import { version3Statements } from '../../storage/version-3.ts';
import { errorOf, freshHome, jsonOf, waybill } from '../harness.ts';

function databaseOfVersion3(home: string): string {
  const file = join(home, 'shop.db');
  const database = new DatabaseSync(file);
  for (const statement of version3Statements(sqliteTypes)) database.exec(statement);
  database.exec(`pragma application_id = ${0x77_61_79_62}`);
  database.exec('pragma user_version = 3');
  database.close();
  return file;
}

test('migrate --check reports pending migrations and changes nothing; migrate runs them', async () => {
  const home = freshHome();
  const file = databaseOfVersion3(home);
  const bytes = readFileSync(file);
  const run = (...flags: string[]) => waybill(['migrate', '--database', 'shop.db', ...flags], { home });
  const checked = await run('--check', '--json');
  const pending = schemaVersion - 3;
  expect([checked.exit, jsonOf(checked.stdout)]).toEqual([
    6,
    { schema_version: 3, newest_version: schemaVersion, pending },
  ]);
  expect(errorOf(checked.stderr)).toMatchObject({ code: 'migrations_pending' });
  expect(readFileSync(file).equals(bytes)).toBe(true);
  const migrated = await run();
  expect([migrated.exit, migrated.stderr]).toEqual([0, `Ran ${pending} migrations.\n`]);
  const after = await run('--check', '--json');
  expect([after.exit, jsonOf(after.stdout)]).toMatchObject([0, { pending: 0 }]);
});

test('a database that does not exist is not created by --check, and one of a newer version is refused', async () => {
  const home = freshHome();
  const missing = await waybill(['migrate', '--check', '--database', 'new.db', '--json'], { home });
  expect([missing.exit, jsonOf(missing.stdout)]).toMatchObject([6, { schema_version: 0 }]);
  expect(() => readFileSync(join(home, 'new.db'))).toThrow('ENOENT');
  const created = await waybill(['migrate', '--database', 'other.db'], { home });
  expect([created.exit, created.stderr]).toEqual([
    0,
    `The database was empty or new.\nRan ${schemaVersion} migrations.\n`,
  ]);
  const database = new DatabaseSync(databaseOfVersion3(home));
  database.exec('pragma user_version = 9999');
  database.close();
  const newer = await waybill(['migrate', '--check', '--database', 'shop.db', '--json'], { home });
  expect([newer.exit, errorOf(newer.stderr).message]).toEqual([7, expect.stringContaining('newer version')]);
});
