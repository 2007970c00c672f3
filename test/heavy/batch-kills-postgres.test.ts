import { expect, test } from 'vitest';
import { runConcurrentKills } from '../kills/concurrent-kills.ts';
import { newServerFiles } from '../kills/server-process.ts';
import { percentile, totalsText } from '../kills/totals.ts';
import { postgresForTests } from './postgres.ts';

/** `TEAM_KILLS=200 npm run test:heavy` runs more of them. */
const kills = Number(process.env.TEAM_KILLS ?? 40);
const orders = 300;
/** A claim lasts two seconds, and a poll takes half a second; a busy machine takes its time for both. */
const takeover_ms = 9_000;

const postgres = postgresForTests();

test(
  'three processes on one PostgreSQL, one killed every few seconds: nothing lost, nothing sent twice, every cent right',
  async () => {
    const place = newServerFiles(await postgres().newDatabase());
    const { totals, takeovers_ms } = await runConcurrentKills({
      ...{ place, kills, orders, processes: 3, interval_ms: 3_000, seed: 5 },
    });
    const spread = [50, 95, 100].map((percent) => Math.round(percentile(takeovers_ms, percent)));
    console.log(`${totalsText(totals)}\ntaken over, ms (median / p95 / worst): ${spread.join(' / ')}`);
    expect(totals.kills).toBeGreaterThanOrEqual(kills);
    expect(Math.max(...takeovers_ms)).toBeLessThan(takeover_ms);
  },
  300_000 + kills * 20_000,
);
