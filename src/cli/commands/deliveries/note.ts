import { list as flagList } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { list, record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { deliveryWord, findDeliveryId, foundBy } from './find-delivery.ts';
import { fetchNotes, noteColumns } from './notes.ts';

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
