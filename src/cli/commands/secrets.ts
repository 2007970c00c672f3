/** `secrets`: the keys that encrypt what a database keeps, and their rotation. */
import { switchFlag } from '../kit/args/flags.ts';
import { type Column, listResult, recordResult } from '../kit/result/result.ts';
import {
  chooseDatabase,
  databaseFlag,
  databaseFlagHints,
  type KeyUse,
  type Rotation,
  withSecrets,
} from '../session/administer.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { secretKeyFlag } from '../session/embedded-settings.ts';

const rotationColumns: readonly Column<Rotation>[] = [
  { field: 'key', header: 'Key', kind: 'id' },
  { field: 'file', header: 'Key file', kind: 'text' },
  { field: 'created', header: 'New key', kind: 'text', value: ({ created }) => (created ? 'yes' : 'no') },
  { field: 'encrypted', header: 'Encrypted', kind: 'count' },
  { field: 'unreadable', header: 'Unreadable', kind: 'count' },
];

const secretsFlags = { database: databaseFlag(), secretKeyFile: secretKeyFlag() };
type SecretsFlags = Record<keyof typeof secretsFlags, string | undefined>;

function placeOf(context: Context, { database, secretKeyFile }: SecretsFlags) {
  return { database: chooseDatabase(context, database), secretKeyFile };
}

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
    newKey: switchFlag({
      summary: 'Create a key; --no-new-key uses the first one in the file',
      default: true,
      negatable: true,
    }),
  },
  flagHints: databaseFlagHints,
  examples: [
    { command: 'waybill secrets rotate', summary: 'Rotate the key of the embedded service' },
    {
      command: 'waybill secrets rotate --database postgres://localhost/waybill --secret-key-file shop.key',
      summary: 'Rotate the key of a service on PostgreSQL',
    },
  ],
  effect: 'none',
  answers: ({ one, object, orNull }) => [
    one(
      object({
        key: 'string',
        file: orNull('string'),
        created: 'boolean',
        encrypted: 'integer',
        unreadable: 'integer',
      }),
    ),
  ],
  exits: {
    6: 'there is no key, or a key is not usable',
    7: 'the database cannot be used',
    10: 'some secrets cannot be decrypted',
  },
  errors: ['secret_key_missing', 'storage_unavailable'],
  related: ['secrets status', 'serve'],
  async run(context, { flags }) {
    const options = { createsKey: flags.newKey };
    const data = await withSecrets(context, placeOf(context, flags), (secrets) => secrets.rotate(options));
    return recordResult(data, rotationColumns, {
      notes: notesOf(data),
      exit: data.unreadable === 0 ? 0 : 10,
    });
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

const keyUseColumns: readonly Column<KeyUse>[] = [
  { field: 'key', header: 'Key', kind: 'id' },
  { field: 'state', header: 'State', kind: 'text', value: ({ state }) => meanings[state] },
  { field: 'secrets', header: 'Secrets', kind: 'count' },
];

const meanings: Readonly<Record<KeyUse['state'], string>> = {
  current: 'current',
  previous: 'previous: decrypts only',
  missing: 'missing: its secrets cannot be read',
};

export const status = defineCommand({
  name: 'status',
  summary: 'Show which keys encrypt the secrets in a database',
  description: [
    'Webhook signing secrets and courier credentials are stored encrypted. Shows the keys by their IDs, never a key or a',
    'secret. Works on the database itself, without an API key, also while `waybill serve` uses it.',
  ].join('\n'),
  flags: secretsFlags,
  flagHints: databaseFlagHints,
  examples: [
    { command: 'waybill secrets status', summary: 'The keys of the embedded service' },
    {
      command: 'waybill secrets status --database shop.db --secret-key-file shop.key',
      summary: 'With the key in a file of your own',
    },
  ],
  effect: 'none',
  answers: ({ each, object }) => [
    each(object({ key: 'string', state: '"current" | "previous" | "missing"', secrets: 'integer' })),
  ],
  exits: { 6: 'a key is not usable', 7: 'the database cannot be used' },
  errors: ['secret_key_missing', 'storage_unavailable'],
  related: ['secrets rotate', 'serve'],
  async run(context, { flags }) {
    const { file, keys } = await withSecrets(context, placeOf(context, flags), (secrets) => secrets.uses());
    return listResult({
      data: keys,
      columns: keyUseColumns,
      empty: 'There are no keys and no secrets yet.',
      notes: file === null ? [] : [`Key file: ${file}`],
    });
  },
});
