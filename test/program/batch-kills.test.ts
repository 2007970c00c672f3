import { afterAll, beforeAll, expect, test } from 'vitest';
import { runTeam } from '../kills/concurrent-kills.ts';
import { runSeason } from '../kills/sequential-kills.ts';
import { freshPlace } from '../kills/server-process.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';

// The short versions of the tests in test/heavy.

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres.stop();
});

test('a batch is carried out as it must be by a service that is killed again and again', async () => {
  const tally = await runSeason({ place: freshPlace(), kills: 6, orders: 60, seed: 1 });
  expect(tally.kills).toBeGreaterThanOrEqual(6);
});

test('two processes on one PostgreSQL carry a batch out while one and then the other is killed', async () => {
  const place = freshPlace(await postgres.newDatabase());
  const { tally } = await runTeam({
    ...{ place, kills: 2, orders: 30, members: 2, interval_ms: 300, seed: 1 },
  });
  expect(tally.kills).toBeGreaterThanOrEqual(2);
}, 60_000);
