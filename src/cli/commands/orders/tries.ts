import type { Client } from '../../../client/client.ts';
import { ifSupported, unlessMissing } from '../../../client/errors.ts';
import type { LeftOut, Try } from '../../../contract/batches.ts';
import { isForPeople } from '../../kit/output/destination.ts';
import { alignedRows } from '../../kit/output/rows.ts';
import { oneLine, wrapped } from '../../kit/output/sanitize.ts';
import { invocation } from '../../kit/result/message.ts';
import type { Column, Show } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { findOrderId, orderWord } from './find-order.ts';
import { chargesOf, costOf, costText } from './order-cost.ts';
import { storeZone } from './store-zone.ts';

/** Columns of attempts for programs; people see each as a small page. */
const tryColumns: readonly Column<Try>[] = [
  { field: 'id', header: 'ID', kind: 'id', value: ({ id }) => id },
  { field: 'number', header: 'Try', kind: 'count', value: ({ number }) => number },
  { field: 'created_at', header: 'Began', kind: 'time', value: ({ created_at }) => created_at },
  { field: 'ended_at', header: 'Ended', kind: 'time', value: ({ ended_at }) => ended_at },
  { field: 'status', header: 'Status', kind: 'status', value: ({ status }) => status },
  { field: 'provider', header: 'Provider', kind: 'text', value: ({ provider }) => provider },
  { field: 'reason', header: 'Why', kind: 'text', value: ({ reason }) => reason },
  { field: 'left_out', header: 'Left out', kind: 'text', value: ({ left_out }) => left_out.map(leftOutText) },
  ...wide([
    { field: 'route_id', header: 'Route', kind: 'id', value: ({ route_id }) => route_id },
    { field: 'quote_id', header: 'Quote', kind: 'id', value: ({ quote_id }) => quote_id },
    { field: 'delivery_id', header: 'Delivery', kind: 'id', value: ({ delivery_id }) => delivery_id },
    { field: 'order_id', header: 'Order', kind: 'id', value: ({ order_id }) => order_id },
    { field: 'batch_id', header: 'Batch', kind: 'id', value: ({ batch_id }) => batch_id },
  ]),
];

function wide(columns: readonly Column<Try>[]): Column<Try>[] {
  return columns.map((column) => ({ ...column, wide: true }));
}

function leftOutText({ provider, reason }: LeftOut): string {
  return `${provider}: ${reason}`;
}

/**
 * Formats an attempt for people: its time, outcome and reason, and below it the excluded providers with the reasons.
 */
function tryText(attempt: Try, show: Show): string {
  const { number, created_at, status, provider, reason, left_out, delivery_id, route_id } = attempt;
  const made = provider === null ? '' : `  ${oneLine(provider)}`;
  const head = `${show.strong(`Try ${number}`)}  ${show.clock(created_at)}  ${show.status(status)}${made}`;
  const rows = left_out.map((each) => [
    { text: oneLine(each.provider), paint: show.dim },
    { text: oneLine(each.reason) },
  ]);
  return [
    head,
    ...folded(reason, show),
    `  ${show.dim(delivery_id ?? route_id)}`,
    ...alignedRows(rows, { room: show.room, indent: 4 }),
  ].join('\n');
}

function folded(text: string, { room }: Show): string[] {
  if (text === '') return [];
  const lines = room === null ? oneLine(text) : wrapped(oneLine(text), Math.max(20, room - 2));
  return lines.split('\n').map((line) => `  ${line}`);
}

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
  columns: tryColumns,
  effect: 'read',
  async run(context, { flags, positionals: { order } }) {
    const client = await context.client();
    const order_id = await findOrderId(context, order);
    const isShown = isForPeople(context.output.format);
    const zone = isShown ? await zoneOfOrder(client, order_id) : null;
    const charges = isShown ? await ifSupported(chargesOf(context, { order_id }), []) : [];
    return listing({
      list: (input) => client.tries.list({ ...input, params: { order_id } }),
      query: {},
      paging: flags,
      columns: tryColumns,
      draw: (attempt, show) => tryText(attempt, show.inZone(zone)),
      command: invocation('orders tries', [order_id]),
      filters: {},
      notes: () => (charges.length === 0 ? [] : [costText(costOf(charges))]),
      empty: `${order_id} has no attempts: only auto dispatch makes them, once the batch is created.`,
    });
  },
});

/** The zone in which people read the times of an order's attempts; null if the service does not give the order. */
async function zoneOfOrder(client: Client, order_id: string): Promise<string | null> {
  const call = client.orders.get({ params: { order_id } }).then(({ data }) => storeZone(data));
  return unlessMissing(ifSupported(call, null));
}
