/**
 * The quotes of a route. `requestQuotes` starts a round, `getQuotes` reads it, and `quotesAnswer` is the list with its
 * columns, or the error that says what to do without a quote (`quotesPending`, `noQuotes`). Waiting for a round is in
 * `quote-waiting.ts`, and the chart below the list in `quote-plot.ts`.
 */
import { Unsupported } from '../../client/errors.ts';
import type { Decline, Job, RouteQuote, RouteQuotes } from '../../contract/routes.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { findZone } from '../../domain/addresses.ts';
import { formatEtaWindow, quotePrecision } from '../../domain/estimates.ts';
import { dollars } from '../../domain/money.ts';
import { isExpired, quotePrice, rankQuotes } from '../../domain/quotes.ts';
import { moneyText } from '../kit/args/flags.ts';
import { BadOutcome, type FailureDetails, StillPending } from '../kit/errors/failure.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { lengthText } from '../kit/output/times.ts';
import { invocation, type NextStep, phrase, type Text } from '../kit/result/message.ts';
import {
  type Column,
  documentResult,
  type Formatters,
  isForPeople,
  listResult,
  type Result,
} from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import { type ListView, viewOf, withNamedColumns } from '../session/listing.ts';
import { type RouteLimit, readRouteLimit } from './order-limits.ts';
import { quotePlot } from './quote-plot.ts';

/** Requests a round of quotes for a draft route; quotes of earlier rounds can no longer be used. */
export async function requestQuotes(
  service: Pick<Context, 'client'>,
  route_id: string,
  idempotencyKey: string,
  driver_id: string | null = null,
): Promise<Job> {
  const client = await service.client();
  const body = driver_id === null ? {} : { driver_id };
  return (await client.quotes.request({ params: { route_id }, body, idempotencyKey })).data;
}

/** The quotes of a route, cheapest first. */
export async function getQuotes(context: Context, route_id: string): Promise<RouteQuotes> {
  const client = await context.client();
  const { data: quotes } = await client.quotes.list({ params: { route_id } });
  if (quotes.data === null) return quotes;
  return { ...quotes, data: rankQuotes(quotes.data.map(comparable)).map(({ quote }) => quote) };
}

/** The quotes that are shown, in their order. */
export function shownQuotes(quotes: RouteQuotes, view: ListView<RouteQuote> | undefined): RouteQuotes {
  return view === undefined || quotes.data === null ? quotes : { ...quotes, data: viewOf(quotes.data, view) };
}

/**
 * The quotes of one poll, cheapest first or as the view has them; JSON has the contract's own wrapper. Exit 8 if they are
 * pending and 9 if there are no quotes; both print the result on stdout.
 */
export async function quotesAnswer(
  context: Context,
  route: string,
  quotes: RouteQuotes,
  view?: ListView<RouteQuote>,
): Promise<Result> {
  const { format, columns } = context.output;
  const isDocument = format === 'json' && columns === null;
  const answer = isDocument ? { answer: documentResult(quotes) } : {};
  if (quotes.status === 'PENDING' || quotes.data === null) throw quotesPending(route, answer);
  if (quotes.data.length === 0) throw noQuotes(route, quotes, answer);
  if (isDocument) return documentResult(shownQuotes(quotes, view));
  const { data } = quotes;
  const shown = shownQuotes(quotes, view).data ?? [];
  const now = context.serviceNow();
  const { quiet } = context.output;
  const facts = quiet && !isForPeople(format) ? null : await routeFacts(context, route);
  // Quotes that have all expired are requested again: who declined then may offer one now.
  const isOver = facts?.status === 'draft' && usableQuotes(quotes, now).length === 0;
  const notes =
    quiet || facts === null
      ? []
      : [
          ...separateNotes(shown),
          ...(isOver ? [] : declinedNotes(quotes)),
          await nextStep(context, { ...facts, route }, data.map(comparable)),
        ];
  // There is nothing left to choose once the route is dispatched.
  const footer = (show: Formatters) => (facts?.status === 'draft' ? quotePlot(shown, show) : null);
  const named = withNamedColumns(quoteColumns(now, facts?.zone), view?.names ?? []);
  return listResult({
    data: shown,
    columns: named,
    footer,
    notes,
    empty: view?.filter?.explain(data.length),
  });
}

/** Says in one line who does not offer a quote, and why. */
function declinedNotes({ reasons = [] }: RouteQuotes): string[] {
  if (reasons.length === 0) return [];
  const texts = reasons.map((each) => oneLine(reasonText(each)).replace(/\.$/, ''));
  return [`No quote: ${texts.join('; ')}.`];
}

/** Says which couriers do not carry the route as one run. */
export function separateNotes(quotes: readonly RouteQuote[]): string[] {
  return quotes.flatMap(({ provider, separate_deliveries: count }) =>
    count === undefined
      ? []
      : `${provider} makes ${count} separate deliveries of the route, possibly by ${count} drivers, and its price is their sum.`,
  );
}

/** The next step: quotes are listed even after they have expired or the route is dispatched. */
async function nextStep(
  context: Context,
  { status, route, order_ids }: { status: string; route: string; order_ids: readonly string[] },
  ranked: readonly ReturnType<typeof comparable>[],
): Promise<Text> {
  const now = context.serviceNow();
  if (status !== 'draft') return phrase`The route is ${status}. See it: ${invocation('routes get', [route])}`;
  const [first, ...others] = ranked;
  if (first !== undefined && !isExpired(first, now))
    return dispatchStep(route, first.quote, await readRouteLimit(await context.client(), order_ids));
  const what = others.every((each) => isExpired(each, now)) ? 'All of them have' : 'The cheapest has';
  return phrase`${what} expired. Next: ${invocation('routes quote', [route], { watch: true })}`;
}

/** The command that dispatches with a quote. Its maximum is the known limit of the orders, never the price of the quote. */
function dispatchStep(route: string, quote: Quote, { tip, max_cost, who }: RouteLimit): Text {
  const price = quotePrice(quote) + tip;
  const isAbove = max_cost !== undefined && price > max_cost;
  const maxCost = max_cost === undefined || isAbove ? 'DOLLARS' : moneyText(max_cost);
  const limited = invocation('dispatch', [route], { quote: quote.id, maxCost });
  if (!isAbove) return phrase`Next: ${limited}, or another --quote`;
  const above = `The lowest price is ${dollars(price)}, above the limit of ${dollars(max_cost)} that ${who} sent with.`;
  return phrase`${above} Next, if somebody agrees to pay more: ${limited}, or another --quote`;
}

/**
 * The status of a route, and the time zone of its first pickup, null if that is unknown. A service without route
 * look-ups refuses a route that is not a draft itself.
 */
export async function routeFacts(
  { client }: Pick<Context, 'client'>,
  route_id: string,
): Promise<{ status: string; zone: string | null; order_ids: readonly string[] }> {
  try {
    const { status, stops, order_ids } = (await (await client()).routes.get({ params: { route_id } })).data;
    return { status, zone: findZone(stops[0]?.address ?? ''), order_ids };
  } catch (error) {
    if (error instanceof Unsupported) return { status: 'draft', zone: null, order_ids: [] };
    throw error;
  }
}

type Quote = NonNullable<RouteQuotes['data']>[number];

/** Counts as an unknown fee: above every total, so that quotes without one are compared by their cost alone. */
const unknown_fee = 1e12;

/** A quote with its times in milliseconds, as the rules of `domain` compare them. */
export function comparable(quote: Quote) {
  const { provider, cost_of_delivery, service_fee, expires_at, too_late } = quote;
  const dropoff_eta = Date.parse(quote.dropoff_eta);
  return {
    quote,
    provider,
    too_late,
    // Unknown values sort last.
    service_fee: Number.isNaN(service_fee) ? unknown_fee : service_fee,
    cost_of_delivery: Number.isNaN(cost_of_delivery) ? Number.POSITIVE_INFINITY : cost_of_delivery,
    dropoff_eta: Number.isNaN(dropoff_eta) ? Number.MAX_SAFE_INTEGER : dropoff_eta,
    expires_at: expires_at === null ? null : Date.parse(expires_at),
  };
}

/** The quotes that can be used at `now`, a time of the service's clock. */
export function usableQuotes({ data }: RouteQuotes, now: number) {
  return (data ?? []).map(comparable).filter((each) => !isExpired(each, now));
}

/** Exit 8: the quotes are not ready or were not requested; the response does not distinguish the two. */
export function quotesPending(
  route: string,
  details: FailureDetails = {},
  message = `The quotes of ${route} are not ready yet.`,
): StillPending {
  return new StillPending(message, {
    code: 'quotes_not_ready',
    next: [requestStep(route), watchStep(route)],
    ...details,
  });
}

export function requestStep(route: string): NextStep {
  const command = invocation('routes quote', [route], { watch: true });
  return { ...command, when: 'if no quotes were requested yet' };
}

export function watchStep(route: string): NextStep {
  return { ...invocation('quotes list', [route], { watch: true }), when: 'wait for them' };
}

/** How an account gets its first provider in live mode. */
const getCouriers: readonly NextStep[] = [
  { ...invocation('couriers connect', ['COURIER']), when: 'connect a courier; couriers list shows them' },
  { ...invocation('drivers add'), when: 'or add a driver of your own' },
];

const seeDrivers: NextStep = {
  ...invocation('drivers list'),
  when: 'see who is on duty: drivers go on duty on their pages',
};

/** Exit 9: every provider declined, with the reasons. */
export function noQuotes(
  route: string,
  { reasons = [] }: RouteQuotes,
  details: FailureDetails = {},
): BadOutcome {
  const isLiveWithoutCourier = reasons.length > 0 && reasons.every(({ code }) => code === 'simulated_only');
  const hasNoDriver = reasons.some(
    ({ provider, code }) => provider === fleet_provider && code === 'no_courier_free',
  );
  const why = isLiveWithoutCourier
    ? 'The account has no connected courier and no driver of its own in live mode. Simulated couriers carry test deliveries only.'
    : reasons.map(reasonText).join('\n');
  return new BadOutcome(`No provider offers a quote for ${route}.`, {
    code: 'no_quotes',
    ...(why === '' ? {} : { why, reasons }),
    next: [
      ...(isLiveWithoutCourier ? getCouriers : []),
      ...(hasNoDriver ? [seeDrivers] : []),
      { ...invocation('routes quote', [route], { watch: true }), when: 'request quotes again later' },
    ],
    ...details,
  });
}

/** Adds the provider's name to a reason that does not contain it. */
export function reasonText({ provider, reason }: Decline): string {
  return reason.includes(provider) ? reason : `${provider}: ${reason}`;
}

/** Columns of quotes. People see the time left, counted from `now`, the service's time, and other times
 * in the zone of the pickup; programs the expiry time. */
export function quoteColumns(now: number, zone: string | null = null): Column<RouteQuote>[] {
  const inZone = () => zone;
  const [forPeople, forPrograms] = etaColumns({
    field: 'pickup_eta',
    header: 'Pickup ETA',
    kind: 'time',
    zone: inZone,
  });
  return [
    { field: 'id', header: 'ID', kind: 'id' },
    { field: 'provider', header: 'Provider', kind: 'text' },
    { field: 'cost_of_delivery', header: 'Cost', kind: 'money', spare: 2 },
    { field: 'service_fee', header: 'Fee', kind: 'money', spare: 1 },
    { field: 'total', header: 'Total', kind: 'money', value: quotePrice },
    { ...forPeople, spare: 3, unlessEmpty: true },
    ...etaColumns({ field: 'dropoff_eta', header: 'Dropoff ETA', kind: 'time', zone: inZone, spare: 4 }),
    {
      field: 'time_left',
      header: 'Time left',
      kind: 'text',
      only: 'people',
      value: ({ expires_at }) => timeLeftText(expires_at, now),
    },
    { field: 'expires_at', header: 'Expires', kind: 'time', only: 'programs' },
    {
      field: 'expired',
      header: 'Expired',
      kind: 'text',
      only: 'programs',
      value: (quote) => isExpired(comparable(quote), now),
    },
    {
      field: 'too_late',
      header: 'Agreed time',
      kind: 'text',
      only: 'people',
      unlessEmpty: true,
      value: ({ too_late }) => (too_late === true ? 'too late' : null),
    },
    {
      field: 'too_late',
      header: 'Too late',
      kind: 'text',
      only: 'programs',
      value: ({ too_late }) => too_late === true,
    },
    { ...forPrograms, wide: true },
    { field: 'expires_at', header: 'Expires', kind: 'time', zone: inZone, wide: true, only: 'people' },
    { field: 'courier_name', header: 'Courier', kind: 'text', wide: true },
  ];
}

/** An expected time: people read a window where the places are known coarsely. */
function etaColumns(
  column: Column<RouteQuote> & { field: 'pickup_eta' | 'dropoff_eta' },
): [forPeople: Column<RouteQuote>, forPrograms: Column<RouteQuote>] {
  const value = (quote: RouteQuote) => {
    const eta = quote[column.field];
    return quotePrecision(quote) === null || Number.isNaN(Date.parse(eta)) ? eta : formatEtaWindow(eta);
  };
  return [
    { ...column, only: 'people', kind: 'interval', value },
    { ...column, only: 'programs' },
  ];
}

/** `4 min`, `no limit`, `expired`: how long a quote can be used, counted from `now`. */
export function timeLeftText(expires_at: string | null, now: number): string {
  if (expires_at === null) return 'no limit';
  const left = Date.parse(expires_at) - now;
  return left <= 0 ? 'expired' : lengthText(left);
}
