import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { newDatabase } from '../databases.ts';
import { isWhole } from '../in-part.ts';
import { batchCost, type Counted, idleCost, initiateCost, orderCost, passIdle } from './measure.ts';
import { webhookCost } from './webhook-cost.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-cost-'));
let files = 0;

afterAll(async () => {
  rmSync(folder, { recursive: true });
});

const places = {
  sqlite: async () => join(folder, `${++files}.db`),
  postgres: newDatabase,
};

const orders = 30;

// On SQLite a statement that writes on its own counts as a transaction too. Each limit is a little above what is
// counted: a change that costs more must say so here. PostgreSQL differs in its statements, not in the ways to pass time.
test.each([
  ['sqlite', 'minutes', [38, 0.6]],
  ['sqlite', 'remote', [50, 1.3]],
  ['sqlite', 'advance', [34, 0.8]],
  ['sqlite', 'initiate', [33, 3]],
  ['postgres', 'initiate', [24, 2]],
  ...(isWhole ? ([['postgres', 'minutes', [37, 1.5]]] as const) : []),
] as const)('on %s, an order or call costs no more than counted: %s', async (engine, work, limit) => {
  const { statements, transactions } = await lowerCost(async () => {
    const place = await places[engine]();
    return work === 'initiate' ? initiateCost(place) : batchCost(place, work, orders);
  }, limit);
  expect(statements).toBeLessThanOrEqual(limit[0]);
  expect(transactions).toBeLessThanOrEqual(limit[1]);
});

/**
 * The cost of a run, or of a later one while it is above the limits: on a busy machine fewer answers of couriers are
 * recorded together, and statements of the background work fall between those that are counted.
 */
async function lowerCost<T extends Counted>(
  count: () => Promise<T>,
  [most_statements, most_transactions]: readonly [number, number],
  left = 9,
): Promise<T> {
  const counted = await count();
  const isWithin = counted.statements <= most_statements && counted.transactions <= most_transactions;
  return isWithin || left === 0 ? counted : lowerCost(count, [most_statements, most_transactions], left - 1);
}

test('orders created at the same time are written in one transaction with their idempotency keys', async () => {
  const sqlite = await orderCost(await places.sqlite(), 32);
  // For each request two reads, and four inserts, one of which is its audit entry; two more statements begin and commit
  // the transaction.
  expect([sqlite.statements, sqlite.transactions]).toEqual([2 + 32 * 6, 1]);
  const postgres = await orderCost(await places.postgres(), 1);
  // Order, search text and audit entry with one statement, and the key.
  expect([postgres.statements, postgres.transactions]).toEqual([2 + 2 + 2, 1]);
});

test.each([{ endpoints: 1, most: 1.35 }, ...(isWhole ? [{ endpoints: 10, most: 0.85 }] : [])])(
  'a message to one of $endpoints webhook endpoints costs no more than counted',
  async ({ endpoints, most }) => {
    const { sent, statements } = await lowerCost(
      async () => webhookCost(await places.sqlite(), { endpoints, deliveries: 60 }),
      [most, most],
    );
    expect(sent).toBe(endpoints * 120);
    expect(statements).toBeLessThanOrEqual(most);
  },
);

test('an idle service reads its database less than once in five seconds', async () => {
  const most = 60 / 5;
  const { statements, texts } = await lowerCost(
    async () => passIdle(await places.sqlite(), 60),
    [most, most],
  );
  expect(statements, JSON.stringify([...texts])).toBeLessThanOrEqual(most);
  // Each of its four loops reads every 30 seconds all the same.
  expect(statements).toBeGreaterThanOrEqual(4);
  // In real time: the listening connection to PostgreSQL does not use the clock of the test.
  const postgres = await idleCost(await places.postgres(), 5);
  // One read of each loop may fall into the five seconds.
  expect(postgres.cost.statements).toBeLessThanOrEqual(4);
});
