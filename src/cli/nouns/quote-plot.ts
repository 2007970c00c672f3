/** The chart of quotes: a title line, then a line for each with its price and its times as bars, and their numbers. */
import type { RouteQuote } from '../../contract/routes.ts';
import { quotePrecision, roughLeft } from '../../domain/estimates.ts';
import { dollars } from '../../domain/money.ts';
import { isExpired, quotePrice } from '../../domain/quotes.ts';
import { bar, twoPartBar } from '../kit/output/bars.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { displayWidth, padded } from '../kit/output/terminal-lines.ts';
import { lengthText } from '../kit/output/times.ts';
import type { Formatters } from '../kit/result/result.ts';

/** A shorter bar shows nothing and has no room for `expired`; a longer one adds no detail. */
const [min_bar, max_price_bar, max_time_bar] = [7, 24, 40];
const [gap, wideGap] = [2, 3];
const titles = { price: 'PRICE', time: 'TO PICKUP AND DROPOFF' };

/**
 * Draws price and time of quotes as bars with their numbers: the price from zero to the highest, and the time from now
 * until the pickup (light) and on to the last dropoff (dark). An expired quote has the word instead. Without room the
 * times are left out; null if there is no room for the prices either, or fewer than two quotes.
 */
export function quotePlot(
  quotes: readonly RouteQuote[],
  { plotCharset, room, now, dim }: Pick<Formatters, 'plotCharset' | 'room' | 'now' | 'dim'>,
): string | null {
  if (plotCharset === null || room === null || quotes.length < 2) return null;
  const rows = quotes.map((quote) => rowOf(quote, now));
  const widths = widthsOf(rows, room);
  if (widths === null) return null;
  const scale = scaleOf(rows);
  const lines = rows.map((row) => {
    const start = `${padded(row.provider, widths.provider)}${' '.repeat(gap)}${row.price.padStart(widths.price)} `;
    if (row.isExpired) return dim(`${start}expired`);
    const price = bar(row.cents / scale.cents, widths.priceBar, plotCharset);
    if (widths.timeBar === null) return start + price;
    const shares = [row.pickup_ms / scale.dropoff_ms, row.dropoff_ms / scale.dropoff_ms] as const;
    const time = padded(twoPartBar(shares, widths.timeBar, plotCharset), widths.timeBar);
    const [pickup, dropoff] = [row.pickup.padStart(widths.pickup), row.dropoff.padStart(widths.dropoff)];
    return `${start}${padded(price, widths.priceBar)}${' '.repeat(wideGap)}${pickup} ${time} ${dropoff}`;
  });
  return [dim(headOf(widths)), ...lines].join('\n');
}

interface PlotRow {
  provider: string;
  price: string;
  cents: number;
  pickup: string;
  pickup_ms: number;
  dropoff: string;
  dropoff_ms: number;
  isExpired: boolean;
}

function rowOf(quote: RouteQuote, now: number): PlotRow {
  const { provider, pickup_eta, dropoff_eta, expires_at } = quote;
  const [pickup_ms, dropoff_ms] = [pickup_eta, dropoff_eta].map((eta) => Math.max(0, Date.parse(eta) - now));
  return {
    provider: oneLine(provider),
    price: dollars(quotePrice(quote)),
    cents: quotePrice(quote),
    pickup: plotLength(quote, pickup_ms ?? 0),
    pickup_ms: pickup_ms ?? 0,
    dropoff: plotLength(quote, dropoff_ms ?? 0),
    dropoff_ms: dropoff_ms ?? 0,
    isExpired: isExpired({ expires_at: expires_at === null ? null : Date.parse(expires_at) }, now),
  };
}

/** `12 min`; `about 15 min` where the places are known coarsely. */
function plotLength(quote: RouteQuote, length_ms: number): string {
  return quotePrecision(quote) === null ? lengthText(length_ms) : `about ${lengthText(roughLeft(length_ms))}`;
}

/** The scale of the bars: the maximum of the usable quotes. */
function scaleOf(rows: readonly PlotRow[]): { cents: number; dropoff_ms: number } {
  const usable = rows.filter((row) => !row.isExpired);
  return {
    cents: Math.max(1, ...usable.map(({ cents }) => cents || 0)),
    dropoff_ms: Math.max(1, ...usable.map(({ dropoff_ms }) => dropoff_ms)),
  };
}

interface Widths {
  provider: number;
  price: number;
  priceBar: number;
  pickup: number;
  dropoff: number;
  /** Null: the times are left out. */
  timeBar: number | null;
}

function widthsOf(rows: readonly PlotRow[], room: number): Widths | null {
  const widest = (text: (row: PlotRow) => string) => Math.max(...rows.map((row) => displayWidth(text(row))));
  const provider = widest((row) => row.provider);
  const price = Math.max(
    widest((row) => row.price),
    titles.price.length,
  );
  const [pickup, dropoff] = [widest((row) => row.pickup), widest((row) => row.dropoff)];
  const left = room - provider - gap - price - 1;
  const both = left - wideGap - pickup - dropoff - 2;
  const texts = { provider, price, pickup, dropoff };
  if (both >= min_bar * 3) {
    const priceBar = Math.min(max_price_bar, Math.floor(both / 3));
    return { ...texts, priceBar, timeBar: Math.min(max_time_bar, both - priceBar) };
  }
  return left < min_bar ? null : { ...texts, priceBar: Math.min(max_price_bar, left), timeBar: null };
}

function headOf({ provider, price, priceBar, timeBar }: Widths): string {
  const start = ' '.repeat(provider + gap) + titles.price.padStart(price);
  return timeBar === null
    ? start
    : padded(start, provider + gap + price + 1 + priceBar + wideGap) + titles.time;
}
