/** `restore`: which file replaces a database, and that no process uses it. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/message.ts';
import { type Column, idlessFormats, recordResult } from '../kit/result/result.ts';
import {
  type Copied,
  chooseDatabaseFile,
  copyColumns,
  copyFields,
  databaseFlag,
  databaseFlagHints,
  missingKeysText,
  withCopies,
} from '../session/administer.ts';
import { defineCommand, positional } from '../session/command.ts';

interface Restored extends Copied {
  replaced: string | null;
}

const restoredColumns: readonly Column<Restored>[] = [
  ...copyColumns,
  { field: 'replaced', header: 'Before', kind: 'text' },
];

/** Someone who types a delivery in place of a file wants to send it again. */
function missingBackupError(source: string, typed: string): UsageError {
  const retry = invocation('deliveries retry', [typed]);
  // An ID or a reference has neither a folder nor an extension.
  const isPlainWord = !/[./\\]/.test(typed);
  return new UsageError(`There is no file ${source}.`, {
    param: 'FILE',
    next: isPlainWord ? [{ ...retry, when: 'send a canceled delivery again' }] : [],
  });
}

export const restore = defineCommand({
  name: 'restore',
  summary: 'Replace the database of a stopped service by a backup',
  description: [
    'Checks every page of the backup, and puts a copy of it in the place of the database. The database before is kept',
    'beside it. A database that a running service uses is not replaced. Webhooks and couriers do not go back in time:',
    'what happened after the backup is unknown to the service afterwards.',
  ].join('\n'),
  positionals: { file: positional('file', { summary: 'File made by `waybill backup`' }) },
  flags: { database: databaseFlag() },
  flagHints: databaseFlagHints,
  examples: [
    { command: 'waybill restore waybill-backup.db', summary: 'Restore the database of the embedded service' },
    {
      command: 'waybill restore shop-backup.db --database shop.db --yes',
      summary: 'Restore without a prompt',
    },
  ],
  effect: 'none',
  confirms: () => true,
  formats: idlessFormats,
  answers: ({ one, object, orNull }) => [one(object({ ...copyFields, replaced: orNull('string') }))],
  exits: { 7: 'the database is in use, or the backup is damaged' },
  errors: ['storage_unavailable'],
  related: ['backup', 'serve'],
  async run(context, { flags, positionals }) {
    const source = resolve(context.host.folder, positionals.file);
    if (!existsSync(source)) throw missingBackupError(source, positionals.file);
    const file = chooseDatabaseFile(context, flags.database, 'restore');
    if (existsSync(file)) {
      await withCopies(async ({ requireUnused }) => requireUnused(file));
      await context.confirm(`Replace ${file} by the backup ${source}?`);
    }
    const suffix = `before-${new Date(context.now()).toISOString().replaceAll(/[:.]/g, '-')}`;
    const restored = await withCopies(({ replaceDatabase }) => replaceDatabase(source, file, suffix));
    const missing = await missingKeysText(context, { database: file }).catch((error: unknown) => {
      // The database is replaced by now.
      if (error instanceof Failure) return error.message;
      throw error;
    });
    if (missing !== null) context.warn(missing);
    const notes = restored.replaced === null ? [] : [`The database before is kept as ${restored.replaced}.`];
    return recordResult({ file, ...restored }, restoredColumns, { notes });
  },
});
