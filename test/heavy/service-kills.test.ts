import { expect, test } from 'vitest';
import { crashPoints } from '../../src/service/runtime/crash-points.ts';
import { runBatchKills } from '../kills/batch-kills.ts';
import { runCourierKills } from '../kills/courier-kills.ts';
import { isOfWebhooks } from '../kills/crash-plan.ts';
import { newServerFiles } from '../kills/server-process.ts';
import { percentile } from '../kills/totals.ts';
import { postgresForTests } from './postgres.ts';

/** `KILLS=1000 npm run test:heavy` runs more of them. */
const kills = Number(process.env.KILLS ?? 0);
const orders = 300;

const postgres = postgresForTests();

test.each([
  ['one process on SQLite', { kills: kills || 200, processes: 1, interval_ms: 3_000, seed: 4 }],
  ['three processes on PostgreSQL', { kills: kills || 40, processes: 3, interval_ms: 3_000, seed: 5 }],
])(
  'batches with %s that are killed again and again: nothing lost, nothing sent twice, every cent right',
  async (_, plan) => {
    const place = newServerFiles(plan.processes === 1 ? undefined : await postgres().newDatabase());
    const { totals, takeovers_ms } = await runBatchKills({ ...plan, place, orders });
    const spread_ms = [50, 95, 100].map((percent) => Math.round(percentile(takeovers_ms, percent)));
    console.log(JSON.stringify({ ...totals, spread_ms }));
    expect(totals.kills).toBeGreaterThanOrEqual(plan.kills);
    if (plan.processes > 1) return;
    const points = crashPoints.filter((point) => !isOfWebhooks(point));
    expect(Object.keys(totals.deaths).sort()).toEqual([...points, 'moment'].sort());
  },
);

test('kills while own drivers and couriers carry batches of 40 orders: each once, every cent right', async () => {
  const totals = await runCourierKills({ kills: kills || 50, orders: 40, seed: 7 });
  console.log(JSON.stringify(totals));
  const dispatched = 40 * totals.batches;
  expect(totals.outcomes).toEqual({ dispatched });
  for (const provider of ['fleet', 'uber-direct', 'doordash-drive'])
    expect(totals.carried[provider], provider).toBeGreaterThan(dispatched / 100);
});
