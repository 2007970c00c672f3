import type { Order } from '../../../contract/orders.ts';
import { orderStatuses } from '../../../contract/vocabulary.ts';
import { choice } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { targetFlags, targetOf } from '../../waiting/status-targets.ts';
import { checkWaiting, recordWaitingNames, waitOptions, watchFlags } from '../../waiting/waiting-flags.ts';
import { findOrderId, orderWord } from './find-order.ts';
import { orderColumns } from './order-columns.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show an order',
  description: [
    'With --watch the exit code is 0 once the order is dispatched, or reaches a status of --until or a later one, and',
    '9 if it no longer can. With --json each line is the order with a type: order.current first, then order.updated.',
  ].join('\n'),
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: {
    expand: choice({
      summary: 'Include its delivery in the JSON',
      choices: ['delivery'],
      placeholder: 'RECORD',
    }),
    ...{
      ...watchFlags('it is dispatched or no longer can be'),
      ...targetFlags({ statuses: orderStatuses }, 'dispatched'),
    },
  },
  examples: [
    { command: 'waybill orders get ORDER', summary: 'Show an order' },
    { command: 'waybill orders get "#1042"', summary: 'Find it by your own reference' },
    { command: 'waybill orders get ORDER --expand delivery --json', summary: 'Include its latest delivery' },
    { command: 'waybill orders get ORDER --watch', summary: 'Follow it live' },
  ],
  columns: orderColumns,
  effect: 'read',
  async run(context, { flags, positionals }) {
    const { expand, watch } = flags;
    checkWaiting(context, { watch }, recordWaitingNames);
    if (watch && expand !== undefined) throw new UsageError('--watch cannot be combined with --expand.');
    const client = await context.client();
    const params = { order_id: await findOrderId(context, positionals.order) };
    const { data } = await client.orders.get({ params, query: { expand } });
    if (watch) {
      const { orderWaitable } = await import('./order-waitable.ts');
      const { watchChanges } = await import('../../waiting/service-waiting.ts');
      const options = waitOptions(context, ['orders get', data.id, { watch }], flags);
      return watchChanges(context, orderWaitable(context, data, targetOf(flags)), options);
    }
    return record(data, orderColumns, { notes: notesOf(data) });
  },
});

/** The attempts of an order in a batch show why it is not dispatched. */
function notesOf({ id, batch_id, status }: Order): Text[] {
  if (batch_id === null || status === 'dispatched') return [];
  return [phrase`See its auto-dispatch attempts: ${invocation('orders tries', [id])}`];
}
