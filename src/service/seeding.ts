import { readSetting, replaceSetting, writeSetting } from '../storage/settings.ts';
import type { ServiceConfig } from './context.ts';
import { type Chance, seededChance } from './ports/chance.ts';

/** The chance of a service, drawn from its database's seed. */
export interface Seeding {
  chance: () => Promise<Chance>;
  /** Hears what seed the database has: from a reset on, in whatever process, it is another. */
  seen: (seed: string | null) => void;
}

type Parts = Pick<ServiceConfig, 'storage' | 'secrets' | 'seed'>;

/** Nothing is read or chosen before chance is first asked for. */
export function createSeeding(parts: Parts): Seeding {
  let beginning: Promise<string> | undefined;
  let known: { seed: string; chance: Chance } | undefined;
  const followed = () => known?.seed;
  const follow = (seed: string) => {
    if (known?.seed !== seed) known = { seed, chance: seededChance(seed) };
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
  };
}

/** The seed of a database is chosen once, so that what it made can be made again. */
async function seedOf({ storage, secrets, seed }: Parts): Promise<string> {
  if (seed !== undefined) {
    await storage.run((db) => writeSetting(db, 'seed', seed));
    return seed;
  }
  const found = await storage.run((db) => readSetting(db, 'seed'));
  if (found !== null) return found;
  const value = await secrets.base62(16);
  const isOurs = await storage.run((db) => replaceSetting(db, 'seed', { believed: null, value }));
  return isOurs ? value : seedOf({ storage, secrets });
}
