import { defineCommand, positional } from '../../command.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { findOrderId, orderWord } from '../../orders/finding.ts';
import { orderGoalFlags, orderGoalOf } from '../../orders/order-waiting-flags.ts';
import { paceFlags, typedWaiting } from '../../waiting/waiting-flags.ts';

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until an order is dispatched or no longer can be',
  description: [
    'The exit code is 0 when the order reaches that status or a later one (open, routed, dispatched), 9 as soon as it',
    'is unfulfilled, failed or canceled or reaches a status of --fail-on, and 8 after a timeout. Auto-dispatch',
    'retries are waited for. To wait for the delivery of a dispatched order, pass its reference to deliveries wait.',
  ].join('\n'),
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: { ...orderGoalFlags, ...paceFlags('30m, or the time limit of its batch') },
  examples: [
    { command: 'waybill orders wait ORDER', summary: 'Wait until it is dispatched' },
    {
      command: 'waybill orders wait ORDER --until routed --timeout 5m --json',
      summary: 'In a script, wait until it is in a route',
    },
  ],
  effect: 'read',
  async run(context, { flags, positionals: { order } }) {
    const { movingOrders, orderPatience } = await import('../../orders/order-waitable.ts');
    const { awaitRecord } = await import('../../waiting/status-records.ts');
    const first = await movingOrders.look(context, await findOrderId(context, order));
    const again = invocation('orders wait', [first.id], typedWaiting(context, flags));
    const timeout_ms = flags.timeout ?? (await orderPatience(context, first));
    const waiting = { timeout_ms, interval_ms: flags.interval, changesOnly: false };
    return awaitRecord(context, movingOrders, first, { goal: orderGoalOf(flags), waiting, again });
  },
});
