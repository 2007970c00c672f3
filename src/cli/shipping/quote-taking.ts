import type { RouteQuote, RouteQuotes } from '../../contract/quotes.ts';
import { dollars } from '../../domain/money.ts';
import { isExpired, quotePrice, rankQuotes } from '../../domain/quotes.ts';
import type { Context } from '../context.ts';
import { Declined, UsageError } from '../failures/failure.ts';
import { shortTime } from '../output/times.ts';
import { chooseQuote } from '../quotes/quote-choice.ts';
import { comparable } from '../quotes/quotes.ts';

/** Which quote is taken; null: a person chooses. */
export type Taking = 'cheapest' | 'fastest' | null;

/** The one that the flags say; UsageError for both, and for none where nobody can be asked. */
export function takingOf(
  flags: { cheapest: boolean; fastest: boolean },
  { interactive }: Pick<Context, 'interactive'>,
): Taking {
  if (flags.cheapest !== flags.fastest) return flags.cheapest ? 'cheapest' : 'fastest';
  if (!flags.cheapest && interactive) return null;
  const message = flags.cheapest ? 'Only one quote can be taken: give one flag.' : 'Say which quote to take.';
  throw new UsageError(message, { choices: ['--cheapest', '--fastest'] });
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
  const chosen = await prompts.select('Which quote is taken?', [
    ...usable.map(({ quote }) => ({ name: quoteText(quote, now), value: quote })),
    { name: 'none of them', value: null },
  ]);
  if (chosen === null) throw new Declined('Nothing was dispatched: you took none of the quotes.');
  return chosen;
}

/** `poolride, $6.47, there at 10:41` */
function quoteText(quote: RouteQuote, now: number): string {
  return `${quote.provider}, ${dollars(quotePrice(quote))}, there at ${shortTime(quote.dropoff_eta, now)}`;
}
