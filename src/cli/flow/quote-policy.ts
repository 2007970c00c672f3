import type { RouteQuote, RouteQuotes } from '../../contract/quotes.ts';
import { dollars } from '../../domain/money.ts';
import { cheapest, fastest, quotePrice } from '../../domain/quotes.ts';
import { type comparable, noQuotes, pending, usableQuotes } from '../commands/quotes/quotes.ts';
import { didYouMean } from '../kit/args/suggestions.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/invocation.ts';
import type { Text } from '../kit/result/message.ts';

/** How the quote of a dispatch is selected; of a provider, it is the cheapest. */
export type Preference = { quote: string } | { provider: string } | 'cheapest' | 'fastest';

interface PreferenceFlags {
  /** Only some commands have this flag. */
  quote?: string | undefined;
  cheapest: boolean;
  fastest: boolean;
  provider: string | undefined;
}

/** The one preference given. Null without any if the user can be asked; otherwise UsageError, as for several. */
export function preferenceOf(
  flags: PreferenceFlags,
  { interactive }: { interactive: boolean },
): Preference | null {
  const given: Preference[] = [];
  if (flags.quote !== undefined) given.push({ quote: flags.quote });
  if (flags.cheapest) given.push('cheapest');
  if (flags.fastest) given.push('fastest');
  if (flags.provider !== undefined) given.push({ provider: flags.provider });
  const [only = null] = given;
  if (given.length === 1 || (only === null && interactive)) return only;
  const choices = [...('quote' in flags ? ['--quote'] : []), '--cheapest', '--fastest', '--provider'];
  const message = only === null ? 'Select a quote with a flag.' : 'Only one of these flags can be used.';
  throw new UsageError(message, { choices });
}

/** A preference as its flag: `--provider poolride`. */
export function preferenceText(preference: Preference): string {
  if (typeof preference === 'string') return `--${preference}`;
  return 'quote' in preference ? `--quote ${preference.quote}` : `--provider ${preference.provider}`;
}

/**
 * The quote to dispatch with. Never one that has expired by `now`, a time of the service's clock. Fails with exit 8
 * while they are pending, 9 if there are none, 5 for an unknown one, 6 if it has expired.
 */
export function chooseQuote(
  route: string,
  quotes: RouteQuotes,
  preference: Preference,
  now: number,
): RouteQuote {
  if (quotes.status === 'PENDING' || quotes.data === null) throw pending(route);
  if (quotes.data.length === 0) throw noQuotes(route, quotes);
  return selectQuote(usableQuotes(quotes, now), preference) ?? fail(route, quotes.data, preference);
}

/** The preferred quote of those that can be used, or null. */
export function selectQuote(
  usable: readonly ReturnType<typeof comparable>[],
  preference: Preference,
): RouteQuote | null {
  if (preference === 'fastest') return fastest(usable)?.quote ?? null;
  if (preference === 'cheapest') return cheapest(usable)?.quote ?? null;
  if ('quote' in preference) return usable.find(({ quote }) => quote.id === preference.quote)?.quote ?? null;
  return cheapest(usable.filter(({ provider }) => provider === preference.provider))?.quote ?? null;
}

/** Says why there is no such quote: it has expired, or is unknown. */
function fail(route: string, quotes: readonly RouteQuote[], preference: Preference): never {
  if (typeof preference === 'string') throw expired(route, `All quotes of ${route} have expired.`);
  if ('quote' in preference) {
    const ids = quotes.map(({ id }) => id);
    if (ids.includes(preference.quote)) throw expired(route, `The quote ${preference.quote} has expired.`);
    throw unknown(route, `${preference.quote} is not a quote of ${route}.`, ids);
  }
  const { provider } = preference;
  const providers = [...new Set(quotes.map((quote) => quote.provider))];
  if (providers.includes(provider))
    throw expired(route, `All quotes of ${provider} for ${route} have expired.`);
  const hint = didYouMean(provider, providers);
  throw unknown(route, `There is no quote of ${provider} for ${route}.`, providers, hint);
}

function unknown(route: string, message: string, choices: readonly string[], hint?: Text): Failure {
  const next = [{ ...invocation('quotes list', [route]), when: 'list its quotes' }];
  return new Failure(5, 'quote_not_found', message, {
    ...(hint === undefined ? {} : { hint }),
    choices,
    next,
  });
}

function expired(route: string, message: string): Failure {
  const next = [{ ...invocation('routes quote', [route], { watch: true }), when: 'request new quotes' }];
  return new Failure(6, 'quote_expired', message, { hint: 'Nothing was dispatched.', next });
}

/** Fails with exit 6 if the quote costs more than the maximum, in cents. */
export function checkPrice(quote: RouteQuote, max_cost: number | undefined): void {
  const price = quotePrice(quote);
  if (max_cost === undefined || price <= max_cost) return;
  const message = `The quote of ${quote.provider} is ${dollars(price)}, above --max-cost ${dollars(max_cost)}.`;
  throw new Failure(6, 'above_max_cost', message, { hint: 'Nothing was dispatched.' });
}
