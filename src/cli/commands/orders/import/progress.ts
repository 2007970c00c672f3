/** The progress of an import: its text, and how often it is drawn. Also how counts are written. */
import type { Context } from '../../../session/command.ts';

const bar_width = 20;
/** On a narrower terminal the bar is left out. */
const min_columns_for_bar = 60;

/** Formats `1,234,567` without Intl, which is slow to load. */
export function formatNumber(count: number): string {
  return String(count).replace(/(?<=\d)(?=(?:\d{3})+$)/g, ',');
}

/** `1 order`, `1,234 orders` */
export function countText(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;
}

interface Pace {
  /** The terminal width; null without a terminal. */
  columns: number | null;
  /** Rows done before this run; the rate is computed from the rest. */
  before: number;
  total: number;
  started_at: number;
}

/**
 * Formats the progress, without the bar if the terminal is narrow: `[#####...............] 25% · 1,250 of 5,000 orders
 * · 310/s · 12 s left`.
 */
export function paceText(done: number, { before, total, started_at, columns }: Pace, now: number): string {
  const share = total === 0 ? 1 : done / total;
  const bar = `[${'#'.repeat(Math.floor(share * bar_width)).padEnd(bar_width, '.')}] `;
  const hasBar = columns === null || columns >= min_columns_for_bar;
  const parts = [
    `${hasBar ? bar : ''}${Math.floor(share * 100)}%`,
    `${formatNumber(done)} of ${formatNumber(total)} orders`,
  ];
  const seconds = (now - started_at) / 1000;
  const rate = (done - before) / seconds;
  if (seconds < 1 || rate === 0) return parts.join(' · ');
  const shown = rate < 10 ? rate.toFixed(1) : formatNumber(Math.round(rate));
  return [...parts, `${shown}/s`, `${spanText((total - done) / rate)} left`].join(' · ');
}

/** `45 s`, `3 min`, `2 h 5 min` */
function spanText(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const redraw_ms = 100;

/**
 * Opens a progress display that is notified of every step: redrawn ten times a second, or printed as ten lines in total
 * without a terminal. `text` formats the progress at a count; `total` is the final count.
 */
export async function createProgressMeter(
  context: Context,
  { total, before, text }: { total: number; before: number; text: (done: number) => string },
) {
  const isLines = context.output.accessible || context.host.environment.TERM === 'dumb';
  const progress = await context.progress(text(before));
  let done = before;
  let shown_at = context.now();
  let tenth = Math.floor((before * 10) / total);
  return {
    step: (count: number) => {
      done += count;
      const reached = Math.floor((done * 10) / total);
      const isDue = isLines ? reached > tenth : context.now() - shown_at >= redraw_ms;
      if (!isDue) return;
      [tenth, shown_at] = [reached, context.now()];
      progress.say(text(done));
    },
    stop: () => progress.stop(),
  };
}
