/** Waits for the quotes of a route, and prints a line for each change (a table that is redrawn: `live-quotes.ts`). */
import type { RouteQuote, RouteQuotes } from '../../contract/routes.ts';
import { dollars } from '../../domain/money.ts';
import { quotePrice } from '../../domain/quotes.ts';
import { once } from '../kit/once.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import { isColumnShown, type Result, type StreamLine, toCell } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import type { ListView } from '../session/list-view.ts';
import { clockStandsStill, readServiceClock, scaledClock } from '../waiting/service-clock.ts';
import {
  type Awaitable,
  type EventFilter,
  type WaitOptions,
  type Watched,
  waitFor,
  watchChanges,
} from '../waiting/service-waiting.ts';
import { canRedraw, showLiveQuotes } from './live-quotes.ts';
import { noQuotes, notRequested, requestStep, watchStep } from './missing-quotes.ts';
import { getQuotes, quotesAnswer, routeFacts, shownQuotes } from './quote.ts';
import { quoteColumns } from './quote-columns.ts';

interface QuotesWait {
  /** Undefined: as long as the contract recommends. */
  timeout_ms: number | undefined;
  interval_ms?: number | undefined;
  /** True if they were just requested, so that they cannot be complete yet. */
  isRequested: boolean;
  /** What of the quotes is shown, and in which order; undefined: all, cheapest first. */
  view?: ListView<RouteQuote> | undefined;
  /** Replaces the text of an interruption that says how to see the quotes. */
  interruptionText?: () => Text;
}

/** Waits for the quotes and returns them like `quotes list`. */
export async function waitForQuotes(context: Context, route: string, wait: QuotesWait): Promise<Result> {
  return quotesAnswer(context, route, await completeQuotes(context, route, wait), wait.view);
}

/** Waits until the quotes are complete; exit 8 after the timeout. */
export async function completeQuotes(
  context: Context,
  route: string,
  wait: QuotesWait,
): Promise<RouteQuotes> {
  return waitFor(context, await quotesWaitable(context, route, wait), optionsOf(route, wait));
}

/**
 * Waits for the quotes and prints a line for each change. In a terminal the quotes are a table at the end, which `isLive`
 * keeps redrawing with the time left. Formats of whole lists get the list at the end.
 */
export async function watchQuotes(
  context: Context,
  route: string,
  wait: QuotesWait & { isLive?: boolean },
): Promise<Result> {
  const { format, json } = context.output;
  if (wait.isLive === true && canRedraw(context)) return redrawnQuotes(context, route, wait);
  if (format === 'csv' || format === 'id' || (!json && context.host.stdout.isTerminal))
    return waitForQuotes(context, route, wait);
  const waitable = await quotesWaitable(context, route, wait);
  const failed = (quotes: RouteQuotes) => (quotes.data?.length === 0 ? noQuotes(route, quotes) : null);
  return watchChanges(context, { ...waitable, failed }, optionsOf(route, wait));
}

async function redrawnQuotes(context: Context, route: string, wait: QuotesWait): Promise<Result> {
  const started_at = context.now();
  const quotes = await completeQuotes(context, route, wait);
  const { zone } = await routeFacts(context, route);
  const end_at = started_at + (wait.timeout_ms ?? Number.POSITIVE_INFINITY);
  await showLiveQuotes(context, shownQuotes(quotes, wait.view), { started_at, zone, end_at });
  return quotesAnswer(context, route, quotes, wait.view);
}

function optionsOf(
  route: string,
  { timeout_ms, interval_ms, isRequested }: QuotesWait,
): WaitOptions<RouteQuotes> {
  const again = isRequested ? [watchStep(route)] : [watchStep(route), requestStep(route)];
  return { timeout_ms, interval_ms, again: () => again };
}

/** The state of quotes right after the request. */
const requested: RouteQuotes = { object: 'route_quotes', status: 'PENDING', data: null };

async function quotesWaitable(
  context: Context,
  route: string,
  { isRequested, interruptionText, view }: QuotesWait,
): Promise<Awaitable<RouteQuotes> & Watched<RouteQuotes>> {
  const readClock = once(() => readServiceClock(context));
  const first = isRequested ? requested : await getQuotes(context, route);
  if (first.requested === false) throw notRequested(route);
  const command = invocation('quotes list', [route], { watch: true });
  return {
    first,
    test_mode: false,
    events: eventsOf(route),
    timeoutCode: 'quotes_not_ready',
    // Quotes that were just requested cannot be complete when the stream opens, unless an event says so.
    recommended: { clock: scaledClock(context, readClock), pollsAtOpening: !isRequested },
    poll: () => getQuotes(context, route),
    isUnchanged: (before, seen) => before.status === seen.status,
    reached: ({ status }) => status === 'COMPLETE',
    failed: () => null,
    hintIfIdle: async () => ((await readClock())?.mode === 'manual' ? clockStandsStill() : null),
    interruptionText: () =>
      interruptionText?.() ??
      phrase`The quotes of ${route} are still being collected. See them with: ${command}`,
    status: () => `the quotes of ${route} are not ready yet`,
    progress: () => 'Waiting for the quotes',
    describeChange: (before, seen) =>
      before?.status === seen.status ? [] : [lineOf(shownQuotes(seen, view), context.serviceNow())],
  };
}

/** Quotes name their route; an event without quotes may be about this route. */
function eventsOf(route: string): EventFilter {
  return {
    types: ['route_quotes.completed'],
    isAbout: ({ data }) => !Array.isArray(data) || data.every((quote) => quote?.route_id === route),
  };
}

/** A line for people has the status and each quote; programs get the rows of `quotes list`. */
function lineOf(quotes: RouteQuotes, now: number): StreamLine {
  const { status, data } = quotes;
  const type = status === 'PENDING' ? 'route_quotes.pending' : 'route_quotes.completed';
  const columns = quoteColumns(now).filter((column) => isColumnShown(column, 'tsv'));
  const lines = (data ?? []).map((quote) => {
    const { id, provider, dropoff_eta, expires_at } = quote;
    return [id, provider, dollars(quotePrice(quote)), dropoff_eta, expires_at ?? ''];
  });
  return {
    data: { type, ...quotes },
    rows: (data ?? []).map((quote) => columns.map((column) => toCell(column, quote))),
    line: () =>
      [data === null ? [status] : [status, String(data.length)], ...lines]
        .map((cells) => cells.join('  '))
        .join('\n'),
  };
}
