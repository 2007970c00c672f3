import type { RouteQuote, RouteQuotes } from '../../contract/quotes.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { dollars } from '../../domain/money.ts';
import { cheapest, fastest, isExpired, quotePrice, rankQuotes } from '../../domain/quotes.ts';
import { didYouMean } from '../kit/args/suggestions.ts';
import { Declined, Failure, UsageError } from '../kit/errors/failure.ts';
import type { Choice } from '../kit/host/host.ts';
import { type Timing, timePhrase } from '../kit/output/times.ts';
import { invocation, type Text } from '../kit/result/message.ts';
import { comparable, noQuotes, pending, routeFacts, usableQuotes } from '../nouns/quote.ts';
import type { Context } from '../session/command.ts';
import { clockOf } from '../waiting/service-waiting.ts';

/** How the quote of a dispatch is selected; of a provider, it is the cheapest. */
export type Preference = { quote: string } | { provider: string } | 'cheapest' | 'fastest';

interface PreferenceFlags {
  /** Only some commands have this flag. */
  quote?: string | undefined;
  /** A driver of the own fleet, whose quotes are those of the provider fleet. */
  driver?: string | undefined;
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
  if (flags.driver !== undefined) given.push({ provider: fleet_provider });
  const [only = null] = given;
  if (given.length === 1 || (only === null && interactive)) return only;
  const own = 'quote' in flags ? ['--quote'] : [];
  const byDriver = 'driver' in flags ? ['--driver'] : [];
  const choices = [...own, '--cheapest', '--fastest', '--provider', ...byDriver];
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
  return selectQuote(usableQuotes(quotes, now), preference) ?? fail(route, quotes, preference);
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
function fail(route: string, { data, reasons = [] }: RouteQuotes, preference: Preference): never {
  const quotes = data ?? [];
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
  const declined = reasons.find((each) => each.provider === provider);
  const why = declined === undefined ? '' : `: ${declined.reason}`;
  throw unknown(route, `There is no quote of ${provider} for ${route}${why}.`, providers, hint);
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
  const message = Number.isNaN(price)
    ? `The quote of ${quote.provider} has no known total, so that --max-cost ${dollars(max_cost)} cannot be checked.`
    : `The quote of ${quote.provider} is ${dollars(price)}, above --max-cost ${dollars(max_cost)}.`;
  throw new Failure(6, 'above_max_cost', message, { hint: 'Nothing was dispatched.' });
}

/** The preferred quote, or the one that the user selects. Fails as `chooseQuote` does; Declined if none is selected. */
export async function pickQuote(
  context: Context,
  route_id: string,
  quotes: RouteQuotes,
  preference: Preference | null,
): Promise<RouteQuote> {
  const best = chooseQuote(route_id, quotes, preference ?? 'cheapest', context.serviceNow());
  if (preference !== null) return best;
  const now = await serviceClock(context);
  const { zone } = await routeFacts(context, route_id);
  const current = () => [
    ...quoteChoices(quotes, { now: now(), times: context.output.times, zone }),
    { name: 'None of them', value: null },
  ];
  const prompts = await context.prompts();
  const quote = await prompts.select('Choose a quote (cost + fee)', current(), { current });
  if (quote === null) throw new Declined('Nothing was dispatched: no quote was chosen.');
  return quote;
}

/** The quotes as choices with their remaining time, sorted by total price. */
export function quoteChoices({ data }: RouteQuotes, timing: Timing): Choice<RouteQuote>[] {
  return rankQuotes((data ?? []).map(comparable)).map((each) => ({
    name: quoteLabel(each.quote, timing),
    value: each.quote,
    ...(isExpired(each, timing.now) ? { disabled: 'expired' } : {}),
  }));
}

/**
 * `poolride, $6.47 ($5.99 + $0.48), arrives at 10:41, 4:07 left`; without a service fee only the price, after which
 * `for 2 separate deliveries` follows if the courier does not carry the route as one run.
 */
function quoteLabel(quote: RouteQuote, timing: Timing): string {
  const { provider, cost_of_delivery, service_fee, dropoff_eta, separate_deliveries: count } = quote;
  const parts = service_fee === 0 ? '' : ` (${dollars(cost_of_delivery)} + ${dollars(service_fee)})`;
  const split = count === undefined ? '' : ` for ${count} separate deliveries`;
  const price = `${dollars(quotePrice(quote))}${parts}${split}`;
  const arrival = dropoff_eta === '' ? '' : `arrives ${timePhrase(dropoff_eta, timing)}`;
  return [provider, price, arrival, timeLeft(quote, timing.now)].filter((part) => part !== '').join(', ');
}

/** `4:07 left`; empty once it has expired. */
export function timeLeft({ expires_at }: Pick<RouteQuote, 'expires_at'>, now: number): string {
  if (expires_at === null) return 'no limit';
  const seconds = Math.ceil((Date.parse(expires_at) - now) / 1000);
  if (seconds <= 0) return '';
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return `${shown.map((part, at) => String(part).padStart(at === 0 ? 1 : 2, '0')).join(':')} left`;
}

/** Returns a clock of the service's time that needs no request: a sandbox clock may be fast or stopped. */
export async function serviceClock(context: Context): Promise<() => number> {
  const clock = (await context.mode()) === 'test' ? await clockOf(context) : null;
  const rate = clock?.rate ?? 1;
  const [then, started_at] = [context.serviceNow(), context.now()];
  return () => then + (context.now() - started_at) * rate;
}
