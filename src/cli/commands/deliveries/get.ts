import type { DetailedDelivery } from '../../../contract/delivery-details.ts';
import { localTime, shortTime, styledTime } from '../../kit/output/times.ts';
import { record } from '../../kit/result/result.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { checkWaiting, recordWaitingNames, watchFlags } from '../../waiting/waiting-flags.ts';
import { storeZone } from '../orders/store-zone.ts';
import { deliveryColumns, deliveryFields } from './delivery-columns.ts';
import { endFlags, watchDelivery } from './delivery-waiting-flags.ts';
import { movedText } from './due-text.ts';
import { deliveryWord, findDelivery } from './find-delivery.ts';
import { trackingNotes } from './tracking-link.ts';

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
  async run(context, { flags, positionals }) {
    checkWaiting(context, { watch: flags.watch }, recordWaitingNames);
    const delivery = await findDelivery(context, positionals.delivery);
    if (flags.watch) return watchDelivery(context, delivery, flags, ['deliveries get', { watch: true }]);
    const more = await linesForPeople(context, delivery);
    return record(delivery, deliveryFields(delivery, more), { notes: trackingNotes(context, delivery) });
  },
});

/**
 * Its lateness, the place of the courier and the notes, as people read them in a terminal. Programs have the fields of the delivery.
 */
async function linesForPeople(context: Context, delivery: DetailedDelivery): Promise<[string, string][]> {
  const { host, output } = context;
  const isRead = output.format === 'table' || output.format === 'wide';
  if (!isRead || !host.stdout.isTerminal) return [];
  const { noteText } = await import('./notes.ts');
  const { courierPlaceOf, courierPlaceText } = await import('./courier-place.ts');
  const place = await courierPlaceOf(context, delivery);
  const now = context.serviceNow();
  const time = (iso: string) => styledTime(iso, now, output.times, localTime, storeZone(delivery));
  const lines = delivery.details.notes.map((note): [string, string] => ['Note', noteText(note, { time })]);
  const clock = (iso: string) => styledTime(iso, now, output.times, shortTime, storeZone(delivery));
  const moved = movedText(delivery, now, clock);
  return [
    ...(moved === null ? [] : [['Late', moved] satisfies [string, string]]),
    ...(place === null
      ? []
      : [['Courier is', courierPlaceText(place, delivery, { time })] satisfies [string, string]]),
    ...lines,
  ];
}
