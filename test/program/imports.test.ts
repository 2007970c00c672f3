import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { csvOf, ndjsonOf } from '../cli/commands/orders/import/made-up-orders.ts';
import { killRepeatedly, madeOrders, put, referencesAt } from './killed-imports.ts';
import { ended, freshHome, inProcess, serve, start } from './run.ts';

const count = 80;
const refsOf = (rows: number) => Array.from({ length: rows }, (_, number) => `R-${number}`);
const refs = refsOf(count);

/** Runs both concurrently, in random order. */
async function together(home: ReturnType<typeof freshHome>, ...lines: string[][]) {
  const all = await Promise.all(lines.map((line) => ended(start(home, ['orders', 'import', ...line]))));
  return all.toSorted((a, b) => (a.exit ?? 0) - (b.exit ?? 0));
}

test('two concurrent imports of one file create each order once', async () => {
  const home = freshHome();
  await inProcess(home, 'whoami');
  const file = 'orders.csv';
  put(home, file, csvOf(count));
  const [first, second] = await together(home, [file], [file]);
  expect([first?.exit, second?.exit], second?.stderr).toEqual([0, 6]);
  expect(second?.stderr).toMatch(
    /is being imported by (?:process \d+|another process)\.|was imported already|was (?:begun|started)/,
  );
  expect(madeOrders(home, file)).toEqual(refs);
  expect(await referencesAt(home)).toHaveLength(count);
  expect(existsSync(join(home.folder, `${file}.waybill-lock`))).toBe(false);
});

test('a killed import is continued by one of two processes and not started again by the other', async () => {
  const home = freshHome();
  put(home, 'orders.csv', csvOf(count));
  const journal = join(home.folder, 'orders.csv.waybill-journal');
  const killed = start(home, ['orders', 'import', 'orders.csv']);
  await expect.poll(() => existsSync(journal), { interval: 5 }).toBe(true);
  killed.kill('SIGKILL');
  await ended(killed);
  const both = await together(home, ['orders.csv', '--resume'], ['orders.csv', '--resume']);
  // A late one finds the import finished.
  expect(both.map(({ exit }) => exit)).toEqual([0, expect.toBeOneOf([0, 6])]);
  expect((await referencesAt(home)).toSorted()).toEqual(refs.toSorted());
  expect(madeOrders(home, 'orders.csv')).toEqual(refs);
});

/** The long version is in test/heavy. */
test.each([
  ['orders.csv', 200, csvOf(200), []],
  ['orders.ndjson', 200, ndjsonOf(200), ['--auto', '--concurrency', '1']],
])('%s of %i rows, killed and continued: every row is created once', async (file, rows, content, flags) => {
  const served = await serve(freshHome());
  const home = freshHome({ WAYBILL_BASE_URL: served.url, WAYBILL_API_KEY: served.keys.test });
  put(home, file, content);
  const killed = await killRepeatedly({ home, file, flags, kills: 3, latest_ms: 50, seed: 1 });
  expect(killed).toBeGreaterThan(0);
  expect((await referencesAt(home)).toSorted()).toEqual(refsOf(rows).toSorted());
  expect(madeOrders(home, file)).toEqual(refsOf(rows));
});
