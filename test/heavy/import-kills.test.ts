import { expect, test } from 'vitest';
import { csvOf, ndjsonOf } from '../cli/imports/made-up-orders.ts';
import { killAgainAndAgain, madeOrders, put, referencesAt } from '../program/killed-imports.ts';
import { freshHome, type Home, serve } from '../program/run.ts';

const count = 5_000;
const kills = 50;

async function everyRowOnce(home: Home, file: string, rows: number): Promise<void> {
  const refs = Array.from({ length: rows }, (_, number) => `R-${number}`);
  expect((await referencesAt(home)).toSorted()).toEqual(refs.toSorted());
  expect(madeOrders(home, file)).toEqual(refs);
}

/** A home whose commands go to a service of its own. */
async function servedHome(): Promise<Home> {
  const served = await serve(freshHome());
  return freshHome({ WAYBILL_BASE_URL: served.url, WAYBILL_API_KEY: served.keys.test });
}

test.each([
  ['orders.csv', csvOf(count), []],
  ['orders.ndjson', ndjsonOf(count), ['--auto', '--concurrency', '2']],
])('%s of 5,000 rows, killed at 50 moments: every row is made once', async (file, content, flags) => {
  const home = await servedHome();
  put(home, file, content);
  const killed = await killAgainAndAgain({ home, file, flags, kills, latest_ms: 700, seed: 7 });
  console.log(`${file}: ${killed} kills`);
  expect(killed).toBeGreaterThan(kills / 3);
  await everyRowOnce(home, file, count);
});

test('the same on the embedded service, which is killed with it', async () => {
  const home = freshHome();
  put(home, 'orders.csv', csvOf(1_000));
  const killed = await killAgainAndAgain({ home, file: 'orders.csv', kills, latest_ms: 1_000, seed: 3 });
  console.log(`embedded: ${killed} kills`);
  await everyRowOnce(home, 'orders.csv', 1_000);
});
