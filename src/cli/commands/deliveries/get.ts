import { ifSupported } from '../../../client/errors.ts';
import type { DeliveryNote, DetailedDelivery } from '../../../contract/delivery-details.ts';
import { list as flagList } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { oneLine } from '../../kit/output/sanitize.ts';
import { localTime, shortTime, styledTime } from '../../kit/output/times.ts';
import { type Column, list, record, type Show } from '../../kit/result/result.ts';
import {
  deliveryColumns,
  deliveryFields,
  maskedNotes,
  movedText,
  trackingNotes,
} from '../../nouns/delivery.ts';
import { endFlags, watchDelivery } from '../../nouns/delivery-waiting.ts';
import { deliveryWord, findDelivery, findDeliveryId, foundBy } from '../../nouns/find-delivery.ts';
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
    return record(delivery, deliveryFields(delivery, more), {
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
  const moved = movedText(delivery, now, clock);
  return [
    ...(moved === null ? [] : [['Late', moved] satisfies [string, string]]),
    ...(place === null
      ? []
      : [['Courier is', courierPlaceText(place, delivery, { time })] satisfies [string, string]]),
    ...lines,
  ];
}

const noteColumns: readonly Column<DeliveryNote>[] = [
  { field: 'created_at', header: 'Created', kind: 'time' },
  { field: 'text', header: 'Note', kind: 'text', prose: true },
  { field: 'tags', header: 'Tags', kind: 'text', unlessEmpty: true },
  { field: 'delivery_id', header: 'Delivery', kind: 'id', wide: true },
  { field: 'id', header: 'ID', kind: 'id', wide: true },
];

/** The newest notes of a delivery; null if the service keeps none. */
async function fetchNotes(context: Context, deliveryid: string): Promise<DeliveryNote[] | null> {
  const client = await context.client();
  const call = client.deliveries.notes({ params: { deliveryid } });
  return ifSupported(
    call.then(({ data }) => data.data),
    null,
  );
}

/** `Called the recipient [callback], 3 min ago` */
export function noteText({ text, tags, created_at }: DeliveryNote, show: Pick<Show, 'time'>): string {
  const tagged = tags.length === 0 ? '' : ` [${tags.join(', ')}]`;
  return oneLine(`${text}${tagged}, ${show.time(created_at)}`);
}

export const note = defineCommand({
  name: 'note',
  aliases: ['comment'],
  summary: 'Add a note to a delivery for the next agent',
  description: [
    `${foundBy} Notes and their tags are internal: couriers, recipients and webhooks do not get them. They are listed`,
    'by deliveries explain and deliveries get. Without TEXT the notes are listed, newest first.',
  ].join('\n'),
  positionals: {
    delivery: positional('delivery', { summary: deliveryWord }),
    text: positional('text', { summary: 'Text of the note', optional: true }),
  },
  flags: { tag: flagList({ summary: 'Tag, such as callback' }) },
  examples: [
    {
      command: "waybill deliveries note DELIVERY 'Called at 6 pm, nobody answered' --tag callback",
      summary: 'Add a note with a tag',
    },
  ],
  effect: 'write',
  calls: ['deliveries.note', 'deliveries.notes', 'deliveries.listDetailed'],
  answers: ({ one, each }) => [one('deliveries.note'), each('deliveries.notes', 'without TEXT')],
  related: ['deliveries explain', 'deliveries get'],
  async run(context, { flags: { tag }, positionals: { delivery, text } }) {
    if (text === undefined && tag.length > 0) throw new UsageError('A tag needs a note: add its text.');
    const deliveryid = await findDeliveryId(context, delivery, { changes: text !== undefined });
    if (text === undefined) {
      const data = (await fetchNotes(context, deliveryid)) ?? [];
      return list({ data, columns: noteColumns, empty: `${deliveryid} has no notes.` });
    }
    const client = await context.client();
    const { data } = await client.deliveries.note({
      params: { deliveryid },
      body: { text, ...(tag.length === 0 ? {} : { tags: tag }) },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, noteColumns, { notes: [`Added a note to ${deliveryid}.`] });
  },
});
