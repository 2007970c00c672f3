import type { Delivery } from '../../../contract/deliveries.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { targetOf } from '../../waiting/status-targets.ts';
import { paceFlags, waitOptions } from '../../waiting/waiting-flags.ts';
import { deliveryTargetFlags } from './delivery-waiting-flags.ts';
import { deliveryWord, findDelivery } from './find-delivery.ts';

/** The default timeout. */
const default_timeout_ms = 1_800_000;

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until a delivery reaches a status or can no longer reach it',
  description: [
    'The exit code is 0 when the delivery reaches that status or a later one (couriers may skip some), 9 as soon as',
    'it can no longer do so or reaches a status of --fail-on, and 8 after a timeout. --until and --fail-on take',
    'comma-separated statuses and groups. A name that is both, such as failed, means the group: failed,',
    'enroute_to_return, returned. delivery_created and scheduled are equivalent. An unreachable service is retried',
    'until the timeout, then the exit code is 7.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: { ...deliveryTargetFlags, ...paceFlags('30m') },
  examples: [
    { command: 'waybill deliveries wait DELIVERY', summary: 'Wait until delivered' },
    {
      command:
        'waybill deliveries wait DELIVERY --until delivered --fail-on canceled,failed,returned --timeout 30m',
      summary: 'The same with every option',
    },
    {
      command: 'waybill deliveries wait DELIVERY --until pickup_complete && echo "on its way"',
      summary: 'In a script',
    },
  ],
  effect: 'read',
  async run(context, { flags, positionals }) {
    const delivery = await findDelivery(context, positionals.delivery);
    const options = waitOptions(context, ['deliveries wait', delivery.id], flags, default_timeout_ms);
    const { deliveriesWaitable } = await import('./delivery-waitable.ts');
    const { waitForAnswer } = await import('../../waiting/service-waiting.ts');
    const { deliverySummary } = await import('./delivery-columns.ts');
    const waitable = {
      ...deliveriesWaitable(context, [delivery], targetOf(flags)),
      answer: ([last = delivery]: readonly Delivery[]) => record(last, deliverySummary()),
    };
    return waitForAnswer(context, waitable, options);
  },
});
