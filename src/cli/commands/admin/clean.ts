/** `admin clean`: deletes old data at once, and confirms that the clock is right. */
import { switchFlag } from '../../kit/args/flags.ts';
import { type Column, listResult } from '../../kit/result/result.ts';
import {
  administer,
  chooseDatabase,
  databaseFlag,
  databaseFlagHints,
  type OldCount,
  withoutPassword,
} from '../../session/administer.ts';
import { defineCommand } from '../../session/command.ts';

const oldColumns: readonly Column<OldCount>[] = [
  { field: 'kind', header: 'Kind', kind: 'id' },
  { field: 'old', header: 'Old', kind: 'count' },
  { field: 'total', header: 'Of', kind: 'count' },
];

export const clean = defineCommand({
  name: 'clean',
  summary: 'Delete old data now, and confirm that the clock is right',
  description: [
    'The service deletes old data every hour. It waits if its clock shows more than two days after the last time, or if',
    'more than half of a kind would go, because a wrong clock would delete what cannot be brought back. This shows the time',
    'by the clock, and how many records of each kind are older than `serve` keeps them; after a confirmation it deletes',
    'them, and the service goes on.',
  ].join('\n'),
  flags: {
    database: databaseFlag(),
    preview: switchFlag({ summary: 'Only show what would be deleted', aliases: ['dry-run'] }),
  },
  flagHints: databaseFlagHints,
  examples: [
    { command: 'waybill admin clean --database shop.db --preview', summary: 'See what is old by the clock' },
    { command: 'waybill admin clean --database shop.db', summary: 'Delete it after a confirmation' },
  ],
  effect: 'none',
  confirms: (given) => !given.has('preview'),
  answers: ({ each, object }) => [each(object({ kind: 'string', old: 'integer', total: 'integer' }))],
  exits: { 7: 'the database cannot be used' },
  errors: ['storage_unavailable'],
  related: ['doctor', 'serve'],
  async run(context, { flags }) {
    const database = chooseDatabase(context, flags.database);
    return administer(database, async ({ cleaner }) => {
      const { now, rows } = await cleaner.preview();
      const old = rows.filter((row) => row.old > 0);
      const data = flags.preview ? rows : old;
      if (!flags.preview) {
        const what = old.map(({ kind, old: count, total }) => `${count} of ${total} ${kind}`).join(', ');
        const time = `It is ${new Date(now).toISOString()} by the clock of ${withoutPassword(database)}`;
        await context.confirm(
          what === '' ? `${time}. Is that right?` : `${time}. Delete what is old by it for good: ${what}?`,
        );
        await cleaner.clean();
      }
      const notes = [`Time by the clock: ${new Date(now).toISOString()}.`];
      return listResult({ data, columns: oldColumns, empty: 'Nothing is old.', notes });
    });
  },
});
