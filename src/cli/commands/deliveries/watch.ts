/** Waiting until a delivery reaches a status, and following it until it ends. */
import type { Delivery } from '../../../contract/deliveries.ts';
import { recordResult, streamFormats } from '../../kit/result/result.ts';
import { deliverySummary } from '../../nouns/delivery.ts';
import {
  deliveriesWaitable,
  deliveryTargetFlags,
  endFlags,
  watchDelivery,
} from '../../nouns/delivery-waiting.ts';
import { deliveryWord, findDelivery } from '../../nouns/find-delivery.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { waitForAnswer } from '../../waiting/service-waiting.ts';
import { statusTarget } from '../../waiting/status-targets.ts';
import { paceFlags, waitOptions } from '../../waiting/waiting-flags.ts';

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
  answers: ({ one }) => [one('deliveries.getDetailed')],
  exits: { 9: '--until can no longer be reached, or a status of --fail-on was reached' },
  errors: ['still_pending', 'delivery_STATUS'],
  related: ['deliveries watch', 'deliveries explain', 'sandbox advance'],
  async run(context, { flags, positionals }) {
    const delivery = await findDelivery(context, positionals.delivery);
    const options = waitOptions(context, ['deliveries wait', delivery.id], flags, default_timeout_ms);
    const waitable = {
      ...deliveriesWaitable(context, [delivery], statusTarget(flags)),
      answer: ([last = delivery]: readonly Delivery[]) => recordResult(last, deliverySummary()),
    };
    return waitForAnswer(context, waitable, options);
  },
});

export const watch = defineCommand({
  name: 'watch',
  aliases: ['follow', 'tail'],
  summary: 'Follow a delivery until it ends',
  description: [
    'Prints a line for each change. The exit code is 0 once the delivery is delivered, or reaches a status of --until',
    'or a later one, and 9 if it ends otherwise or reaches a status of --fail-on. With --json each line is the',
    'delivery with a type: delivery.current first, then delivery.updated.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: { ...endFlags, ...paceFlags('no limit') },
  examples: [
    { command: 'waybill deliveries watch DELIVERY', summary: 'Follow until it ends' },
    {
      command: 'waybill deliveries watch DELIVERY --until pickup_complete',
      summary: 'Follow until pickup',
    },
    { command: 'waybill deliveries watch DELIVERY --json', summary: 'Stream changes as JSON' },
  ],
  effect: 'read',
  formats: streamFormats,
  calls: ['deliveries.getDetailed'],
  answers: ({ lines, withFields, answerOf }) => [
    lines(
      withFields({ type: '"delivery.current" | "delivery.updated"' }, answerOf('deliveries.getDetailed')),
    ),
  ],
  exits: { 9: 'ended without being delivered' },
  errors: ['still_pending', 'delivery_STATUS'],
  related: ['deliveries wait', 'deliveries explain', 'events tail'],
  async run(context, { flags, positionals }) {
    const delivery = await findDelivery(context, positionals.delivery);
    return watchDelivery(context, delivery, flags, ['deliveries watch', {}]);
  },
});
