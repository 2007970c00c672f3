import { expect, test } from 'vitest';
import { csvOf, ndjsonOf } from '../cli/commands/orders/import/made-up-orders.ts';
import { killRepeatedly, madeOrders, put, referencesAt } from './killed-imports.ts';
import { freshHome, serve } from './run.ts';

/** The long version is in test/heavy. */
test.each([
  ['orders.csv', 200, csvOf(200), []],
  ['orders.ndjson', 600, ndjsonOf(600), ['--auto', '--concurrency', '1']],
])('%s of %i rows, killed and continued: every row is created once', async (file, count, content, flags) => {
  const served = await serve(freshHome());
  const home = freshHome({ WAYBILL_BASE_URL: served.url, WAYBILL_API_KEY: served.keys.test });
  put(home, file, content);
  const killed = await killRepeatedly({ home, file, flags, kills: 3, latest_ms: 400, seed: 1 });
  expect(killed).toBeGreaterThan(0);
  const refs = Array.from({ length: count }, (_, number) => `R-${number}`);
  expect((await referencesAt(home)).toSorted()).toEqual(refs.toSorted());
  expect(madeOrders(home, file)).toEqual(refs);
});
