import type { RouteQuote, RouteQuotes } from '../../contract/quotes.ts';
import { dollars } from '../../domain/money.ts';
import { isExpired, quotePrice, rankQuotes } from '../../domain/quotes.ts';
import type { Context } from '../context.ts';
import { Declined, UsageError } from '../failures/failure.ts';
import { type Timing, timeSaid } from '../output/times.ts';
import { type Best, chooseQuote } from '../quotes/quote-choice.ts';
import { comparable } from '../quotes/quotes.ts';

/** Which quote is taken; null: a person chooses. */
export type Taking = Best | null;

/** The one that the flags say; UsageError for several, and for none where nobody can be asked. */
export function takingOf(
  { cheapest, fastest, provider }: { cheapest: boolean; fastest: boolean; provider: string | undefined },
  { interactive }: Pick<Context, 'interactive'>,
): Taking {
  const given: Best[] = [];
  if (cheapest) given.push('cheapest');
  if (fastest) given.push('fastest');
  if (provider !== undefined) given.push({ provider });
  const [only = null] = given;
  if (given.length === 1 || (only === null && interactive)) return only;
  const message = only === null ? 'Say which quote to take.' : 'Only one quote can be taken: give one flag.';
  throw new UsageError(message, { choices: ['--cheapest', '--fastest', '--provider'] });
}

/** A choice as a line has it: `--provider poolride`. */
export function takingText(best: Best): string {
  return typeof best === 'string' ? `--${best}` : `--provider ${best.provider}`;
}

/** The quote to dispatch with; fails as `chooseQuote` does, and with exit 3 where a person takes none. */
export async function takenQuote(
  context: Context,
  route_id: string,
  quotes: RouteQuotes,
  taking: Taking,
): Promise<RouteQuote> {
  const now = context.serviceNow();
  const best = chooseQuote(route_id, quotes, taking ?? 'cheapest', now);
  if (taking !== null) return best;
  const usable = rankQuotes((quotes.data ?? []).map(comparable)).filter((each) => !isExpired(each, now));
  const prompts = await context.prompts();
  const timing = { now, times: context.output.times };
  const chosen = await prompts.select('Choose a quote', [
    ...usable.map(({ quote }) => ({ name: quoteText(quote, timing), value: quote })),
    { name: 'None of them', value: null },
  ]);
  if (chosen === null) throw new Declined('Nothing was dispatched: no quote was chosen.');
  return chosen;
}

/** `poolride, $6.47, arrives at 10:41` */
function quoteText(quote: RouteQuote, timing: Timing): string {
  return `${quote.provider}, ${dollars(quotePrice(quote))}, arrives ${timeSaid(quote.dropoff_eta, timing)}`;
}
