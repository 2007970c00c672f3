/** `ship`: takes new or existing orders through the whole flow, from the request to the courier. */
import type { Order, OrderRequest } from '../../contract/orders.ts';
import { max_route_orders } from '../../contract/vocabulary.ts';
import { stepsForOrder } from '../errors/error-report.ts';
import { lateOkFlag, type Preference, pickQuote, readPreference } from '../flow/agreed-quote.ts';
import { checkKeyLength, deliver, type FrontEnd, type Progress } from '../flow/deliver.ts';
import { awaitedAnswer, dispatchedShape, earlierOutcome, type Outcome } from '../flow/dispatch-outcome.ts';
import {
  checkConsent,
  checkPrice,
  checkTip,
  confirmPrice,
  maxCostFlag,
  type Terms,
} from '../flow/price-limits.ts';
import { type Continued, failedAt, interruptedFlowText } from '../flow/unfinished.ts';
import { flagLabel } from '../kit/args/command-input.ts';
import { type GivenInput, moneyFlag, moneyText, switchFlag, textFlag } from '../kit/args/flags.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { type InvocationFlags, invocation, type NextStep, phrase } from '../kit/result/message.ts';
import { arrivalFlags } from '../nouns/delivery-targets.ts';
import { checkProvider, driverFlag, findNextDriver } from '../nouns/find-by-name.ts';
import { findOrderIds } from '../nouns/find-order.ts';
import { getOrder } from '../nouns/order.ts';
import { duplicateRefFlag, guardRefs, guardSentOnce, warnOfSimilar } from '../nouns/order-checks.ts';
import { orderFlags } from '../nouns/order-flags.ts';
import {
  type Sourced,
  simulateFlag,
  simulationHeaders,
  sourcedOrders,
  sourceFlags,
  toOrderRequests,
} from '../nouns/order-input.ts';
import { createEach } from '../nouns/order-sending.ts';
import { pendingBatchOf } from '../nouns/order-waiting.ts';
import { distanceText, fetchRoute } from '../nouns/route.ts';
import { refusePausedStores } from '../nouns/store-pause.ts';
import { type Context, defineCommand, positionals } from '../session/command.ts';
import { checkWaiting, paceFlags } from '../waiting/waiting-flags.ts';

const group = 'Dispatch';

const newOrderFlags = {
  ...orderFlags,
  ...sourceFlags,
  simulate: simulateFlag,
  allowDuplicateRef: duplicateRefFlag,
};

export const ship = defineCommand({
  name: 'ship',
  summary: 'Create orders, request quotes and dispatch in one command',
  description: [
    'Takes the same input as `waybill orders create`, or open orders by ID or your reference; up to 25 form one route.',
    'The exit code is 6 if the total is above --max-cost, or if no quote keeps the agreed time and --late-ok is not',
    'given (nothing is dispatched), 9 if no provider took the route or a',
    'delivery failed, and 8 after a timeout. If it fails midway, the records created so far are kept, and the error',
    'says how to continue. Rerun with the same --idempotency-key within 24 hours to continue without creating',
    'duplicates. If it was already dispatched, a different --tip or a --max-cost below its price is exit 6. A service',
    'without idempotency keys refuses it with exit 6. A reference that is in use, or given twice, is treated as in orders',
    'create: without --allow-duplicate-ref it is exit 6, and nothing is created. With --driver one of your own drivers',
    'gets it without being asked, on duty or not.',
  ].join('\n'),
  positionals: {
    order: positionals('order', {
      summary:
        'Open orders instead of new ones, by ID or your reference; - reads new ones as JSON from stdin',
      statuses: ['open', 'failed', 'unfulfilled'],
      optional: true,
    }),
  },
  flags: {
    ...newOrderFlags,
    optimize: switchFlag({
      summary: 'Find the shortest sequence of stops (default: in the order given)',
      default: true,
      group,
    }),
    cheapest: switchFlag({ summary: 'Use the quote with the lowest total (cost + fee)', group }),
    fastest: switchFlag({ summary: 'Use the quote with the earliest dropoff', group }),
    provider: textFlag({
      summary: 'Use the cheapest quote of this provider',
      placeholder: 'PROVIDER',
      group,
    }),
    driver: driverFlag(group),
    maxCost: maxCostFlag(group),
    lateOk: lateOkFlag(group),
    tip: moneyFlag({
      summary:
        'Driver tip of all orders in dollars, such as 3.00, in place of their own; split like the price',
      group,
    }),
    ...arrivalFlags,
    ...paceFlags('2m for quotes, 30m for --wait; an explicit value limits both together'),
  },
  examples: [
    {
      command: 'waybill ship --file order.json --cheapest --max-cost 12.50 --wait delivered',
      summary: 'Deliver for at most $12.50',
    },
    {
      command: 'waybill ship --like ORDER --cheapest --max-cost 12.50 --idempotency-key "$CI_JOB_ID"',
      summary: 'Repeat an order; safe to rerun',
    },
    {
      command: 'waybill ship "#1042" --driver DRIVER --max-cost 12.50',
      summary: 'Give an open order to one of your own drivers',
    },
  ],
  effect: 'write',
  confirms: true,
  confirmsWhen: 'in live mode',
  oneOf: ['cheapest', 'fastest', 'provider', 'driver'],
  asksInstead: true,
  calls: [
    'orders.create',
    'orders.createMany',
    'stores.get',
    'orders.get',
    'orders.list',
    'routes.create',
    'quotes.request',
    'quotes.list',
    'dispatches.create',
    'routes.get',
    'stores.list',
    'deliveries.get',
    'drivers.list',
    'drivers.get',
    'batches.get',
  ],
  answers: (of) => [dispatchedShape(of)],
  exits: {
    9: 'no quotes, a courier declined; with --wait: a delivery ended unsuccessfully',
    10: 'some orders were not created',
  },
  errors: [
    'above_max_cost',
    'too_late',
    'duplicate_ref',
    'quotes_not_ready',
    'no_quotes',
    'delivery_failed',
    'still_pending',
  ],
  related: ['orders create', 'deliveries wait', 'deliveries explain'],
  async run(context, { flags, positionals: { order: words }, given }) {
    checkWaiting(context, { wait: flags.wait !== null }, ['failOn']);
    const preference = readPreference(flags, context);
    checkKeyLength(context);
    await checkProvider(context, flags.provider);
    const driver_id = flags.driver === undefined ? null : await findNextDriver(context, flags.driver);
    const started_at = context.now();
    const isNew = words.every((word) => word === '-');
    const shipped = isNew
      ? await newOrders(context, { ...flags, stdin: words[0] }, given)
      : await namedOrders(context, { words, ...flags }, given);
    const { optimize, timeout: timeout_ms, interval: interval_ms, wait: until, failOn: fail_on } = flags;
    const outcome = await shipOrders(context, shipped, {
      repeats: flags.allowDuplicateRef || flags.like !== undefined,
      preference,
      lateOk: flags.lateOk,
      driver: flags.driver,
      driver_id,
      terms: flags,
      optimize,
      timeout_ms,
      interval_ms,
    });
    return awaitedAnswer(context, outcome, { until, fail_on, timeout_ms, interval_ms, started_at });
  },
});

/** Orders, and the idempotency key of the run. */
interface Shipped {
  orders: Order[];
  key: string;
  /** The draft route that they are in; null without one. */
  draft_id: string | null;
  /** Whether it is refused if another order with a reference is sent: new orders are checked as they are created. */
  refusesDuplicateRef: boolean;
}

type NewOrders = Parameters<typeof sourcedOrders>[1] & {
  allowDuplicateRef: boolean;
  simulate: string | undefined;
};

/** Creates the orders of a file, stdin, another order or the flags. */
async function newOrders(context: Context, flags: NewOrders & Terms, given: GivenInput): Promise<Shipped> {
  // The tip is paid with the dispatch, to the driver of all orders.
  const sourced = await sourcedOrders(context, { ...flags, tip: undefined }, given);
  const requests = requestsIn(sourced);
  await checkTip(context, flags.tip, requests);
  await checkConsent(context, flags);
  await refusePausedStores(context, requests);
  const unique = await guardRefs(context, requests, { ...flags, isDispatched: true });
  if (context.globals.dryRun && !context.output.json)
    context.note('The first request; later ones use the IDs in its response:');
  const key = context.idempotencyKey(requests.length === 1 ? undefined : '0');
  const orders = await createEach(context, requests, {
    headers: simulationHeaders(flags.simulate),
    unique,
    isFromFile: sourced.file !== null,
    flagged: sourced.flagged,
  });
  const [only, ...others] = orders;
  if (only !== undefined && others.length === 0 && flags.like === undefined)
    await warnOfSimilar(context, only);
  return { orders, key, draft_id: null, refusesDuplicateRef: false };
}

/** The flags of new orders that existing orders take as well. */
const commonFlags = ['tip', 'allowDuplicateRef'];

/** Reads orders that exist. UsageError with a flag for new ones. */
async function namedOrders(
  context: Context,
  { words, allowDuplicateRef, ...terms }: Terms & { words: readonly string[]; allowDuplicateRef: boolean },
  given: GivenInput,
): Promise<Shipped> {
  const forNew = Object.keys(newOrderFlags).find((name) => !commonFlags.includes(name) && given.has(name));
  if (forNew !== undefined)
    throw new UsageError(`${flagLabel(forNew)} is for new orders, not for ${words.join(', ')}.`, {
      hint: 'An order keeps what it was created with: cancel it, and send a changed copy.',
      next: changedCopySteps(words, flagLabel(forNew)),
    });
  if (words.includes('-')) throw new UsageError('- reads new orders: it cannot be combined with others.');
  const ids = await findOrderIds(context, words);
  const orders = await Promise.all(ids.map((id) => getOrder(context, id)));
  await checkTip(context, terms.tip, orders);
  await checkConsent(context, terms);
  // Orders that are dispatched already get an answer of their own, whether the store is paused or not.
  await refusePausedStores(
    context,
    orders.filter(({ status }) => status !== 'dispatched'),
  );
  const refusesDuplicateRef = await guardSentOnce(context, orders, { allowDuplicateRef });
  const draft_id = await draftOf(context, orders);
  // The service refuses it with the route, which a dry run does not create; a repeat finds what was dispatched.
  const { dryRun, idempotencyKey } = context.globals;
  if (dryRun && idempotencyKey === undefined) await refuseUnlessOpen(context, orders, draft_id);
  return { orders, key: context.idempotencyKey(), draft_id, refusesDuplicateRef };
}

/** The steps that send an open order with another value of a flag that only new orders take. */
function changedCopySteps(words: readonly string[], flag: string): NextStep[] {
  const [word = '', ...others] = words;
  if (others.length > 0) return [];
  return [
    { ...invocation('orders cancel', [word]), when: 'cancel the order, and then' },
    { ...invocation('ship', ['--like', word, flag, 'VALUE']), when: 'send the changed copy' },
  ];
}

/** Fails with exit 6 if an order is sent or closed, or pending in auto dispatch. */
async function refuseUnlessOpen(
  context: Context,
  orders: readonly Order[],
  draft_id: string | null,
): Promise<void> {
  for (const order of orders) {
    const { id, status, delivery_id, batch_id, route_id } = order;
    const isOpen = draft_id !== null || ['open', 'failed', 'unfulfilled'].includes(status);
    if (isOpen && (await pendingBatchOf(context, order)) === null) continue;
    const next = stepsForOrder([id, delivery_id ?? batch_id ?? route_id ?? '']);
    const state = isOpen ? `pending in batch ${batch_id}` : status;
    throw new Failure(6, 'order_not_open', `Order ${id} is ${state}.`, { next });
  }
}

/** The draft route that has these orders and no others, as an earlier run may have left it. */
async function draftOf(context: Context, orders: readonly Order[]): Promise<string | null> {
  const route_id = orders[0]?.route_id ?? null;
  if (route_id === null || !orders.every((each) => each.route_id === route_id)) return null;
  const route = await fetchRoute(context, route_id);
  return route?.status === 'draft' && route.order_ids.length === orders.length ? route_id : null;
}

/** The requests for the orders. UsageError if they are incomplete, too many for a route, or for auto dispatch. */
function requestsIn({ orders, settings, file }: Sourced): OrderRequest[] {
  const where = file ?? 'the order';
  const others = Object.entries(settings ?? {}).filter(
    ([name, value]) => name !== 'mechanism' || value !== 'manual',
  );
  if (others.length > 0) {
    const names = others.map(([name]) => name).join(', ');
    throw new UsageError(`${where} has settings for auto dispatch: ${names}.`, {
      hint: phrase`\`${invocation('orders create', ['--file', 'FILE'])}\` supports auto dispatch.`,
    });
  }
  if (orders.length > max_route_orders)
    throw new UsageError(
      `A route takes at most ${max_route_orders} orders, and ${where} has ${orders.length}.`,
    );
  return toOrderRequests(orders, where);
}

interface ShipOptions {
  /** Whether another order may have the reference. */
  repeats: boolean;
  /** Selects the quote; null: the user is asked. */
  preference: Preference | null;
  lateOk: boolean;
  /** The driver of the own fleet as typed, and the ID. */
  driver: string | undefined;
  driver_id: string | null;
  terms: Terms;
  optimize: boolean;
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
}

/**
 * Takes the orders through the flow and prints each step in a terminal. An error lists the records that exist by then.
 */
async function shipOrders(
  context: Context,
  { orders, key, draft_id, refusesDuplicateRef }: Shipped,
  { preference, lateOk, driver, terms, repeats, ...options }: ShipOptions,
): Promise<Outcome> {
  const show = (line: string) => {
    if (context.host.stderr.isTerminal && !context.output.json) context.note(line);
  };
  const order_ids = orders.map(({ id }) => id);
  let state: Continued = {
    order_ids,
    route_id: null,
    pending: ['route'],
    key,
    isRepeatable: context.has('idempotency'),
    dispatch: dispatchFlags(driver === undefined ? preference : { driver }, { ...terms, lateOk, repeats }),
  };
  let done: Progress | null = null;
  const frontEnd: FrontEnd = {
    ...options,
    draft_id,
    refusesDuplicateRef,
    tip: terms.tip ?? null,
    choose: async (route_id, quotes) => {
      const quote = await pickQuote(context, route_id, quotes, preference, lateOk);
      const count = quotes.data?.length ?? 0;
      show(`${count} ${count === 1 ? 'quote' : 'quotes'}; using ${quote.provider}.`);
      const max_cost = await checkPrice(context, quote, terms);
      await confirmPrice(context, quote, terms);
      return { quote, max_cost };
    },
    interruptionText: () =>
      dispatchedText(done) ??
      interruptedFlowText(state, done?.step === 'request' ? ' Quotes were requested.' : ''),
  };
  show(`${orders.length === 1 ? 'Order' : 'Orders'} ${order_ids.join(', ')}.`);
  try {
    for await (done of deliver(context, order_ids, frontEnd)) {
      if (done.step === 'route') state = { ...state, route_id: done.route.id };
      state = { ...state, pending: done.step === 'choice' ? ['dispatch'] : [] };
      const line = lineOf(done);
      if (line !== null) show(line);
    }
  } catch (error) {
    throw failedAt(error, state);
  }
  if (done?.step === 'earlier') return earlierOutcome(context, done.earlier, { preference, terms });
  if (done?.step === 'dispatch') return done.outcome;
  throw new Error('the flow ended before the dispatch');
}

/** Describes a dispatch whose result could not be written; null before the dispatch. */
function dispatchedText(done: Progress | null): string | null {
  if (done?.step !== 'dispatch' && done?.step !== 'earlier') return null;
  const { route } = done.step === 'dispatch' ? done.outcome : done.earlier;
  const text = done.step === 'dispatch' ? done.outcome.text : `Route ${route.id} is dispatched.`;
  return [text, ...route.deliveries.map(({ id }) => `Delivery ${id}.`)].join(' ');
}

/** `Route rte_1: 3 stops, 2.1 miles.`; null for a step that says nothing. */
function lineOf(done: Progress): string | null {
  if (done.step === 'expired') return 'The quotes have expired. Requesting new ones.';
  if (done.step !== 'route' || done.route.status !== 'draft') return null;
  const { id, stops } = done.route;
  return stops.length === 0
    ? `Route ${id}.`
    : `Route ${id}: ${stops.length} stops, ${distanceText(done.route)}.`;
}

/** The flags of `waybill dispatch` that continue with the same preference, limit and tip. */
function dispatchFlags(
  preference: Preference | { driver: string } | null,
  { maxCost, tip, lateOk, repeats }: Terms & Pick<ShipOptions, 'lateOk' | 'repeats'>,
): InvocationFlags {
  const best = typeof preference === 'string' ? { [preference]: true } : preference;
  const typed = (amount: number | undefined) => (amount === undefined ? undefined : moneyText(amount));
  const allowed = { lateOk: lateOk || undefined, allowDuplicateRef: repeats || undefined };
  return { ...best, maxCost: typed(maxCost), ...allowed, tip: typed(tip) };
}
