import { flag } from '../../kit/args/flags.ts';
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
    'While its deliveries are under way that is refused: without the settings they are no longer followed and cannot be',
    'canceled. Disable the courier to let them finish, or remove it with --force.',
  ].join('\n'),
  positionals: { courier: positional('courier', { summary: 'Name of the courier' }) },
  flags: {
    force: flag({ summary: 'Also while its deliveries are under way' }),
  },
  examples: [
    { command: 'waybill couriers remove uber-direct --yes', summary: 'Disconnect without a prompt' },
  ],
  effect: 'write',
  confirms: () => true,
  async run(context, { flags: { force }, positionals: { courier: name } }) {
    const effect = force ? ' Its deliveries under way are no longer followed and cannot be canceled.' : '';
    const question = `Disconnect ${name} and delete its settings?${effect}`;
    if (!context.globals.dryRun) await context.confirm(question);
    const client = await context.client();
    const query = force ? { force } : {};
    const { data } = await client.couriers.remove({ params: { name }, query });
    return record(data, columns);
  },
});
