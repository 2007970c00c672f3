/** `dispatch`: which quote takes a route, and what follows if an own driver has no room for it anymore. */
import { refusedWith } from '../../client/errors.ts';
import type { RouteQuotes } from '../../contract/routes.ts';
import { createErrorReport } from '../errors/error-report.ts';
import { lateOkFlag, type Preference, pickQuote, readPreference } from '../flow/agreed-quote.ts';
import { dispatchRoute, isOfFleet, quoteKeyPart, quotesWithFleet } from '../flow/deliver.ts';
import {
  awaitedAnswer,
  type Dispatched,
  dispatchedShape,
  dispatchOutcome,
  earlierOutcome,
  fetchDispatched,
  type Outcome,
} from '../flow/dispatch-outcome.ts';
import { checkPrice, confirmPrice, maxCostFlag, type Terms } from '../flow/price-limits.ts';
import { moneyFlag, switchFlag, textFlag } from '../kit/args/flags.ts';
import { arrivalFlags } from '../nouns/delivery-targets.ts';
import { createWait } from '../nouns/delivery-waiting.ts';
import { driverFlag, findNextDriver } from '../nouns/find-by-name.ts';
import { duplicateRefFlag } from '../nouns/order-checks.ts';
import { getQuotes } from '../nouns/quote.ts';
import { fetchRoute, findRouteId } from '../nouns/route.ts';
import { type Context, defineCommand, isOwnService, positional } from '../session/command.ts';
import { checkWaiting, paceFlags } from '../waiting/waiting-flags.ts';

export const dispatch = defineCommand({
  name: 'dispatch',
  summary: "Dispatch a route with a provider's quote",
  description: [
    'Creates one delivery for each order. In a terminal, without a flag that selects a quote, it lists the quotes and',
    'prompts. Expired quotes are never used. --driver uses the quote of your own fleet, and requests it if there is none.',
    'The exit code is 6 if the total is above --max-cost (nothing is dispatched), and 9 if no provider took the route or',
    'a delivery failed at once. In live mode the price must be confirmed at a prompt, or with --yes and --max-cost.',
    '--wait works as in deliveries wait. Rerun with its --idempotency-key, it answers with what was dispatched.',
  ].join('\n'),
  positionals: {
    route: positional('route', {
      summary: 'Draft route with quotes: its ID, or the ID or reference of an order in it',
      statuses: ['draft'],
    }),
  },
  flags: {
    quote: textFlag({
      summary: 'Use this quote: its ID, or its provider',
      placeholder: 'QUOTE',
      aliases: ['quote-id'],
    }),
    cheapest: switchFlag({ summary: 'Use the quote with the lowest total (cost + fee)' }),
    fastest: switchFlag({ summary: 'Use the quote with the earliest dropoff' }),
    provider: textFlag({ summary: 'Use the cheapest quote of this provider', placeholder: 'PROVIDER' }),
    driver: driverFlag(),
    maxCost: maxCostFlag(),
    lateOk: lateOkFlag(),
    allowDuplicateRef: duplicateRefFlag,
    tip: moneyFlag({
      summary: 'Driver tip of the route in dollars, such as 3.00, in place of those of its orders',
    }),
    ...arrivalFlags,
    ...paceFlags('30m'),
  },
  examples: [
    {
      command: 'waybill dispatch ROUTE --cheapest --max-cost 12.50',
      summary: 'Use the cheapest quote up to $12.50',
    },
    {
      command: 'waybill dispatch ROUTE --quote QUOTE --tip 3.00',
      summary: 'Use a specific quote with a tip',
    },
    {
      command: 'waybill dispatch ROUTE --driver DRIVER --max-cost 12.50',
      summary: 'Give it to one of your own drivers',
    },
    {
      command: 'waybill dispatch ROUTE --cheapest --max-cost 12.50 --wait delivered --timeout 1h',
      summary: 'Dispatch and wait until it arrives',
    },
  ],
  effect: 'write',
  confirms: true,
  confirmsWhen: 'in live mode',
  oneOf: ['quote', 'cheapest', 'fastest', 'provider', 'driver'],
  asksInstead: true,
  calls: [
    'dispatches.create',
    'quotes.list',
    'quotes.request',
    'routes.get',
    'deliveries.get',
    'drivers.list',
    'drivers.get',
    'orders.list',
    'orders.get',
  ],
  answers: (of) => [dispatchedShape(of)],
  exits: {
    8: 'quotes are still pending; with --wait: timed out',
    9: 'no quotes, a courier declined at once; with --wait: a delivery ended unsuccessfully',
  },
  errors: [
    'above_max_cost',
    'too_late',
    'duplicate_ref',
    'no_quotes',
    'delivery_failed',
    'still_pending',
    'delivery_STATUS',
  ],
  related: ['quotes list', 'deliveries watch', 'deliveries cancel'],
  async run(context, { flags, positionals }) {
    checkWaiting(context, { wait: flags.wait !== null });
    const route = await findRouteId(context, positionals.route);
    const { driver } = flags;
    const preference = readPreference(flags, context);
    const earlier = await dispatchedBefore(context, route);
    if (earlier !== null) {
      const outcome = await earlierOutcome(context, earlier, { preference, terms: flags });
      return awaitedAnswer(context, outcome, createWait(context, flags));
    }
    const driver_id = driver === undefined ? null : await findNextDriver(context, driver);
    const pace = { timeout_ms: flags.timeout, interval_ms: flags.interval };
    const quotes = await (driver_id === null
      ? getQuotes(context, route)
      : quotesWithFleet(context, route, driver_id, pace));
    const { lateOk, maxCost, tip } = flags;
    // Another service does not know the field.
    const refusesDuplicateRef = !flags.allowDuplicateRef && isOwnService(context);
    const wanted = { route_id: route, driver_id, preference, lateOk, maxCost, tip, refusesDuplicateRef };
    return awaitedAnswer(context, await dispatchBest(context, quotes, wanted), createWait(context, flags));
  },
});

/** The deliveries of the route, if this is a repeat with an idempotency key of a run that dispatched it; else null. */
async function dispatchedBefore(context: Context, route_id: string): Promise<Dispatched | null> {
  const { dryRun, idempotencyKey } = context.globals;
  if (dryRun || idempotencyKey === undefined) return null;
  const route = await fetchRoute(context, route_id);
  return route === null || route.status === 'draft' ? null : fetchDispatched(context, route);
}

interface Wanted extends Terms {
  route_id: string;
  driver_id: string | null;
  preference: Preference | null;
  lateOk: boolean;
  refusesDuplicateRef: boolean;
}

/**
 * Dispatches with the quote that is wanted: selects it, checks its price and has it confirmed. If own drivers have no room
 * for it anymore, the next quote is selected in the same way, unless that one was named.
 */
async function dispatchBest(context: Context, quotes: RouteQuotes, wanted: Wanted): Promise<Outcome> {
  const { route_id, driver_id, preference, lateOk, tip = null, refusesDuplicateRef } = wanted;
  let offered = quotes;
  let keyPart: string | undefined;
  for (;;) {
    const quote = await pickQuote(context, route_id, offered, preference, lateOk).catch(
      async (error: unknown) => {
        const { explainHeldOrder } = await import('../nouns/order-waiting.ts');
        throw await explainHeldOrder(error, context, route_id);
      },
    );
    const max_cost = await checkPrice(context, quote, wanted);
    await confirmPrice(context, quote, wanted);
    const only_with_room = typeof preference === 'string' && isOfFleet(quote);
    const ofQuote = { route_id, quote_id: quote.id, tip, max_cost, driver_id };
    const choice = { ...ofQuote, only_with_room, refusesDuplicateRef };
    try {
      return dispatchOutcome(await dispatchRoute(context, choice, context.idempotencyKey(keyPart)), quote);
    } catch (error) {
      if (!only_with_room || !refusedWith(error, 'quote_expired')) throw error;
      context.note(createErrorReport(error).message);
    }
    offered = { ...offered, data: (offered.data ?? []).filter(({ id }) => id !== quote.id) };
    // Another quote is another request; a repeat of the command derives the same keys.
    keyPart = quoteKeyPart(quote);
  }
}
