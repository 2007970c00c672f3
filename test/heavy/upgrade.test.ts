import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordFaults } from '../evening/books.ts';
import { expectEvents, expectNothingFailed, expectOwnRecords } from '../evening/checks.ts';
import { finish, startEvening } from '../evening/evening.ts';
import { sendOrders } from '../evening/merchants.ts';
import { postgresReader } from '../kills/database-reader.ts';
import { builtProgram, faultsOf } from '../kills/server-process.ts';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { buildNextVersion, nextSchemaVersion } from './next-version.ts';

const orders_each = 300;

/** A busy machine, or a table that is being migrated, delays requests and tasks, which are repeated. */
function isOfDelay(fault: string): boolean {
  return /^StorageUnavailable: |^Error: it hung for/.test(fault);
}

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres.stop();
});

test('two versions share a database during an upgrade and back: nothing is lost or sent twice', async () => {
  // Only PostgreSQL lets two versions use a database.
  const evening = await startEvening(postgres, ['ada', 'bea'], await postgres.newDatabase());
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
  expect(faultsOf(place).filter((fault) => !isOfDelay(fault))).toEqual([]);
}, 1_200_000);
