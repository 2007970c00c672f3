/** The commands that show one delivery: as it is, once it reaches a status, and as it changes until it ends. */
import type { Delivery, DeliveryNote, DetailedDelivery } from '../../../contract/deliveries.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { localTime, shortTime, styledTime } from '../../kit/output/times.ts';
import { type Formatters, recordResult, streamFormats } from '../../kit/result/result.ts';
import {
  deliveryColumns,
  deliveryFields,
  deliverySummary,
  maskedNotes,
  trackingNotes,
} from '../../nouns/delivery.ts';
import { deliveryTargetFlags, endFlags } from '../../nouns/delivery-targets.ts';
import { promisedAndNowText } from '../../nouns/delivery-times.ts';
import { deliveriesWaitable, watchDelivery } from '../../nouns/delivery-waiting.ts';
import { deliveryWord, findDelivery } from '../../nouns/find-delivery.ts';
import { storeZone } from '../../nouns/order.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { waitForAnswer } from '../../waiting/service-waiting.ts';
import { statusTarget } from '../../waiting/status-targets.ts';
import {
  checkWaiting,
  paceFlags,
  recordWaitingNames,
  usual_wait_ms,
  waitOptions,
  watchFlags,
} from '../../waiting/waiting-flags.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show a delivery',
  description:
    'The delivery can be given by ID or the beginning or end of it, by your own reference, by a phone number or its last four digits, by its tracking link, or by words of a name, address, unit, note or item.',
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: { ...watchFlags('the delivery ends'), ...endFlags },
  examples: [
    { command: 'waybill deliveries get DELIVERY', summary: 'Show every detail' },
    { command: 'waybill deliveries get "#1042"', summary: 'Find it by your own reference' },
    { command: 'waybill deliveries get +13125550142', summary: 'Find it by phone number' },
    { command: "waybill deliveries get 'zoe wacker'", summary: 'Find it by words of its name or address' },
    { command: 'waybill deliveries get "#1042" --watch', summary: 'Follow it live, like deliveries watch' },
  ],
  // `get` prints the agents' notes below the record, so it has no column for them.
  columns: deliveryColumns.filter(({ field }) => field !== 'notes'),
  effect: 'read',
  calls: ['deliveries.getDetailed', 'deliveries.listDetailed', 'routes.get'],
  answers: ({ one }) => [one('deliveries.getDetailed')],
  exits: { 9: 'with --watch: ended without being delivered' },
  errors: ['still_pending', 'delivery_STATUS'],
  related: ['deliveries explain', 'deliveries watch', 'track', 'events list'],
  async run(context, { flags, positionals }) {
    checkWaiting(context, { watch: flags.watch }, recordWaitingNames);
    const delivery = await findDelivery(context, positionals.delivery, { prefersActive: true });
    if (flags.watch) return watchDelivery(context, delivery, flags, ['deliveries get', { watch: true }]);
    const more = await linesForPeople(context, delivery);
    return recordResult(delivery, deliveryFields(delivery, more), {
      notes: [...trackingNotes(context, delivery), ...maskedNotes(context, 'deliveries get', delivery.id)],
    });
  },
});

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
    const delivery = await findDelivery(context, positionals.delivery, { prefersActive: true });
    const options = waitOptions(context, ['deliveries wait', delivery.id], flags, usual_wait_ms);
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
    const delivery = await findDelivery(context, positionals.delivery, { prefersActive: true });
    return watchDelivery(context, delivery, flags, ['deliveries watch', {}]);
  },
});

/** The extra lines in a terminal: how late the delivery is, where the courier is, and the agents' notes. */
async function linesForPeople(context: Context, delivery: DetailedDelivery): Promise<[string, string][]> {
  const { host, output } = context;
  const isRead = output.format === 'table' || output.format === 'wide';
  if (!isRead || !host.stdout.isTerminal) return [];
  const { courierPlaceOf, courierPlaceText } = await import('../../nouns/explanation.ts');
  const place = await courierPlaceOf(context, delivery);
  const now = context.serviceNow();
  const time = (iso: string) => styledTime(iso, now, output.times, localTime, storeZone(delivery));
  const lines = delivery.details.notes.map((note): [string, string] => ['Note', noteText(note, { time })]);
  const clock = (iso: string) => styledTime(iso, now, output.times, shortTime, storeZone(delivery));
  const moved = promisedAndNowText(delivery, now, clock);
  return [
    ...(moved === null ? [] : [['Late', moved] satisfies [string, string]]),
    ...(place === null
      ? []
      : [['Courier is', courierPlaceText(place, delivery, { time })] satisfies [string, string]]),
    ...lines,
  ];
}

/** `Called the recipient [callback], 3 min ago` */
export function noteText({ text, tags, created_at }: DeliveryNote, show: Pick<Formatters, 'time'>): string {
  const tagged = tags.length === 0 ? '' : ` [${tags.join(', ')}]`;
  return oneLine(`${text}${tagged}, ${show.time(created_at)}`);
}
