import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openStorage } from '../../src/storage/open-storage.ts';
import { readSetting, writeSetting } from '../../src/storage/settings.ts';
import { temporaryFolder } from './folder.ts';

async function opened() {
  const file = join(temporaryFolder(), 'waybill.db');
  const storage = await openStorage(file);
  onTestFinished(() => storage.close());
  return { file, storage };
}

test('while another process has the lock, writes wait and reads continue', async () => {
  const { file, storage } = await opened();
  const other = new DatabaseSync(file);
  other.exec('begin immediate');
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
  }, 5);
  onTestFinished(() => clearInterval(ticking));
  const writes = [
    storage.run((db) => writeSetting(db, 'one', '1')),
    storage.transaction((db) => writeSetting(db, 'two', '2')),
  ];
  await expect.poll(() => ticks, { timeout: 3_000 }).toBeGreaterThan(20);
  other.exec("insert into settings values ('three', '3')");
  other.exec('commit');
  other.close();
  await Promise.all(writes);
  const read = (key: string) => storage.run((db) => readSetting(db, key));
  expect([await read('one'), await read('two'), await read('three')]).toEqual(['1', '2', '3']);
});

test('a file that was deleted or replaced is unavailable, as its writes would be lost', async () => {
  const { file, storage } = await opened();
  await storage.check();
  const write = () => storage.transaction((db) => writeSetting(db, 'one', '1'));
  await write();
  renameSync(file, `${file}.away`);
  await expect(storage.check()).rejects.toThrow(`the database file ${file} was deleted`);
  await expect(write()).rejects.toMatchObject({ name: 'StorageUnavailable' });
  const other = await openStorage(file);
  await expect(storage.check()).rejects.toThrow(`the database file ${file} was replaced`);
  await expect(write()).rejects.toMatchObject({ name: 'StorageUnavailable' });
  await other.close();
});
