import { expect, test } from 'vitest';
import { newDatabase } from '../databases.ts';
import { runConcurrentKills } from '../kills/concurrent-kills.ts';
import { runSequentialKills } from '../kills/sequential-kills.ts';
import { newServerFiles } from '../kills/server-process.ts';

// The short versions of the tests in test/heavy.

test('a batch completes correctly with a service that is killed repeatedly', async () => {
  const totals = await runSequentialKills({ place: newServerFiles(), kills: 6, orders: 60, seed: 1 });
  expect(totals.kills).toBeGreaterThanOrEqual(6);
});

test('two processes on one PostgreSQL complete a batch while one and then the other is killed', async () => {
  const place = newServerFiles(await newDatabase());
  const { totals } = await runConcurrentKills({
    ...{ place, kills: 2, orders: 30, processes: 2, interval_ms: 300, seed: 1 },
  });
  expect(totals.kills).toBeGreaterThanOrEqual(2);
}, 60_000);
