import type { DeliveryNote, DetailedDelivery } from '../../../contract/deliveries.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { localTime, shortTime, styledTime } from '../../kit/output/times.ts';
import { type Formatters, recordResult } from '../../kit/result/result.ts';
import { deliveryColumns, deliveryFields, maskedNotes, trackingNotes } from '../../nouns/delivery.ts';
import { promisedAndNowText } from '../../nouns/delivery-times.ts';
import { endFlags, watchDelivery } from '../../nouns/delivery-waiting.ts';
import { deliveryWord, findDelivery } from '../../nouns/find-delivery.ts';
import { storeZone } from '../../nouns/order.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { checkWaiting, recordWaitingNames, watchFlags } from '../../waiting/waiting-flags.ts';

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
  columns: deliveryColumns,
  effect: 'read',
  calls: ['deliveries.getDetailed', 'deliveries.listDetailed', 'routes.get'],
  answers: ({ one }) => [one('deliveries.getDetailed')],
  exits: { 9: 'with --watch: ended without being delivered' },
  errors: ['still_pending', 'delivery_STATUS'],
  related: ['deliveries explain', 'deliveries watch', 'track', 'events list'],
  async run(context, { flags, positionals }) {
    checkWaiting(context, { watch: flags.watch }, recordWaitingNames);
    const delivery = await findDelivery(context, positionals.delivery);
    if (flags.watch) return watchDelivery(context, delivery, flags, ['deliveries get', { watch: true }]);
    const more = await linesForPeople(context, delivery);
    return recordResult(delivery, deliveryFields(delivery, more), {
      notes: [...trackingNotes(context, delivery), ...maskedNotes(context)],
    });
  },
});

/**
 * Its lateness, the place of the courier and the notes, as people read them in a terminal. Programs have the fields of the delivery.
 */
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
