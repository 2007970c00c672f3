import { deliveryStatuses } from '../../../contract/vocabulary.ts';
import { defineCommand, positional } from '../../command.ts';
import { deliveryWord, findDelivery } from '../../deliveries/finding.ts';
import { statusesFlag } from '../../deliveries/goals.ts';
import { commandLine } from '../../line/command-line.ts';
import { choice, duration, durationText } from '../../line/flags.ts';

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until a delivery has reached a status, or cannot any more',
  description: [
    'Exit 0 when it has reached that status or a later one, as couriers skip some; 9 at once, with the reason, where',
    'it cannot get there any more or has a status of --fail-on, be it a later one; 8 when time ran out. A name that is',
    'a status and a group, such as failed, is the group: failed, enroute_to_return, returned. delivery_created and',
    'scheduled are one. A service that cannot be reached is looked for until time runs out, which is 7 then.',
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
  async run(context, { flags: { until, failOn, timeout }, positionals, given }) {
    const delivery = await findDelivery(context, positionals.delivery);
    const again = commandLine(['deliveries', 'wait', delivery.id], {
      until: given.has('until') ? until : undefined,
      failOn: failOn?.text,
      timeout: given.has('timeout') ? durationText(timeout) : undefined,
    });
    const { awaitDelivery } = await import('../../deliveries/awaiting.ts');
    const goal = { until, fail_on: failOn?.statuses ?? null };
    return awaitDelivery(context, delivery, goal, { timeout_ms: timeout, again });
  },
});
