import { type Column, record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';

interface Removed {
  name: string;
  deleted: boolean;
}

const columns: readonly Column<Removed>[] = [
  { field: 'name', header: 'Courier', kind: 'id', value: ({ name }) => name },
  { field: 'deleted', header: 'Deleted', kind: 'text', value: ({ deleted }) => deleted },
];

export const remove = defineCommand({
  name: 'remove',
  aliases: ['delete', 'rm', 'disconnect'],
  summary: 'Disconnect a courier and delete its settings',
  description: [
    'Its deliveries under way are no longer followed and cannot be canceled: to let them finish, disable the courier',
    'instead.',
  ].join('\n'),
  positionals: { courier: positional('courier', { summary: 'Name of the courier' }) },
  examples: [
    { command: 'waybill couriers remove uber-direct --yes', summary: 'Disconnect without a prompt' },
  ],
  effect: 'write',
  confirms: () => true,
  async run(context, { positionals: { courier: name } }) {
    const question = `Disconnect ${name} and delete its settings? Its deliveries under way are no longer followed.`;
    if (!context.globals.dryRun) await context.confirm(question);
    const client = await context.client();
    const { data } = await client.couriers.remove({ params: { name } });
    return record(data, columns);
  },
});
