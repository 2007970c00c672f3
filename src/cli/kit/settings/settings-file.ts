import { accessSync, chmodSync, constants, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import Conf from 'conf';

/** The settings of a program in one JSON file that only its owner can read. Conf reads and writes it. */
export interface SettingsFile<T> {
  read(): T;
  /** Changes the current settings: reading and writing are one synchronous step. */
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
  const change = (change: (settings: T) => T) => {
    checkWritable();
    const next = change(read());
    try {
      open(path).store = Object.fromEntries(Object.entries(next));
    } catch (error) {
      throw errorFor('unwritable', error);
    }
  };
  return { read, change, checkWritable };
}

type Content = Record<string, unknown>;

/** Null without a file. Conf would create the folder, which reading must not do. */
function contentOf(path: string, errorFor: SettingsFormat<object>['errorFor']): Content | null {
  try {
    return exists(path) ? open(path).store : null;
  } catch (error) {
    throw errorFor(error instanceof SyntaxError ? 'not_json' : 'unreadable', error);
  }
}

function open(path: string): Conf<Content> {
  return new Conf<Content>({
    cwd: dirname(path),
    configName: basename(path, extname(path)),
    fileExtension: extname(path),
    accessPropertiesByDotNotation: false,
    configFileMode: 0o600,
  });
}

/** Restricts an existing folder as well. */
function makePrivateFolder(path: string): void {
  makeFolder(path);
  chmodSync(path, 0o700);
}

function exists(path: string): boolean {
  try {
    accessSync(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Creates a folder and the missing ones above it, for this user only. Node's own recursive `mkdirSync` never returns
 * where a file system refuses new folders with ENOENT, as /proc does.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'EEXIST' && statSync(path).isDirectory()) return;
    const above = dirname(path);
    if (code !== 'ENOENT' || above === path || statSync(above, { throwIfNoEntry: false }) !== undefined)
      throw error;
    makeFolder(above);
    makeFolder(path);
  }
}
