/**
 * `deliveries reschedule` gives an order another time. `whatToDo` decides how: by a change of the order while no courier has
 * it, afterwards by a cancellation and a new delivery (`send-again.ts`).
 */
import type { Delivery } from '../../../contract/deliveries.ts';
import type { Order } from '../../../contract/orders.ts';
import { beforePickupStatuses } from '../../../contract/vocabulary.ts';
import { isEnded } from '../../../domain/delivery-states.ts';
import { sameForAll } from '../../../domain/fields.ts';
import { isRescheduled, statusPhrase } from '../../../domain/status-words.ts';
import { isReportedAs } from '../../errors/error-report.ts';
import { maxCostFlag } from '../../flow/price-limits.ts';
import { moneyFlag } from '../../kit/args/flags.ts';
import { Failure, UsageError } from '../../kit/errors/failure.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Result, recordResult } from '../../kit/result/result.ts';
import { deliverySummary } from '../../nouns/delivery.ts';
import { creation } from '../../nouns/delivery-creation.ts';
import { changedWord, findDelivery, foundBy } from '../../nouns/find-delivery.ts';
import { findOrderId } from '../../nouns/find-order.ts';
import { orderColumns } from '../../nouns/order.ts';
import { orderFlags } from '../../nouns/order-flags.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { askForTime, hasTime, isTime, readTimes, type Time, timeText } from './agreed-time.ts';
import { sendAgain } from './send-again.ts';

export const reschedule = defineCommand({
  name: 'reschedule',
  aliases: ['postpone', 'delay'],
  summary: 'Change the time of a delivery, before the pickup',
  description: [
    `${foundBy} An order is found by its ID or your reference. Before a courier is asked the time is changed, and quotes`,
    'are requested again. Afterwards its delivery is canceled and its order sent again, as a new delivery with the same',
    'reference: what canceling costs and what the new delivery costs is one question. Nothing changes if that is more',
    'than --max-fee or --max-cost (exit 6), or if that is its time already. --dry-run shows both halves. A length of time',
    'such as 1h counts from now: for an hour later than 6pm give 7pm. The question says what the time was.',
  ].join('\n'),
  positionals: {
    delivery: positional('delivery', {
      summary: changedWord,
      statuses: ['request', ...beforePickupStatuses],
    }),
  },
  flags: {
    dropoffAt: { ...orderFlags.dropoffAt, aliases: ['to', 'at'] },
    pickupAt: orderFlags.pickupAt,
    maxCost: maxCostFlag(undefined, ' of the new delivery'),
    maxFee: moneyFlag({ summary: 'Maximum cancellation fee in dollars, such as 5.00' }),
  },
  flagHints: sameForAll(
    ['--by', '--delay', '--later', '--duration'],
    phrase`An hour from now: ${invocation('deliveries reschedule', ['DELIVERY'], { dropoffAt: 'in 1h' })}. For an hour later than 6pm give 7pm.`,
  ),
  meantByWord: (_, words) => {
    const [delivery = 'DELIVERY', ...time] = isTime(words[0] ?? '') ? words.toReversed() : words;
    const dropoffAt = time.join(' ').replace(/^(?:to|for|at) /i, '');
    return invocation('deliveries reschedule', [delivery], { dropoffAt });
  },
  examples: [
    {
      command: "waybill deliveries reschedule DELIVERY --dropoff-at '8pm'",
      summary: 'Deliver at 8 pm instead',
    },
    {
      command:
        "waybill deliveries reschedule '#1042' --dropoff-at 'tomorrow 6pm' --yes --max-fee 0 --max-cost 15",
      summary: 'In a script: only if canceling is free',
    },
  ],
  effect: 'write',
  confirms: true,
  oneOf: ['dropoffAt', 'pickupAt'],
  asksInstead: true,
  ...creation,
  calls: [
    'orders.update',
    'orders.get',
    'orders.list',
    'deliveries.getDetailed',
    'deliveries.listDetailed',
    'deliveries.cancellation',
    'deliveries.quote',
    'deliveries.cancel',
    'deliveries.retry',
    'charges.list',
    'stores.get',
  ],
  answers: ({ one, withFields, answerOf, orNull }) => [
    one(
      withFields(
        { previous_dropoff_at: orNull('string'), previous_pickup_at: orNull('string') },
        answerOf('orders.update'),
      ),
      'if no courier is asked yet',
    ),
    one(
      withFields(
        {
          rescheduled_from: 'string: the delivery that was canceled',
          previous_dropoff_at: orNull('string: its arrival, as it was promised'),
          cancellation_fee: 'integer',
        },
        answerOf('deliveries.retry'),
      ),
      'if it is sent again',
    ),
  ],
  errors: [...creation.errors, 'above_max_fee', 'fee_not_agreed', 'above_max_cost'],
  related: ['deliveries edit', 'deliveries cancel', 'deliveries explain'],
  async run(context, { flags, positionals }) {
    const { pickupAt, maxCost, maxFee } = flags;
    const dropoffAt = flags.dropoffAt ?? (pickupAt === undefined ? await askForTime(context) : undefined);
    if (dropoffAt !== undefined && pickupAt !== undefined)
      throw new UsageError('--dropoff-at and --pickup-at cannot be used together.');
    const client = await context.client();
    const order_id = await orderOf(context, positionals.delivery);
    const { data: order } = await client.orders.get({ params: { order_id }, query: { expand: 'delivery' } });
    const time = await readTimes(context, order, { dropoffAt, pickupAt });
    const todo = whatToDo(order, time);
    switch (todo.kind) {
      case 'refuse':
        throw alreadyEnded(context, todo.delivery, time);
      case 'nothing':
        return unchanged(context, order, todo.delivery);
      case 'send':
      case 'cancel and send':
        return sendAgain(context, { order, time, ...todo }, { typed_limit: maxCost, max_fee: maxFee });
      case 'edit': {
        const { data } = await client.orders.update({ params: { order_id }, body: time });
        const was = order.dropoff_at || order.pickup_at ? ` (was ${timeText(context, order)})` : '';
        const answer = {
          ...data,
          previous_dropoff_at: order.dropoff_at || null,
          previous_pickup_at: order.pickup_at || null,
        };
        return recordResult(answer, orderColumns, {
          notes: [`Rescheduled ${data.id}: ${timeText(context, data)}${was}.`],
        });
      }
    }
  },
});

/** How an order gets another time. */
type ToDo =
  /** No courier is asked yet: the order is changed. */
  | { kind: 'edit' }
  /** A courier has it: its delivery is canceled, and the order sent again. */
  | { kind: 'cancel and send'; delivery: Delivery }
  /** An interrupted run has canceled its delivery already: the order is sent again. */
  | { kind: 'send'; delivery: Delivery }
  | { kind: 'nothing'; delivery: Delivery | null }
  /** The delivery has ended. */
  | { kind: 'refuse'; delivery: Delivery };

/** Decides how an order gets this time: by an edit, a new delivery, or a cancellation and a new delivery. */
function whatToDo(order: Order, time: Time): ToDo {
  const { status, delivery = null } = order;
  const edit: ToDo = hasTime(order, time) ? { kind: 'nothing', delivery: null } : { kind: 'edit' };
  if (delivery === null || delivery.status === 'request') return edit;
  const isOver = isEnded(delivery.status);
  // The service changes the time of a failed order, too, but no courier would come.
  if (status === 'failed' && isOver) return { kind: 'refuse', delivery };
  if (status !== 'dispatched' && status !== 'canceled') return edit;
  if (isRescheduled(delivery)) return { kind: 'send', delivery };
  if (isOver || status === 'canceled') return { kind: 'refuse', delivery };
  return hasTime(order, time) ? { kind: 'nothing', delivery } : { kind: 'cancel and send', delivery };
}

/** The order that is meant: of the delivery that a text finds, or without one by its ID or reference. */
async function orderOf(context: Context, text: string): Promise<string> {
  if (text.startsWith('ord_')) return text;
  try {
    return (await findDelivery(context, text, { changes: true })).order_id;
  } catch (error) {
    if (!isReportedAs(error, 'record_not_found')) throw error;
    return findOrderId(context, text);
  }
}

/** The result if the order has this time already. */
function unchanged(context: Context, order: Order, delivery: Delivery | null): Result {
  const result = delivery ? recordResult(delivery, deliverySummary()) : recordResult(order, orderColumns);
  const name = order.external_order_ref === '' ? order.id : oneLine(order.external_order_ref);
  return { ...result, notes: [`${name} is ${timeText(context, order)} already: nothing was changed.`] };
}

/** Exit 6: the delivery has ended, with the command that sends the same again. */
function alreadyEnded(context: Context, { id, status }: Delivery, time: Time): Failure {
  // A time that has passed is refused: another one is to be chosen.
  const ahead = (at: string | null | undefined) =>
    at && Date.parse(at) <= context.serviceNow() ? 'WHEN' : (at ?? undefined);
  const again = invocation('ship', [], {
    like: id,
    dropoffAt: ahead(time.dropoff_at),
    pickupAt: ahead(time.pickup_at),
    cheapest: true,
  });
  return new Failure(6, 'delivery_not_editable', `Delivery ${id} is ${statusPhrase(status)} and has ended.`, {
    next: [{ ...again, when: 'send the same again at that time' }],
  });
}
