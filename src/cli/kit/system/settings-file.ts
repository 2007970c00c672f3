/** The settings of a program in one JSON file that only its owner can read. Several processes may change it. */
import { accessSync, chmodSync, constants } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import Conf from 'conf';
import { awaitLock } from './file-lock.ts';
import { makeFolder, readErrorCode } from './files.ts';

export interface SettingsFile<T> {
  read(): T;
  /** Changes the current settings under a lock, so that no change by another process is lost. */
  change(change: (settings: T) => T): void;
  /** Throws if the settings cannot be written: call it before a step that cannot be undone. */
  checkWritable(): void;
}

interface SettingsFormat<T extends object> {
  /** The settings without a file. */
  initial: T;
  /** Checks the content of the file. Throws if it is not valid: the file is left as it is. */
  parse(content: Readonly<Record<string, unknown>>): T;
  /** The error for a file that is not JSON, or that the system does not let this process read or write. */
  errorFor(problem: 'not_json' | 'unreadable' | 'unwritable', cause: unknown): Error;
}

export function settingsFile<T extends object>(path: string, format: SettingsFormat<T>): SettingsFile<T> {
  const { initial, parse, errorFor } = format;
  const read = () => {
    const content = contentOf(path, errorFor);
    return content === null ? initial : parse(content);
  };
  const checkWritable = () => {
    try {
      makePrivateFolder(dirname(path));
      accessSync(dirname(path), constants.W_OK | constants.X_OK);
      if (exists(path)) accessSync(path, constants.W_OK);
    } catch (error) {
      throw errorFor('unwritable', error);
    }
  };
  const update = (change: (settings: T) => T) => {
    checkWritable();
    const lock = awaitLock(`${path}.lock`, (cause) => errorFor('unwritable', cause));
    try {
      const next = change(read());
      writeTo(path, next, errorFor);
    } finally {
      lock.release();
    }
  };
  return { read, change: update, checkWritable };
}

type ErrorFor = SettingsFormat<object>['errorFor'];

function writeTo(path: string, settings: object, errorFor: ErrorFor): void {
  try {
    confAt(path).store = Object.fromEntries(Object.entries(settings));
  } catch (error) {
    throw errorFor('unwritable', error);
  }
}

type Content = Record<string, unknown>;

/** The content of the file; null without a file. Conf would create the folder, which reading must not do. */
function contentOf(path: string, errorFor: ErrorFor): Content | null {
  try {
    return exists(path) ? confAt(path).store : null;
  } catch (error) {
    throw errorFor(error instanceof SyntaxError ? 'not_json' : 'unreadable', error);
  }
}

function confAt(path: string): Conf<Content> {
  return new Conf<Content>({
    cwd: dirname(path),
    configName: basename(path, extname(path)),
    fileExtension: extname(path),
    accessPropertiesByDotNotation: false,
    configFileMode: 0o600,
  });
}

function exists(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch (error) {
    if (readErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Creates a folder for its owner only; restricts an existing folder as well. */
function makePrivateFolder(path: string): void {
  makeFolder(path);
  chmodSync(path, 0o700);
}
