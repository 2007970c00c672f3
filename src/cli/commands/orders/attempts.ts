/** `orders attempts`: the attempts of auto dispatch to find a courier for an order. */
import { ifSupported } from '../../../client/errors.ts';
import type { LeftOut, Try } from '../../../contract/batches.ts';
import { alignedRows } from '../../kit/output/aligned-rows.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { foldedLines } from '../../kit/output/terminal-lines.ts';
import { invocation } from '../../kit/result/message.ts';
import { type Column, type Formatters, isForPeople, wide } from '../../kit/result/result.ts';
import { repeatsText } from '../../nouns/batch.ts';
import { findOrderId, orderWord } from '../../nouns/find-order.ts';
import { costText, fetchCharges, sumOrderCost, zoneOfStore } from '../../nouns/order.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { listing, pagingFlags } from '../../session/listing.ts';

/** Columns of attempts for programs; people see each as a small page. */
const tryColumns: readonly Column<Try>[] = [
  { field: 'id', header: 'ID', kind: 'id' },
  { field: 'number', header: 'Try', kind: 'count' },
  { field: 'created_at', header: 'Began', kind: 'time' },
  { field: 'ended_at', header: 'Ended', kind: 'time' },
  { field: 'status', header: 'Status', kind: 'status' },
  { field: 'provider', header: 'Provider', kind: 'text' },
  { field: 'reason', header: 'Why', kind: 'text' },
  { field: 'left_out', header: 'Left out', kind: 'text', value: ({ left_out }) => left_out.map(leftOutText) },
  { field: 'repeats', header: 'Repeats', kind: 'count' },
  { field: 'last_at', header: 'Last', kind: 'time' },
  ...wide([
    { field: 'route_id', header: 'Route', kind: 'id' },
    { field: 'quote_id', header: 'Quote', kind: 'id' },
    { field: 'delivery_id', header: 'Delivery', kind: 'id' },
    { field: 'order_id', header: 'Order', kind: 'id' },
    { field: 'batch_id', header: 'Batch', kind: 'id' },
  ]),
];

export const attempts = defineCommand({
  name: 'attempts',
  aliases: ['tries'],
  summary: 'List auto-dispatch attempts of an order',
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: pagingFlags,
  examples: [
    { command: 'waybill orders attempts ORDER', summary: 'Show attempts, newest first' },
    { command: 'waybill orders attempts ORDER --json', summary: 'Print attempts as JSON' },
  ],
  columns: tryColumns,
  effect: 'read',
  calls: ['tries.list', 'orders.list', 'deliveries.get'],
  answers: ({ each }) => [each('tries.list')],
  related: ['orders get', 'deliveries explain', 'batches get'],
  async run(context, { flags, positionals: { order } }) {
    const client = await context.client();
    const order_id = await findOrderId(context, order);
    const isShown = isForPeople(context.output.format);
    const zone = isShown ? await zoneOfStore(client, { order_id }) : null;
    const charges = isShown ? await ifSupported(fetchCharges(context, { order_id }), []) : [];
    /** The attempts that left out the same couriers as the one above them, for the same reasons. */
    const repeating = new Set<string>();
    let above = '';
    return listing(context, {
      list: (input) => client.tries.list({ ...input, params: { order_id } }),
      onListed: ({ id, left_out }) => {
        const text = left_out.map(leftOutText).join();
        if (text !== '' && text === above) repeating.add(id);
        above = text;
      },
      query: {},
      paging: flags,
      columns: tryColumns,
      draw: (attempt, show) => tryText(attempt, show.inZone(zone), repeating.has(attempt.id)),
      command: invocation('orders attempts', [order_id]),
      filters: {},
      notes: () => (charges.length === 0 ? [] : [costText(sumOrderCost(charges))]),
      empty: `${order_id} has no attempts yet: only auto dispatch makes them, and batches get says when.`,
    });
  },
});

function leftOutText({ provider, reason }: LeftOut): string {
  return `${provider}: ${reason}`;
}

/**
 * Formats an attempt for people: its time, outcome and reason, and below it the excluded providers with the reasons.
 */
function tryText(attempt: Try, show: Formatters, isRepeating: boolean): string {
  const { number, created_at, status, provider, reason, left_out, delivery_id, route_id } = attempt;
  const made = provider === null ? '' : `  ${oneLine(provider)}`;
  const head = `${show.strong(`Try ${number}`)}  ${show.clock(created_at)}  ${show.status(status)}${made}`;
  const rows = left_out.map((each) => [
    { text: oneLine(each.provider), paint: show.dim },
    { text: oneLine(each.reason) },
  ]);
  return [
    head,
    ...foldedLines(oneLine(reason), show),
    ...foldedLines(oneLine(repeatsText(attempt, show)), show),
    `  ${show.dim(delivery_id ?? route_id)}`,
    ...(isRepeating
      ? [`    ${show.dim('left out as above')}`]
      : alignedRows(rows, { room: show.room, indent: 4 })),
  ].join('\n');
}
