import { deliveryStatuses } from '../../../contract/vocabulary.ts';
import { defineCommand, positional } from '../../command.ts';
import { deliveryWord, findDelivery } from '../../deliveries/finding.ts';
import { statusesFlag } from '../../deliveries/goals.ts';
import { choice, duration } from '../../line/flags.ts';

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until a delivery has reached a status, or cannot any more',
  description: [
    'Exit 0 when it has reached that status or a later one, as couriers skip some; 9 at once, with the reason, where',
    'it cannot get there any more or has a status of --fail-on; 8 when time ran out. A name that is a status and a',
    'group, such as failed, is the group: failed, enroute_to_return, returned.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    until: choice({
      choices: deliveryStatuses,
      default: 'delivered',
      summary: 'What to wait for',
      placeholder: 'STATUS',
    }),
    failOn: statusesFlag({ summary: 'Give up at these; without it, where --until is out of reach' }),
    timeout: duration({ summary: 'How long at most', default: 1_800_000 }),
  },
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
  async run(context, { flags: { until, failOn, timeout }, positionals }) {
    const delivery = await findDelivery(context, positionals.delivery);
    const { awaitDelivery } = await import('../../deliveries/awaiting.ts');
    return awaitDelivery(context, delivery, { until, fail_on: failOn }, timeout);
  },
});
