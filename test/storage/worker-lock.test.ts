import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStorage } from '../../src/storage/open-storage.ts';
import { readSetting } from '../../src/storage/settings.ts';
import { acquireWorkerLock } from '../../src/storage/worker-lock.ts';
import { temporaryFolder } from './folder.ts';

const script = join(import.meta.dirname, 'lock-holder.ts');

/** Starts a process that holds the lock. */
async function startHolder(file: string): Promise<ChildProcess> {
  const holder = fork(script, [file], { execArgv: [] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  const [message] = await once(holder, 'message');
  expect(message).toBe('held');
  return holder;
}

test('one holder at a time has the lock, also within a process, until it is released', () => {
  const file = join(temporaryFolder(), 'waybill.db');
  const lock = acquireWorkerLock(file);
  expect(lock).not.toBeNull();
  expect(acquireWorkerLock(file)).toBeNull();
  lock?.release();
  lock?.release();
  const next = acquireWorkerLock(file);
  expect(next).not.toBeNull();
  next?.release();
  expect(statSync(`${file}-worker`).mode & 0o777).toBe(0o600);
});

test('the lock of another process excludes this one, leaves the database usable, and ends with its process', async () => {
  const file = join(temporaryFolder(), 'waybill.db');
  const holder = await startHolder(file);
  expect(acquireWorkerLock(file)).toBeNull();
  const storage = await openStorage(file);
  expect(await storage.run((db) => readSetting(db, 'seed'))).toBeNull();
  await storage.close();
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lock = acquireWorkerLock(file);
  expect(lock).not.toBeNull();
  lock?.release();
});

test('a lock can be waited for', async () => {
  const file = join(temporaryFolder(), 'waybill.db');
  const holder = await startHolder(file);
  holder.send('release');
  const lock = acquireWorkerLock(file, { wait_ms: 10_000 });
  expect(lock).not.toBeNull();
  lock?.release();
});

test('a lock file that cannot be created is unavailable storage; in memory the lock is always free', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'file-worker'));
  expect(() => acquireWorkerLock(join(folder, 'file'))).toThrow(
    expect.objectContaining({ name: 'StorageUnavailable' }),
  );
  expect(acquireWorkerLock(':memory:')).not.toBeNull();
  expect(acquireWorkerLock(':memory:')).not.toBeNull();
});
