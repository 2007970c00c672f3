import type { NewApiKey } from '../../../contract/accounts.ts';
import { choice, text } from '../../kit/args/flags.ts';
import { instantAt, moment } from '../../kit/args/time-arguments.ts';
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
    expiresAt: moment({
      summary: 'When it stops working: a time, or a duration such as 90d',
      aliases: ['expires'],
    }),
  },
  examples: [
    { command: 'waybill keys create --permission read --name dashboard', summary: 'Create a read-only key' },
    { command: 'waybill keys create --permission write --expires 90d', summary: 'Create a key that expires' },
    {
      command: 'waybill keys create --permission write --json=key | jq -r .key > key.txt',
      summary: 'Save the key to a file for --api-key-file',
    },
  ],
  effect: 'write',
  async run(context, { flags: { permission, name, expiresAt } }) {
    const client = await context.client();
    const expires_at = expiresAt && new Date(instantAt(expiresAt, context.host.now(), 'ahead')).toISOString();
    const body = {
      permission,
      ...(name === undefined ? {} : { name }),
      ...(expires_at === undefined ? {} : { expires_at }),
    };
    const idempotencyKey = context.idempotencyKey();
    const { data } = await client.keys.create({ body, idempotencyKey });
    return record(data, fields, { notes: ['Save this key now. It will not be shown again.'] });
  },
});
