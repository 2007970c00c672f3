/**
 * Encrypts the secrets in the database with AES-256-GCM. A sealed text is `v1.KEY.NONCE.CIPHERTEXT`: the id of the key,
 * then a fresh nonce and the ciphertext with its tag, both in base64url. The id of the row is authenticated with it, so
 * that a text which is copied to another row cannot be opened.
 */
import { Problem } from '../../contract/errors.ts';
import type { Connection } from '../../storage/database.ts';
import { randomBytes } from './random.ts';
import { createKeyFile, type SecretKey, type SecretKeys } from './secret-keys.ts';

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

/** A table with encrypted secrets, as a rotation of the key (`secret-rotation.ts`) reads it. */
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
