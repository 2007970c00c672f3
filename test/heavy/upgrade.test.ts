import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { schemaVersion } from '../../src/storage/storage.ts';
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
const orders_each = Number(process.env.UPGRADE_ORDERS ?? 600) / 2;

/** The program of an older build: `OLDER_PROGRAM=.../bin/waybill.cjs npm run test:heavy` upgrades from that one too. */
const { OLDER_PROGRAM: older } = process.env;

interface Upgrade {
  from: string;
  to: string;
  /** The schema that the database has at the end. */
  version: number;
}

const upgrades: Readonly<Record<string, (folder: string) => Upgrade>> = {
  'this version and the next': (folder) => ({
    from: builtProgram,
    to: buildNextVersion(join(folder, 'next')),
    version: nextSchemaVersion,
  }),
  ...(older === undefined
    ? {}
    : {
        'an older build and this version': () => ({ from: older, to: builtProgram, version: schemaVersion }),
      }),
};

test.each(Object.entries(upgrades))(
  '%s share a database during an upgrade and back: nothing is lost or sent twice',
  async (_, versions) => {
    const { from, to, version } = versions(temporaryFolder());
    // Only PostgreSQL lets two versions use a database.
    const books = await postgres().newDatabase();
    const evening = await startEvening(postgres(), ['ada', 'bea'], { books, program: from });
    const { place, database, merchants, workers } = evening;
    const { over, reached } = startSending(merchants, { orders_each, concurrency: 6 });
    // The two workers are restarted alternately. The first upgrades the database while the other still runs the version
    // before.
    const programs = [to, from, to, to, from];
    for (const [index, program] of programs.entries()) {
      await reached((index + 1) / (programs.length + 1));
      await workers.killNext(program);
    }
    await over;
    await finish(evening);
    expect(await database.rows('select version from schema_version')).toEqual([{ version }]);
    expect(merchants.flatMap(({ unexpected }) => unexpected)).toEqual([]);
    expect(await recordFaults(database, { couriers: postgresReader(place.books) })).toEqual({});
    await expectOwnRecords(evening);
    await expectEvents(evening);
    await expectNothingFailed(evening);
    expectExplainedFaults(evening);
  },
);

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}
