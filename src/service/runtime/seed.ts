import type { Connection, Flag, Scope } from '../../storage/database.ts';
import { readSetting, replaceSetting, writeSetting } from '../../storage/settings.ts';
import type { Storage } from '../../storage/storage.ts';
import { type Chance, seededChance } from './random.ts';
import type { Secrets } from './secrets.ts';

/** The chance of a mode, drawn from its seed in the database. */
export interface Seeding {
  chance: () => Promise<Chance>;
  /** Hears what seed the mode has: from a reset on, in whatever process, it is another. */
  seen: (seed: string | null) => void;
  /**
   * The number of a request without an idempotency key among those of its account and mode, which repeats with the
   * seed. Null where nobody chose the seed: then nothing is to repeat, and no request pays for a count.
   */
  countRequest: (scope: Scope) => Promise<number | null>;
}

interface Parts {
  storage: Storage;
  secrets: Secrets;
  /** See `ServiceConfig`. */
  seed?: string;
  test_mode: Flag;
}

/** The name of the setting with the seed of a mode. */
export function seedName(test_mode: Flag): string {
  return test_mode === 1 ? 'test_seed' : 'live_seed';
}

/** Nothing is read or chosen before chance is first asked for. */
export function createSeeding(parts: Parts): Seeding {
  let beginning: Promise<string> | undefined;
  let known: { seed: string; chance: Chance } | undefined;
  let isChosen: Promise<boolean> | undefined;
  const followed = () => known?.seed;
  const follow = (seed: string) => {
    if (known?.seed === seed) return known.chance;
    // Only somebody's choice gives a database another seed.
    if (known !== undefined) isChosen = Promise.resolve(true);
    known = { seed, chance: seededChance(seed) };
    return known.chance;
  };
  return {
    chance: async () => {
      beginning ??= seedOf(parts).catch((fault: unknown) => {
        beginning = undefined;
        throw fault;
      });
      const seed = await beginning;
      return follow(followed() ?? seed);
    },
    seen: (seed) => {
      // Before the beginning it may be one that the configuration replaces.
      if (known !== undefined && seed !== null) follow(seed);
    },
    countRequest: async (scope) => {
      isChosen ??= isSeedChosen(parts).catch((fault: unknown) => {
        isChosen = undefined;
        throw fault;
      });
      if (!(await isChosen)) return null;
      const { countRequest } = await import('../../storage/request-counts.ts');
      return parts.storage.run((db) => countRequest(db, scope));
    },
  };
}

/** The name of the setting that says that somebody chose the seed of a mode. */
const chosenName = (test_mode: Flag) => `${seedName(test_mode)}_is_chosen`;

/** Gives a mode the seed that somebody chose. */
export async function chooseSeed(db: Connection, test_mode: Flag, seed: string): Promise<void> {
  await writeSetting(db, seedName(test_mode), seed);
  await writeSetting(db, chosenName(test_mode), 'yes');
}

async function isSeedChosen({ storage, seed, test_mode }: Parts): Promise<boolean> {
  if (seed !== undefined) return true;
  return (await storage.run((db) => readSetting(db, chosenName(test_mode)))) !== null;
}

/** The seed of a mode is chosen once, so that what it made can be made again. */
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
