import type { RouteQuotes } from '../contract/quotes.ts';
import { rankQuotes } from '../domain/quotes.ts';
import { quoteColumns } from './columns/quotes.ts';
import { commandLine } from './command-line.ts';
import type { Context } from './context.ts';
import { BadOutcome, type FailureDetails, StillPending } from './failure.ts';
import { duration } from './flags.ts';
import { document, list, type Result, type Show, stream } from './result.ts';
import { type Patience, repeatedly } from './waiting.ts';

export const timeoutFlag = duration({
  summary: 'How long to wait; without it, ten looks in about two minutes',
});

/** Brings the quotes of a route as they are now. */
export async function lookAtQuotes(context: Context, route_id: string): Promise<RouteQuotes> {
  const client = await context.client();
  const { data } = await client.quotes.list({ params: { route_id } });
  return data;
}

/** Each look at the quotes, until they are complete; StillPending when time ran out before. */
async function* looks(context: Context, route: string, patience: Patience): AsyncGenerator<RouteQuotes> {
  const command = commandLine(['quotes', 'list', route], { watch: true });
  context.standing(`The quotes of ${route} are still being collected. See them with: ${command}`);
  for await (const quotes of repeatedly(() => lookAtQuotes(context, route), context, patience)) {
    yield quotes;
    if (quotes.status === 'COMPLETE') return;
  }
  throw pending(route);
}

/** Waits for the quotes and answers with them, as one look at the end would. */
export async function waitForQuotes(context: Context, route: string, patience: Patience): Promise<Result> {
  const progress = await context.progress('Waiting for the quotes');
  try {
    for await (const quotes of looks(context, route, patience)) {
      if (quotes.status === 'COMPLETE') return quotesAnswer(context, route, quotes);
    }
    throw pending(route);
  } finally {
    progress.stop();
  }
}

/** Waits for the quotes; for programs, with a line for each change. */
export async function watchQuotes(context: Context, route: string, patience: Patience): Promise<Result> {
  if (!context.output.json) return waitForQuotes(context, route, patience);
  return stream(changes(context, route, patience), lineOf);
}

type QuotesEvent = RouteQuotes & { type: 'route_quotes.pending' | 'route_quotes.completed' };

async function* changes(context: Context, route: string, patience: Patience): AsyncGenerator<QuotesEvent> {
  let told: string | null = null;
  for await (const quotes of looks(context, route, patience)) {
    if (quotes.status === told) continue;
    told = quotes.status;
    yield {
      type: quotes.status === 'PENDING' ? 'route_quotes.pending' : 'route_quotes.completed',
      ...quotes,
    };
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
export function quotesAnswer(context: Context, route: string, quotes: RouteQuotes): Result {
  const answer = context.output.format === 'json' ? { answer: document(quotes) } : {};
  if (quotes.status === 'PENDING' || quotes.data === null) throw pending(route, answer);
  if (quotes.data.length === 0) throw noQuotes(route, quotes, answer);
  const notes = [
    `Next: ${commandLine(['dispatch', route], { cheapest: true })}, or --fastest, or --quote ID`,
  ];
  if (context.output.format === 'json') return document(quotes, { notes });
  const ranked = rankQuotes(quotes.data.map(comparable)).map(({ quote }) => quote);
  return list({ data: ranked, columns: quoteColumns(context.serviceNow()), notes });
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

/** Exit 8: the quotes are not there yet, or nobody asked for them. */
export function pending(route: string, details: FailureDetails = {}): StillPending {
  return new StillPending(`The quotes of ${route} are not ready yet.`, {
    code: 'quotes_not_ready',
    next: [
      { command: commandLine(['quotes', 'list', route], { watch: true }), when: 'wait for them' },
      {
        command: commandLine(['routes', 'quote', route], { watch: true }),
        when: 'nobody has asked for them',
      },
    ],
    ...details,
  });
}

/** Exit 9: every provider declined; why stands in the message. */
export function noQuotes(
  route: string,
  { reasons = [] }: RouteQuotes,
  details: FailureDetails = {},
): BadOutcome {
  const why = reasons.map(({ provider, reason }) => `${provider}: ${reason}`).join('\n');
  return new BadOutcome(`No provider takes ${route}.`, {
    code: 'no_quotes',
    ...(why === '' ? {} : { why }),
    next: [
      { command: commandLine(['routes', 'quote', route], { watch: true }), when: 'ask again later' },
      { command: commandLine(['routes', 'delete', route]), when: 'give its orders back' },
    ],
    ...details,
  });
}
