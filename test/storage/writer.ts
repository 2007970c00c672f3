// Runs as a separate process, together with others on the same folder. First it opens new databases, which all processes
// create at the same time; then it reads and writes a shared one. Exits with an error if the storage fails.
import { join } from 'node:path';
import { openStorage } from '../../src/storage/open-storage.ts';
import { setRouteStatus } from '../../src/storage/routes.ts';
import { readSetting, writeSetting } from '../../src/storage/settings.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { dueTasks, insertTasks } from '../../src/storage/tasks.ts';
import { noon, route } from './records.ts';

const [folder = '', name = '', databases = '0', rounds = '0'] = process.argv.slice(2);
const roundsOfOneOpening = 25;

async function count(storage: Storage, key: string): Promise<void> {
  await storage.transaction(async (db) => {
    const before = Number((await readSetting(db, key)) ?? 0);
    await writeSetting(db, key, String(before + 1));
  });
}

/** Tries to win the dispatch of a route, and counts the wins. */
async function takeRoute(storage: Storage, number: number): Promise<void> {
  const { id } = route(number);
  const won = await storage.run((db) =>
    setRouteStatus(db, { id, from: 'draft', to: 'dispatched', now: noon }),
  );
  if (won) {
    await count(storage, 'won');
  }
}

for (let number = 0; number < Number(databases); number += 1) {
  const storage = await openStorage(join(folder, `new-${number}.db`));
  await count(storage, 'opened');
  await storage.close();
}

let storage = await openStorage(join(folder, 'shared.db'));
for (let round = 0; round < Number(rounds); round += 1) {
  await count(storage, 'rounds');
  await takeRoute(storage, round);
  await storage.run((db) =>
    insertTasks(db, [
      {
        ...{ id: `${name}-${round}`, account_id: 'acct_1', test_mode: 1, kind: 'nothing' },
        ...{ subject: name, due_at: round, payload: '{}' },
      },
    ]),
  );
  await storage.run((db) => dueTasks(db, { test_mode: 1, now: round, limit: 20 }));
  if (round % roundsOfOneOpening === 0) {
    await storage.close();
    storage = await openStorage(join(folder, 'shared.db'));
  }
}
await storage.close();
