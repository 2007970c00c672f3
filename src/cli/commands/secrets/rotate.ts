import { flag } from '../../kit/args/flags.ts';
import { type Column, record } from '../../kit/result/result.ts';
import { defineCommand } from '../../session/command.ts';
import { type Rotation, secretsFlags, withSecrets } from './open-secrets.ts';

const columns: readonly Column<Rotation>[] = [
  { field: 'key', header: 'Key', kind: 'id', value: ({ key }) => key },
  { field: 'file', header: 'Key file', kind: 'text', value: ({ file }) => file },
  { field: 'created', header: 'New key', kind: 'text', value: ({ created }) => (created ? 'yes' : 'no') },
  { field: 'encrypted', header: 'Encrypted', kind: 'count', value: ({ encrypted }) => encrypted },
  { field: 'unreadable', header: 'Unreadable', kind: 'count', value: ({ unreadable }) => unreadable },
];

export const rotate = defineCommand({
  name: 'rotate',
  summary: 'Encrypt the secrets in a database with a new key',
  description: [
    'Creates a key in the key file and encrypts every secret with it, in batches, also while `waybill serve` uses the',
    'database. The previous key stays in the file until the next rotation, and decrypts old backups. Keys in',
    'WAYBILL_SECRET_KEY are yours to change: put the new one before the old one, separated by a comma, restart the',
    'service, and run this command with the same value.',
  ].join('\n'),
  flags: {
    ...secretsFlags,
    newKey: flag({
      summary: 'Create a key; --no-new-key uses the first one in the file',
      default: true,
      negatable: true,
    }),
  },
  examples: [
    { command: 'waybill secrets rotate', summary: 'Rotate the key of the embedded service' },
    {
      command: 'waybill secrets rotate --database postgres://localhost/waybill --secret-key-file shop.key',
      summary: 'Rotate the key of a service on PostgreSQL',
    },
  ],
  effect: 'none',
  async run(context, { flags }) {
    const options = { createsKey: flags.newKey };
    const data = await withSecrets(context, flags, (secrets) => secrets.rotate(options));
    return record(data, columns, { notes: notesOf(data), exit: data.unreadable === 0 ? 0 : 10 });
  },
});

function notesOf({ file, created, unreadable }: Rotation): string[] {
  return [
    ...(created && file !== null ? [`Back up ${file} apart from the database.`] : []),
    ...(unreadable === 0
      ? []
      : ['The keys of the unreadable secrets are missing: create those secrets again.']),
  ];
}
