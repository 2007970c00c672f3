import type { Connection } from './database.ts';
import type { Lookup } from './lookups.ts';

/** What a service must know before it answers anything. */
export interface ServiceState {
  /** When the next task is due, in service time; null when there is none. */
  due_at: number | null;
  /** The settings of these names; null where they were never written. */
  clock: string | null;
  seed: string | null;
}

/** All of it in one statement, as every request pays for it. The parameters are the names of the settings. */
export const serviceState: Lookup<ServiceState, [clock: string, seed: string]> = {
  name: 'state of the service',
  sample: ['clock', 'seed'],
  query: (db, clock, seed) =>
    db.selectNoFrom([
      db
        .selectFrom('tasks')
        .select(({ fn }) => fn.min<number | null>('due_at').as('due_at'))
        .as('due_at'),
      settingNamed(db, clock).as('clock'),
      settingNamed(db, seed).as('seed'),
    ]),
};

function settingNamed(db: Connection, key: string) {
  return db.selectFrom('settings').select('value').where('key', '=', key);
}
