/**
 * The half of `deliveries reschedule` that costs money: it prices the new delivery, asks once about both costs, cancels the
 * present delivery, and sends its order again. A run that was interrupted in between is continued by the same command.
 */
import type { Delivery } from '../../../contract/deliveries.ts';
import type { Cancellation } from '../../../contract/delivery-changes.ts';
import type { Order } from '../../../contract/orders.ts';
import { withoutAbsent } from '../../../domain/fields.ts';
import { dollars } from '../../../domain/money.ts';
import { rescheduled_reason } from '../../../domain/status-words.ts';
import { createErrorReport } from '../../errors/error-report.ts';
import { checkConsent, limitWithoutTip, requireLimits } from '../../flow/price-limits.ts';
import { moneyText } from '../../kit/args/flags.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { shortTime, styledTime } from '../../kit/output/times.ts';
import { invocation } from '../../kit/result/message.ts';
import type { Result } from '../../kit/result/result.ts';
import { agreeToTerms, canceledFee, cancellationTerms } from '../../nouns/cancellation.ts';
import { creationResult, deliveryNow } from '../../nouns/delivery-creation.ts';
import { fetchFailedCouriers } from '../../nouns/earlier-tries.ts';
import { storeZone } from '../../nouns/order.ts';
import { copyLike } from '../../nouns/order-copy.ts';
import { dryRunOfAll } from '../../nouns/order-sending.ts';
import { chargedPrice } from '../../nouns/quote.ts';
import { refusePausedStores } from '../../nouns/store-pause.ts';
import type { Context } from '../../session/command.ts';
import { hasTime, type Time, timeText } from './agreed-time.ts';
import { quotedFields } from './quote.ts';

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
  charged: number;
  service: string;
}

/**
 * Cancels the delivery and sends its order again at the new time, after one question about both. If a run
 * was interrupted between the two, running it again sends the order.
 */
export async function sendAgain(
  context: Context,
  sent: Resent,
  { typed_limit, max_fee }: Omit<Limits, 'limit_without_tip'>,
): Promise<Result> {
  requireLimits(context, typed_limit);
  await checkConsent(context, { maxCost: typed_limit });
  // Checked first: while the store is paused, the canceled order could not be sent again.
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
  const costText =
    price && `costs about ${dollars(price.charged + (delivery.tip ?? 0))} with ${price.service}`;
  const cost = dryRun ? 'is quoted anew when it is sent' : (costText ?? 'has no price yet');
  const was = arrivalText(context, delivery, order);
  const follows = ` The new delivery, ${when}${was && ` (was ${was})`}, ${cost}.`;
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
  const previous_dropoff_at = promisedArrival(delivery) || null;
  const answer = { ...resent, rescheduled_from: delivery.id, previous_dropoff_at, cancellation_fee };
  return creationResult(context, answer);
}

function promisedArrival({ dropoffs: [dropoff] }: Delivery): string {
  return dropoff?.dropoff_at || dropoff?.dropoff_eta || '';
}

/** When a delivery is to arrive, in the zone of the store: `20:00 CST`. */
function arrivalText(context: Context, delivery: Delivery, order: Order): string {
  const at = promisedArrival(delivery);
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
  const copied = quotedFields(await copyLike(context, order.id, {}));
  const body = { dropoff_address: order.dropoff_address, ...copied, ...time };
  const { data } = await client.deliveries.quote({ body, idempotencyKey: key });
  const failed = await fetchFailedCouriers(client, delivery);
  const prices = data.map((quote): Price => ({ charged: chargedPrice(quote), service: quote.service }));
  const affordable = prices.filter(({ charged }) => charged <= (limit_without_tip ?? charged));
  const price = affordable.find(({ service }) => !failed.has(service)) ?? affordable[0] ?? prices[0] ?? null;
  if (price !== null && limit_without_tip !== undefined && price.charged > limit_without_tip) {
    const tip = delivery.tip ?? 0;
    const message = `The new delivery costs about ${dollars(price.charged + tip)}, more than --max-cost ${dollars(limit_without_tip + tip)}.`;
    throw new Failure(6, 'above_max_cost', message, { hint: 'Nothing was changed.' });
  }
  return price;
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
