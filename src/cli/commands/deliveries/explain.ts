/**
 * `deliveries explain`: everything about one delivery. `collectExplanation` collects it; JSON is that record, people read
 * it as the page of `explanationText`, and programs that read lines get `explanationRows`.
 */
import type { AnyDelivery } from '../../../contract/deliveries.ts';
import type { Cancellation } from '../../../contract/delivery-changes.ts';
import { isEnded, isPickedUp } from '../../../domain/delivery-states.ts';
import { invocation, phrase, shellLine } from '../../kit/result/message.ts';
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
    'auto-dispatch selection, charges and refunds, and next steps as commands.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flagHints: {
    '--cost': phrase`It says what it cost under Money. Did you mean ${invocation('charges list', [], { delivery: 'DELIVERY' })}?`,
  },
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
    const { collectExplanation } = await import('../../nouns/explanation.ts');
    const data = await collectExplanation(context, delivery);
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

/** The JSON as help describes it, with the fields of `Explanation`. */
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
    charges: orNull(listOf(listedBy('charges.list'))),
    paid: orNull('integer'),
    canceled_by: orNull('string'),
    order_cost: orNull(
      object({
        paid: 'integer',
        attempts: listOf(object({ delivery_id: 'string', paid: 'integer', refunded: 'integer' })),
      }),
    ),
    cancellation: orNull(answerOf('deliveries.cancellation')),
    courier_place: orNull(object({ stop: 'pickup | dropoff', miles: 'number', is_rough: 'boolean' })),
    notes: listOf(listedBy('deliveries.notes')),
    failed_task: orNull(listedBy('failedTasks.list')),
    next: listOf(stepShape),
  } satisfies Record<keyof Explanation, Shape | string>);
}

/** The rows for programs that read lines: what each is about, then its values, as in `note TIME TEXT TAGS`. */
function explanationRows(explanation: Explanation): CellValue[][] {
  const { delivery, outcome, canceled_by, overdue_seconds, failed_task, cancellation } = explanation;
  return [
    ['delivery', delivery.id, delivery.status, delivery.external_order_ref, delivery.service],
    ['late_seconds', explanation.late_seconds],
    ...(outcome === null ? [] : [['outcome', outcome]]),
    ...(canceled_by === null ? [] : [['canceled_by', canceled_by]]),
    ...(overdue_seconds === null ? [] : [['overdue_seconds', overdue_seconds]]),
    ...(failed_task === null ? [] : [['failed_task', failed_task.id, failed_task.error]]),
    ...stopRows(delivery),
    ['courier', delivery.courier_name, delivery.courier_vehicle_type, delivery.courier_phone_number],
    ...explanation.timeline.map(({ status, at, lasted_seconds }) => ['timeline', status, at, lasted_seconds]),
    ...autoDispatchRows(explanation.choice),
    ...manualChoiceRows(explanation.selection),
    ...(explanation.charges ?? []).map(({ kind, amount, created_at }) => [
      'charge',
      kind,
      amount,
      created_at,
    ]),
    ['paid', explanation.paid],
    ...orderCostRows(explanation.order_cost),
    ...(cancellation === null ? [] : [cancellationRow(cancellation)]),
    ...explanation.notes.map(({ created_at, text, tags }) => ['note', created_at, text, tags]),
    ...explanation.next.map(({ command, when }) => ['next', command, when]),
  ];
}

function cancellationRow({ cancelable, fee, refund, reason }: Cancellation): CellValue[] {
  return ['cancellation', cancelable, fee, refund, reason];
}

/** When it is promised and expected, to whom it goes, with which notes, and its proofs. */
function stopRows(delivery: AnyDelivery): CellValue[][] {
  const { pickup_name, pickup_address, pickup_phone_number, pickup_notes, pickup_eta, items } = delivery;
  const [dropoff] = delivery.dropoffs;
  const rows: [string, ...CellValue[]][] = [
    ['promised_at', delivery.details?.promised_at ?? ''],
    [
      'eta',
      isEnded(delivery.status) ? '' : (dropoff?.dropoff_eta ?? ''),
      isPickedUp(delivery.status) ? '' : pickup_eta,
    ],
    ['from', pickup_name, pickup_address, delivery.pickup_unit, pickup_phone_number],
    [
      'to',
      dropoff?.dropoff_name ?? '',
      dropoff?.dropoff_address ?? '',
      dropoff?.dropoff_unit ?? '',
      dropoff?.dropoff_phone_number ?? '',
      delivery.details?.dropoff_email ?? '',
    ],
    ['pickup_notes', pickup_notes],
    ['dropoff_notes', dropoff?.dropoff_notes ?? ''],
    ['items', items.length === 0 ? delivery.items_description : items.map(itemText)],
    ...shownProofs(delivery).map(({ type, url, by }): [string, ...CellValue[]] => [
      'proof',
      type,
      url,
      ...(by === undefined ? [] : [by]),
    ]),
  ];
  return rows.filter(([, value]) => value !== '' && value !== undefined && value !== null);
}

/** The quote that was selected by hand, and the other quotes. */
function manualChoiceRows(selection: Explanation['selection']): CellValue[][] {
  if (selection === null) return [];
  const { provider, price, reason, others } = selection;
  return [
    ['selection', provider, price, reason],
    ...others.map((each) => ['other_quote', each.provider, each.price, each.dropoff_eta, each.left_out]),
  ];
}

/** Older attempts are counted, and of more deliveries of an order those without a cost left out. */
const max_attempts = 3;

/** How auto dispatch selected the quote, what it left out, and the earlier attempts. */
function autoDispatchRows(choice: AutoDispatchChoice | null): CellValue[][] {
  if (choice === null) return [];
  const { number, status, provider, reason, left_out, order_id } = choice.try;
  const older = choice.earlier.length - max_attempts;
  return [
    ['choice', number, status, provider, reason],
    ...left_out.map((each) => ['left_out', each.provider, each.code, each.reason]),
    ...choice.earlier
      .slice(0, max_attempts)
      .map((each) => [
        ...['earlier_try', each.number, each.status, each.provider, each.reason],
        each.repeats,
      ]),
    ...(older > 0 ? [['older_tries', older, shellLine(invocation('orders attempts', [order_id]))]] : []),
  ];
}

/** The cost of an order with that of each of its deliveries. */
function orderCostRows(order_cost: Explanation['order_cost']): CellValue[][] {
  if (order_cost === null) return [];
  const { paid, attempts } = order_cost;
  const shown = attempts.length > max_attempts ? attempts.filter((each) => each.paid !== 0) : attempts;
  return [['order_paid', paid], ...shown.map((each) => ['attempt', each.delivery_id, each.paid])];
}
