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
  summary: 'Wait until a delivery has reached a status, or cannot any more',
  description: [
    'Exit 0 when it has reached that status or a later one, as couriers skip some; 9 at once, with the reason, where',
    'it cannot get there any more or has a status of --fail-on, be it a later one; 8 when time ran out. Both take',
    'statuses and groups of them with commas between; a name that is both, such as failed, is the group: failed,',
    'enroute_to_return, returned. delivery_created and scheduled are one. A service that cannot be reached is looked',
    'for until time runs out, which is 7 then.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: { until: untilFlag, failOn: failOnFlag, ...paceFlags('30m') },
  examples: [
    { command: 'waybill deliveries wait DELIVERY', summary: 'Until it is delivered' },
    {
      command:
        'waybill deliveries wait DELIVERY --until delivered --fail-on canceled,failed,returned --timeout 30m',
      summary: 'The same, all said',
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
