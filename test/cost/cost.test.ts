import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { batchCost, initiateCost } from './measure.ts';

let postgres: PostgresServer;
const folder = mkdtempSync(join(tmpdir(), 'waybill-cost-'));
let files = 0;

beforeAll(async () => {
  postgres = await startPostgres();
}, 60_000);
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true });
});

const places = {
  sqlite: async () => join(folder, `${++files}.db`),
  postgres: () => postgres.newDatabase(),
};

const orders = 30;

// Each limit is a little above what is counted: a change that costs more must say so here.
const limits = {
  sqlite: { minutes: [175, 8.5], advance: [206, 15], initiate: [45, 2] },
  postgres: { minutes: [183, 8.5], advance: [206, 15], initiate: [45, 2] },
} as const;

test.each(['sqlite', 'postgres'] as const)(
  'on %s, an order of a batch and a call cost no more than counted',
  async (engine) => {
    const { minutes, advance, initiate } = limits[engine];
    const pairs = [
      [await batchCost(await places[engine](), 'minutes', orders), minutes],
      [await batchCost(await places[engine](), 'advance', orders), advance],
      [await initiateCost(await places[engine]()), initiate],
    ] as const;
    for (const [{ statements, transactions }, [most_statements, most_transactions]] of pairs) {
      expect(statements).toBeLessThanOrEqual(most_statements);
      expect(transactions).toBeLessThanOrEqual(most_transactions);
    }
  },
  60_000,
);
