/** `deliveries reschedule`: changes the time of an order, or cancels its delivery and sends the order again. */
import type { Delivery } from '../../../contract/deliveries.ts';
import type { Cancellation } from '../../../contract/delivery-changes.ts';
import type { Order, OrderRequest } from '../../../contract/orders.ts';
import { beforePickupStatuses } from '../../../contract/vocabulary.ts';
import { isEnded } from '../../../domain/delivery-states.ts';
import { minute_ms } from '../../../domain/durations.ts';
import { withoutAbsent } from '../../../domain/fields.ts';
import { dollars } from '../../../domain/money.ts';
import { isRescheduled, rescheduled_reason, statusPhrase } from '../../../domain/status-words.ts';
import { createErrorReport, isReportedAs } from '../../errors/error-report.ts';
import { checkConsent, limitWithoutTip, maxCostFlag, requireLimits } from '../../flow/price-limits.ts';
import { answerFault } from '../../kit/args/ask-input.ts';
import { moneyFlag, moneyText } from '../../kit/args/flags.ts';
import { Failure, UsageError } from '../../kit/errors/failure.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { shortTime, styledTime, timePhrase } from '../../kit/output/times.ts';
import { invocation } from '../../kit/result/message.ts';
import { type Result, recordResult } from '../../kit/result/result.ts';
import { agreeToTerms, canceledFee, cancellationTerms } from '../../nouns/cancellation.ts';
import { deliverySummary } from '../../nouns/delivery.ts';
import { creation, creationResult, deliveryNow } from '../../nouns/delivery-creation.ts';
import { changedWord, findDelivery, foundBy } from '../../nouns/find-delivery.ts';
import { findOrderId } from '../../nouns/find-order.ts';
import { fetchFailedCouriers } from '../../nouns/manual-choice.ts';
import { orderColumns, storeZone } from '../../nouns/order.ts';
import { orderFlags } from '../../nouns/order-flags.ts';
import { dryRunOfAll } from '../../nouns/order-sending.ts';
import { refusePausedStores } from '../../nouns/store-pause.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { readScheduledInstant } from '../../session/service-times.ts';
import { type Moment, readMoment } from '../../session/time-arguments.ts';

export const reschedule = defineCommand({
  name: 'reschedule',
  aliases: ['postpone', 'delay'],
  summary: 'Change the time of a delivery, before the pickup',
  description: [
    `${foundBy} An order is found by its ID or your reference. Before a courier is asked the time is changed, and quotes`,
    'are requested again. Afterwards its delivery is canceled and its order sent again, as a new delivery with the same',
    'reference: what canceling costs and what the new delivery costs is one question. Nothing changes if that is more',
    'than --max-fee or --max-cost (exit 6), or if that is its time already. --dry-run shows both halves.',
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
  answers: ({ one, withFields, answerOf }) => [
    one('orders.update', 'if no courier is asked yet'),
    one(
      withFields(
        { rescheduled_from: 'string: the delivery that was canceled', cancellation_fee: 'integer' },
        answerOf('deliveries.retry'),
      ),
      'if it is sent again',
    ),
  ],
  errors: [...creation.errors, 'above_max_fee', 'above_max_cost'],
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
        return recordResult(data, orderColumns, {
          notes: [`Rescheduled ${data.id}: ${timeText(context, data)}.`],
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

/** Asks for the time, which only a terminal may leave out. */
async function askForTime(context: Context): Promise<Moment | undefined> {
  const flag = orderFlags.dropoffAt;
  const prompts = await context.prompts();
  const question = 'When to deliver it instead, such as "tomorrow 6pm" (--dropoff-at)';
  return flag.read([await prompts.text(question, { check: (text) => answerFault(text, flag) })]);
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

/** The times as the service takes them, in the zones of the addresses. */
async function readTimes(
  context: Context,
  order: Order,
  { dropoffAt, pickupAt }: { dropoffAt: Moment | undefined; pickupAt: Moment | undefined },
): Promise<Time> {
  const dropoff = { name: 'dropoff', address: order.dropoff_address } as const;
  const pickup = { name: 'pickup', address: order.pickup_address } as const;
  return withoutAbsent({
    dropoff_at: dropoffAt && (await readScheduledInstant(context, dropoffAt, dropoff)),
    pickup_at: pickupAt && (await readScheduledInstant(context, pickupAt, pickup)),
  });
}

/** Whether a word is a time, such as `8pm`, that stands before the delivery. */
function isTime(word: string): boolean {
  try {
    return readMoment(word, 'visit').typed === word && !/^\d+$/.test(word);
  } catch {
    return false;
  }
}

type Time = Pick<OrderRequest, 'pickup_at' | 'dropoff_at'>;

/** The times of an order, and the address whose zone they are said in. */
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

/** Whether the order has this time already, to the minute that is shown. */
function hasTime(order: Order, { pickup_at, dropoff_at }: Time): boolean {
  const minuteOf = (at: string | null | undefined) => (at ? Math.floor(Date.parse(at) / minute_ms) : null);
  return (
    minuteOf(pickup_at) === minuteOf(order.pickup_at) && minuteOf(dropoff_at) === minuteOf(order.dropoff_at)
  );
}

/** The result if the order has this time already. */
function unchanged(context: Context, order: Order, delivery: Delivery | null): Result {
  const result = delivery ? recordResult(delivery, deliverySummary()) : recordResult(order, orderColumns);
  const name = order.external_order_ref === '' ? order.id : oneLine(order.external_order_ref);
  return { ...result, notes: [`${name} is ${timeText(context, order)} already: nothing was changed.`] };
}

/** An order to send again at another time, and whether its delivery is to be canceled before. */
interface Resent {
  kind: 'send' | 'cancel and send';
  order: Order;
  delivery: Delivery;
  time: Time;
}

/** The maxima of a reschedule, in cents. */
interface Limits {
  /** The typed maximum for the new delivery, tip included. */
  typed_limit: number | undefined;
  limit_without_tip: number | undefined;
  /** The maximum for canceling the present delivery. */
  max_fee: number | undefined;
}

/** The price of the new delivery, in cents, and its courier. */
interface Price {
  fee: number;
  service: string;
}

/**
 * Cancels the delivery and sends its order again at the new time, after one question about both. If a run
 * was interrupted between the two, running it again sends the order.
 */
async function sendAgain(
  context: Context,
  sent: Resent,
  { typed_limit, max_fee }: Omit<Limits, 'limit_without_tip'>,
): Promise<Result> {
  requireLimits(context, typed_limit);
  await checkConsent(context, { maxCost: typed_limit });
  // What is canceled could not be sent again.
  await refusePausedStores(context, [sent.order], 'Nothing was changed.');
  const terms = sent.kind === 'send' ? null : await cancellationTerms(context, sent.delivery.id);
  // The first key of a run, in a repeat that asks for no price, too: the others are derived from it.
  const key = context.idempotencyKey('quote');
  const limit_without_tip = limitWithoutTip(typed_limit, sent.delivery.tip ?? 0);
  const limits = { typed_limit, limit_without_tip, max_fee };
  const isPriced = terms?.cancelable !== false && !context.globals.dryRun;
  const price = isPriced ? await priceWithin(context, sent, { key, limit_without_tip }) : null;
  await agreeToBoth(context, sent, { terms, price, limits });
  return cancelAndSend(context, sent, { terms, limits });
}

/** One question: what canceling costs, and what the new delivery costs. Without terms nothing is canceled. */
async function agreeToBoth(
  context: Context,
  { order, delivery, time }: Resent,
  { terms, price, limits }: { terms: Cancellation | null; price: Price | null; limits: Limits },
): Promise<void> {
  const { dryRun } = context.globals;
  const when = timeText(context, { ...time, pickup_address: order.pickup_address });
  const known = price && `costs about ${dollars(price.fee + (delivery.tip ?? 0))} with ${price.service}`;
  const cost = dryRun ? 'is quoted anew when it is sent' : (known ?? 'has no price yet');
  const follows = ` The new delivery, ${when}, ${cost}.`;
  const despiteYes = !dryRun && limits.typed_limit === undefined && (await context.mode()) === 'live';
  const what = `${delivery.id} for ${oneLine(order.dropoff_name)}`;
  if (terms !== null)
    await agreeToTerms(context, terms, {
      what: `${what}, and send it again`,
      max_fee: limits.max_fee,
      follows,
      despiteYes,
      refused: 'rescheduled',
    });
  else if (!dryRun)
    await context.confirm(`Send ${what} again? It is canceled already.${follows}`, { despiteYes });
}

/** The requests of both kinds: to cancel the delivery, to give its order the time, and to send it again. */
async function cancelAndSend(
  context: Context,
  { kind, order, delivery, time }: Resent,
  { terms, limits }: { terms: Cancellation | null; limits: Limits },
): Promise<Result> {
  const client = await context.client();
  const { id } = delivery;
  const { typed_limit, limit_without_tip } = limits;
  const cancel = () =>
    client.deliveries.cancel({
      params: { deliveryid: id },
      body: { reason: rescheduled_reason },
      idempotencyKey: context.idempotencyKey('cancel'),
    });
  const move = () => client.orders.update({ params: { order_id: order.id }, body: time });
  const send = () =>
    client.deliveries.retry({
      params: { deliveryid: id },
      body: { quote_preference: 'cheapest', ...withoutAbsent({ max_cost: limit_without_tip }) },
      idempotencyKey: context.idempotencyKey('create'),
    });
  const canceling = kind === 'send' ? [] : [cancel];
  const moving = hasTime(order, time) ? [] : [move];
  if (context.globals.dryRun) throw await dryRunOfAll([...canceling, ...moving, send]);
  for (const step of canceling) await step();
  const sendAtTime = async () => {
    for (const step of moving) await step();
    return deliveryNow(context, await send());
  };
  const resent = await sendAtTime().catch((error: unknown) => {
    throw canceledOnly(error, { id, time, typed_limit });
  });
  return resentResult(context, { order, delivery, terms }, resent);
}

/** The new delivery, with what canceling the old one cost, and for people both times and the new link in one line. */
async function resentResult(
  context: Context,
  { order, delivery, terms }: { order: Order; delivery: Delivery; terms: Cancellation | null },
  resent: Delivery,
): Promise<Result> {
  const cancellation_fee = await canceledFee(context, delivery, terms ?? { fee: 0 });
  const { status, tracking_url } = resent;
  if (status !== 'failed' && !context.output.json) {
    const [was, now] = [delivery, resent].map((each) => arrivalText(context, each, order));
    const link = tracking_url === '' ? '' : `; new link: ${tracking_url}`;
    context.note(`Was ${was}, now ${now}; canceling the old one cost ${dollars(cancellation_fee)}${link}`);
  }
  const answer = { ...resent, rescheduled_from: delivery.id, cancellation_fee };
  return creationResult(context, answer);
}

/** When a delivery is to arrive, in the zone of the store: `20:00 CST`. */
function arrivalText(context: Context, { dropoffs: [dropoff] }: Delivery, order: Order): string {
  const at = dropoff?.dropoff_at || dropoff?.dropoff_eta || '';
  const { times } = context.output;
  return at && styledTime(at, context.serviceNow(), times, shortTime, storeZone(order));
}

/**
 * The cheapest quote for the new time, as the retry takes it: of a courier that failed the order before only if no other
 * offers one. Null if no courier does now. Fails if it is above the maximum.
 */
async function priceWithin(
  context: Context,
  { order, delivery, time }: Resent,
  { key, limit_without_tip }: { key: string; limit_without_tip: number | undefined },
): Promise<Price | null> {
  const client = await context.client();
  const { pickup_address, dropoff_address, vehicle, request_signature, items } = order;
  const body = {
    pickup_address,
    dropoff_address,
    ...time,
    ...(vehicle === '' ? {} : { vehicle }),
    ...(request_signature ? { request_signature } : {}),
    ...(items.length === 0 ? {} : { items }),
  };
  const { data } = await client.deliveries.quote({ body, idempotencyKey: key });
  const failed = await fetchFailedCouriers(client, delivery);
  const affordable = data.filter(({ fee }) => fee <= (limit_without_tip ?? fee));
  const price = affordable.find(({ service }) => !failed.has(service)) ?? affordable[0] ?? data[0] ?? null;
  if (price !== null && limit_without_tip !== undefined && price.fee > limit_without_tip) {
    const tip = delivery.tip ?? 0;
    const message = `The new delivery costs about ${dollars(price.fee + tip)}, more than --max-cost ${dollars(limit_without_tip + tip)}.`;
    throw new Failure(6, 'above_max_cost', message, { hint: 'Nothing was changed.' });
  }
  return price;
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

/** The error if the delivery was canceled, and its order could not be sent again. */
function canceledOnly(
  error: unknown,
  { id, time, typed_limit }: { id: string; time: Time; typed_limit: number | undefined },
): unknown {
  const { code, message } = createErrorReport(error);
  const again = invocation('deliveries reschedule', [id], {
    dropoffAt: time.dropoff_at,
    pickupAt: time.pickup_at,
    maxCost: typed_limit === undefined ? undefined : moneyText(typed_limit),
  });
  return new Failure(6, code, `The delivery is canceled, and could not be sent again: ${message}`, {
    next: [{ ...again, when: 'send it again at that time' }],
    cause: error,
  });
}
