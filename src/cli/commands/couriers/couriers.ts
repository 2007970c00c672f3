/** The commands that list couriers, turn them on and off, and remove them (`couriers connect`: `connect.ts`). */
import { sameForAll } from '../../../domain/fields.ts';
import { switchFlag } from '../../kit/args/flags.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, listResult, type Result, recordResult } from '../../kit/result/result.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { connectedColumns, courierColumns } from './courier-columns.ts';

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
  answers: ({ each }) => [each('couriers.list')],
  related: ['couriers connect', 'couriers check'],
  async run(context) {
    const client = await context.client();
    const { data } = (await client.couriers.list()).data;
    return listResult({ data, columns: courierColumns, empty: 'This service has no couriers to connect.' });
  },
});

export const enable = defineCommand({
  name: 'enable',
  summary: 'Request quotes from a disabled courier again',
  positionals: { courier: positional('courier', { summary: 'Name of the courier' }) },
  examples: [{ command: 'waybill couriers enable uber-direct', summary: 'Use it again' }],
  effect: 'write',
  answers: ({ one }) => [one('couriers.enable')],
  related: ['couriers disable', 'couriers list'],
  run: (context, { positionals: { courier } }) => switchCourier(context, courier, 'enable'),
});

export const disable = defineCommand({
  name: 'disable',
  summary: 'Request no more quotes from a courier, and keep its settings',
  description: 'Its deliveries under way continue.',
  positionals: { courier: positional('courier', { summary: 'Name of the courier' }) },
  flagHints: sameForAll(
    ['--until', '--for', '--today'],
    phrase`It lasts until you use the courier again: ${invocation('couriers enable', ['COURIER'])}`,
  ),
  examples: [{ command: 'waybill couriers disable uber-direct', summary: 'Take a break from it' }],
  effect: 'write',
  answers: ({ one }) => [one('couriers.disable')],
  related: ['couriers enable', 'couriers remove'],
  run: (context, { positionals: { courier } }) => switchCourier(context, courier, 'disable'),
});

/** Turns a connected courier on or off, and shows it. */
async function switchCourier(context: Context, name: string, to: 'enable' | 'disable'): Promise<Result> {
  const { couriers } = await context.client();
  const { data } = await couriers[to]({ params: { name }, idempotencyKey: context.idempotencyKey() });
  const enable = invocation('couriers enable', [name]);
  const notes = to === 'enable' ? [] : [phrase`No store asks it for quotes. Use it again: ${enable}`];
  return recordResult(data, connectedColumns, { notes });
}

const removedColumns: readonly Column<{ name: string; deleted: boolean }>[] = [
  { field: 'name', header: 'Courier', kind: 'id' },
  { field: 'deleted', header: 'Deleted', kind: 'text' },
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
    force: switchFlag({ summary: 'Also while its deliveries are under way' }),
  },
  examples: [
    { command: 'waybill couriers remove uber-direct --yes', summary: 'Disconnect without a prompt' },
  ],
  effect: 'write',
  confirms: () => true,
  answers: ({ one }) => [one('couriers.remove')],
  related: ['couriers disable', 'couriers list'],
  async run(context, { flags: { force }, positionals: { courier: name } }) {
    const effect = force ? ' Its deliveries under way are no longer followed and cannot be canceled.' : '';
    const question = `Disconnect ${name} and delete its settings?${effect}`;
    if (!context.globals.dryRun) await context.confirm(question);
    const client = await context.client();
    const query = force ? { force } : {};
    const { data } = await client.couriers.remove({ params: { name }, query });
    return recordResult(data, removedColumns);
  },
});
