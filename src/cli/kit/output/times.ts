/** Times and durations as people read them, in their own zone or another. */
import type { TimePart } from '../result/message.ts';
import { type Format, isForPeople } from '../result/result.ts';
import { type Zone, zonedClock } from './zoned-clock.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export const timeModes = ['relative', 'local', 'iso'] as const;

/** The style of times for people (`--time`); null is the default, which depends on where a time is shown. */
export type TimeStyle = (typeof timeModes)[number] | null;

/** Formats a time as people read it in a zone, by default their own. */
export type TimeFormat = (iso: string, now: number, zone?: Zone) => string;

/**
 * Formats a time in the requested style; `usual` formats it by default. Any other text is unchanged. A time in a zone
 * where clocks differ from the reader's has the zone's abbreviation.
 */
export function styledTime(
  iso: string,
  now: number,
  style: TimeStyle,
  usual: TimeFormat,
  zone: Zone = null,
): string {
  const instant = Date.parse(iso);
  if (Number.isNaN(instant)) return iso;
  if (style === 'iso') return new Date(instant).toISOString();
  if (style === 'relative') return age(instant, now);
  return style === 'local' && usual === localTime ? shortTime(iso, now, zone) : usual(iso, now, zone);
}

/** How times are formatted: the clock that ages are counted from, `--time`, and the zone. */
export interface TimeContext {
  now: number;
  times: TimeStyle;
  zone?: Zone;
}

/** The words that can precede a time in a sentence. */
type TimeWord = 'at' | 'about' | 'until';

/** Formats a time in a sentence: `at 10:04`, `4 min ago`; `until 10:04`, `for 4 min more`. */
export function timePhrase(
  iso: string,
  { now, times, zone }: TimeContext,
  word: TimeWord = 'at',
  usual: TimeFormat = shortTime,
): string {
  const text = styledTime(iso, now, times, usual, zone);
  const remaining_ms = Date.parse(iso) - now;
  if (times !== 'relative' || Number.isNaN(remaining_ms)) return `${word} ${text}`;
  if (word !== 'until') return text;
  return remaining_ms > 0 ? `for ${lengthText(remaining_ms)} more` : `until ${text}`;
}

/** Formats a time in a sentence for people: local time by default. */
export function timeInSentence({ iso, word, zone }: TimePart, { now, times }: TimeContext): string {
  if (word === 'aged') return styledTime(iso, now, times, fullTime, zone);
  // An age cannot follow any other word: `it is just now already`.
  if (word === 'none') return styledTime(iso, now, times === 'relative' ? 'local' : times, fullTime, zone);
  return timePhrase(iso, { now, times, zone }, word, fullTime);
}

/** The style for sentences in a result: programs get the default. */
export function timesFor({ format, times }: { format: Format; times: TimeStyle }): TimeStyle {
  return isForPeople(format) ? times : null;
}

/** The style for notes on stderr: those for programs get the default. */
export function timesInNotes({ json, times }: { json: boolean; times: TimeStyle }): TimeStyle {
  return json ? null : times;
}

/** Local time with its age: `12:03 (4 min ago)`. Built by hand: the first use of Intl costs 13 ms. */
export function localTime(iso: string, now: number, zone: Zone = null): string {
  const instant = Date.parse(iso);
  if (Number.isNaN(instant)) return iso;
  return `${shortTime(iso, now, zone)} (${age(instant, now)})`;
}

/** Local time to the second, as `--to` takes it: `2026-03-02 10:04:31`. */
export function fullTime(iso: string, _now?: number, zone: Zone = null): string {
  const instant = Date.parse(iso);
  if (Number.isNaN(instant)) return iso;
  const { year, month, day, hours, minutes, seconds, zone: name } = zonedClock(instant, zone);
  const date = [year, pad(month + 1), pad(day)].join('-');
  return `${date} ${[hours, minutes, seconds].map(pad).join(':')} ${name}`.trimEnd();
}

/** The time of day, with the date if it differs from that of `now`: `10:04`, `Mar 3 10:04`. */
export function shortTime(iso: string, now: number, zone: Zone = null): string {
  return `${otherDay(iso, now, zone)} ${timeOfDay(iso, now, zone)}`.trimStart();
}

/** The time of day: `10:04`. */
export function timeOfDay(iso: string, _now?: number, zone: Zone = null): string {
  const { hours, minutes, zone: name } = zonedClock(Date.parse(iso), zone);
  return `${pad(hours)}:${pad(minutes)} ${name}`.trimEnd();
}

/** An ISO interval as people read it: `10:00 to 10:15`. */
export function intervalText(interval: string, format: (iso: string) => string): string {
  return interval.split('/').map(format).join(' to ');
}

/** The date if it differs from that of `now`, else empty: `Mar 3`, `Dec 31 2025`. */
export function otherDay(iso: string, now: number, zone: Zone = null): string {
  const date = zonedClock(Date.parse(iso), zone);
  const today = zonedClock(now, zone);
  if (date.day === today.day && date.month === today.month && date.year === today.year) return '';
  const year = date.year === today.year ? '' : ` ${date.year}`;
  return `${months[date.month]} ${date.day}${year}`;
}

/** The age of an ISO time. */
export function ageOf(iso: string, now: number): string {
  return age(Date.parse(iso), now);
}

/** How long ago, or how long until: `just now`, `4 min ago`, `in 2 h`. */
export function age(instant: number, now: number): string {
  const seconds = Math.floor(Math.abs(now - instant) / 1000);
  if (seconds < 1) return 'just now';
  const span = spanText(seconds);
  return instant <= now ? `${span} ago` : `in ${span}`;
}

function spanText(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return withRest(seconds, 3600, 'h', 60, 'min');
  return withRest(seconds, 86_400, 'd', 3600, 'h');
}

function withRest(seconds: number, unit: number, name: string, small: number, smallName: string): string {
  const whole = Math.floor(seconds / unit);
  const rest = Math.floor((seconds % unit) / small);
  return rest === 0 || whole > 9 ? `${whole} ${name}` : `${whole} ${name} ${rest} ${smallName}`;
}

/** Formats how long something took, to the nearest minute: `41 min` for 40 min 45 s. */
export function tookText(milliseconds: number): string {
  const isLong = milliseconds >= 60_000;
  return lengthText(isLong ? Math.round(milliseconds / 60_000) * 60_000 : milliseconds);
}

/** Formats the whole units of a duration: `2 h 5 min`. */
export function lengthText(milliseconds: number): string {
  return spanText(Math.floor(milliseconds / 1000));
}

function pad(count: number): string {
  return String(count).padStart(2, '0');
}
