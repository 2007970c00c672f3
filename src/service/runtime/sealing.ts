/**
 * Encrypts the secrets in the database with AES-256-GCM. A sealed text is `v1.KEY.NONCE.CIPHERTEXT`: the id of the key,
 * then a fresh nonce and the ciphertext with its tag, both in base64url. The id of the row is authenticated with it, so
 * that a text which is copied to another row cannot be opened.
 */
import { Problem } from '../../contract/errors.ts';
import { createKeyFile, type SecretKey, type SecretKeys } from './secret-keys.ts';
import { randomBytes } from './secrets.ts';

export interface Sealing {
  /** Encrypts a secret of a row. Throws `secret_key_missing`. */
  seal(row_id: string, secret: string): Promise<string>;
  /**
   * Decrypts a secret of a row; one stored before there were keys is returned as it is. Throws `secret_key_missing`.
   */
  open(row_id: string, stored: string): Promise<string>;
  /** Whether a secret can be encrypted: there is a key, or it is created on first need. */
  isAvailable(): Promise<boolean>;
}

const cipher = 'aes-256-gcm';
const nonce_bytes = 12;
const tag_bytes = 16;

/** Reads the keys at their first use, and again for each new secret: a rotation may have replaced them. */
export function createSealing(keys: SecretKeys): Sealing {
  let known: readonly SecretKey[] = [];
  const read = async () => {
    known = await keys.read();
    return known;
  };
  const currentKey = async (): Promise<SecretKey> => {
    const [current] = await read();
    if (current !== undefined) return current;
    if (!keys.isCreated || keys.file === null) throw noKey();
    await createKeyFile(keys.file);
    const [created] = await read();
    if (created === undefined) throw noKey();
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
    open: async (row_id, stored) => {
      const id = keyIdOf(stored);
      return id === null ? stored : decrypt(await keyNamed(id), row_id, stored);
    },
    isAvailable: async () => keys.isCreated || (await read()).length > 0,
  };
}

/** The id of the key that a stored secret is encrypted with; null if it is not encrypted. */
export function keyIdOf(stored: string): string | null {
  return /^v1\.([0-9a-f]{8})\.[\w-]+\.[\w-]+$/.exec(stored)?.[1] ?? null;
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
