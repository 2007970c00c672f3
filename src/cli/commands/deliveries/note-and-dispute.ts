/** `deliveries note` and `deliveries dispute`: what a person says about a delivery. */
import { records } from '../../../client/pages.ts';
import type { DeliveryNote } from '../../../contract/deliveries.ts';
import { statusPhrase } from '../../../domain/status-words.ts';
import { listFlag, textFlag } from '../../kit/args/flags.ts';
import { Failure, UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, listResult, recordResult } from '../../kit/result/result.ts';
import { deliverySummary } from '../../nouns/delivery.ts';
import { disputableUntil } from '../../nouns/delivery-steps.ts';
import { changedWord, findDelivery, findDeliveryId, foundBy } from '../../nouns/find-delivery.ts';
import { type Context, defineCommand, positional, positionals } from '../../session/command.ts';
import { inShownZone } from '../../session/list-view.ts';

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
    delivery: positional('delivery', { summary: changedWord }),
    text: positionals('text', { summary: 'Text of the note; - reads stdin', optional: true }),
  },
  flags: { tag: listFlag({ summary: 'Tag, such as callback' }) },
  examples: [
    {
      command: "waybill deliveries note DELIVERY 'Called at 6 pm, nobody answered' --tag callback",
      summary: 'Add a note with a tag',
    },
  ],
  effect: 'write',
  calls: ['deliveries.note', 'deliveries.notes', 'deliveries.list', 'deliveries.listDetailed'],
  answers: ({ one, each }) => [one('deliveries.note'), each('deliveries.notes', 'without TEXT')],
  related: ['deliveries explain', 'deliveries get'],
  async run(context, { flags: { tag }, positionals: { delivery, text } }) {
    const note = text.length === 0 ? undefined : text.join(' ');
    if (note === undefined && tag.length > 0) throw new UsageError('A tag needs a note: add its text.');
    const deliveryid = await findDeliveryId(context, delivery, { changes: note !== undefined });
    const client = await context.client();
    if (note === undefined) {
      const page: typeof client.notes.list = (input) =>
        client.deliveries.notes({ ...input, params: { deliveryid } });
      return listResult({
        data: records(page, {}),
        columns: await inShownZone(context, noteColumns),
        empty: `${deliveryid} has no notes.`,
      });
    }
    const words = note === '-' ? (await context.readFile('-')).trim() : note;
    const { data } = await client.deliveries.note({
      params: { deliveryid },
      body: { text: words, ...(tag.length === 0 ? {} : { tags: tag }) },
      idempotencyKey: context.idempotencyKey(),
    });
    return recordResult(data, await inShownZone(context, noteColumns), {
      notes: [
        `Added a note to ${deliveryid}. Drivers and recipients do not see it.`,
        'To tell the driver: `deliveries edit --dropoff-notes` before the pickup, a call after it.',
      ],
    });
  },
});

export const dispute = defineCommand({
  name: 'dispute',
  aliases: ['complain', 'contest'],
  summary: 'Dispute a completed delivery (within 30 days)',
  description: foundBy,
  positionals: { delivery: positional('delivery', { summary: changedWord, statuses: ['delivered'] }) },
  flags: {
    reason: textFlag({ summary: 'What went wrong', required: () => true, isAskedLater: true }),
  },
  meantByWord: (_, [delivery = 'DELIVERY', ...reason]) =>
    invocation('deliveries dispute', [delivery], { reason: reason.join(' ') }),
  examples: [
    {
      command: "waybill deliveries dispute DELIVERY --reason 'It never came'",
      summary: 'Dispute a delivery that never arrived',
    },
    {
      command: "waybill deliveries dispute DELIVERY --reason 'The soup was cold'",
      summary: 'Refund a customer: that is done where they paid; a dispute asks the courier for money back',
    },
  ],
  effect: 'write',
  calls: ['deliveries.dispute', 'deliveries.getDetailed', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('deliveries.dispute')],
  related: ['disputes resolve', 'deliveries explain', 'charges list'],
  async run(context, { flags: { reason }, positionals }) {
    const deliveryid = await disputableId(context, positionals.delivery);
    const client = await context.client();
    const { data } = await client.deliveries.dispute({
      params: { deliveryid },
      body: { reason: reason ?? (await askReason(context)) },
      idempotencyKey: context.idempotencyKey(),
    });
    const next = invocation('disputes resolve', [data.id]);
    return recordResult(data, deliverySummary(), { notes: [`Disputed ${data.id}.`, phrase`Next: ${next}`] });
  },
});

/**
 * Checks that the delivery can be disputed before the user is asked anything. A repeated request is left to the
 * service, which repeats its response.
 */
async function disputableId(context: Context, typed: string): Promise<string> {
  if (context.globals.idempotencyKey !== undefined) return findDeliveryId(context, typed, { changes: true });
  const delivery = await findDelivery(context, typed, { changes: true });
  const { id, status } = delivery;
  const until = disputableUntil(delivery);
  if (status === 'delivered' && (until === null || until > context.serviceNow())) return id;
  const why =
    status === 'delivered'
      ? 'was delivered more than 30 days ago'
      : `is ${statusPhrase(status)}: only a completed delivery can be disputed`;
  throw new Failure(6, 'delivery_not_disputable', `Delivery ${id} ${why}.`, {
    next: [{ ...invocation('deliveries explain', [id]), when: 'see where it stands' }],
  });
}

async function askReason(context: Context): Promise<string> {
  const prompts = await context.prompts();
  const check = (typed: string) => (typed.trim() === '' ? 'Describe what went wrong.' : null);
  return prompts.text('What went wrong?', { check });
}
