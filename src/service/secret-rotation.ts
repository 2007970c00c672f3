/**
 * Rotates the key that encrypts stored secrets (`runtime/sealing.ts`), on the machine of the database: a new key is put
 * first in the file, and every secret in the `tables` is encrypted again with it.
 */
import { Problem } from '../contract/errors.ts';
import type { Connection } from '../storage/database.ts';
import { acquireWorkerLock } from '../storage/sqlite-file.ts';
import type { Storage } from '../storage/storage.ts';
import { sealedPushes, sealedPushKeys } from './fleet/driver-push.ts';
import { sealedCouriers } from './runtime/courier-settings.ts';
import { readKeyId, type SealedRow, type SealedTable, type Sealing } from './runtime/sealing.ts';
import {
  keysIn,
  newKey,
  readSecretKeys,
  type SecretKey,
  type SecretKeyOptions,
  type SecretKeys,
  writeKeyFile,
} from './runtime/secret-keys.ts';
import { openParts } from './runtime/system.ts';
import { sealedEndpoints } from './webhooks/endpoints/endpoint.ts';

/** A key, and the number of secrets that are encrypted with it. */
export interface KeyUse {
  key: string;
  /** `current` encrypts new secrets, `previous` only decrypts, `missing` is not available. */
  state: 'current' | 'previous' | 'missing';
  secrets: number;
}

export interface KeyUses {
  /** The file of the keys; null if they are given in the environment, or there is no place for them. */
  file: string | null;
  keys: KeyUse[];
}

export interface Rotation {
  /** The id of the key that secrets are encrypted with now. */
  key: string;
  file: string | null;
  /** Whether the key was created by this rotation. */
  created: boolean;
  /** The number of secrets that were encrypted again. */
  encrypted: number;
  /** The number of secrets that cannot be decrypted with the keys that are available. */
  unreadable: number;
}

/** The operator's actions on the keys of stored secrets, on the machine of the database. */
export interface SecretRotation {
  uses(): Promise<KeyUses>;
  /**
   * Encrypts all secrets again, in batches, with a new key in the file, or with the first key that is given. A service
   * that is running reads the file again when it meets a key that it does not know. The key before stays in the file,
   * because a request may be using it; the next rotation removes it. Throws `secret_key_missing`.
   */
  rotate(options: { createsKey: boolean }): Promise<Rotation>;
  close(): Promise<void>;
}

const tables: readonly SealedTable[] = [sealedEndpoints, sealedCouriers, sealedPushKeys, sealedPushes];
const batch_size = 100;
/** How long to wait for another rotation of the same file. */
const lock_timeout_ms = 5_000;

/** Opens the database for a rotation; a running service may use it at the same time. @throws StorageUnavailable */
export async function openSecretRotation(
  database: string,
  options: SecretKeyOptions = {},
): Promise<SecretRotation> {
  const keys = readSecretKeys(database, options);
  const { storage, config, close } = await openParts(database, { secretKey: options });
  const parts = { storage, sealing: config.sealing, keys };
  return {
    uses: () => keyUses(parts),
    rotate: async ({ createsKey }) => {
      const { file } = keys;
      const created = createsKey && file !== null;
      if (created) await addKey(parts, file);
      return { file, created, ...(await resealAll(parts)) };
    },
    close,
  };
}

interface Parts {
  storage: Storage;
  sealing: Sealing;
  keys: SecretKeys;
}

async function keyUses({ storage, keys }: Parts): Promise<KeyUses> {
  const available = await keys.read();
  const counts = await countByKey(storage);
  const usable = available.map(
    ({ id }, index): KeyUse => ({
      key: id,
      state: index === 0 ? 'current' : 'previous',
      secrets: counts.get(id) ?? 0,
    }),
  );
  const others = [...counts].filter(([id]) => !available.some((key) => key.id === id));
  const missing = others.map(([key, secrets]): KeyUse => ({ key, state: 'missing', secrets }));
  return { file: keys.file, keys: [...usable, ...missing] };
}

/** Puts a new key first in the file, and removes the keys that no secret needs, except the one before. */
async function addKey({ storage }: Parts, file: string): Promise<void> {
  const lock = acquireWorkerLock(file, { wait_ms: lock_timeout_ms });
  if (lock === null) throw new Problem('secret_key_missing', `Another rotation is changing ${file}.`);
  try {
    const before = await keysIn(file);
    const counts = await countByKey(storage);
    const missing = [...counts.keys()].filter((id) => !before.some((key) => key.id === id));
    // A mistyped file name must not replace the keys of a database.
    if (before.length === 0 && missing.length > 0) throw missingKeys(file, missing);
    const kept = before.filter(({ id }, index) => index === 0 || counts.has(id));
    await writeKeyFile(file, [await newKey(), ...kept.map(keyText)]);
  } finally {
    lock.release();
  }
}

function keyText({ bytes }: SecretKey): string {
  return Buffer.from(bytes).toString('base64');
}

/** The number of secrets by the id of their key. */
async function countByKey(storage: Storage): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for await (const rows of allRows(storage)) {
    for (const stored of rows.flatMap((row) => row.stored)) {
      const id = readKeyId(stored);
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  }
  return counts;
}

async function* allRows(storage: Storage): AsyncGenerator<readonly SealedRow[]> {
  for (const table of tables) {
    let rows: readonly SealedRow[] = [];
    do {
      const after = rows.at(-1)?.id ?? null;
      rows = await storage.run((db) => table.read(db, after, batch_size));
      yield rows;
    } while (rows.length === batch_size);
  }
}

/**
 * Repeats until no row is left, because a service may change rows meanwhile. Another rotation may add a newer key: the
 * rest is then encrypted with that key.
 */
async function resealAll(parts: Parts): Promise<Pick<Rotation, 'key' | 'encrypted' | 'unreadable'>> {
  let encrypted = 0;
  for (;;) {
    const [current] = await parts.keys.read();
    if (current === undefined) throw noPlace();
    const pass = await resealOnce(parts, current.id);
    encrypted += pass.encrypted;
    if (pass.encrypted === 0) return { key: current.id, encrypted, unreadable: pass.unreadable };
  }
}

async function resealOnce({ storage, sealing }: Parts, current: string) {
  const done = { encrypted: 0, unreadable: 0 };
  for await (const rows of allRows(storage)) {
    const changes: ((db: Connection) => Promise<void>)[] = [];
    let secrets = 0;
    for (const row of rows) {
      const older = row.stored.filter((text) => readKeyId(text) !== current).length;
      if (older === 0) continue;
      try {
        changes.push(await row.reseal(sealing, current));
        secrets += older;
      } catch {
        // Its key is missing, or the text is damaged.
        done.unreadable += older;
      }
    }
    if (changes.length === 0) continue;
    await storage.transaction(async (transaction) => {
      for (const change of changes) await change(transaction);
    });
    done.encrypted += secrets;
  }
  return done;
}

function missingKeys(file: string, ids: readonly string[]): Problem {
  const message = `The database needs the key ${ids.join(', ')}, but there is no file ${file}.`;
  return new Problem('secret_key_missing', message);
}

function noPlace(): Problem {
  return new Problem('secret_key_missing', 'There is no secret key, and no file to create one in.');
}
