/**
 * The price of a retry, and how its quote is selected. `termsWithin` gets the terms, `retryPriceText` is their sentence,
 * `retryPrice` the result of `deliveries retry --price`, and `aboveMaxCost` the error if every quote is dearer.
 */
import { ifSupported, unlessMissing } from '../../client/errors.ts';
import type { RetryTerms } from '../../contract/delivery-changes.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { dollars } from '../../domain/money.ts';
import { moneyText } from '../kit/args/flags.ts';
import { BadOutcome, Failure, type FailureDetails } from '../kit/errors/failure.ts';
import { timePhrase, timesFor } from '../kit/output/times.ts';
import { type Invocation, type InvocationFlags, invocation, phrase } from '../kit/result/message.ts';
import { type Column, type RecordResult, type Result, recordResult } from '../kit/result/result.ts';
import { fetchOrder, storeZone } from '../nouns/order.ts';
import { createLimitReader } from '../nouns/order-limits.ts';
import { simulatedEndText } from '../nouns/simulated-end.ts';
import type { Context } from '../session/command.ts';
import { limitWithoutTip } from './price-limits.ts';

/** How the quote of a retry is selected. */
export interface RetryChoice {
  /** Whether it is refused if a later order has the reference. */
  refusesDuplicateRef: boolean;
  preference: 'cheapest' | 'fastest';
  provider: string | undefined;
  /** The providers that are not asked. */
  not: readonly string[];
  /** As typed, and the ID. */
  driver: string | undefined;
  driver_id: string | undefined;
  /** In cents. */
  maxCost: number | undefined;
}

/** The choice in the form of the contract. */
export function retryBody(quoteChoice: RetryChoice, tip: number) {
  const { preference, provider, not, driver_id, maxCost, refusesDuplicateRef } = quoteChoice;
  const max_cost = limitWithoutTip(maxCost, tip);
  return {
    quote_preference: preference,
    ...(refusesDuplicateRef && { unique_ref: true }),
    ...withoutAbsent({ max_cost, provider, exclude_provider: joinedNames(not), driver_id }),
  };
}

/** Names of providers in one text; undefined for none. */
function joinedNames(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : names.join(',');
}

/** Gets what a retry costs now; null if the service does not report it. */
export async function getRetryTerms(
  context: Context,
  deliveryid: string,
  quoteChoice: RetryChoice,
  tip: number,
): Promise<RetryTerms | null> {
  const client = await context.client();
  const query = retryBody(quoteChoice, tip);
  const call = client.deliveries.retryTerms({ params: { deliveryid }, query }).then(({ data }) => data);
  return unlessMissing(ifSupported(call, null));
}

/** The terms of a retry within the limit, which counts the tip; null if the service does not report them. */
export async function termsWithin(
  context: Context,
  deliveryid: string,
  quoteChoice: RetryChoice,
): Promise<RetryTerms | null> {
  const unlimited = await getRetryTerms(context, deliveryid, { ...quoteChoice, maxCost: undefined }, 0);
  if (unlimited === null || quoteChoice.maxCost === undefined) return unlimited;
  return getRetryTerms(context, deliveryid, quoteChoice, unlimited.tip);
}

/** `Nothing is charged for dlv_1 so far. A retry costs about $11.59 with swiftly (includes $2.00 tip).` */
export function retryPriceText(terms: RetryTerms, max: number | undefined): string {
  const { delivery_id, paid, service, cost, tip } = terms;
  const before = `${paid === 0 ? 'Nothing' : dollars(paid)} is charged for ${delivery_id} so far.`;
  if (cost === null) return `${before} ${noQuoteText(terms, max)}`;
  const tipped = tip === 0 ? '' : ` (includes ${dollars(tip)} tip)`;
  const price = `A retry costs about ${dollars(cost + tip)} with ${service}${tipped}.`;
  return [before, price, ...cheaperTexts(terms)].join(' ');
}

/** The courier that costs less than what is offered, but is left out; none without one. */
function cheaperTexts(terms: RetryTerms): string[] {
  const cheaper = cheaperLeftOut(terms, terms.cost ?? undefined);
  if (cheaper === undefined) return [];
  return [`${leftOutText(terms, cheaper)}: --provider ${cheaper.service} uses it.`];
}

function noQuoteText(terms: RetryTerms, max = 0): string {
  const { quotes, tip } = terms;
  const lowest = quotes.find(({ left_out }) => left_out !== true);
  if (lowest === undefined) return 'No provider offers a quote for a retry now.';
  const { cost, service } = lowest;
  return `A retry costs at least ${dollars(cost + tip)}, with ${service}: more than --max-cost ${dollars(max)}.`;
}

type Offer = RetryTerms['quotes'][number];

/** The cheapest courier that is left out, if it costs less than what is offered. */
function cheaperLeftOut({ quotes }: RetryTerms, cost = Number.POSITIVE_INFINITY): Offer | undefined {
  return quotes.find((each) => each.left_out === true && each.cost < cost);
}

function leftOutText({ tip }: RetryTerms, { service, cost }: Offer): string {
  return `${service} would cost ${dollars(cost + tip)}, but ended an earlier attempt badly`;
}

/** The error if no quote is within the maximum; its next step is the courier that is left out and is within it. */
export function aboveMaxCost(
  deliveryid: string,
  terms: RetryTerms,
  quoteChoice: RetryChoice,
  details: FailureDetails = {},
): Failure {
  const { maxCost = 0 } = quoteChoice;
  const cheaper = cheaperLeftOut(terms);
  const isWithin = cheaper !== undefined && cheaper.cost + terms.tip <= maxCost;
  const named = { ...quoteChoice, provider: cheaper?.service };
  const step = isWithin
    ? { ...retryLine(deliveryid, named, { maxCost: moneyText(maxCost) }), when: leftOutText(terms, cheaper) }
    : { ...retryLine(deliveryid, quoteChoice, { price: true }), when: 'see what a retry costs' };
  const more = { hint: 'Nothing was dispatched.', next: [step], ...details };
  return new Failure(6, 'above_max_cost', noQuoteText(terms, maxCost), more);
}

/** The error if it cannot be retried. */
export function notRetryable(
  { delivery_id, code, reason }: RetryTerms,
  details: FailureDetails = {},
): Failure {
  const next = [{ ...invocation('deliveries explain', [delivery_id]), when: 'see its status' }];
  return new Failure(6, code || 'delivery_not_initiable', reason, { next, ...details });
}

/** The command that retries with the same choice. */
function retryLine(
  id: string,
  { preference: preferred, provider, driver, not }: RetryChoice,
  more: InvocationFlags = {},
): Invocation {
  const preference = preferred === 'cheapest' ? undefined : preferred;
  const choice = { preference, provider, driver, not: joinedNames(not) };
  return invocation('deliveries retry', [id], { ...choice, ...more });
}

/**
 * Shows the price of a retry and the quote that it would use, without sending anything. Exit 6 if the retry is refused or
 * above the limit, exit 9 if no provider offers a quote.
 */
export async function retryPrice(
  context: Context,
  deliveryid: string,
  quoteChoice: RetryChoice,
): Promise<Result> {
  const terms = await termsWithin(context, deliveryid, quoteChoice);
  if (terms === null) {
    const message = 'This service does not say what a retry costs.';
    throw new Failure(6, 'not_supported', message, { param: '--price' });
  }
  const client = await context.client();
  const { data: delivery } = await client.deliveries.get({ params: { deliveryid } });
  const simulated = simulatedEndText(delivery);
  if (simulated !== null) context.note(`${deliveryid}: ${simulated}.`);
  const { json } = context.output;
  const order = await fetchOrder(context, delivery.order_id);
  const { max_cost = null } = order === null ? {} : await createLimitReader(client)(order);
  const answer = termsResult(context, { ...terms, order_max_cost: max_cost }, storeZone(delivery));
  const { retryable, cost, quotes } = terms;
  if (!retryable) throw notRetryable(terms, json ? { answer } : {});
  const isWithinOrder = max_cost !== null && cost !== null && cost + terms.tip <= max_cost;
  const limit = isWithinOrder && quoteChoice.maxCost === undefined ? { maxCost: moneyText(max_cost) } : {};
  if (cost !== null)
    return {
      ...answer,
      notes: json ? [] : [...cheaperTexts(terms), phrase`Next: ${retryLine(deliveryid, quoteChoice, limit)}`],
    };
  if (quotes.length === 0) throw new BadOutcome(noQuoteText(terms), { code: 'no_quotes', answer });
  throw aboveMaxCost(deliveryid, terms, quoteChoice, { answer });
}

/** The terms with their total; people see when each courier would arrive, in the zone of the store. */
function termsResult(context: Context, terms: LimitedTerms, zone: string | null): RecordResult {
  const { cost, tip, service, quotes } = terms;
  const timing = { now: context.serviceNow(), times: timesFor(context.output), zone };
  const offer = (each: Offer) =>
    `${each.service} ${dollars(each.cost + tip)}, arriving ${timePhrase(each.dropoff_eta, timing)}${each.left_out === true ? ' (left out, as it ended an earlier attempt badly)' : ''}`;
  const isTaken = (each: Offer) => each.service === service && each.cost === cost;
  const others = quotes.filter((each) => !isTaken(each));
  const text = (header: string, value: string): Column<unknown> => ({
    ...({ field: header.toLowerCase().replaceAll(' ', '_'), header, kind: 'text', only: 'people' } as const),
    value: () => value,
  });
  return recordResult({ ...terms, total_cost: cost === null ? null : cost + tip }, [
    ...termsColumns,
    text('Would take', quotes.filter(isTaken).map(offer).join('')),
    text('Other quotes', others.map(offer).join('; ')),
  ]);
}

/** The terms with the maximum cost that the order was last sent with, in cents, including the tip. */
type LimitedTerms = RetryTerms & { order_max_cost: number | null };

const termsColumns: readonly Column<LimitedTerms & { total_cost: number | null }>[] = [
  { field: 'delivery_id', header: 'Delivery', kind: 'id' },
  { field: 'retryable', header: 'Can be retried', kind: 'text' },
  { field: 'reason', header: 'Why not', kind: 'text' },
  { field: 'paid', header: 'Charged so far', kind: 'money' },
  { field: 'service', header: 'Courier', kind: 'text', only: 'programs' },
  { field: 'cost', header: 'Price', kind: 'money', only: 'programs' },
  { field: 'tip', header: 'Tip', kind: 'money', only: 'programs' },
  { field: 'total_cost', header: 'Costs', kind: 'money' },
  { field: 'order_max_cost', header: 'Limit of the order', kind: 'money' },
];
