import { closeSync, existsSync, lstatSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Failure } from '../../../kit/errors/failure.ts';
import { codeOf } from '../../../kit/system/file-errors.ts';
import type { Context } from '../../../session/context.ts';
import { unwritable } from './file-faults.ts';
import type { Places, Source } from './source.ts';

/** The right of one process to import a file. */
export interface ImportLock {
  release(): void;
}

/** Does the work of an import while no other process can; on an interruption it is waited for, but not for long. */
export async function locked<T>(
  context: Context,
  { name }: Source,
  places: Places,
  work: () => Promise<T>,
): Promise<T> {
  const lock = lockImport(places.lock, name);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  context.onStop(() => Promise.race([ended, briefly(context)]));
  try {
    return await work();
  } finally {
    lock.release();
    resolve();
  }
}

const grace_ms = 5_000;

function briefly({ host }: Context): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  host.timer(grace_ms, resolve);
  return promise;
}

/** For so long two that come together sort out who is first, and so often; the wait blocks. */
const patience_ms = 150;
const most_rounds = 5;
/** Those who come together do not give up together. */
const spread_ms = (process.pid % 5) * 50;

/**
 * Takes the lock of a file, with exit 6 where another process has it. It is a hold on a side file, so that the system
 * itself frees it when the process dies, however it dies; an id alone may be that of another process by then.
 */
export function lockImport(path: string, name: string): ImportLock {
  for (let round = 1; ; round += 1) {
    create(path);
    const before = inodeOf(path);
    const database = hold(path);
    if (database === null) {
      // One that has it has written that down; two that were in each other's way try again.
      if (round === most_rounds || holderOf(path) !== null) throw busy(path, name);
      continue;
    }
    // Whoever had it before may have removed it meanwhile, and others may have made another.
    if (before !== null && inodeOf(path) === before) return { release: () => free(database, path) };
    database.close();
  }
}

/** Opened only where it is new: closing it again would drop the holds that this process has on it. */
function create(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw unwritable(path, new Error('it is a symbolic link'));
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unwritable(path, error);
  }
}

function inodeOf(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}

/** The process writes its id where others can read it, and keeps what it needed to do so; null where others do. */
function hold(path: string): DatabaseSync | null {
  const database = new DatabaseSync(path, { timeout: patience_ms + spread_ms, open: false });
  try {
    database.open();
    database.exec('pragma journal_mode = memory; pragma synchronous = off; begin exclusive');
    // Only now: of two that keep even what they need to read, neither would ever be the only one.
    database.exec(`pragma locking_mode = exclusive; pragma user_version = ${process.pid}; commit`);
    return database;
  } catch (error) {
    if (database.isOpen) database.close();
    if (isBusy(error)) return null;
    throw unwritable(path, error);
  }
}

/** Another has it: https://sqlite.org/rescode.html#busy */
function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    'errcode' in error &&
    typeof error.errcode === 'number' &&
    (error.errcode & 0xff) === 5
  );
}

function busy(path: string, name: string): Failure {
  const id = holderOf(path);
  const who = id === null ? 'another process' : `process ${id}`;
  return new Failure(6, 'import_running', `${name} is being imported by ${who}.`, {
    hint: 'Wait until that has ended: nothing was sent by this one.',
  });
}

/** Where a database has its `user_version`: https://sqlite.org/fileformat.html#the_database_header */
const versionAt = 60;

function holderOf(path: string): number | null {
  const bytes = Buffer.alloc(4);
  try {
    const file = openSync(path, 'r');
    readSync(file, bytes, 0, bytes.length, versionAt);
    closeSync(file);
  } catch {}
  const id = bytes.readInt32BE();
  return id === 0 ? null : id;
}

/** It is removed while it is held; where the system does not let a file go that is open, after. */
function free(database: DatabaseSync, path: string): void {
  const isRemoved = removed(path);
  database.close();
  if (!isRemoved) removed(path);
}

function removed(path: string): boolean {
  try {
    rmSync(path);
    return true;
  } catch {
    return false;
  }
}
