/**
 * Random values of two kinds: repeatable ones, which are hashes of a mode's seed and of what they are for (`Chance`), and
 * secret ones for keys and tokens (`Secrets`).
 */
import { hash } from 'node:crypto';
import type { Connection, Flag, Scope } from '../../storage/database.ts';
import {
  countContent,
  countRequest,
  readSetting,
  replaceSetting,
  writeSetting,
} from '../../storage/settings.ts';
import type { Storage } from '../../storage/storage.ts';
import { loadOnce } from './combine-calls.ts';

/** Repeatable randomness: the same seed and parts give the same bytes. */
export type Chance = (...parts: readonly string[]) => Uint8Array;

const separator = '\u0000';

export function seededChance(seed: string): Chance {
  return (...parts) => hash('sha256', [seed, ...parts].join(separator), 'buffer');
}

/** A number in [0, 1) from the first bytes of a hash. */
export function fraction(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(0) / 2 ** 32;
}

/** A non-repeatable, non-secret random number in [0, 1), for request ids. */
export function random(): number {
  return Math.random();
}

/** The randomness of a mode, derived from its seed in the database. */
export interface Seeding {
  chance: () => Promise<Chance>;
  /** Uses the mode's current seed from now on: a reset, in any process, changes it. */
  followSeed: (seed: string | null) => void;
  /**
   * The number of a request without an idempotency key within its account and mode, which is repeatable with the
   * seed. Null if the seed was not chosen: then runs need not be repeatable, and requests are not counted.
   */
  countRequest: (scope: Scope) => Promise<number | null>;
  /** The number of an order among those with the same hash of their content; null if the seed was not chosen. */
  countContent: (scope: Scope, content: string) => Promise<number | null>;
}

interface Parts {
  storage: Storage;
  secrets: Secrets;
  /** See `ServiceConfig`. */
  seed?: string;
  test_mode: Flag;
}

export function seedName(test_mode: Flag): string {
  return test_mode === 1 ? 'test_seed' : 'live_seed';
}

/** Nothing is read or generated before the first use. */
export function createSeeding(parts: Parts): Seeding {
  let current: { seed: string; chance: Chance } | undefined;
  let isReseeded = false;
  const readFirstSeed = loadOnce(() => seedOf(parts));
  const wasChosen = loadOnce(() => isSeedChosen(parts));
  const isSeeded = async () => isReseeded || (await wasChosen());
  const useSeed = (seed: string) => {
    if (current?.seed === seed) return current.chance;
    // A database only gets a different seed if one is chosen.
    if (current !== undefined) isReseeded = true;
    current = { seed, chance: seededChance(seed) };
    return current.chance;
  };
  return {
    chance: async () => {
      const seed = await readFirstSeed();
      return current?.chance ?? useSeed(seed);
    },
    followSeed: (seed) => {
      // Before the first use, the configured seed may still replace it.
      if (current !== undefined && seed !== null) useSeed(seed);
    },
    countRequest: async (scope) => {
      if (!(await isSeeded())) return null;
      return parts.storage.write((db) => countRequest(db, scope));
    },
    countContent: async (scope, content) => {
      if (!(await isSeeded())) return null;
      return parts.storage.write((db) => countContent(db, scope, content));
    },
  };
}

const chosenName = (test_mode: Flag) => `${seedName(test_mode)}_is_chosen`;

/** Sets the chosen seed of a mode. */
export async function chooseSeed(db: Connection, test_mode: Flag, seed: string): Promise<void> {
  await writeSetting(db, seedName(test_mode), seed);
  await writeSetting(db, chosenName(test_mode), 'yes');
}

async function isSeedChosen({ storage, seed, test_mode }: Parts): Promise<boolean> {
  if (seed !== undefined) return true;
  return (await storage.run((db) => readSetting(db, chosenName(test_mode)))) !== null;
}

/** Generates the seed of a mode once, so that runs can be repeated. */
async function seedOf(parts: Parts): Promise<string> {
  const { storage, secrets, seed, test_mode } = parts;
  const name = seedName(test_mode);
  if (seed !== undefined) {
    await storage.run((db) => chooseSeed(db, test_mode, seed));
    return seed;
  }
  const found = await storage.run((db) => readSetting(db, name));
  if (found !== null) return found;
  const value = await secrets.base62(16);
  const isOurs = await storage.run((db) => replaceSetting(db, name, { believed: null, value }));
  return isOurs ? value : seedOf(parts);
}

/** Generates unguessable values: keys, tokens, the seed of a new service. */
export interface Secrets {
  /** `length` base62 characters. */
  base62(length: number): Promise<string>;
}

/** Random bytes for keys and nonces. */
export async function randomBytes(length: number): Promise<Buffer> {
  const crypto = await import('node:crypto');
  return crypto.randomBytes(length);
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const systemSecrets: Secrets = {
  async base62(length) {
    // Loaded here: node:crypto costs more than a whole read, and most commands create no secret.
    const { randomInt } = await import('node:crypto');
    return Array.from({ length }, () => alphabet.charAt(randomInt(alphabet.length))).join('');
  },
};
