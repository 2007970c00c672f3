import { flag } from '../../kit/args/flags.ts';
import { type Column, list as listOf, record } from '../../kit/result/result.ts';
import { allCouriers, connectedColumns, courierColumns } from '../../nouns/courier.ts';
import { defineCommand, positional } from '../../session/command.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the couriers that can be connected: state, what each can and cannot',
  examples: [
    { command: 'waybill couriers list', summary: 'See which couriers are connected' },
    {
      command: 'waybill couriers list --jq \'.[] | select(.state == "enabled") | .name\'',
      summary: 'The names of the connected ones',
    },
  ],
  columns: courierColumns,
  effect: 'read',
  async run(context) {
    const data = await allCouriers(await context.client());
    return listOf({ data, columns: courierColumns, empty: 'This service has no couriers to connect.' });
  },
});

export const enable = defineCommand({
  name: 'enable',
  summary: 'Request quotes from a disabled courier again',
  positionals: { courier: positional('courier', { summary: 'Name of the courier' }) },
  examples: [{ command: 'waybill couriers enable uber-direct', summary: 'Use it again' }],
  effect: 'write',
  async run(context, { positionals: { courier: name } }) {
    const client = await context.client();
    const { data } = await client.couriers.enable({
      params: { name },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, connectedColumns);
  },
});

export const disable = defineCommand({
  name: 'disable',
  summary: 'Request no more quotes from a courier, and keep its settings',
  description: 'Its deliveries under way continue.',
  positionals: { courier: positional('courier', { summary: 'Name of the courier' }) },
  examples: [{ command: 'waybill couriers disable uber-direct', summary: 'Take a break from it' }],
  effect: 'write',
  async run(context, { positionals: { courier: name } }) {
    const client = await context.client();
    const { data } = await client.couriers.disable({
      params: { name },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, connectedColumns);
  },
});

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
