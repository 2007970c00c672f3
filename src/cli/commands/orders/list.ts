import { orderStatuses } from '../../../contract/vocabulary.ts';
import { orderColumns } from '../../columns/orders.ts';
import { defineCommand } from '../../command.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { choice, text } from '../../line/flags.ts';
import { createdFlags, createdQuery, listing, pagingFlags } from '../../line/listing.ts';
import { checkWatchedList, waitingOf, watchedLimit, watchFlags } from '../../waiting/waiting-flags.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List orders, newest first',
  description: [
    '--watch follows those of the list: a line for each change, until none of them is open or routed any more. With',
    '--json each line is an order with a type: order.current first, then order.updated.',
  ].join('\n'),
  flags: {
    status: choice({ summary: 'Only those in this status', choices: orderStatuses, placeholder: 'STATUS' }),
    externalOrderRef: text({
      summary: 'Only those with this reference',
      aliases: ['ref'],
      placeholder: 'REF',
    }),
    batch: text({ summary: 'Only those of this batch', aliases: ['batch-id'], placeholder: 'BATCH' }),
    ...createdFlags,
    ...watchFlags('none is open or routed'),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill orders list --status open', summary: 'Those that are in no route yet' },
    {
      command: 'waybill orders list --batch BATCH --status unfulfilled',
      summary: 'Those of a batch that nobody took',
    },
    { command: 'waybill orders list --since 1d --all -o id', summary: 'The ids of the last day' },
    {
      command: 'waybill orders list --batch BATCH --watch',
      summary: 'Those of a batch, as they are dispatched',
    },
  ],
  effect: 'read',
  async run(context, { flags }) {
    const { status, externalOrderRef, batch, since, until } = flags;
    checkWatchedList(context, flags);
    const client = await context.client();
    const created = await createdQuery(context, { since, until });
    const query = { status, external_order_ref: externalOrderRef, batch_id: batch, ...created };
    const filters = {
      ...{ status, externalOrderRef, batch },
      ...{ since: created.created_after, until: created.created_before },
    };
    if (flags.watch) {
      const { watchOrders } = await import('../../orders/order-list-waitable.ts');
      const limit = watchedLimit(flags.limit);
      return watchOrders(context, { query: { ...query, limit }, filters }, waitingOf(flags));
    }
    return listing({
      list: client.orders.list,
      query,
      paging: flags,
      columns: orderColumns,
      command: invocation('orders list'),
      filters,
      empty: 'No orders found.',
    });
  },
});
