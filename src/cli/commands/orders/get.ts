import type { Order } from '../../../contract/orders.ts';
import { orderColumns } from '../../columns/orders.ts';
import { defineCommand, positional } from '../../command.ts';
import { commandLine } from '../../line/command-line.ts';
import { choice } from '../../line/flags.ts';
import { record } from '../../result.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show an order',
  positionals: { order: positional('order', { summary: 'The order' }) },
  flags: {
    expand: choice({
      summary: 'In JSON, with its delivery inside',
      choices: ['delivery'],
      placeholder: 'RECORD',
    }),
  },
  examples: [
    { command: 'waybill orders get ORDER', summary: 'An order in full' },
    { command: 'waybill orders get ORDER --expand delivery --json', summary: 'With its latest delivery' },
  ],
  effect: 'read',
  async run(context, { flags: { expand }, positionals }) {
    const client = await context.client();
    const params = { order_id: positionals.order };
    const { data } = await client.orders.get({ params, query: { expand } });
    return record(data, orderColumns, { notes: notesOf(data) });
  },
});

/** Why an order of a batch is not dispatched, or not yet, is told by its tries. */
function notesOf({ id, batch_id, status }: Order): string[] {
  if (batch_id === null || status === 'dispatched') return [];
  return [`How auto dispatch looked for a courier: ${commandLine(['orders', 'tries', id])}`];
}
