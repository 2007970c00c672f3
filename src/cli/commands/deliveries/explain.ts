/** `deliveries explain`: the page about one delivery, for people and for programs. */
import type { AnyDelivery } from '../../../contract/deliveries.ts';
import type { Cancellation } from '../../../contract/delivery-changes.ts';
import { isEnded, isPickedUp } from '../../../domain/delivery-states.ts';
import { invocation, shellLine } from '../../kit/result/message.ts';
import { type CellValue, drawingFormats, drawingResult } from '../../kit/result/result.ts';
import { type AnswerBuilder, type Shape, stepShape } from '../../kit/result/shape.ts';
import { maskedNotes, shownProofs, trackingNotes } from '../../nouns/delivery.ts';
import type { AutoDispatchChoice, Explanation } from '../../nouns/explanation.ts';
import { deliveryWord, findDelivery } from '../../nouns/find-delivery.ts';
import { itemText, storeZone } from '../../nouns/order.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { explanationText } from './explanation-text.ts';

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
  answers: (of) => [of.one(explanationShape(of))],
  related: ['deliveries get', 'deliveries cancel', 'deliveries retry', 'charges list'],
  async run(context, { positionals }) {
    const delivery = await findDelivery(context, positionals.delivery, { prefersActive: true });
    const { explain: collect } = await import('../../nouns/explanation.ts');
    const data = await collect(context, delivery);
    return drawingResult({
      data,
      id: delivery.id,
      rows: explanationRows(data),
      draw: (show) => explanationText(data, show.inZone(storeZone(delivery))),
      notes: [
        ...trackingNotes(context, delivery),
        ...maskedNotes(context, 'deliveries explain', delivery.id),
      ],
    });
  },
});

/** The fields of the explanation for programs. */
function explanationShape({ object, word, listOf, orNull, listedBy, answerOf }: AnswerBuilder): Shape {
  return object({
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
    next: listOf(stepShape),
  });
}

/** The rows for programs that read lines: the name of a section, then its values. */
export function explanationRows(explanation: Explanation): CellValue[][] {
  const { delivery, timeline, late_seconds, choice, charges, paid, order_cost, cancellation, notes, next } =
    explanation;
  const { outcome, overdue_seconds, failed_task } = explanation;
  return [
    ['delivery', delivery.id, delivery.status, delivery.external_order_ref, delivery.service],
    ['late_seconds', late_seconds],
    ...(outcome === null ? [] : [['outcome', outcome]]),
    ...(explanation.canceled_by === null ? [] : [['canceled_by', explanation.canceled_by]]),
    ...(overdue_seconds === null ? [] : [['overdue_seconds', overdue_seconds]]),
    ...(failed_task === null ? [] : [['failed_task', failed_task.id, failed_task.error]]),
    ...stopRows(delivery),
    ['courier', delivery.courier_name, delivery.courier_vehicle_type, delivery.courier_phone_number],
    ...timeline.map(({ status, at, lasted_seconds }) => ['timeline', status, at, lasted_seconds]),
    ...autoDispatchRows(choice),
    ...manualChoiceRows(explanation.selection),
    ...(charges ?? []).map(({ kind, amount, created_at }) => ['charge', kind, amount, created_at]),
    ['paid', paid],
    ...(order_cost === null ? [] : [['order_paid', order_cost.paid]]),
    ...attemptRows(order_cost),
    ...(cancellation === null ? [] : [cancellationRow(cancellation)]),
    ...notes.map(({ created_at, text, tags }) => ['note', created_at, text, tags]),
    ...next.map(({ command, when }) => ['next', command, when]),
  ];
}

function cancellationRow({ cancelable, fee, refund, reason }: Cancellation): CellValue[] {
  return ['cancellation', cancelable, fee, refund, reason];
}

/** The rows for programs: when it is promised and expected, to whom it goes, with which notes, and its proofs. */
function stopRows(delivery: AnyDelivery): CellValue[][] {
  const { pickup_name, pickup_address, pickup_notes, pickup_eta, items } = delivery;
  const [dropoff] = delivery.dropoffs;
  const rows: [string, ...CellValue[]][] = [
    ['promised_at', delivery.details?.promised_at ?? ''],
    [
      'eta',
      isEnded(delivery.status) ? '' : (dropoff?.dropoff_eta ?? ''),
      isPickedUp(delivery.status) ? '' : pickup_eta,
    ],
    ['from', pickup_name, pickup_address],
    ['to', dropoff?.dropoff_name ?? '', dropoff?.dropoff_address ?? '', dropoff?.dropoff_unit ?? ''],
    ['pickup_notes', pickup_notes],
    ['dropoff_notes', dropoff?.dropoff_notes ?? ''],
    ['items', items.length === 0 ? delivery.items_description : items.map(itemText)],
    ...shownProofs(delivery).map(({ type, url }): [string, ...CellValue[]] => ['proof', type, url]),
  ];
  return rows.filter(([, value]) => value !== '' && value !== undefined && value !== null);
}

/** The rows for programs: the quote that was selected by hand, and the other quotes. */
function manualChoiceRows(selection: Explanation['selection']): CellValue[][] {
  if (selection === null) return [];
  const { provider, price, reason, others } = selection;
  return [
    ['selection', provider, price, reason],
    ...others.map((each) => ['other_quote', each.provider, each.price, each.dropoff_eta, each.left_out]),
  ];
}

/** Older tries are only counted for programs that read lines. */
const max_earlier = 3;

/** The rows for programs: how auto dispatch selected the quote, what it left out, and the earlier attempts. */
function autoDispatchRows(choice: AutoDispatchChoice | null): CellValue[][] {
  if (choice === null) return [];
  const { number, status, provider, reason, left_out, order_id } = choice.try;
  const older = choice.earlier.length - max_earlier;
  return [
    ['choice', number, status, provider, reason],
    ...left_out.map((each) => ['left_out', each.provider, each.code, each.reason]),
    ...choice.earlier
      .slice(0, max_earlier)
      .map((each) => [
        ...['earlier_try', each.number, each.status, each.provider, each.reason],
        each.repeats,
      ]),
    ...(older > 0 ? [['older_tries', older, shellLine(invocation('orders attempts', [order_id]))]] : []),
  ];
}

/** The deliveries of an order: of many only those that cost something. */
function attemptRows(order_cost: Explanation['order_cost']): CellValue[][] {
  const attempts = order_cost?.attempts ?? [];
  const shown = attempts.length > max_earlier ? attempts.filter(({ paid }) => paid !== 0) : attempts;
  return shown.map((each) => ['attempt', each.delivery_id, each.paid]);
}
