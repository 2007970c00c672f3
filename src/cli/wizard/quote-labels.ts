import type { RouteQuote } from '../../contract/quotes.ts';
import { dollars } from '../../domain/money.ts';
import { isExpired, quotePrice, rankQuotes } from '../../domain/quotes.ts';
import type { Context } from '../context.ts';
import type { Choice } from '../kit/prompts/prompts.ts';
import { type Timing, timeSaid } from '../output/times.ts';
import { comparable } from '../quotes/quotes.ts';
import { clockOf } from '../waiting/poll-clocks.ts';

/** The quotes as choices with their remaining time, sorted by total price. */
export function quoteChoices(quotes: readonly RouteQuote[], timing: Timing): Choice<RouteQuote>[] {
  return rankQuotes(quotes.map(comparable)).map((each) => ({
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
