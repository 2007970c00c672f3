import { expect, test } from 'vitest';
import { crashPoints } from '../../src/service/runtime/crash-points.ts';
import { isOfWebhooks } from '../kills/crash-plan.ts';
import { runSequentialKills } from '../kills/sequential-kills.ts';
import { newServerFiles } from '../kills/server-process.ts';
import { percentile, totalsText } from '../kills/totals.ts';

/** `KILLS=1000 npm run test:heavy` runs more of them. */
const kills = Number(process.env.KILLS ?? 200);
const orders = 300;

test(
  `${kills} kills of batches of ${orders} orders: nothing lost, nothing sent twice, every cent right`,
  async () => {
    const totals = await runSequentialKills({ place: newServerFiles(), kills, orders, seed: 4 });
    console.log(totalsText(totals));
    expect(Object.keys(totals.deaths).sort()).toEqual(
      [...crashPoints.filter((point) => !isOfWebhooks(point)), 'moment'].sort(),
    );
    expect(totals.firstCalls.length).toBeGreaterThan(kills / 10);
    const waits = totals.firstCalls.map(({ since_ready }) => since_ready);
    // The slowest waits behind three hundred earlier attempts, which take longer on a busy machine.
    expect(percentile(waits, 95)).toBeLessThan(1_000);
  },
  300_000 + kills * 5_000,
);
