import type { RouteQuote, RouteQuotes } from '../../contract/quotes.ts';
import { cheapest, fastest, isExpired, quotePrice } from '../../domain/quotes.ts';
import type { Invocation } from '../kit/output/invocation.ts';
import { invocation } from '../kit/output/invocation.ts';
import { quoted } from '../kit/output/shell-words.ts';
import { moneyText } from '../line/flags.ts';
import { comparable } from '../quotes/quotes.ts';
import { creationLine } from './fields.ts';
import type { Plan } from './plan.ts';

/** How a script selects the quote: as the cheapest, as the fastest, or by its provider. */
export type Taken = '--cheapest' | '--fastest' | { provider: string };

/** How to select a quote among those that were valid at `now`, the service's time. */
export function takenOf(quote: RouteQuote, { data }: RouteQuotes, now: number): Taken {
  const usable = (data ?? []).map(comparable).filter((each) => !isExpired(each, now));
  if (cheapest(usable)?.quote.id === quote.id) return '--cheapest';
  if (fastest(usable)?.quote.id === quote.id) return '--fastest';
  return { provider: quote.provider };
}

interface Choosing {
  taken: Taken;
  /** The maximum price in live mode, else null. */
  price: number | null;
  /** A command as a line for a shell, with the profile and address of this run. */
  lineOf(line: Invocation): string;
}

/**
 * The flow as a POSIX script: each run creates the same delivery again. Orders that existed before are copied.
 */
export function scriptOf(plan: Plan, { taken, price, lineOf }: Choosing): string {
  const orders = plan.orders.map(({ isOurs, answers, id }, index) => {
    const like = invocation('orders create', ['--like', id ?? '', '-o', 'id']);
    const line = isOurs ? creationLine(answers, ['-o', 'id']) : like;
    return `order_${index + 1}=$(${lineOf(line)})`;
  });
  const ids = plan.orders.map((_, index) => ` "$order_${index + 1}"`).join('');
  const optimize = plan.optimize || plan.orders.length < 2 ? '' : ' --no-optimize';
  return [
    '#!/bin/sh',
    '# Each run creates these orders again and dispatches them.',
    'set -eu',
    ...orders,
    `route=$(${lineOf(invocation('routes create'))}${ids}${optimize} -o id)`,
    `${lineOf(invocation('routes quote'))} "$route" --wait`,
    `${lineOf(invocation('dispatch'))} "$route" ${dispatchFlags(plan, taken, price)}`,
    '',
  ].join('\n');
}

function dispatchFlags({ tip }: Plan, taken: Taken, price: number | null): string {
  return [
    typeof taken === 'string' ? taken : `--provider ${quoted(taken.provider)}`,
    ...(tip === null ? [] : [`--tip ${moneyText(tip)}`]),
    ...(price === null ? [] : [`--yes --max-cost ${moneyText(price)}`]),
  ].join(' ');
}

/** The maximum price that a script pays in live mode. */
export function priceFor(quote: RouteQuote, mode: 'test' | 'live'): number | null {
  return mode === 'live' ? quotePrice(quote) : null;
}
