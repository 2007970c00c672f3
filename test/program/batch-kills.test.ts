import { expect, test } from 'vitest';
import { newDatabase } from '../databases.ts';
import { runBatchKills } from '../kills/batch-kills.ts';
import { newServerFiles } from '../kills/server-process.ts';

/** The short version of the test in test/heavy. */
test.each([
  ['SQLite', { kills: 6, orders: 60, processes: 1, interval_ms: 500, seed: 1 }],
  ['PostgreSQL', { kills: 2, orders: 30, processes: 2, interval_ms: 300, seed: 1 }],
])(
  'a batch on %s completes correctly while its processes are killed',
  async (engine, plan) => {
    const place = newServerFiles(engine === 'PostgreSQL' ? await newDatabase() : undefined);
    const { totals } = await runBatchKills({ ...plan, place });
    expect(totals.kills).toBeGreaterThanOrEqual(plan.kills);
  },
  60_000,
);
