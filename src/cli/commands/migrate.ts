import { switchFlag } from '../kit/args/flags.ts';
import { Failure } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/message.ts';
import { type Column, idlessFormats, recordResult } from '../kit/result/result.ts';
import {
  chooseDatabase,
  databaseFlag,
  databaseFlagHints,
  migrateSchema,
  readSchema,
  type SchemaState,
  sameDatabase,
} from '../session/administer.ts';
import { defineCommand } from '../session/command.ts';

const columns: readonly Column<SchemaState>[] = [
  { field: 'schema_version', header: 'Schema', kind: 'count' },
  { field: 'newest_version', header: 'Newest', kind: 'count' },
  { field: 'pending', header: 'Pending', kind: 'count' },
];

export const migrate = defineCommand({
  name: 'migrate',
  summary: 'Migrate the database of a service to the schema of this version',
  description: [
    'A service migrates its database when it starts. `migrate` does so beforehand, so that the start is short; with',
    '--check it changes nothing and exits with 6 if migrations are pending. A database that only newer versions can use',
    'is refused.',
    'Back the database up first: migrations cannot be undone.',
  ].join('\n'),
  flags: {
    database: databaseFlag(),
    check: switchFlag({ summary: 'Only report whether migrations are pending' }),
  },
  flagHints: databaseFlagHints,
  examples: [
    { command: 'waybill migrate --check --database shop.db', summary: 'Before an upgrade' },
    { command: 'waybill migrate --database postgres://localhost/waybill', summary: 'Migrate PostgreSQL' },
  ],
  effect: 'none',
  formats: idlessFormats,
  answers: ({ one, object }) => [
    one(object({ schema_version: 'integer', newest_version: 'integer', pending: 'integer' })),
  ],
  exits: { 6: 'migrations are pending, with --check', 7: 'the database cannot be used' },
  errors: ['migrations_pending', 'storage_unavailable'],
  related: ['backup', 'serve'],
  async run(context, { flags: { check, database } }) {
    const location = chooseDatabase(context, database);
    const state = await readSchema(location);
    const count = state.pending === 1 ? '1 migration' : `${state.pending} migrations`;
    if (!check) {
      const migrated = await migrateSchema(location);
      const created = state.schema_version === 0 ? ['The database was empty or new.'] : [];
      return recordResult(migrated, columns, { notes: [...created, `Ran ${count}.`] });
    }
    const answer = recordResult(state, columns);
    if (state.pending === 0) return answer;
    throw new Failure(6, 'migrations_pending', `${count} pending.`, {
      answer,
      next: [{ ...invocation('migrate', [], sameDatabase(database)), when: 'run them' }],
    });
  },
});
