import { defineCommand, positional } from '../../command.ts';
import { failOnFlag, untilFlag } from '../../deliveries/delivery-waiting-flags.ts';
import { deliveryWord, findDelivery } from '../../deliveries/finding.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { paceFlags, typedWaiting } from '../../waiting/waiting-flags.ts';

/** How long is waited where nobody says it. */
const patience_ms = 1_800_000;

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
  flags: { until: untilFlag, failOn: failOnFlag, ...paceFlags('30m') },
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
    const { until, failOn, interval, timeout = patience_ms } = flags;
    const delivery = await findDelivery(context, positionals.delivery);
    const again = invocation('deliveries wait', [delivery.id], typedWaiting(context, flags));
    const { awaitDelivery } = await import('../../deliveries/awaiting.ts');
    const goal = { until: until.statuses, fail_on: failOn?.statuses ?? null };
    return awaitDelivery(context, delivery, goal, { timeout_ms: timeout, interval_ms: interval, again });
  },
});
