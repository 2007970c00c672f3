import { expect, test } from 'vitest';
import {
  expectEvents,
  expectExplainedFaults,
  expectMetrics,
  expectNothingFailed,
  expectOwnRecords,
} from '../evening/checks.ts';
import { finish, sendUnderTrouble, startEvening } from '../evening/evening.ts';
import { sqliteReader } from '../kills/database-reader.ts';
import { recordFaults } from '../kills/record-rules.ts';
import { postgresForTests } from './postgres.ts';

/** `EVENING_ORDERS=5000 npm run test:heavy` sends more: on two busy cores 5,000 take more than twelve minutes. */
const orders = Number(process.env.EVENING_ORDERS ?? 600);
const names = ['ada', 'bea', 'cleo'];
const kills = 10;
const postgres = postgresForTests();

test(`three accounts send ${orders} orders while workers and PostgreSQL fail: each once, every cent right`, async () => {
  const evening = await startEvening(postgres(), names);
  const { place, database, merchants, statuses, isProxied } = evening;
  const began = performance.now();
  const seconds = () => Math.round((performance.now() - began) / 1_000);
  await sendUnderTrouble(evening, { orders, kills });
  const sent_s = seconds();
  await finish(evening);
  console.log({ isProxied, sent_s, took_s: seconds(), statuses: Object.fromEntries(statuses) });
  expect.soft(merchants.flatMap(({ unexpected }) => unexpected)).toEqual([]);
  expect.soft(await recordFaults(database, { couriers: sqliteReader(place.books) })).toEqual({});
  await expectOwnRecords(evening);
  await expectEvents(evening);
  await expectNothingFailed(evening);
  await expectMetrics(evening);
  expectExplainedFaults(evening);
});
