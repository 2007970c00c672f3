import { expect, test } from 'vitest';
import { runCourierKills } from '../kills/courier-kills.ts';

/** `KILLS=200 npm run test:heavy` runs more of them. */
const kills = Number(process.env.KILLS ?? 50);
const orders = 300;

test(
  `${kills} kills while own drivers and couriers carry ${orders} orders: each once, every cent right`,
  async () => {
    const totals = await runCourierKills({ kills, orders, seed: 7 });
    console.log(JSON.stringify(totals));
    expect(totals.outcomes).toEqual({ dispatched: orders });
    for (const provider of ['fleet', 'uber-direct', 'doordash-drive'])
      expect(totals.carried[provider], provider).toBeGreaterThan(orders / 50);
  },
  300_000 + kills * 5_000,
);
