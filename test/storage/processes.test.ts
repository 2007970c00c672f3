import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStorage } from '../../src/storage/open-storage.ts';
import { insertRoute } from '../../src/storage/routes.ts';
import { readSetting } from '../../src/storage/settings.ts';
import { isWhole } from '../in-part.ts';
import { temporaryFolder } from './folder.ts';
import { insertAccounts, route } from './records.ts';

const script = join(import.meta.dirname, 'writer.ts');
const processes = 4;
const databases = isWhole ? 30 : 10;
const rounds = isWhole ? 60 : 20;

/** Runs one writer; returns its exit code and stderr. */
async function write(folder: string, name: string): Promise<string> {
  const child: ChildProcess = fork(script, [folder, name, String(databases), String(rounds)], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint += chunk;
  });
  const [code] = await once(child, 'close');
  return `${code} ${complaint}`;
}

async function makeRoutes(file: string): Promise<void> {
  const storage = await openStorage(file);
  await storage.transaction(async (db) => {
    await insertAccounts(db);
    for (let number = 0; number < rounds; number += 1) {
      await insertRoute(db, route(number));
    }
  });
  await storage.close();
}

async function settingOf(file: string, key: string): Promise<string | null> {
  const storage = await openStorage(file);
  const value = await storage.run((db) => readSetting(db, key));
  await storage.close();
  return value;
}

test('four processes open, migrate, read and write the same new files without losing a change', async () => {
  const folder = temporaryFolder();
  const shared = join(folder, 'shared.db');
  await makeRoutes(shared);
  const names = Array.from({ length: processes }, (_, index) => `writer-${index}`);
  const endings = await Promise.all(names.map((name) => write(folder, name)));
  expect(endings).toEqual(Array(processes).fill('0 '));
  expect(await settingOf(shared, 'won')).toBe(String(rounds));
  expect(await settingOf(shared, 'rounds')).toBe(String(processes * rounds));
  for (let number = 0; number < databases; number += 1) {
    expect(await settingOf(join(folder, `new-${number}.db`), 'opened')).toBe(String(processes));
  }
});
