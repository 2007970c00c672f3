import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordFaults } from '../evening/books.ts';
import {
  expectEvents,
  expectMetrics,
  expectNothingFailed,
  expectOwnRecords,
  expectRestorable,
} from '../evening/checks.ts';
import { finish, sendUnderTrouble, startEvening } from '../evening/evening.ts';
import { sqliteReader } from '../kills/database-reader.ts';
import { faultsOf } from '../kills/server-process.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';

/**
 * `EVENING_ORDERS=5000 npm run test:heavy` sends more. On two cores that others use too, 5,000 take more than twelve
 * minutes, so that fewer are sent unless asked for.
 */
const orders = Number(process.env.EVENING_ORDERS ?? 600);
const names = ['ada', 'bea', 'cleo'];
const kills = 10;

/** What the restarts of PostgreSQL interrupt, or delay until the deadline of a task, which is then repeated. */
function isOfOutage(fault: string): boolean {
  return /^StorageUnavailable: |^Error: it hung for/.test(fault);
}

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres.stop();
});

test(`three accounts send ${orders} orders while workers and PostgreSQL fail: each once, every cent right`, async () => {
  const evening = await startEvening(postgres, names);
  const { place, database, merchants, statuses, isProxied } = evening;
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1_000);
  await sendUnderTrouble(evening, { orders, kills });
  const sent_s = seconds();
  await finish(evening);
  console.log({ isProxied, sent_s, took_s: seconds(), statuses: Object.fromEntries(statuses) });
  expect.soft(merchants.flatMap(({ unexpected }) => unexpected)).toEqual([]);
  expect.soft(await recordFaults(database, sqliteReader(place.books))).toEqual({});
  await expectOwnRecords(evening);
  await expectEvents(evening);
  await expectNothingFailed(evening);
  await expectMetrics(evening);
  console.log({ isRestored: await expectRestorable(evening) });
  expect(faultsOf(place).filter((fault) => !isOfOutage(fault))).toEqual([]);
}, 3_600_000);
