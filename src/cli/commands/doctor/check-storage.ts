/** The check of `doctor` of the embedded service's database: its file, the room on its disk, its schema and its pages. */
import { accessSync, constants, type Stats, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure } from '../../kit/errors/failure.ts';
import { quoted } from '../../kit/result/message.ts';
import { explainFileError } from '../../kit/system/files.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Larger databases, in bytes, are not checked page by page, as that blocks the process. */
const max_checked_bytes = 512 * 1024 ** 2;

const min_free_bytes = 100 * 1024 ** 2;

/** How long to wait for another process's lock; the wait blocks. */
const lock_timeout_ms = 500;

/**
 * The findings about the storage, and whether the service can be queried without creating or migrating its database.
 */
interface StorageState {
  finding: Finding;
  isCurrent: boolean;
  /** True if a database exists. */
  isThere: boolean;
}

/** Checks the embedded service's database, opened read-only. Throws Failure. */
export async function checkStorage(file: string): Promise<StorageState> {
  const stats = checkFile(file);
  const free = freeBytes(nearestExisting(dirname(file)));
  const { currentSchema, lostDatabaseText } = await import('../../session/connect.ts');
  if (stats === undefined) {
    const lost = await lostDatabaseText(file);
    if (lost !== null)
      throw new Failure(7, 'storage_unavailable', lost, {
        hint: 'Nothing is lost yet: it goes on once the file is back.',
      });
    const finding = withFreeSpace(`${file}, made when first needed`, free);
    return { finding, isCurrent: false, isThere: false };
  }
  const isLarge = stats.size > max_checked_bytes;
  const version = await readSchemaVersion(file, !isLarge);
  const newest = await currentSchema();
  const found = `${file}, ${sizeText(stats.size)}, schema ${version}`;
  if (version > newest) throw newerSchema(file, version);
  if (version < newest) {
    const remedy = 'The next command that uses it brings it up to date.';
    const finding = warn('storage', `${found}, where this version has ${newest}`, { remedy });
    return { finding, isCurrent: false, isThere: true };
  }
  if (!isLarge) return { finding: withFreeSpace(found, free), isCurrent: true, isThere: true };
  const command = `sqlite3 ${quoted(file)} 'PRAGMA quick_check'`;
  const finding = withFreeSpace(`${found}, too large to be looked through here`, free, { command });
  return { finding, isCurrent: true, isThere: true };
}

/** Returns the file's stats; undefined if it does not exist yet. Throws Failure if it cannot be created there. */
function checkFile(file: string): Stats | undefined {
  const nearest = nearestExisting(file);
  try {
    const stats = statSync(nearest);
    if (nearest === file && stats.isDirectory()) throw pathInTheWay(file, 'it is a folder', nearest);
    if (nearest !== file && !stats.isDirectory()) throw pathInTheWay(file, `${nearest} is a file`, nearest);
    accessSync(nearest, constants.R_OK | constants.W_OK);
    accessSync(nearestExisting(dirname(file)), constants.W_OK | constants.X_OK);
    return nearest === file ? stats : undefined;
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw unusable(file, explainFileError(error), `Let yourself read and write ${nearest}, or`);
  }
}

function pathInTheWay(file: string, reason: string, path: string): Failure {
  return unusable(file, reason, `Move ${path} away, or`);
}

function unusable(file: string, reason: string, way: string): Failure {
  return new Failure(7, 'storage_unavailable', `${file} cannot be used: ${reason}.`, {
    hint: `${way} name another folder for the data with WAYBILL_DATA_DIR.`,
  });
}

function withFreeSpace(found: string, free: number | null, fix: { command?: string } = {}): Finding {
  if (free === null) return ok('storage', found, fix);
  if (free >= min_free_bytes) return ok('storage', `${found}, ${sizeText(free)} free`, fix);
  const remedy = 'Make room on the disk, or move the data with WAYBILL_DATA_DIR.';
  return warn('storage', `${found}, only ${sizeText(free)} free`, { remedy });
}

/** Returns the schema version; throws Failure if the file is not a waybill database or is damaged. */
async function readSchemaVersion(file: string, checksPages: boolean): Promise<number> {
  const { DatabaseSync } = await import('node:sqlite');
  const read = (): [unknown, number] => {
    const database = new DatabaseSync(file, { readOnly: true, timeout: lock_timeout_ms });
    try {
      const { user_version } = database.prepare('PRAGMA user_version').get() ?? {};
      const check = checksPages ? database.prepare('PRAGMA quick_check(1)').get()?.quick_check : 'ok';
      return [check, Number(user_version)];
    } finally {
      database.close();
    }
  };
  try {
    const [check, version] = read();
    if (check === 'ok') return version;
    // The first line only names the location.
    throw new Error(String(check).replace(/^\*\*\*.*\*\*\*\n/, ''));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (/database(?: table)? is locked/.test(reason)) throw databaseLocked(file);
    throw new Failure(7, 'storage_damaged', `${file} is damaged: ${reason}`, {
      hint: 'Put a copy of it back, or move it away: then a new one is made.',
      cause: error,
    });
  }
}

/** Another process holds an exclusive lock: the file does not have to be moved. */
function databaseLocked(file: string): Failure {
  const message = `${file} is kept locked by another process.`;
  return new Failure(7, 'storage_unavailable', message, { hint: 'End that process, and look again.' });
}

function newerSchema(file: string, version: number): Failure {
  const message = `${file} was made by a newer version of waybill (schema ${version}).`;
  return new Failure(7, 'storage_unavailable', message, { hint: 'Use that version.' });
}

function nearestExisting(path: string): string {
  const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
  return isThere || dirname(path) === path ? path : nearestExisting(dirname(path));
}

/** Null if the system does not report it. */
function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return null;
  }
}

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `13.4 MB`. */
function sizeText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const amount = bytes / 1000 ** power;
  return `${amount.toFixed(power === 0 || amount >= 100 ? 0 : 1)} ${units[power]}`;
}
