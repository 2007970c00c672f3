import type { Delivery } from '../../../contract/deliveries.ts';
import type { Order, OrderRequest } from '../../../contract/orders.ts';
import { isEnded } from '../../../domain/delivery-states.ts';
import { dollars } from '../../../domain/money.ts';
import { statusPhrase } from '../../../domain/status-words.ts';
import { reportOf } from '../../errors/error-report.ts';
import { checkConsent, limitWithoutTip, maxCostFlag, requireLimits } from '../../flow/agreed-quote.ts';
import { moneyFlag } from '../../kit/args/flags.ts';
import { Failure, UsageError } from '../../kit/errors/failure.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { timePhrase } from '../../kit/output/times.ts';
import { invocation } from '../../kit/result/message.ts';
import { type Result, recordResult } from '../../kit/result/result.ts';
import { creation, creationResult } from '../../nouns/delivery-creation.ts';
import { agreeToTerms, cancellationTerms } from '../../nouns/delivery-steps.ts';
import { deliveryWord, findDelivery, foundBy } from '../../nouns/find-delivery.ts';
import { findOrderId, orderColumns, storeZone } from '../../nouns/order.ts';
import { defined, orderFlags } from '../../nouns/order-flags.ts';
import { copyOf } from '../../nouns/order-input.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { scheduledInstantOf } from '../../session/service-times.ts';

export const reschedule = defineCommand({
  name: 'reschedule',
  aliases: ['postpone', 'delay'],
  summary: 'Change the time of a delivery, before the pickup',
  description: [
    `${foundBy} An order is found by its ID or your reference. Before a courier is asked the time is changed, and quotes`,
    'are requested again. Afterwards the delivery is canceled and sent again as a new one: what canceling costs and what',
    'the new delivery costs is one question. Nothing changes if that is more than --max-fee or --max-cost (exit 6).',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    dropoffAt: { ...orderFlags.dropoffAt, aliases: ['to', 'at'] },
    pickupAt: orderFlags.pickupAt,
    maxCost: maxCostFlag(undefined, ' of the new delivery'),
    maxFee: moneyFlag({ summary: 'Maximum cancellation fee in dollars, such as 5.00' }),
  },
  meantByWord: (_, [delivery = 'DELIVERY', ...time]) =>
    invocation('deliveries reschedule', [delivery], { dropoffAt: time.join(' ') }),
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
    'deliveries.create',
  ],
  answers: ({ one }) => [
    one('orders.update', 'if no courier is asked yet'),
    one('deliveries.create', 'if it is sent again'),
  ],
  errors: [...creation.errors, 'above_max_fee', 'above_max_cost'],
  related: ['deliveries edit', 'deliveries cancel', 'deliveries explain'],
  async run(context, { flags, positionals }) {
    const { dropoffAt, pickupAt, maxCost, maxFee } = flags;
    if (dropoffAt !== undefined && pickupAt !== undefined)
      throw new UsageError('--dropoff-at and --pickup-at cannot be used together.');
    const client = await context.client();
    const order_id = await orderOf(context, positionals.delivery);
    const { data: order } = await client.orders.get({ params: { order_id }, query: { expand: 'delivery' } });
    const [dropoff, pickup] = [order.dropoff_address, order.pickup_address];
    const time = defined({
      dropoff_at:
        dropoffAt && (await scheduledInstantOf(context, dropoffAt, { name: 'dropoff', address: dropoff })),
      pickup_at:
        pickupAt && (await scheduledInstantOf(context, pickupAt, { name: 'pickup', address: pickup })),
    });
    const delivery = order.delivery ?? null;
    const isSent = ['dispatched', 'canceled'].includes(order.status);
    // The service changes the time of a failed order, too, but no courier would come.
    if (delivery !== null && isEnded(delivery.status) && order.status === 'failed')
      throw alreadyEnded(delivery, time);
    if (delivery !== null && delivery.status !== 'request' && isSent)
      return sendAgain(context, { order, delivery, time }, { maxCost, maxFee });
    const { data } = await client.orders.update({ params: { order_id }, body: time });
    return recordResult(data, orderColumns, {
      notes: [`Rescheduled ${data.id}: ${timeText(context, data)}.`],
    });
  },
});

/** The order that is meant: of the delivery that a text finds, or without one by its ID or reference. */
async function orderOf(context: Context, text: string): Promise<string> {
  if (text.startsWith('ord_')) return text;
  try {
    return (await findDelivery(context, text, { changes: true })).order_id;
  } catch (error) {
    if (reportOf(error).code !== 'record_not_found') throw error;
    return findOrderId(context, text);
  }
}

type Time = Pick<OrderRequest, 'pickup_at' | 'dropoff_at'>;

interface SaidTime {
  pickup_at?: string | null;
  dropoff_at?: string | null;
  pickup_address: string;
}

/** `to arrive at 20:00 CST`, in the zone of the store. */
function timeText(context: Context, { pickup_at, dropoff_at, pickup_address }: SaidTime): string {
  const timing = { now: context.serviceNow(), times: 'local', zone: storeZone({ pickup_address }) } as const;
  if (dropoff_at) return `to arrive ${timePhrase(dropoff_at, timing)}`;
  return `to be picked up ${timePhrase(pickup_at ?? '', timing)}`;
}

interface Rescheduled {
  order: Order;
  delivery: Delivery;
  time: Time;
}

/** Cancels the delivery and sends its order again at the new time, after one question about both. */
async function sendAgain(
  context: Context,
  { order, delivery, time }: Rescheduled,
  { maxCost, maxFee }: { maxCost: number | undefined; maxFee: number | undefined },
): Promise<Result> {
  const client = await context.client();
  const { id } = delivery;
  // A command that is run again with its key may have canceled the delivery itself.
  const isRepeat = context.globals.idempotencyKey !== undefined && delivery.status === 'customer_canceled';
  if (isEnded(delivery.status) && !isRepeat) throw alreadyEnded(delivery, time);
  requireLimits(context, maxCost);
  await checkConsent(context, { maxCost });
  const terms = await cancellationTerms(context, id);
  const {
    pickup_at: _,
    dropoff_at: __,
    ...copy
  } = copyOf({ ...order, tip: delivery.tip ?? order.tip }, context.serviceNow());
  const again = { ...copy, ...time, external_order_ref: order.external_order_ref };
  // The first key of a run, in a repeat that asks for no price, too: the others are derived from it.
  const key = context.idempotencyKey('quote');
  const isPriced = terms.cancelable && !context.globals.dryRun;
  const price = isPriced ? await priceOf(context, { order, time, key }) : null;
  const tip = again.tip ?? 0;
  const max_cost = limitWithoutTip(maxCost, tip);
  if (price !== null && max_cost !== undefined && price.fee > max_cost) {
    const message = `The new delivery costs about ${dollars(price.fee + tip)}, more than --max-cost ${dollars(maxCost ?? 0)}.`;
    throw new Failure(6, 'above_max_cost', message, { hint: 'Nothing was changed.' });
  }
  const when = timeText(context, { ...time, pickup_address: order.pickup_address });
  const cost =
    price === null ? 'has no price yet' : `costs about ${dollars(price.fee + tip)} with ${price.service}`;
  const isLive = !context.globals.dryRun && (await context.mode()) === 'live';
  await agreeToTerms(context, terms, {
    what: `${id} for ${oneLine(order.dropoff_name)}, and send it again`,
    max_fee: maxFee,
    follows: ` The new delivery, ${when}, ${cost}.`,
    despiteYes: isLive && maxCost === undefined,
  });
  await client.deliveries.cancel({
    params: { deliveryid: id },
    body: { reason: 'Rescheduled' },
    idempotencyKey: context.idempotencyKey('cancel'),
  });
  const { data } = await client.deliveries
    .create({
      body: { ...again, initiate: true, ...defined({ max_cost }) },
      idempotencyKey: context.idempotencyKey('create'),
    })
    .catch((error: unknown) => {
      throw canceledOnly(error, order.id, time);
    });
  return creationResult(context, data);
}

/** The cheapest quote for the new time; null if no courier offers one now. */
async function priceOf(
  context: Context,
  { order, time, key }: { order: Order; time: Time; key: string },
): Promise<{ fee: number; service: string } | null> {
  const client = await context.client();
  const { pickup_address, dropoff_address, vehicle, request_signature, items } = order;
  const body = {
    ...{ pickup_address, dropoff_address, ...time },
    ...(vehicle === '' ? {} : { vehicle }),
    ...(request_signature ? { request_signature } : {}),
    ...(items.length === 0 ? {} : { items }),
  };
  const { data } = await client.deliveries.quote({ body, idempotencyKey: key });
  return data[0] ?? null;
}

function alreadyEnded({ id, status }: Delivery, time: Time): Failure {
  const again = invocation('ship', [], {
    ...{ like: id, dropoffAt: time.dropoff_at, pickupAt: time.pickup_at },
    cheapest: true,
  });
  return new Failure(6, 'delivery_not_editable', `Delivery ${id} is ${statusPhrase(status)} and has ended.`, {
    next: [{ ...again, when: 'send the same again at that time' }],
  });
}

/** The error if the delivery was canceled, and the new one could not be created. */
function canceledOnly(error: unknown, order_id: string, time: Time): unknown {
  const { code, message } = reportOf(error);
  const again = invocation('deliveries create', [], {
    ...{ like: order_id, initiate: true },
    ...{ 'dropoff-at': time.dropoff_at, 'pickup-at': time.pickup_at },
  });
  return new Failure(6, code, `The delivery is canceled, and the new one could not be created: ${message}`, {
    next: [{ ...again, when: 'create the new one' }],
    cause: error,
  });
}
