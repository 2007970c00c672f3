/** `backup`: a copy of a database without its key, of which the notes say where it is. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { UsageError } from '../kit/errors/failure.ts';
import { idlessFormats, recordResult } from '../kit/result/result.ts';
import {
  chooseDatabaseFile,
  copyColumns,
  copyFields,
  databaseFlag,
  databaseFlagHints,
  withCopies,
} from '../session/administer.ts';
import { defineCommand, positional } from '../session/command.ts';

export const backup = defineCommand({
  name: 'backup',
  summary: 'Copy the database of a service to a file, also while it runs',
  description: [
    'Copies a SQLite database as it is at one moment, without stopping the service that uses it: copying the file itself',
    'would lose what is in its write-ahead log. Every page of the copy is checked. Only you can read it: it contains',
    'personal data. The key that seals secrets is not in it. Without --database it copies that of the embedded service.',
  ].join('\n'),
  positionals: { file: positional('file', { summary: 'New file for the copy' }) },
  flags: { database: databaseFlag() },
  flagHints: databaseFlagHints,
  examples: [
    { command: 'waybill backup waybill-backup.db', summary: 'Copy the database of the embedded service' },
    {
      command: 'waybill backup "backup-$(date +%F).db" --database shop.db',
      summary: 'Copy the database of a service every day',
    },
  ],
  effect: 'none',
  formats: idlessFormats,
  answers: ({ one, object }) => [one(object(copyFields))],
  exits: { 7: 'the database cannot be copied' },
  errors: ['storage_unavailable'],
  related: ['restore', 'serve'],
  async run(context, { flags, positionals }) {
    if (positionals.file === '-') throw new UsageError('- is stdout, which takes no backup: name a file.');
    const file = resolve(context.host.folder, positionals.file);
    const database = chooseDatabaseFile(context, flags.database, 'backup');
    if (existsSync(file))
      throw new UsageError(`${file} already exists.`, { hint: 'Name a file that does not exist yet.' });
    const copied = await withCopies(({ copyDatabase }) => copyDatabase(database, file));
    return recordResult({ file, ...copied }, copyColumns, {
      notes: ['Restore it with `waybill restore`.', ...keyNotes(`${database}.secret-key`)],
    });
  },
});

/** Says where the key of the secrets in the database is, if it has one. */
function keyNotes(file: string): string[] {
  return existsSync(file) ? [`The secret key is not in it: keep a copy of ${file} in another place.`] : [];
}
