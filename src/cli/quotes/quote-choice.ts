import type { RouteQuote, RouteQuotes } from '../../contract/quotes.ts';
import { dollars } from '../../domain/money.ts';
import { type ComparableQuote, cheapest, fastest, isExpired, quotePrice } from '../../domain/quotes.ts';
import { Failure, UsageError } from '../failures/failure.ts';
import { invocation } from '../kit/output/invocation.ts';
import { didYouMean } from '../line/suggestions.ts';
import { comparable, noQuotes, pending } from './quotes.ts';

/** What the best of several quotes is; of a provider, it is its cheapest. */
export type Best = 'cheapest' | 'fastest' | { provider: string };

/** How the quote of a dispatch is found: by its id, or by what is best. */
export type Preference = { quote: string } | Best;

/** The one preference given; null for none where a person can be asked, else UsageError, as for several. */
export function preferenceOf(
  flags: { quote: string | undefined; provider: string | undefined; cheapest: boolean; fastest: boolean },
  { interactive }: { interactive: boolean },
): Preference | null {
  const given: Preference[] = [];
  if (flags.quote !== undefined) given.push({ quote: flags.quote });
  if (flags.cheapest) given.push('cheapest');
  if (flags.fastest) given.push('fastest');
  if (flags.provider !== undefined) given.push({ provider: flags.provider });
  const [only = null] = given;
  if (given.length === 1 || (only === null && interactive)) return only;
  const choices = ['--quote', '--cheapest', '--fastest', '--provider'];
  const message =
    given.length === 0 ? 'Say which quote to take.' : 'Only one quote can be taken: give one flag.';
  throw new UsageError(message, { choices });
}

/**
 * The quote to dispatch with, from one look at the quotes. Never one that has expired by `now`, the service's
 * clock. Fails with exit 8 while they are pending, 9 where there is none, 5 for an unknown id, 6 where it expired.
 */
export function chooseQuote(
  route: string,
  quotes: RouteQuotes,
  preference: Preference,
  now: number,
): RouteQuote {
  if (quotes.status === 'PENDING' || quotes.data === null) throw pending(route);
  if (quotes.data.length === 0) throw noQuotes(route, quotes);
  const all = quotes.data.map(comparable);
  const usable = all.filter((each) => !isExpired(each, now));
  if (typeof preference === 'object' && 'quote' in preference) {
    const named = all.find(({ quote }) => quote.id === preference.quote);
    if (named === undefined) throw unknownQuote(route, preference.quote, quotes.data);
    if (!usable.includes(named)) throw expired(route, `The quote ${named.quote.id} has expired.`);
    return named.quote;
  }
  const best = bestOf(usable, preference);
  if (best === null) throw noneLeft(route, preference, quotes.data);
  return best.quote;
}

/** The best of what can be taken; null where there is none. */
export function bestOf<T extends ComparableQuote>(usable: readonly T[], best: Best): T | null {
  if (best === 'fastest') return fastest(usable);
  if (best === 'cheapest') return cheapest(usable);
  return cheapest(usable.filter(({ provider }) => provider === best.provider));
}

/** Exit 6 where the quote is dearer than the most that may be paid, in cents. */
export function checkPrice(quote: RouteQuote, max_cost: number | undefined): void {
  const price = quotePrice(quote);
  if (max_cost === undefined || price <= max_cost) return;
  const message = `The quote of ${quote.provider} is ${dollars(price)}, above --max-cost ${dollars(max_cost)}.`;
  throw new Failure(6, 'above_max_cost', message, { hint: 'Nothing was dispatched.' });
}

function unknownQuote(route: string, id: string, quotes: readonly RouteQuote[]): Failure {
  return new Failure(5, 'quote_not_found', `${id} is not a quote of ${route}.`, {
    choices: quotes.map((quote) => quote.id),
    next: [{ ...invocation('quotes list', [route]), when: 'see its quotes' }],
  });
}

function noneLeft(route: string, best: Best, quotes: readonly RouteQuote[]): Failure {
  if (typeof best === 'string') return expired(route, `All quotes of ${route} have expired.`);
  const providers = [...new Set(quotes.map(({ provider }) => provider))];
  if (providers.includes(best.provider))
    return expired(route, `All quotes of ${best.provider} for ${route} have expired.`);
  const hint = didYouMean(best.provider, providers);
  return new Failure(5, 'quote_not_found', `There is no quote of ${best.provider} for ${route}.`, {
    ...(hint === undefined ? {} : { hint }),
    choices: providers,
    next: [{ ...invocation('quotes list', [route]), when: 'see its quotes' }],
  });
}

function expired(route: string, message: string): Failure {
  return new Failure(6, 'quote_expired', message, {
    hint: 'Nothing was dispatched.',
    next: [{ ...invocation('routes quote', [route], { watch: true }), when: 'ask for fresh ones' }],
  });
}
