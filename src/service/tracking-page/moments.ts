import { instant } from '../runtime/time.ts';
import { html, type Markup } from './markup.ts';
import type { Texts } from './texts.ts';

/** Formats times for a page, in one time zone and relative to one time. */
export interface Moments {
  /**
   * `2:41 PM`; or with the day, `Tue, Mar 3, 2:41 PM`, if that is not today. The script may convert it to another
   * zone.
   */
  time(at: number): Markup;
}

const clock = { hour: 'numeric', minute: '2-digit' } as const;
const day = { weekday: 'short', month: 'short', day: 'numeric' } as const;

export function momentsIn(zone: string, now: number, locale: string): Moments {
  const times = new Intl.DateTimeFormat(locale, { timeZone: zone, ...clock });
  const days = new Intl.DateTimeFormat(locale, { timeZone: zone, ...day });
  const years = new Intl.DateTimeFormat(locale, { timeZone: zone, ...day, year: 'numeric' });
  const today = years.format(now);
  const dayOf = (at: number) => (years.format(at) === today ? '' : `${unbroken(days.format(at))}, `);
  const written = (at: number) => dayOf(at) + unbroken(times.format(at));
  return { time: (at) => html`<time datetime="${instant(at)}">${written(at)}</time>` };
}

/** Uses non-breaking spaces: a time may only break between day and hour. */
function unbroken(text: string): string {
  return text.replace(/\s/g, '\u00a0');
}

const minute_ms = 60_000;
/** Beyond this, the time is more useful than the minutes. */
const far_minutes = 12 * 60;

/** How long until a time, in words; null if it is past or far off. */
export function timeLeft(
  at: number,
  now: number,
  { in_minutes, in_hours }: Pick<Texts, 'in_minutes' | 'in_hours'>,
): string | null {
  const minutes = Math.ceil((at - now) / minute_ms);
  if (minutes <= 0 || minutes > far_minutes) return null;
  if (minutes < 60) return in_minutes(minutes);
  return in_hours(Math.floor(minutes / 60), minutes % 60);
}
