import { records } from '../../../client/pages.ts';
import type { DeliveryNote } from '../../../contract/deliveries.ts';
import { list as flagList } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { type Column, list, record } from '../../kit/result/result.ts';
import { deliveryWord, findDeliveryId, foundBy } from '../../nouns/find-delivery.ts';
import { defineCommand, positional } from '../../session/command.ts';

const noteColumns: readonly Column<DeliveryNote>[] = [
  { field: 'created_at', header: 'Created', kind: 'time' },
  { field: 'text', header: 'Note', kind: 'text', prose: true },
  { field: 'tags', header: 'Tags', kind: 'text', unlessEmpty: true },
  { field: 'delivery_id', header: 'Delivery', kind: 'id', wide: true },
  { field: 'id', header: 'ID', kind: 'id', wide: true },
];

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
    text: positional('text', { summary: 'Text of the note; - reads stdin', optional: true }),
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
    const client = await context.client();
    if (text === undefined) {
      const page: typeof client.notes.list = (input) =>
        client.deliveries.notes({ ...input, params: { deliveryid } });
      return list({ data: records(page, {}), columns: noteColumns, empty: `${deliveryid} has no notes.` });
    }
    const words = text === '-' ? (await context.readFile('-')).trim() : text;
    const { data } = await client.deliveries.note({
      params: { deliveryid },
      body: { text: words, ...(tag.length === 0 ? {} : { tags: tag }) },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, noteColumns, { notes: [`Added a note to ${deliveryid}.`] });
  },
});
