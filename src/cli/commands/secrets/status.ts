import { type Column, list } from '../../kit/result/result.ts';
import { defineCommand } from '../../session/command.ts';
import { type KeyUse, secretsFlags, withSecrets } from './open-secrets.ts';

const columns: readonly Column<KeyUse>[] = [
  { field: 'key', header: 'Key', kind: 'id', value: ({ key }) => key ?? '-' },
  { field: 'state', header: 'State', kind: 'text', value: ({ state }) => meanings[state] },
  { field: 'secrets', header: 'Secrets', kind: 'count', value: ({ secrets }) => secrets },
];

const meanings: Readonly<Record<KeyUse['state'], string>> = {
  current: 'current',
  previous: 'previous: decrypts only',
  missing: 'missing: its secrets cannot be read',
  none: 'not encrypted: rotate encrypts them',
};

export const status = defineCommand({
  name: 'status',
  summary: 'Show which keys encrypt the secrets in a database',
  description: [
    'Webhook signing secrets and courier credentials are stored encrypted. Shows the keys by their IDs, never a key or a',
    'secret. Works on the database itself, without an API key, also while `waybill serve` uses it.',
  ].join('\n'),
  flags: secretsFlags,
  examples: [
    { command: 'waybill secrets status', summary: 'The keys of the embedded service' },
    {
      command: 'waybill secrets status --database shop.db --secret-key-file shop.key',
      summary: 'With the key in a file of your own',
    },
  ],
  effect: 'none',
  async run(context, { flags }) {
    const { file, keys } = await withSecrets(context, flags, (secrets) => secrets.uses());
    return list({
      data: keys,
      columns,
      empty: 'There are no keys and no secrets yet.',
      notes: file === null ? [] : [`Key file: ${file}`],
    });
  },
});
