import { readSetting, writeSetting } from '../storage/settings.ts';
import type { ServiceConfig, ServiceContext } from './context.ts';
import { everyEndpoint } from './endpoints.ts';
import { createFetch, type Fetch } from './fetch.ts';
import { createLoop } from './loop.ts';
import { type Chance, seededChance } from './ports/chance.ts';
import { runDueTasks } from './tasks.ts';

export interface Service {
  /** Answers one request. */
  fetch: Fetch;
  /** Goes on doing what becomes due until `stop`. */
  start: () => void;
  /** Ends once the work in hand is done. The storage is its owner's to close. */
  stop: () => Promise<void>;
  /** Does all that is due now, once; tells how much it was. */
  tick: () => Promise<number>;
}

/** Wires a service together; nothing runs before it is asked something or started. */
export function createService(config: ServiceConfig): Service {
  const loop = createLoop({ ...config, work: () => runDueTasks(context) });
  const context: ServiceContext = { ...config, chance: once(() => chanceOf(config)), wake: loop.wake };
  return {
    fetch: createFetch(context, everyEndpoint),
    start: loop.start,
    stop: loop.stop,
    tick: () => runDueTasks(context),
  };
}

/** The seed of a database is chosen once, so that what it made can be made again. */
async function chanceOf({ storage, secrets, seed }: ServiceConfig): Promise<Chance> {
  const known = await storage.run((db) => readSetting(db, 'seed'));
  if (known !== null && (seed === undefined || seed === known)) return seededChance(known);
  const chosen = seed ?? (await secrets.base62(16));
  await storage.run((db) => writeSetting(db, 'seed', chosen));
  return seededChance(chosen);
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((fault: unknown) => {
      made = undefined;
      throw fault;
    });
    return made;
  };
}
