import { orderStatuses } from '../../../contract/vocabulary.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { targetFlags, targetOf } from '../../waiting/status-targets.ts';
import { paceFlags, waitOptions } from '../../waiting/waiting-flags.ts';
import { findOrderId, orderWord } from './find-order.ts';
import { getOrder } from './order-requests.ts';

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
  flags: {
    ...targetFlags({ statuses: orderStatuses }, 'dispatched'),
    ...paceFlags('30m, or the time limit of its batch'),
  },
  examples: [
    { command: 'waybill orders wait ORDER', summary: 'Wait until it is dispatched' },
    {
      command: 'waybill orders wait ORDER --until routed --timeout 5m --json',
      summary: 'In a script, wait until it is in a route',
    },
  ],
  effect: 'read',
  async run(context, { flags, positionals: { order } }) {
    const { orderTimeout, orderWaitable } = await import('./order-waitable.ts');
    const { waitForAnswer } = await import('../../waiting/service-waiting.ts');
    const first = await getOrder(context, await findOrderId(context, order));
    const timeout_ms = flags.timeout ?? (await orderTimeout(context, first));
    const options = waitOptions(context, ['orders wait', first.id], flags, timeout_ms);
    return waitForAnswer(context, orderWaitable(context, first, targetOf(flags)), options);
  },
});
