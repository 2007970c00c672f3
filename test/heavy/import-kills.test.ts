import { expect, test } from 'vitest';
import { csvOf, ndjsonOf } from '../cli/commands/orders/import/made-up-orders.ts';
import { killRepeatedly, madeOrders, put, referencesAt } from '../program/killed-imports.ts';
import { freshHome, type Home, serve } from '../program/run.ts';

const count = 5_000;
const kills = 50;

async function everyRowOnce(home: Home, file: string, rows: number): Promise<void> {
  const refs = Array.from({ length: rows }, (_, number) => `R-${number}`);
  expect((await referencesAt(home)).toSorted()).toEqual(refs.toSorted());
  expect(madeOrders(home, file)).toEqual(refs);
}

/** Starts a service, and returns a home whose commands use it. */
async function servedHome(): Promise<Home> {
  const served = await serve(freshHome());
  return freshHome({ WAYBILL_BASE_URL: served.url, WAYBILL_API_KEY: served.keys.test });
}

interface Killing {
  /** A new empty service, and a home whose commands use it. */
  newHome: () => Promise<Home>;
  file: string;
  content: string;
  rows: number;
  flags?: readonly string[];
  latest_ms: number;
}

/** Kills one import repeatedly, and if it completes before all kills are used, the next one. */
async function killEnough({ newHome, file, content, rows, ...options }: Killing): Promise<void> {
  let killed = 0;
  let imports = 0;
  while (killed < kills) {
    const home = await newHome();
    put(home, file, content);
    killed += await killRepeatedly({ home, file, kills: kills - killed, seed: 7 + imports, ...options });
    await everyRowOnce(home, file, rows);
    imports += 1;
  }
  console.log(`${file}: ${killed} kills of ${imports} imports of ${rows} rows`);
}

test.each([
  ['orders.csv', csvOf(count), []],
  ['orders.ndjson', ndjsonOf(count), ['--auto', '--concurrency', '2']],
])('%s of 5,000 rows, killed at 50 moments: every row is created once', async (file, content, flags) => {
  await killEnough({ newHome: servedHome, file, content, rows: count, flags, latest_ms: 700 });
});

test('the same on the embedded service, which is killed too', async () => {
  const rows = 3_000;
  const newHome = async () => freshHome();
  await killEnough({ newHome, file: 'orders.csv', content: csvOf(rows), rows, latest_ms: 700 });
});
