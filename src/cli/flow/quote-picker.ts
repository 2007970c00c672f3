import type { RouteQuote, RouteQuotes } from '../../contract/quotes.ts';
import { dollars } from '../../domain/money.ts';
import { isExpired, quotePrice, rankQuotes } from '../../domain/quotes.ts';
import { comparable } from '../commands/quotes/quotes.ts';
import { Declined } from '../kit/errors/failure.ts';
import type { Choice } from '../kit/host/prompts.ts';
import { type Timing, timeSaid } from '../kit/output/times.ts';
import type { Context } from '../session/context.ts';
import { clockOf } from '../waiting/poll-clocks.ts';
import { chooseQuote, type Preference } from './quote-policy.ts';

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
  const current = () => [
    ...quoteChoices(quotes, { now: now(), times: context.output.times }),
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

/** `poolride, $6.47 ($5.99 + $0.48), arrives at 10:41, 4:07 left` */
function quoteLabel(quote: RouteQuote, timing: Timing): string {
  const { provider, cost_of_delivery, service_fee, dropoff_eta } = quote;
  const price = `${dollars(quotePrice(quote))} (${dollars(cost_of_delivery)} + ${dollars(service_fee)})`;
  return [provider, price, `arrives ${timeSaid(dropoff_eta, timing)}`, timeLeft(quote, timing.now)]
    .filter((part) => part !== '')
    .join(', ');
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
  const [then, begun] = [context.serviceNow(), context.now()];
  return () => then + (context.now() - begun) * rate;
}
