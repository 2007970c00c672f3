import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { recordFaults } from '../evening/books.ts';
import {
  expectEvents,
  expectExplainedFaults,
  expectNothingFailed,
  expectOwnRecords,
} from '../evening/checks.ts';
import { finish, startEvening } from '../evening/evening.ts';
import { sendOrders } from '../evening/merchants.ts';
import { postgresReader } from '../kills/database-reader.ts';
import { builtProgram } from '../kills/server-process.ts';
import { buildNextVersion, nextSchemaVersion } from './next-version.ts';
import { postgresForTests } from './postgres.ts';

const orders_each = 300;

const postgres = postgresForTests();

test('two versions share a database during an upgrade and back: nothing is lost or sent twice', async () => {
  // Only PostgreSQL lets two versions use a database.
  const evening = await startEvening(postgres(), ['ada', 'bea'], await postgres().newDatabase());
  const { place, database, merchants, workers } = evening;
  const next = buildNextVersion(join(place.home.folder, 'next'));
  let sent = 0;
  const onSent = (count: number) => {
    sent += count;
  };
  let isSent = false;
  const sending = Promise.all(
    merchants.map((merchant) => sendOrders(merchant, orders_each, { concurrency: 6, onSent })),
  ).finally(() => {
    isSent = true;
  });
  // The two workers are restarted alternately. The first upgrades the database while the other still runs the version
  // before.
  const programs = [next, builtProgram, next, next, builtProgram];
  for (const [index, program] of programs.entries()) {
    const share = (index + 1) / (programs.length + 1);
    while (!isSent && sent < merchants.length * orders_each * share) await pause(20);
    await workers.killNext(program);
  }
  await sending;
  await finish(evening);
  expect(await database.rows('select version from schema_version')).toEqual([{ version: nextSchemaVersion }]);
  expect(merchants.flatMap(({ unexpected }) => unexpected)).toEqual([]);
  expect(await recordFaults(database, postgresReader(place.books))).toEqual({});
  await expectOwnRecords(evening);
  await expectEvents(evening);
  await expectNothingFailed(evening);
  expectExplainedFaults(evening);
}, 1_200_000);
