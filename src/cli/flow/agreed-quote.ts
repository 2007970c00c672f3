/** The quote of a dispatch: how it is chosen by a preference, or by the user. */
import type { RouteQuote, RouteQuotes } from '../../contract/routes.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { formatEtaWindow, quotePrecision } from '../../domain/estimates.ts';
import { dollars } from '../../domain/money.ts';
import { cheapest, fastest, isExpired, punctualQuotes, quotePrice, rankQuotes } from '../../domain/quotes.ts';
import { lateHint } from '../errors/error-codes.ts';
import { switchFlag } from '../kit/args/flags.ts';
import { Declined, Failure, UsageError } from '../kit/errors/failure.ts';
import type { Choice } from '../kit/host/host.ts';
import { intervalText, shortTime, styledTime, type TimeContext, timePhrase } from '../kit/output/times.ts';
import { didYouMean, invocation, phrase, type Text, timePart } from '../kit/result/message.ts';
import { noQuotes, quotesPending } from '../nouns/missing-quotes.ts';
import { routeFacts } from '../nouns/quote.ts';
import { comparable, usableQuotes } from '../nouns/quote-columns.ts';
import { type Context, isOwnService } from '../session/command.ts';
import { readServiceClock } from '../waiting/service-clock.ts';

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
export function readPreference(
  flags: PreferenceFlags,
  { interactive }: { interactive: boolean },
): Preference | null {
  const given: Preference[] = [];
  if (flags.quote === 'cheapest' || flags.quote === 'fastest') given.push(flags.quote);
  else if (flags.quote !== undefined) given.push({ quote: flags.quote });
  // A named provider or driver is used with its cheapest quote anyway.
  const isOfOne = flags.provider !== undefined || flags.driver !== undefined;
  if (flags.cheapest && !isOfOne) given.push('cheapest');
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

/** How a quote is chosen. */
export interface QuoteChoice {
  preference: Preference;
  /** A quote is also taken if none keeps the agreed time. */
  lateOk: boolean;
  /** The IANA zone of the first pickup, in which a refusal names times. */
  zone?: string | null;
}

/** `--late-ok`: dispatches although no quote keeps the agreed time. */
export function lateOkFlag(group?: string) {
  const summary = 'Dispatch even if no quote keeps the agreed time';
  return switchFlag({ summary, ...(group === undefined ? {} : { group }) });
}

/** Has the service that selects a quote refuse one that is too late; another service does not know the field. */
export function lateOkField(context: Context, lateOk: boolean): { late_ok?: false } {
  return !lateOk && isOwnService(context) ? { late_ok: false } : {};
}

/**
 * The quote to dispatch with. Never one that has expired by `now`, a time of the service's clock, nor a worse one
 * because the best has expired, nor one that cannot keep the agreed time, unless that is allowed or it is named. Fails
 * with exit 8 while they are pending, 9 if there are none, 5 for an unknown one, 6 if it has expired or is too late.
 */
export function chooseQuote(
  route: string,
  quotes: RouteQuotes,
  { preference: typed, lateOk, zone }: QuoteChoice,
  now: number,
): RouteQuote {
  const preference = readQuoteName(typed, quotes);
  const usable = usableOrFail(route, quotes, now);
  const chosen = preferredQuote(usable, preference) ?? failToSelect(route, quotes, preference);
  const best = preferredQuote((quotes.data ?? []).map(comparable), preference) ?? chosen;
  if (best.id !== chosen.id)
    throw quoteExpired(
      route,
      `The best quote of ${preferenceText(preference)} has expired: ${best.provider}'s ${dollars(quotePrice(best))}. The next one is ${chosen.provider}'s ${dollars(quotePrice(chosen))}.`,
    );
  const isNamed = typeof preference === 'object' && 'quote' in preference;
  if (chosen.too_late === true && !lateOk && !isNamed) throw allTooLate(route, chosen, zone);
  return chosen;
}

/** Exit 6: no quote keeps the agreed time. */
function allTooLate(route: string, quote: RouteQuote, zone?: string | null): Failure {
  const about = quotePrecision(quote) === null ? '' : 'about ';
  const first = phrase`The quote of ${quote.provider} arrives ${about}${timePart(quote.dropoff_eta, 'none', zone)}.`;
  return new Failure(6, 'too_late', `No quote of ${route} keeps the agreed time.`, {
    why: first,
    hint: lateHint,
    next: [
      {
        ...invocation('dispatch', [route], { quote: quote.id }),
        when: 'dispatch all the same, if the later time is agreed',
      },
      { ...invocation('quotes list', [route]), when: 'see when each would arrive' },
    ],
  });
}

/** The quotes that can be used. Fails with exit 8 while they are pending, 9 if there are none, 6 if all have expired. */
function usableOrFail(route: string, quotes: RouteQuotes, now: number): ReturnType<typeof usableQuotes> {
  if (quotes.status === 'PENDING' || quotes.data === null) throw quotesPending(route);
  if (quotes.data.length === 0) throw noQuotes(route, quotes);
  return usableQuotes(quotes, now);
}

/** The preference as given; the name of a courier in place of the ID of a quote prefers that courier. */
function readQuoteName(preference: Preference, { data }: RouteQuotes): Preference {
  if (typeof preference === 'string' || !('quote' in preference)) return preference;
  const provider = preference.quote.toLowerCase();
  return (data ?? []).some((each) => each.provider === provider) ? { provider } : preference;
}

/** The preferred quote of those that can be used, and that keep the agreed time if any does; or null. */
export function preferredQuote(
  quotes: readonly ReturnType<typeof comparable>[],
  preference: Preference,
): RouteQuote | null {
  const isNamed = typeof preference === 'object' && 'quote' in preference;
  const ofProvider = typeof preference === 'object' && 'provider' in preference ? preference.provider : null;
  const asked = quotes.filter(({ provider }) => ofProvider === null || provider === ofProvider);
  const usable = isNamed ? asked : punctualQuotes(asked);
  if (preference === 'fastest') return fastest(usable)?.quote ?? null;
  if (preference === 'cheapest') return cheapest(usable)?.quote ?? null;
  if ('quote' in preference) return usable.find(({ quote }) => quote.id === preference.quote)?.quote ?? null;
  return cheapest(usable)?.quote ?? null;
}

/** Says why there is no such quote: it has expired, or is unknown. */
function failToSelect(route: string, { data, reasons = [] }: RouteQuotes, preference: Preference): never {
  const quotes = data ?? [];
  if (typeof preference === 'string') throw quoteExpired(route, `All quotes of ${route} have expired.`);
  if ('quote' in preference) {
    const ids = quotes.map(({ id }) => id);
    if (ids.includes(preference.quote))
      throw quoteExpired(route, `The quote ${preference.quote} has expired.`);
    throw unknownQuote(route, `${preference.quote} is not a quote of ${route}.`, ids);
  }
  const { provider } = preference;
  const providers = [...new Set(quotes.map((quote) => quote.provider))];
  if (providers.includes(provider))
    throw quoteExpired(route, `All quotes of ${provider} for ${route} have expired.`);
  const hint = didYouMean(provider, providers);
  const declined = reasons.find((each) => each.provider === provider);
  const why = declined === undefined ? '' : `: ${declined.reason}`;
  throw unknownQuote(route, `There is no quote of ${provider} for ${route}${why}.`, providers, hint);
}

function unknownQuote(route: string, message: string, choices: readonly string[], hint?: Text): Failure {
  const next = [{ ...invocation('quotes list', [route]), when: 'list its quotes' }];
  return new Failure(5, 'quote_not_found', message, {
    ...(hint === undefined ? {} : { hint }),
    choices,
    next,
  });
}

function quoteExpired(route: string, message: string): Failure {
  const next = [{ ...invocation('routes quote', [route], { watch: true }), when: 'request new quotes' }];
  return new Failure(6, 'quote_expired', message, { hint: 'Nothing was dispatched.', next });
}

/** The preferred quote, or the one that the user selects. Fails as `chooseQuote` does; Declined if none is selected. */
export async function pickQuote(
  context: Context,
  route_id: string,
  quotes: RouteQuotes,
  preference: Preference | null,
  lateOk: boolean,
): Promise<RouteQuote> {
  if (preference !== null) {
    const isLate = (quotes.data ?? []).some(({ too_late }) => too_late === true);
    const zone = isLate && !lateOk ? (await routeFacts(context, route_id)).zone : null;
    return chooseQuote(route_id, quotes, { preference, lateOk, zone }, context.serviceNow());
  }
  if (usableOrFail(route_id, quotes, context.serviceNow()).length === 0)
    throw failToSelect(route_id, quotes, 'cheapest');
  const now = await serviceClock(context);
  const { zone } = await routeFacts(context, route_id);
  const current = () => [
    ...quoteChoices(quotes, { now: now(), times: context.output.times, zone }),
    { name: 'None of them', value: null },
  ];
  const prompts = await context.prompts();
  const best = preferredQuote((quotes.data ?? []).map(comparable), 'cheapest');
  // If the cheapest has expired, Enter takes none: the next one may cost far more. So it is if all are too late.
  const isUnfit = best === null || best.too_late === true || isExpired(comparable(best), now());
  const initial = isUnfit ? null : best;
  const quote = await prompts.select('Choose a quote (cost + fee)', current(), { initial, current });
  if (quote === null) throw new Declined('Nothing was dispatched: no quote was chosen.');
  return quote;
}

/** The quotes as choices with their remaining time, cheapest first. */
export function quoteChoices({ data }: RouteQuotes, timing: TimeContext): Choice<RouteQuote>[] {
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
function quoteLabel(quote: RouteQuote, timing: TimeContext): string {
  const { provider, cost_of_delivery, service_fee, dropoff_eta, separate_deliveries: count } = quote;
  const parts = service_fee === 0 ? '' : ` (${dollars(cost_of_delivery)} + ${dollars(service_fee)})`;
  const split = count === undefined ? '' : ` for ${count} separate deliveries`;
  const price = `${dollars(quotePrice(quote))}${parts}${split}`;
  const late = quote.too_late === true ? ', after the agreed time' : '';
  const arrival = dropoff_eta === '' ? '' : `arrives ${arrivalText(quote, timing)}${late}`;
  return [provider, price, arrival, countdownText(quote, timing.now)]
    .filter((part) => part !== '')
    .join(', ');
}

/** `at 10:41`; `10:35 to 10:50` where the places are known coarsely. */
function arrivalText(quote: RouteQuote, timing: TimeContext): string {
  const { dropoff_eta } = quote;
  if (quotePrecision(quote) === null || Number.isNaN(Date.parse(dropoff_eta)))
    return timePhrase(dropoff_eta, timing);
  const { now, times, zone } = timing;
  return intervalText(formatEtaWindow(dropoff_eta), (iso) => styledTime(iso, now, times, shortTime, zone));
}

/** `4:07 left`; empty once it has expired. */
export function countdownText({ expires_at }: Pick<RouteQuote, 'expires_at'>, now: number): string {
  if (expires_at === null) return 'no limit';
  const seconds = Math.ceil((Date.parse(expires_at) - now) / 1000);
  if (seconds <= 0) return '';
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return `${shown.map((part, at) => String(part).padStart(at === 0 ? 1 : 2, '0')).join(':')} left`;
}

/** Returns a clock of the service's time that needs no request: a sandbox clock may be fast or stopped. */
export async function serviceClock(context: Context): Promise<() => number> {
  const clock = (await context.mode()) === 'test' ? await readServiceClock(context) : null;
  const rate = clock?.rate ?? 1;
  const [then, started_at] = [context.serviceNow(), context.now()];
  return () => then + (context.now() - started_at) * rate;
}
