import { drawingFormats, drawingResult } from '../../kit/result/result.ts';
import { maskedNotes, trackingNotes } from '../../nouns/delivery.ts';
import { deliveryWord, findDelivery } from '../../nouns/find-delivery.ts';
import { storeZone } from '../../nouns/order.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { explanationRows } from './explanation-rows.ts';
import { explanationText } from './explanation-text.ts';

/** `deliveries explain`: the page about one delivery, for people and for programs. */

export const explain = defineCommand({
  name: 'explain',
  aliases: ['why', 'diagnose'],
  summary: 'Show history, cost and next steps of a delivery',
  description: [
    'Shows the timeline with skipped steps and durations, whether the delivery is late, the courier, the',
    'auto-dispatch selection, charges and refunds, and next steps as commands. With --json: delivery, timeline,',
    'late_seconds, overdue_seconds, outcome, choice, charges, paid, order_cost, cancellation, failed_task, next.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  examples: [
    { command: 'waybill deliveries explain DELIVERY', summary: 'Explain a delivery' },
    { command: 'waybill deliveries explain "#1042"', summary: 'Find it by your own reference' },
  ],
  effect: 'read',
  formats: drawingFormats,
  calls: [
    'deliveries.getDetailed',
    'deliveries.cancellation',
    'charges.list',
    'audit.list',
    'orders.get',
    'batches.get',
    'routes.get',
    'quotes.list',
    'failedTasks.list',
    'sandbox.steps',
  ],
  answers: ({ one, object, word, listOf, orNull, listedBy, answerOf }) => [
    one(
      object({
        object: '"explanation"',
        delivery: word('a delivery, as in deliveries get'),
        timeline: listOf(
          object({
            status: 'a status',
            at: orNull('time'),
            lasted_seconds: orNull('integer'),
            skipped: 'boolean',
          }),
        ),
        late_seconds: orNull('integer'),
        overdue_seconds: orNull('integer'),
        outcome: orNull('string'),
        choice: orNull(
          object({
            batch_id: 'string',
            try: listedBy('tries.list'),
            earlier: listOf(listedBy('tries.list')),
          }),
        ),
        selection: orNull(
          object({
            provider: 'string',
            reason: 'string',
            price: 'integer',
            others: listOf(
              object({
                provider: 'string',
                price: 'integer',
                dropoff_eta: 'time',
                left_out: orNull('string'),
              }),
            ),
          }),
        ),
        charges: listOf(listedBy('charges.list')),
        paid: 'integer',
        canceled_by: orNull('string'),
        order_cost: orNull(
          object({
            paid: 'integer',
            attempts: listOf(object({ delivery_id: 'string', paid: 'integer', refunded: 'integer' })),
          }),
        ),
        cancellation: answerOf('deliveries.cancellation'),
        courier_place: orNull(object({ stop: 'pickup | dropoff', miles: 'number', is_rough: 'boolean' })),
        notes: listOf(listedBy('deliveries.notes')),
        failed_task: orNull(listedBy('failedTasks.list')),
        next: listOf(
          object({
            command: 'string',
            args: listOf('string'),
            when: 'string',
            'placeholders?': listOf('string'),
          }),
        ),
      }),
    ),
  ],
  related: ['deliveries get', 'deliveries cancel', 'deliveries retry', 'charges list'],
  async run(context, { positionals }) {
    const delivery = await findDelivery(context, positionals.delivery);
    const { explain: collect } = await import('../../nouns/explanation.ts');
    const data = await collect(context, delivery);
    return drawingResult({
      data,
      id: delivery.id,
      rows: explanationRows(data),
      draw: (show) => explanationText(data, show.inZone(storeZone(delivery))),
      notes: [...trackingNotes(context, delivery), ...maskedNotes(context)],
    });
  },
});
