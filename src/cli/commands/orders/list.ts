import type { Order } from '../../../contract/orders.ts';
import { orderStatuses } from '../../../contract/vocabulary.ts';
import { choices, text } from '../../kit/args/flags.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import type { Column } from '../../kit/result/result.ts';
import { type Context, defineCommand } from '../../session/command.ts';
import { createdFlags, createdQuery, explainNoMatch, listing, pagingFlags } from '../../session/listing.ts';
import { checkWatchedList, waitingOf, watchedLimit, watchFlags } from '../../waiting/waiting-flags.ts';
import { orderColumns } from './order-columns.ts';

const matchedColumn: Column<Order> = {
  field: 'matched',
  header: 'Matched',
  kind: 'text',
  value: ({ matched }) => matched,
};

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List orders, newest first',
  description: [
    '--watch prints a line for each change until no listed order is open or routed. With --json each line is an order',
    'with a type: order.current first, then order.updated.',
  ].join('\n'),
  flags: {
    status: choices({
      summary: 'Filter by statuses (comma-separated)',
      choices: orderStatuses,
      placeholder: 'STATUSES',
    }),
    externalOrderRef: text({
      summary: 'Filter by your reference',
      aliases: ['ref'],
      placeholder: 'REF',
    }),
    search: text({
      summary: 'Search names, addresses, units, notes, items, references, phone endings and IDs',
      aliases: ['q'],
    }),
    batch: text({ summary: 'Filter by batch', aliases: ['batch-id'], placeholder: 'BATCH' }),
    ...createdFlags,
    ...watchFlags('no order is open or routed'),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill orders list --status open', summary: 'List orders that are not in a route' },
    {
      command: 'waybill orders list --batch BATCH --status unfulfilled',
      summary: 'List orders of a batch that no courier took',
    },
    { command: "waybill orders list --search 'muller wacker'", summary: 'Search by words' },
    { command: 'waybill orders list --since 1d --all -o id', summary: 'Print the IDs of the last day' },
    {
      command: 'waybill orders list --batch BATCH --watch',
      summary: 'Follow the orders of a batch',
    },
  ],
  columns: [...orderColumns, matchedColumn],
  effect: 'read',
  async run(context, { flags }) {
    const { status, externalOrderRef, search, batch, since, until } = flags;
    checkWatchedList(context, flags);
    const client = await context.client();
    const created = await createdQuery(context, { since, until });
    const query = { status, external_order_ref: externalOrderRef, batch_id: batch, q: search, ...created };
    const filters = {
      ...{ status: status?.join(','), externalOrderRef, batch, search },
      ...{ since: created.created_after, until: created.created_before },
    };
    if (flags.watch) {
      const { watchOrders } = await import('./order-waitable.ts');
      const limit = watchedLimit(flags.limit);
      return watchOrders(context, { query: { ...query, limit }, filters }, waitingOf(flags));
    }
    return listing({
      list: client.orders.list,
      query,
      paging: flags,
      columns: search === undefined ? orderColumns : [...orderColumns, matchedColumn],
      command: invocation('orders list'),
      filters,
      ...(search === undefined
        ? {}
        : { explainEmpty: () => explainNoMatch(search, (q) => orderTexts(context, q)) }),
      empty: 'No orders found.',
      start: phrase`No orders yet. Create one: ${invocation('orders create')}`,
    });
  },
});

const max_texts = 50;

/** The texts of orders that a search finds: names, addresses, items and the reference. */
async function orderTexts(context: Context, q: string): Promise<string[]> {
  const client = await context.client();
  const { data } = await client.orders.list({ query: { q, limit: max_texts } });
  return data.data.flatMap((order) => [
    ...[order.pickup_name, order.pickup_address, order.dropoff_name, order.dropoff_address],
    ...[order.external_order_ref, ...(order.items ?? []).map(({ name }) => name)],
  ]);
}
