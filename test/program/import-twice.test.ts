import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { csvOf } from '../cli/commands/orders/import/made-up-orders.ts';
import { madeOrders, put, referencesAt } from './killed-imports.ts';
import { ended, freshHome, start, waybill } from './run.ts';

const count = 80;
const refs = Array.from({ length: count }, (_, number) => `R-${number}`);

/** Runs both concurrently, in random order. */
async function together(home: ReturnType<typeof freshHome>, ...lines: string[][]) {
  const all = await Promise.all(lines.map((line) => ended(start(home, ['orders', 'import', ...line]))));
  return all.toSorted((a, b) => (a.exit ?? 0) - (b.exit ?? 0));
}

test('two concurrent imports of one file create each order once', async () => {
  const home = freshHome();
  await waybill(home, 'whoami');
  for (let round = 1; round <= 3; round += 1) {
    const file = `orders-${round}.csv`;
    put(home, file, csvOf(count));
    const [first, second] = await together(home, [file], [file]);
    expect([first?.exit, second?.exit], second?.stderr).toEqual([0, 6]);
    expect(second?.stderr).toMatch(
      /is being imported by (?:process \d+|another process)\.|was imported already|was (?:begun|started)/,
    );
    expect(madeOrders(home, file)).toEqual(refs);
    expect(await referencesAt(home)).toHaveLength(round * count);
    expect(existsSync(join(home.folder, `${file}.waybill-lock`))).toBe(false);
  }
});

test('a killed import is continued by one of two processes and not started again by the other', async () => {
  const home = freshHome();
  put(home, 'orders.csv', csvOf(count));
  const journal = join(home.folder, 'orders.csv.waybill-journal');
  const killed = start(home, ['orders', 'import', 'orders.csv']);
  await expect.poll(() => existsSync(journal), { timeout: 10_000, interval: 5 }).toBe(true);
  killed.kill('SIGKILL');
  await ended(killed);
  const both = await together(home, ['orders.csv', '--resume'], ['orders.csv', '--resume']);
  // A late one finds the import finished.
  expect(both.map(({ exit }) => exit)).toEqual([0, expect.toBeOneOf([0, 6])]);
  expect((await referencesAt(home)).toSorted()).toEqual(refs.toSorted());
  expect(madeOrders(home, 'orders.csv')).toEqual(refs);
});
