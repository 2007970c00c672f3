/** The keys that encrypt stored secrets: where they are, how they are read, and how their file is written. */
import { Problem } from '../../contract/errors.ts';
import { StorageUnavailable } from '../../storage/storage.ts';
import { randomBytes } from './random.ts';

export interface SecretKey {
  /** The first characters of its hash, by which an encrypted text names it. */
  id: string;
  /** 32 bytes. */
  bytes: Uint8Array;
}

/** The keys that encrypt secrets: the first one encrypts, and all of them decrypt. */
export interface SecretKeys {
  /** The file in which keys can be created and replaced; null if there is none, or keys are given besides. */
  file: string | null;
  /** Whether a missing file is created on first need. */
  isCreated: boolean;
  /** Reads the keys again; empty if there are none. Throws `secret_key_missing` if one of them is not a key. */
  read(): Promise<readonly SecretKey[]>;
}

/** Where the keys of a service are. */
export interface SecretKeyOptions {
  /** The keys themselves, separated by commas or spaces. */
  value?: string | undefined;
  /** A file of keys, one a line. */
  file?: string | undefined;
}

const key_bytes = 32;

/**
 * The keys of a database: those given, and those of a file. Without either, a database file has its key beside it, and
 * a database in memory has one in memory; PostgreSQL has none.
 */
export function readSecretKeys(database: string, { value, file }: SecretKeyOptions = {}): SecretKeys {
  const isGiven = value !== undefined || file !== undefined;
  if (database === ':memory:' && !isGiven) return keysInMemory();
  const isFile = !/^postgres(ql)?:/.test(database) && database !== ':memory:';
  const place = file ?? (isFile ? `${database}.secret-key` : null);
  return {
    file: value === undefined ? place : null,
    isCreated: isFile && !isGiven,
    read: async () => {
      const given = value === undefined ? [] : await parseKeys(value, 'WAYBILL_SECRET_KEY');
      if (given.length === 0 && value !== undefined) throw notAKey('WAYBILL_SECRET_KEY', 'is empty');
      return [...given, ...(place === null ? [] : await keysIn(place, { isRequired: file !== undefined }))];
    },
  };
}

/** A key that ends with the process. */
export function keysInMemory(): SecretKeys {
  let keys: Promise<SecretKey[]> | undefined;
  const create = async () => parseKeys(await newKey(), 'the key in memory');
  return {
    file: null,
    isCreated: false,
    read: () => {
      keys ??= create();
      return keys;
    },
  };
}

/** A new random key, as it is written in a file or in the environment. */
export async function newKey(): Promise<string> {
  return (await randomBytes(key_bytes)).toString('base64');
}

/** The keys of a file; empty if there is no file and it is not required. */
export async function keysIn(file: string, { isRequired = false } = {}): Promise<SecretKey[]> {
  const { readFile } = await import('node:fs/promises');
  try {
    const keys = await parseKeys(await readFile(file, 'utf8'), file);
    if (keys.length === 0) throw notAKey(file, 'holds no key');
    return keys;
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error instanceof Problem) throw error;
    if (error.code === 'ENOENT' && !isRequired) return [];
    throw notAKey(file, error.code === 'ENOENT' ? 'does not exist' : `cannot be read (${error.code})`);
  }
}

/** Creates the file of the first key, unless another process has just created it. */
export async function createKeyFile(file: string): Promise<void> {
  const { link, unlink } = await import('node:fs/promises');
  const draft = await draftOf(file, [await newKey()]);
  try {
    await link(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await unlink(draft);
  }
  await syncFolder(file);
}

/** Replaces the keys in a file, the first one being the current. The file is never incomplete. */
export async function writeKeyFile(file: string, keys: readonly string[]): Promise<void> {
  const { rename } = await import('node:fs/promises');
  await rename(await draftOf(file, keys), file);
  await syncFolder(file);
}

/** Throws `StorageUnavailable`, and leaves nothing behind, if the file cannot be written, such as on a full disk. */
async function draftOf(file: string, keys: readonly string[]): Promise<string> {
  const { rm, writeFile } = await import('node:fs/promises');
  const draft = `${file}.${(await randomBytes(6)).toString('hex')}`;
  try {
    await writeFile(draft, keys.map((key) => `${key}\n`).join(''), { flag: 'wx', mode: 0o600, flush: true });
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => {});
    const reason = cause instanceof Error ? cause.message : 'unknown reason';
    throw new StorageUnavailable(reason, { cause, subject: `the key file ${file}` });
  }
  return draft;
}

/** Makes the new name in the folder durable: a secret must not outlive its key in a power failure. */
async function syncFolder(file: string): Promise<void> {
  // Windows cannot open a folder, and writes its entries through.
  if (process.platform === 'win32') return;
  const { open } = await import('node:fs/promises');
  const { dirname } = await import('node:path');
  const folder = await open(dirname(file), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Reads keys of 32 bytes in base64 or hexadecimal, separated by commas or white space. `#` starts a comment. */
async function parseKeys(text: string, place: string): Promise<SecretKey[]> {
  const { hash } = await import('node:crypto');
  const words = text
    .replace(/#.*$/gm, '')
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  return words.map((word) => {
    const bytes = Buffer.from(word, /^[0-9a-f]{64}$/i.test(word) ? 'hex' : 'base64');
    if (!/^[\w+/-]+=*$/.test(word) || bytes.length !== key_bytes) {
      throw notAKey(place, 'must hold 32 random bytes in base64 or hexadecimal');
    }
    return { id: hash('sha256', bytes).slice(0, 8), bytes };
  });
}

function notAKey(place: string, fault: string): Problem {
  return new Problem('secret_key_missing', `The secret key is not usable: ${place} ${fault}.`);
}
