import type { NewApiKey } from '../../../contract/keys.ts';
import { keyColumns } from '../../columns/keys.ts';
import { defineCommand } from '../../command.ts';
import { choice, text } from '../../line/flags.ts';
import { type Column, record } from '../../result.ts';

const fields: Column<NewApiKey>[] = [
  { field: 'key', header: 'API key', kind: 'text', value: ({ key }) => key ?? 'shown before' },
  ...keyColumns,
];

export const create = defineCommand({
  name: 'create',
  aliases: ['add', 'new'],
  summary: 'Make an API key of the mode in use; it is shown once',
  flags: {
    permission: choice({
      choices: ['read', 'write', 'admin'],
      required: true,
      summary: 'What it may do',
      question: 'What may it do?',
    }),
    name: text({ summary: 'To tell it from others' }),
  },
  examples: [
    { command: 'waybill keys create --permission read --name dashboard', summary: 'A key that only reads' },
    {
      command: 'waybill keys create --permission write --json=key | jq -r .key > key.txt',
      summary: 'Into a file, for --api-key-file',
    },
  ],
  effect: 'write',
  async run(context, { flags: { permission, name } }) {
    const client = await context.client();
    const body = name === undefined ? { permission } : { permission, name };
    const idempotencyKey = context.idempotencyKey();
    const { data } = await client.keys.create({ body, idempotencyKey });
    return record(data, fields, { notes: ['Keep it now: it is not shown again.'] });
  },
});
