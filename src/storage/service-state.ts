import type { Connection, Flag } from './database.ts';
import type { PreparedQuery } from './prepared-queries.ts';

/** The state of a mode that a service needs for every request. */
export interface ServiceState {
  /** When the next task of the mode is due, by its clock; null if absent. */
  due_at: number | null;
  /** The settings with these names; null if never written. */
  clock: string | null;
  seed: string | null;
}

/** Read in one statement, because every request needs it. The parameters are the mode and the names of the settings. */
export const serviceState: PreparedQuery<ServiceState, [test_mode: Flag, clock: string, seed: string]> = {
  name: 'state of the service',
  sample: [1, 'clock', 'test_seed'],
  query: (db, test_mode, clock, seed) =>
    db.selectNoFrom([
      db
        .selectFrom('tasks')
        .select(({ fn }) => fn.min<number | null>('due_at').as('due_at'))
        .where('test_mode', '=', test_mode)
        .as('due_at'),
      settingNamed(db, clock).as('clock'),
      settingNamed(db, seed).as('seed'),
    ]),
};

function settingNamed(db: Connection, key: string) {
  return db.selectFrom('settings').select('value').where('key', '=', key);
}
