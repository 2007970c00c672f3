/** The checks of `today` for orders: those that auto dispatch gave up or still tries, and those not sent in time. */
import type { Client } from '../../client/client.ts';
import { ifSupported, unlessMissing } from '../../client/errors.ts';
import { pages } from '../../client/pages.ts';
import type { Order, WaitingOrder } from '../../contract/orders.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { dollars } from '../../domain/money.ts';
import { quotePrice } from '../../domain/quotes.ts';
import { readEachOnce } from '../kit/once.ts';
import { lengthText } from '../kit/output/times.ts';
import { invocation, type NextStep } from '../kit/result/message.ts';
import { due_ahead_ms, storeZone } from './order.ts';
import { createLimitReader, type OrderLimits, readRouteLimit } from './order-limits.ts';
import { type CheckResult, firstRecords, laterOrder, type Problem, type Times } from './problems.ts';
import { maxCostText, shipWithin, spentOfLimit } from './retry-steps.ts';
import { simulatedTryText } from './simulated-end.ts';

/** A draft route as `today` shows it: a route with orders that is not dispatched. */
interface DraftRoute {
  /** Whether quotes were requested and have arrived, without a dispatch since. */
  isAnswered: boolean;
  /** The end of a sentence about its order: `is in draft route rte_1, whose quotes were not accepted`. */
  what: string;
  next: NextStep & { when: string };
}

/** Lists orders that auto dispatch gave up, and orders that are not dispatched in time. */
export async function orderProblems(
  client: Client,
  times: Times,
  serviceNow: () => number,
): Promise<CheckResult> {
  const { created_after, ended_after } = times;
  const status = ['unfulfilled', 'open', 'routed'] as const;
  const query = { status: [...status], created_after, limit: 100 };
  const { records: orders, isCut } = await firstRecords(pages(client.orders.list, query));
  const limitsOf = createLimitReader(client);
  const draftOf = createDraftReader(client);
  const problems: Problem[] = [];
  for (const order of orders) {
    const limits = await limitsOf(order);
    const isGivenUp = order.status === 'unfulfilled' || (order.status === 'open' && limits.isGivenUp);
    const isOld = Date.parse(order.updated_at) < Date.parse(ended_after);
    const found: Problem[] = [];
    if (!isGivenUp)
      found.push(...(await unsentProblem(draftOf, order, limits, { ...times, now: serviceNow() })));
    else if (!isOld) found.push(await unfulfilledProblem(client, order, limits));
    const later = found.length === 0 ? null : await laterOrder(client, { ...order, order_id: order.id });
    if (later === null) problems.push(...found);
    else if (!isGivenUp)
      problems.push(
        ...found.map((each) => (later.status === 'dispatched' ? repeatedProblem(each, later) : each)),
      );
  }
  return { problems, isCut };
}

/** An order that is not sent, but created again and sent as another one: sending it would deliver the same twice. */
function repeatedProblem(problem: Problem, { id }: Order): Problem {
  const what = `is not sent, but ${id} with the same reference is`;
  const next = {
    ...invocation('orders get', [problem.id]),
    when: 'see it, and cancel it if it is the same parcel',
  };
  return { ...problem, what, next };
}

/**
 * An order that auto dispatch gave up. One that is too far for the couriers cannot be sent as it is, and one that costs
 * more than its maximum only if someone agrees to the price.
 */
async function unfulfilledProblem(client: Client, order: Order, limits: OrderLimits): Promise<Problem> {
  const { id, external_order_ref, updated_at: since } = order;
  const why = limits.reason === '' ? '' : `: ${limits.reason}`;
  const { isTooFar, above_limit } = await lastAnswersTo(client, order);
  const simulated = simulatedTryText(order.dropoff_phone_number);
  const what = `was not taken by any courier${isTooFar ? ', as it is too far for them' : why}${inBrackets(simulated)}`;
  const again =
    simulated === null || above_limit !== null ? askAgain(id, limits, above_limit) : likeStep(order, limits);
  const next = isTooFar
    ? {
        ...invocation('orders get', [id]),
        when: 'see its address: create it with another one, or cancel it and tell the recipient',
      }
    : again;
  const record = { id, external_order_ref, who: order.dropoff_name, zone: storeZone(order) };
  return { kind: 'unfulfilled', ...record, what, since, next };
}

function inBrackets(text: string | null): string {
  return text === null ? '' : ` (${text})`;
}

/** A new order like one whose phone number simulates that no try ends well. */
function likeStep({ id }: Order, { max_cost }: OrderLimits): Problem['next'] {
  const maxCost = maxCostText(max_cost) ?? 'DOLLARS';
  const flags = { like: id, dropoffPhoneNumber: 'PHONE', cheapest: true, maxCost };
  return { ...invocation('ship', [], flags), when: 'send a new order like it, with another number' };
}

function askAgain(order_id: string, limits: OrderLimits, above_limit: number | null): Problem['next'] {
  const { spent, max_cost, providers } = limits;
  if (above_limit === null)
    return {
      ...shipWithin([order_id], { providers, maxCost: spent > 0 ? undefined : maxCostText(max_cost) }),
      when: `ask the couriers once more${spentOfLimit(spent, max_cost)}`,
    };
  const when = `ask once more, if ${dollars(above_limit)} or more is agreed: its limit was $${maxCostText(max_cost)}`;
  return { ...shipWithin([order_id], { providers, maxCost: undefined }), when };
}

/** Codes of providers that did not look at the order. */
const codesUnasked: readonly string[] = ['only_when_named', 'simulated_only', 'not_named', 'refused_before'];

/** Codes of refusals that asking again does not change. */
const lastingCodes: readonly string[] = [
  'too_far',
  'scheduled_only',
  'scheduled_not_taken',
  'vehicle_not_offered',
  'signature_not_offered',
  'item_too_large',
  'value_too_high',
];

/** What couriers said in the last attempt of an order. */
interface LastAnswers {
  /** Some said that it is too far, and none would take it as it is. */
  isTooFar: boolean;
  /** The lowest price above its maximum, with its tip, in cents; null if none was too high. */
  above_limit: number | null;
}

async function lastAnswersTo(client: Client, { id: order_id, batch_id, tip }: Order): Promise<LastAnswers> {
  if (batch_id === null) return { isTooFar: false, above_limit: null };
  const call = client.tries.list({ params: { order_id }, query: { limit: 1 } }).then(({ data }) => data.data);
  const [last] = await ifSupported(call, []);
  const answers = (last?.left_out ?? []).filter(
    ({ provider, code }) => provider !== fleet_provider && !codesUnasked.includes(code),
  );
  const prices = answers.flatMap(({ price }) => price ?? []);
  return {
    isTooFar:
      answers.some(({ code }) => code === 'too_far') &&
      answers.every(({ code }) => lastingCodes.includes(code)),
    above_limit: prices.length === 0 ? null : Math.min(...prices) + (tip || 0),
  };
}

/**
 * Lists an order that is due, or has no agreed time and has not changed for a while; at once if couriers have been asked
 * and nothing came of it, as after a refused `ship`. Auto dispatch retries its own orders.
 */
async function unsentProblem(
  draftOf: ReturnType<typeof createDraftReader>,
  order: Order,
  { isGivenUp }: OrderLimits,
  { ended_after, unchanged_since, now }: Times & { now: number },
): Promise<Problem[]> {
  const { id, external_order_ref, status, batch_id, route_id, updated_at } = order;
  if (status === 'open' && batch_id !== null) return [];
  const due = order.dropoff_at ?? order.pickup_at;
  const latest = due === null ? Date.parse(unchanged_since) : now + due_ahead_ms;
  const since = Date.parse(due ?? updated_at);
  const isRecent = since >= Date.parse(ended_after);
  // A time that cannot be read, as another service may send it, is not recent, either.
  if (!isRecent) return [];
  const draft = route_id === null ? null : await draftOf(route_id, id);
  const isDue = since <= latest;
  const isUntaken = draft?.isAnswered === true && due === null && batch_id === null;
  if (!isDue && !isGivenUp && !isUntaken) return [];
  const { what, next } = draft ?? unsentStep(order);
  const timesText = (clock: (iso: string) => string) => (due === null ? null : `due at ${clock(due)}`);
  const record = { id, external_order_ref, who: order.dropoff_name, zone: storeZone(order), timesText };
  return [{ kind: 'unsent', ...record, what, since: updated_at, next }];
}

/** Where an order that is in no route is, and how to dispatch it. */
function unsentStep({ id, delivery_id }: Order): Pick<Problem, 'what' | 'next'> {
  if (delivery_id !== null) {
    const next = { ...invocation('deliveries initiate', [delivery_id]), when: 'have a courier come for it' };
    return { what: `is stored as ${delivery_id}, and no courier is asked`, next };
  }
  const next = { ...invocation('ship', [id], { cheapest: true }), when: 'dispatch it' };
  return { what: 'was not dispatched', next };
}

/** Lists orders of auto dispatch whose last attempt found no courier. */
export async function waitingProblems(client: Client, serviceNow: () => number): Promise<CheckResult> {
  const { records: waiting, isCut } = await firstRecords(pages(client.waitingOrders.list, { limit: 100 }));
  const now = serviceNow();
  const problems = waiting
    .filter(({ reason }) => reason !== '')
    .map((each): Problem => {
      const { order, waiting_since: since } = each;
      const { id, external_order_ref } = order;
      const next = { ...invocation('orders attempts', [id]), when: 'see who was asked, and why not' };
      const record = { id, external_order_ref, who: order.dropoff_name, zone: storeZone(order) };
      return { kind: 'waiting', ...record, what: waitingText(each, now), since, next };
    });
  return { problems, isCut };
}

/** `waits for a courier, tried again in 3 min (no provider offered a quote)`; of a paused store it may be the first try. */
function waitingText({ order, attempts, next_attempt_at, reason }: WaitingOrder, now: number): string {
  const left_ms = next_attempt_at === null ? 0 : Date.parse(next_attempt_at) - now;
  const tried = attempts === 0 ? 'tried' : 'tried again';
  const next = left_ms > 0 ? `${tried} in ${lengthText(left_ms)}` : `being ${tried}`;
  const simulated = simulatedTryText(order.dropoff_phone_number);
  return `waits for a courier, ${next} (${reason}${simulated === null ? '' : `: ${simulated}`})`;
}

/** Returns a function that reads the draft route of an order; the orders of one route share the answer. */
function createDraftReader(client: Client): (route_id: string, order_id: string) => Promise<DraftRoute> {
  return readEachOnce((route_id, order_id: string) => readDraftRoute(client, route_id, order_id));
}

async function readDraftRoute(client: Client, route_id: string, order_id: string): Promise<DraftRoute> {
  const call = client.quotes.list({ params: { route_id } }).then(({ data }) => data.data);
  const quotes = await unlessMissing(ifSupported(call, null));
  const what = `is in draft route ${route_id}`;
  const ask = { ...invocation('routes quote', [route_id]), when: 'ask the couriers, and then dispatch it' };
  if (quotes === null) return { isAnswered: false, what, next: ask };
  const isAnswered = true;
  const prices = quotes.map(quotePrice).filter((price) => !Number.isNaN(price));
  if (quotes.length === 0)
    return { isAnswered, what: `${what}, for which no courier offered a price`, next: ask };
  if (prices.length === 0) return { isAnswered, what, next: ask };
  const route = client.routes.get({ params: { route_id } }).then(({ data }) => data.order_ids);
  const order_ids = (await unlessMissing(ifSupported(route, null))) ?? [order_id];
  const { tip, max_cost } = await readRouteLimit(client, order_ids);
  const price = dollars(Math.min(...prices) + tip);
  const lowest = `the lowest price was ${price}`;
  if (max_cost === undefined || Math.min(...prices) + tip <= max_cost)
    return {
      isAnswered,
      what: `${what}, whose quotes were not accepted`,
      next: { ...ask, when: `${ask.when}: ${lowest}` },
    };
  const when = `ask the couriers, and dispatch it if that is agreed: ${lowest}, and its limit ${dollars(max_cost)}`;
  return { isAnswered, what: `${what}, whose quotes were above its limit`, next: { ...ask, when } };
}
