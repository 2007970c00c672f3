import { defineCommand, positional } from '../../command.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { findOrderId, orderWord } from '../../orders/finding.ts';
import { orderGoalFlags, orderGoalOf } from '../../orders/order-waiting-flags.ts';
import { paceFlags, typedWaiting } from '../../waiting/waiting-flags.ts';

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until an order is dispatched, or cannot be any more',
  description: [
    'Exit 0 when it has that status or a later one: open, routed, dispatched. Exit 9 at once, with the reason, where it',
    'is unfulfilled, failed or canceled, or has a status of --fail-on; what auto dispatch tries again is waited for. 8',
    'when time ran out. Once it is dispatched its delivery goes on: deliveries wait takes its reference.',
  ].join('\n'),
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: { ...orderGoalFlags, ...paceFlags('30m, or as long as its batch can take') },
  examples: [
    { command: 'waybill orders wait ORDER', summary: 'Until it is dispatched' },
    {
      command: 'waybill orders wait ORDER --until routed --timeout 5m --json',
      summary: 'In a script, until it is in a route',
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
