/**
 * The quotes of a route. `requestQuotes` starts a round, `getQuotes` reads it, and `quotesAnswer` is the list
 * (`quote-columns.ts`) with its notes and the next step, or the error that says what to do without a quote
 * (`missing-quotes.ts`). Waiting for a round is in `quote-waiting.ts`, and the chart below the list in `quote-plot.ts`.
 */
import { Unsupported } from '../../client/errors.ts';
import type { DeliveryQuote } from '../../contract/delivery-changes.ts';
import type { Decline, Job, RouteQuote, RouteQuotes } from '../../contract/routes.ts';
import { findZone } from '../../domain/addresses.ts';
import { dollars } from '../../domain/money.ts';
import { isExpired, quotePrice, rankQuotes } from '../../domain/quotes.ts';
import { moneyText } from '../kit/args/flags.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import {
  documentResult,
  type Formatters,
  isForPeople,
  listResult,
  type Result,
} from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import { applyListView, type ListView, withNamedColumns } from '../session/list-view.ts';
import { noQuotes, quotesPending, reasonText } from './missing-quotes.ts';
import { type RouteLimit, readRouteLimit } from './order-limits.ts';
import { comparable, type Quote, quoteColumns, usableQuotes } from './quote-columns.ts';
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
  return view === undefined || quotes.data === null
    ? quotes
    : { ...quotes, data: applyListView(quotes.data, view) };
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

/** What is charged with a quote of a delivery, in cents without the tip: its fee may be what recipients are shown. */
export function chargedPrice({ fee, payment_amount = fee }: DeliveryQuote): number {
  return payment_amount;
}

/** Says in one line who does not offer a quote, and why; without providers that never carry such a route. */
export function declinedNotes({ reasons = [] }: Pick<RouteQuotes, 'reasons'>): string[] {
  const told = reasons.filter(({ code }) => code !== 'scheduled_only');
  if (told.length === 0) return [];
  const texts = told.map((each) => oneLine(reasonText(each)).replace(/\.$/, ''));
  return [`No quote: ${texts.join('; ')}.`];
}

/** Who does not offer a quote, from the remarks on a request: `service: haulvan does not quote (too_far): ...`. */
export function declinesIn(remarks: readonly string[] = []): Decline[] {
  return remarks.flatMap((remark) => {
    const [, provider, code, reason = ''] = /^service: (\S+) .*?\((\w+)\): (.*)$/s.exec(remark) ?? [];
    return provider === undefined || code === undefined ? [] : [{ provider, code, reason }];
  });
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
