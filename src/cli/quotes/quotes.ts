import type { Decline, RouteQuotes } from '../../contract/quotes.ts';
import { isExpired, rankQuotes } from '../../domain/quotes.ts';
import { quoteColumns } from '../columns/quotes.ts';
import type { Context } from '../context.ts';
import { BadOutcome, type FailureDetails, StillPending } from '../failures/failure.ts';
import type { NextStep } from '../kit/output/invocation.ts';
import { invocation } from '../kit/output/invocation.ts';
import type { Text } from '../kit/output/message.ts';
import { phrase } from '../kit/output/message.ts';
import { clockStandsStill, type Remarks, remarksFor } from '../kit/polling/hints.ts';
import { type Patience, repeatedly } from '../kit/polling/poll.ts';
import { durationText } from '../line/flags.ts';
import { once } from '../once.ts';
import { document, list, type Result, type Show, stream } from '../result.ts';
import { bellOf, type Told } from '../waiting/event-notifications.ts';
import { clockOf, scaledWaits } from '../waiting/poll-clocks.ts';
import { remarkedProgress } from '../waiting/wait.ts';
import type { QuotePlot } from './quote-plot.ts';

/** Brings the quotes of a route as they are now. */
export async function lookAtQuotes(context: Context, route_id: string): Promise<RouteQuotes> {
  const client = await context.client();
  const { data } = await client.quotes.list({ params: { route_id } });
  return data;
}

interface Waiting extends Patience {
  /** What is said on an interruption, instead of how to see the quotes. */
  standing?: Text;
}

/**
 * Each look at the quotes, until they are complete; StillPending when time ran out before. That the clock of a sandbox
 * stands still is said at once.
 */
async function* looks(
  context: Context,
  route: string,
  patience: Waiting,
  remarks: Remarks,
): AsyncGenerator<RouteQuotes> {
  const command = invocation('quotes list', [route], { watch: true });
  const standing = phrase`The quotes of ${route} are still being collected. See them with: ${command}`;
  context.standing(patience.standing ?? standing);
  const look = () => lookAtQuotes(context, route);
  const readClock = once(() => clockOf(context));
  const remarkStillClock = async () => {
    if ((await readClock())?.mode === 'manual') await remarks.say(clockStandsStill());
  };
  let isRemarked = patience.waitFirst;
  if (patience.waitFirst) await remarkStillClock();
  // Just asked for, they are not there before the first wait is over, unless an event tells of them.
  const pace = { ...patience, looksAtOpening: !patience.waitFirst };
  const bell = bellOf(context, toldOf(route));
  for await (const quotes of repeatedly(look, scaledWaits(context, readClock), pace, bell)) {
    yield quotes;
    if (quotes.status === 'COMPLETE') return;
    if (!isRemarked) await remarkStillClock();
    isRemarked = true;
  }
  throw ranOut(route, patience, remarks);
}

/** The quotes name their route; where there are none, it may be this one. */
function toldOf(route: string): Told {
  return {
    types: ['route_quotes.completed'],
    isAbout: ({ data }) => !Array.isArray(data) || data.every((quote) => quote?.route_id === route),
  };
}

/** Exit 8 at the end of a wait. Where it began with asking, nobody is told to ask. */
function ranOut(route: string, { timeout_ms, waitFirst }: Patience, remarks: Remarks): StillPending {
  const time = timeout_ms === undefined ? 'about two minutes' : durationText(timeout_ms);
  const { next, ...hint } = remarks.details();
  const waits = waitFirst ? [watching(route)] : [watching(route), asking(route)];
  return pending(
    route,
    { ...hint, next: [...next, ...waits] },
    `Time ran out after ${time}: the quotes of ${route} are not ready yet.`,
  );
}

/** Waits for the quotes and answers with them, as one look at the end would. */
export async function waitForQuotes(context: Context, route: string, patience: Patience): Promise<Result> {
  return quotesAnswer(context, route, await completeQuotes(context, route, patience));
}

/** Waits until the quotes are complete; StillPending when time ran out before. */
export async function completeQuotes(
  context: Context,
  route: string,
  patience: Waiting,
): Promise<RouteQuotes> {
  const { remarks, ...progress } = await remarkedProgress(context, () => 'Waiting for the quotes');
  try {
    for await (const quotes of looks(context, route, patience, remarks)) {
      if (quotes.status === 'COMPLETE') return quotes;
    }
    throw ranOut(route, patience, remarks);
  } finally {
    progress.stop();
  }
}

/** How quotes are watched. */
interface Watching extends Patience {
  changesOnly: boolean;
}

/** Waits for the quotes; for programs, with a line for each change. */
export async function watchQuotes(context: Context, route: string, watching: Watching): Promise<Result> {
  if (!context.output.json) return waitForQuotes(context, route, watching);
  return stream(changes(context, route, watching), lineOf);
}

type QuotesEvent = RouteQuotes & { type: 'route_quotes.pending' | 'route_quotes.completed' };

async function* changes(context: Context, route: string, watching: Watching): AsyncGenerator<QuotesEvent> {
  let told: string | null = null;
  const remarks = remarksFor(context, { note: context.note, isEndless: false });
  for await (const quotes of looks(context, route, watching, remarks)) {
    if (quotes.status === told) continue;
    const isTold = told !== null || !watching.changesOnly;
    told = quotes.status;
    const type = told === 'PENDING' ? 'route_quotes.pending' : 'route_quotes.completed';
    if (isTold) yield { type, ...quotes };
    if (quotes.data?.length === 0) throw noQuotes(route, quotes);
  }
}

function lineOf({ status, data }: QuotesEvent, show: Show): string {
  return `${show.status(status)} ${data?.length ?? 0} quotes`;
}

/**
 * The quotes of one look, cheapest first; in JSON the interface's own wrapper. Pending is exit 8 and none is
 * exit 9, each with its answer on stdout all the same.
 */
export async function quotesAnswer(context: Context, route: string, quotes: RouteQuotes): Promise<Result> {
  const answer = context.output.format === 'json' ? { answer: document(quotes) } : {};
  if (quotes.status === 'PENDING' || quotes.data === null) throw pending(route, answer);
  if (quotes.data.length === 0) throw noQuotes(route, quotes, answer);
  if (context.output.format === 'json') return document(quotes);
  const ranked = rankQuotes(quotes.data.map(comparable));
  const now = context.serviceNow();
  const isUsable = ranked.some((each) => !isExpired(each, now));
  const notes = context.output.quiet ? [] : [await nextStep(context, route, isUsable)];
  const data = ranked.map(({ quote }) => quote);
  const { quotePlot } = await import('./quote-plot.ts');
  const foot = (show: Show) => plotText(quotePlot(data, show));
  return list({ data, columns: quoteColumns(now), foot, notes });
}

function plotText(plot: QuotePlot | null): string | null {
  return plot === null ? null : [plot.head, ...plot.lines].join('\n');
}

/** What can be done with the quotes of a route: they outlive both their time and the draft. */
async function nextStep(context: Context, route: string, isUsable: boolean): Promise<Text> {
  const client = await context.client();
  const { status } = (await client.routes.get({ params: { route_id: route } })).data;
  if (status !== 'draft') return phrase`The route is ${status}. See it: ${invocation('routes get', [route])}`;
  if (isUsable)
    return phrase`Next: ${invocation('dispatch', [route], { cheapest: true })}, or --fastest, or --quote ID`;
  return phrase`All of them have expired. Next: ${invocation('routes quote', [route], { watch: true })}`;
}

type Quote = NonNullable<RouteQuotes['data']>[number];

/** A quote with its times as milliseconds, as the rules of the trade compare them. */
export function comparable(quote: Quote) {
  const { provider, cost_of_delivery, service_fee, dropoff_eta, expires_at } = quote;
  return {
    ...{ quote, provider, cost_of_delivery, service_fee, dropoff_eta: Date.parse(dropoff_eta) },
    expires_at: expires_at === null ? null : Date.parse(expires_at),
  };
}

/** Exit 8: the quotes are not there yet, or nobody asked for them; the interface does not tell which. */
export function pending(
  route: string,
  details: FailureDetails = {},
  message = `The quotes of ${route} are not ready yet.`,
): StillPending {
  return new StillPending(message, {
    code: 'quotes_not_ready',
    next: [watching(route), asking(route)],
    ...details,
  });
}

function asking(route: string): NextStep {
  const command = invocation('routes quote', [route], { watch: true });
  return { ...command, when: 'only if nobody has asked for them yet' };
}

function watching(route: string): NextStep {
  return { ...invocation('quotes list', [route], { watch: true }), when: 'wait for them' };
}

/** Exit 9: every provider declined; why stands in the message. */
export function noQuotes(
  route: string,
  { reasons = [] }: RouteQuotes,
  details: FailureDetails = {},
): BadOutcome {
  const why = reasons.map(reasonText).join('\n');
  return new BadOutcome(`No provider takes ${route}.`, {
    code: 'no_quotes',
    ...(why === '' ? {} : { why, reasons }),
    next: [
      { ...invocation('routes quote', [route], { watch: true }), when: 'ask again later' },
      { ...invocation('routes delete', [route]), when: 'give its orders back' },
    ],
    ...details,
  });
}

/** Most reasons name their provider themselves. */
function reasonText({ provider, reason }: Decline): string {
  return reason.includes(provider) ? reason : `${provider}: ${reason}`;
}
