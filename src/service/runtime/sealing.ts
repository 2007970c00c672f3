/**
 * Encrypts the secrets in the database with AES-256-GCM. A sealed text is `v1.KEY.NONCE.CIPHERTEXT`: the id of the key,
 * then a fresh nonce and the ciphertext with its tag, both in base64url. The id of the row is authenticated with it, so
 * that a text which is copied to another row cannot be opened.
 */
import { Problem } from '../../contract/errors.ts';
import type { Connection } from '../../storage/database.ts';
import { StorageUnavailable } from '../../storage/storage.ts';
import { randomBytes } from './random.ts';

export interface Sealing {
  /** Encrypts a secret of a row. Throws `secret_key_missing`. */
  seal(row_id: string, secret: string): Promise<string>;
  /** Decrypts a secret of a row. Throws `secret_key_missing`. */
  open(row_id: string, stored: string): Promise<string>;
  /**
   * Whether a secret can be encrypted: there is a key, or it is created on first need. Throws `secret_key_missing` if a
   * key that is there is not one.
   */
  isAvailable(): Promise<boolean>;
}

const cipher = 'aes-256-gcm';
const nonce_bytes = 12;
const tag_bytes = 16;

/**
 * Reads the keys at their first use, and again for each new secret: a rotation may have replaced them. No key is created
 * while `hasSecrets` finds stored ones: theirs may be put back, which would replace it.
 */
export function createSealing(keys: SecretKeys, hasSecrets = async () => false): Sealing {
  let known: readonly SecretKey[] = [];
  const read = async () => {
    known = await keys.read();
    return known;
  };
  const currentKey = async (): Promise<SecretKey> => {
    const [current] = await read();
    if (current !== undefined) return current;
    if (!keys.isCreated || keys.file === null) throw noKey();
    // Another process that stores the first secret at the same time has created the key before.
    const isLost = await hasSecrets();
    if (!isLost) await createKeyFile(keys.file);
    const [created] = await read();
    if (created === undefined) throw isLost ? keyLost() : noKey();
    return created;
  };
  const keyNamed = async (id: string): Promise<SecretKey> => {
    const key = known.find((each) => each.id === id) ?? (await read()).find((each) => each.id === id);
    if (key !== undefined) return key;
    const message = `The secret is encrypted with the key ${id}, which the service does not have.`;
    throw new Problem('secret_key_missing', message);
  };
  return {
    seal: async (row_id, secret) => encrypt(await currentKey(), row_id, secret),
    open: async (row_id, stored) => decrypt(await keyNamed(readKeyId(stored)), row_id, stored),
    isAvailable: async () => (await read()).length > 0 || keys.isCreated,
  };
}

/** The id of the key that a stored secret is encrypted with. */
export function readKeyId(stored: string): string {
  return stored.split('.')[1] ?? '';
}

/** Encrypts a stored secret of `owner` with the key `current`, unless it is encrypted with that one. */
export async function reseal(
  sealing: Sealing,
  { owner, stored, current }: { owner: string; stored: string; current: string },
): Promise<string> {
  if (readKeyId(stored) === current) return stored;
  return sealing.seal(owner, await sealing.open(owner, stored));
}

async function encrypt({ id, bytes }: SecretKey, row_id: string, secret: string): Promise<string> {
  // Loaded here: most commands touch no secret.
  const { createCipheriv } = await import('node:crypto');
  const nonce = await randomBytes(nonce_bytes);
  const sealing = createCipheriv(cipher, bytes, nonce).setAAD(Buffer.from(row_id));
  const ciphertext = Buffer.concat([sealing.update(secret, 'utf8'), sealing.final(), sealing.getAuthTag()]);
  return `v1.${id}.${nonce.toString('base64url')}.${ciphertext.toString('base64url')}`;
}

async function decrypt({ bytes }: SecretKey, row_id: string, stored: string): Promise<string> {
  const { createDecipheriv } = await import('node:crypto');
  const [, , nonce = '', text = ''] = stored.split('.');
  const ciphertext = Buffer.from(text, 'base64url');
  const opening = createDecipheriv(cipher, bytes, Buffer.from(nonce, 'base64url'), {
    authTagLength: tag_bytes,
  }).setAAD(Buffer.from(row_id));
  opening.setAuthTag(ciphertext.subarray(-tag_bytes));
  return opening.update(ciphertext.subarray(0, -tag_bytes), undefined, 'utf8') + opening.final('utf8');
}

function noKey(): Problem {
  const message = 'The service has no secret key, so it cannot store secrets.';
  return new Problem('secret_key_missing', message);
}

function keyLost(): Problem {
  const message =
    'The key of the secrets that are stored is missing: put it back before you store another one.';
  return new Problem('secret_key_missing', message);
}

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
async function createKeyFile(file: string): Promise<void> {
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

/** A table with encrypted secrets, as a rotation of the key reads it. */
export interface SealedTable {
  /** The rows after the one with this id, in order of their ids; null: from the first one. */
  read(db: Connection, after: string | null, limit: number): Promise<readonly SealedRow[]>;
}

export interface SealedRow {
  id: string;
  /** The secrets as they are stored. */
  stored: readonly string[];
  /**
   * Encrypts those again that are not encrypted with the key `current`, and returns the change. It writes nothing if
   * the row has changed since it was read.
   */
  reseal(sealing: Sealing, current: string): Promise<(db: Connection) => Promise<void>>;
}
