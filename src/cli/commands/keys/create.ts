import type { NewApiKey } from '../../../contract/keys.ts';
import { choice, text } from '../../kit/args/flags.ts';
import { type Column, record } from '../../kit/result/result.ts';
import { defineCommand } from '../../session/command.ts';
import { keyColumns } from './key-columns.ts';

const fields: Column<NewApiKey>[] = [
  { field: 'key', header: 'API key', kind: 'text', value: ({ key }) => key ?? 'shown before' },
  ...keyColumns,
];

export const create = defineCommand({
  name: 'create',
  aliases: ['add', 'new'],
  summary: 'Create an API key for the current mode (shown once)',
  flags: {
    permission: choice({
      choices: ['read', 'write', 'admin'],
      required: true,
      summary: 'Permission of the key',
      question: 'Which permission?',
    }),
    name: text({ summary: 'Name to recognize it by' }),
  },
  examples: [
    { command: 'waybill keys create --permission read --name dashboard', summary: 'Create a read-only key' },
    {
      command: 'waybill keys create --permission write --json=key | jq -r .key > key.txt',
      summary: 'Save the key to a file for --api-key-file',
    },
  ],
  effect: 'write',
  async run(context, { flags: { permission, name } }) {
    const client = await context.client();
    const body = name === undefined ? { permission } : { permission, name };
    const idempotencyKey = context.idempotencyKey();
    const { data } = await client.keys.create({ body, idempotencyKey });
    return record(data, fields, { notes: ['Save this key now. It will not be shown again.'] });
  },
});
