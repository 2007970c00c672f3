import { invocation } from '../../kit/result/invocation.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { findOrderId, orderWord } from './find-order.ts';
import { tryColumns, tryText } from './try-columns.ts';

export const tries = defineCommand({
  name: 'tries',
  aliases: ['attempts'],
  summary: 'List auto-dispatch attempts of an order',
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: pagingFlags,
  examples: [
    { command: 'waybill orders tries ORDER', summary: 'Show attempts, newest first' },
    { command: 'waybill orders tries ORDER --json', summary: 'Print attempts as JSON' },
  ],
  effect: 'read',
  async run(context, { flags, positionals: { order } }) {
    const client = await context.client();
    const order_id = await findOrderId(context, order);
    return listing({
      list: (input) => client.tries.list({ ...input, params: { order_id } }),
      query: {},
      paging: flags,
      columns: tryColumns,
      draw: tryText,
      command: invocation('orders tries', [order_id]),
      filters: {},
      empty: `${order_id} has no attempts: only auto dispatch makes them, once the batch is created.`,
    });
  },
});
