import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  expectEvents,
  expectExplainedFaults,
  expectNothingFailed,
  expectOwnRecords,
} from '../evening/checks.ts';
import { finish, startEvening, startSending } from '../evening/evening.ts';
import { postgresReader } from '../kills/database-reader.ts';
import { recordFaults } from '../kills/record-rules.ts';
import { builtProgram } from '../kills/server-process.ts';
import { buildNextVersion, nextSchemaVersion } from './next-version.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();

test('two versions share a database during an upgrade and back: nothing is lost or sent twice', async () => {
  // Only PostgreSQL lets two versions use a database.
  const evening = await startEvening(postgres(), ['ada', 'bea'], { books: await postgres().newDatabase() });
  const { place, database, merchants, workers } = evening;
  const next = buildNextVersion(join(place.home.folder, 'next'));
  const { over, reached } = startSending(merchants, { orders_each: 300, concurrency: 6 });
  // The two workers are restarted alternately. The first upgrades the database while the other still runs the version
  // before.
  const programs = [next, builtProgram, next, next, builtProgram];
  for (const [index, program] of programs.entries()) {
    await reached((index + 1) / (programs.length + 1));
    await workers.killNext(program);
  }
  await over;
  await finish(evening);
  expect(await database.rows('select version from schema_version')).toEqual([{ version: nextSchemaVersion }]);
  expect(merchants.flatMap(({ unexpected }) => unexpected)).toEqual([]);
  expect(await recordFaults(database, { couriers: postgresReader(place.books) })).toEqual({});
  await expectOwnRecords(evening);
  await expectEvents(evening);
  await expectNothingFailed(evening);
  expectExplainedFaults(evening);
});
