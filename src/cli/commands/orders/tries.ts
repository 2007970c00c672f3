import { tryColumns, tryText } from '../../columns/tries.ts';
import { defineCommand, positional } from '../../command.ts';
import { listing, pagingFlags } from '../../line/listing.ts';

export const tries = defineCommand({
  name: 'tries',
  aliases: ['attempts'],
  summary: 'How auto dispatch looked for a courier, and why others were left out',
  positionals: { order: positional('order', { summary: 'The order, of a batch' }) },
  flags: pagingFlags,
  examples: [
    { command: 'waybill orders tries ORDER', summary: 'The newest try first' },
    { command: 'waybill orders tries ORDER --json', summary: 'For a program' },
  ],
  effect: 'read',
  async run(context, { flags, positionals: { order } }) {
    const client = await context.client();
    return listing({
      list: (input) => client.tries.list({ ...input, params: { order_id: order } }),
      query: {},
      paging: flags,
      columns: tryColumns,
      draw: tryText,
      command: ['orders', 'tries', order],
      filters: {},
      empty: `${order} was not tried: only auto dispatch tries, once its batch is made.`,
    });
  },
});
