import type { Order } from '../../../contract/orders.ts';
import { orderColumns } from '../../columns/orders.ts';
import { defineCommand, positional } from '../../command.ts';
import { UsageError } from '../../failures/failure.ts';
import { invocation } from '../../kit/output/invocation.ts';
import type { Text } from '../../kit/output/message.ts';
import { phrase } from '../../kit/output/message.ts';
import { choice } from '../../line/flags.ts';
import { findOrderId, orderWord } from '../../orders/finding.ts';
import { orderGoalFlags, orderGoalOf } from '../../orders/order-waiting-flags.ts';
import { record } from '../../result.ts';
import {
  checkWaiting,
  idleNamesOfRecord,
  typedWaiting,
  waitingOf,
  watchFlags,
} from '../../waiting/waiting-flags.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show an order',
  description: [
    '--watch ends with 0 once it is dispatched, or has the status of --until or a later one, and with 9 where it cannot',
    'get there any more. With --json each line is the order with a type: order.current first, then order.updated.',
  ].join('\n'),
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: {
    expand: choice({
      summary: 'In JSON, with its delivery inside',
      choices: ['delivery'],
      placeholder: 'RECORD',
    }),
    ...{ ...watchFlags('it is dispatched, or cannot be'), ...orderGoalFlags },
  },
  examples: [
    { command: 'waybill orders get ORDER', summary: 'An order in full' },
    { command: 'waybill orders get "#1042"', summary: 'By your own reference' },
    { command: 'waybill orders get ORDER --expand delivery --json', summary: 'With its latest delivery' },
    { command: 'waybill orders get ORDER --watch', summary: 'As it goes on' },
  ],
  effect: 'read',
  async run(context, { flags, positionals }) {
    const { expand, watch } = flags;
    checkWaiting(context, { watch }, idleNamesOfRecord);
    if (watch && expand !== undefined)
      throw new UsageError('--watch follows the order alone: leave out --expand.');
    const client = await context.client();
    const params = { order_id: await findOrderId(context, positionals.order) };
    const { data } = await client.orders.get({ params, query: { expand } });
    if (watch) {
      const { movingOrders } = await import('../../orders/order-waitable.ts');
      const { watchRecord } = await import('../../waiting/status-records.ts');
      const again = invocation('orders get', [data.id], { watch, ...typedWaiting(context, flags) });
      const wait = { goal: orderGoalOf(flags), waiting: waitingOf(flags), again };
      return watchRecord(context, movingOrders, data, wait);
    }
    return record(data, orderColumns, { notes: notesOf(data) });
  },
});

/** Why an order of a batch is not dispatched, or not yet, is told by its tries. */
function notesOf({ id, batch_id, status }: Order): Text[] {
  if (batch_id === null || status === 'dispatched') return [];
  return [phrase`How auto dispatch looked for a courier: ${invocation('orders tries', [id])}`];
}
