/** Times and durations as people read them, in their own zone or another. */
import type { TimePart } from '../result/message.ts';
import { type Format, isForPeople } from '../result/result.ts';

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export const timeModes = ['relative', 'local', 'iso'] as const;

/** The style of times for people (`--time`); null is the default, which depends on the place. */
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
  const said = styledTime(iso, now, times, usual, zone);
  const left = Date.parse(iso) - now;
  if (times !== 'relative' || Number.isNaN(left)) return `${word} ${said}`;
  if (word !== 'until') return said;
  return left > 0 ? `for ${lengthText(left)} more` : `until ${said}`;
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
  const [date, today] = [zonedClock(Date.parse(iso), zone), zonedClock(now, zone)];
  if (date.day === today.day && date.month === today.month && date.year === today.year) return '';
  const year = date.year === today.year ? '' : ` ${date.year}`;
  return `${months[date.month]} ${date.day}${year}`;
}

/** The age alone, where it identifies a record. */
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

/** Formats a duration: `2 h 5 min`. */
export function lengthText(milliseconds: number): string {
  return spanText(Math.floor(milliseconds / 1000));
}

function pad(count: number): string {
  return String(count).padStart(2, '0');
}

/** The time in a zone, by default this machine's: `Mon, Nov 23, 2026, 18:00 CST`. */
export function zonedTime(at: number, zone?: string): string {
  return new Intl.DateTimeFormat('en-US', {
    weekday: 'short',
    month: 'short',
    day: 'numeric',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
    timeZone: zone,
  }).format(at);
}

/** A local date and time in parts. */
interface WallClock {
  year: number;
  /** From 0 for January. */
  month: number;
  day: number;
  hours: number;
  minutes: number;
  seconds: number;
  /** The abbreviation of the zone, such as `CST`; empty if the reader's own clock shows the same. */
  zone: string;
}

/** An IANA time zone; null or undefined for the reader's own. */
export type Zone = string | null | undefined;

/** Reads a time in a zone. Only another zone than the reader's uses Intl, whose first use takes 10 ms. */
export function zonedClock(instant: number, zone: Zone = null): WallClock {
  const own = ownClock(new Date(instant));
  if (!zone || isOwnZone(zone, own)) return own;
  const there = clockIn(zone, instant);
  return isSameTime(own, there) ? own : there;
}

function ownClock(date: Date): WallClock {
  return {
    year: date.getFullYear(),
    month: date.getMonth(),
    day: date.getDate(),
    hours: date.getHours(),
    minutes: date.getMinutes(),
    seconds: date.getSeconds(),
    zone: '',
  };
}

/** The zones of the US with daylight saving time, as a date names them in English. */
const zoneNames = new Map([
  ['America/New_York', 'Eastern'],
  ['America/Chicago', 'Central'],
  ['America/Denver', 'Mountain'],
  ['America/Los_Angeles', 'Pacific'],
]);

/** Whether the reader's clock is known to be that of a zone: in winter and in summer, as Regina has Central time, too. */
function isOwnZone(zone: string, { year }: WallClock): boolean {
  const name = zoneNames.get(zone);
  const isCalled = (month: number, kind: string) =>
    new Date(year, month, 1).toString().endsWith(`(${name} ${kind} Time)`);
  return name !== undefined && isCalled(0, 'Standard') && isCalled(6, 'Daylight');
}

function isSameTime(left: WallClock, right: WallClock): boolean {
  return left.day === right.day && left.hours === right.hours && left.minutes === right.minutes;
}

/** A formatter is slow to create and the same for each row of a list. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const known = formatters.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
    timeZoneName: 'short',
    timeZone: zone,
  });
  formatters.set(zone, made);
  return made;
}

/** The abbreviation of a zone at an instant: `CST`. */
export function zoneNameAt(instant: number, zone: Zone): string {
  return clockIn(zone || Intl.DateTimeFormat().resolvedOptions().timeZone, instant).zone;
}

function clockIn(zone: string, instant: number): WallClock {
  const parts = new Map(
    formatterOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  return {
    year: number('year'),
    month: number('month') - 1,
    day: number('day'),
    hours: number('hour'),
    minutes: number('minute'),
    seconds: number('second'),
    zone: parts.get('timeZoneName') ?? zone,
  };
}

const hour_ms = 3_600_000;
const day_ms = 24 * hour_ms;
const day_minutes = 24 * 60;

/**
 * The instant at which a clock in a zone shows the time. At a change of clocks it is the first of two, and a time that
 * is skipped is as much later as the clocks are put forward, as the local times of JavaScript are.
 */
export function instantIn(
  { year, month, day, minutes }: Pick<WallClock, 'year' | 'month' | 'day' | 'minutes'>,
  zone: Zone,
): number {
  if (!zone) return new Date(year, month, day, 0, minutes).getTime();
  const wanted = Date.UTC(year, month, day, 0, minutes);
  const first = wanted - offsetAt(wanted - day_ms, zone);
  const second = wanted - offsetAt(first, zone);
  return wanted - offsetAt(second, zone) === second ? second : first;
}

/**
 * What a change of clocks does to a time of day, in minutes after midnight, for which `instantIn` has found the instant:
 * it is skipped, and a later one is meant, or the clocks show it twice, and the first one is meant.
 */
export function clockChangeAt(minutes: number, instant: number, zone: Zone): 'skipped' | 'doubled' | null {
  const minutesAt = (at: number) => {
    const { hours, minutes: rest } = zonedClock(at, zone);
    return hours * 60 + rest;
  };
  if (minutesAt(instant) !== minutes % day_minutes) return 'skipped';
  return minutesAt(instant + hour_ms) === minutes % day_minutes ? 'doubled' : null;
}

/** How far the clock in a zone is ahead of UTC, in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  const { year, month, day, hours, minutes, seconds } = clockIn(zone, instant);
  return Date.UTC(year, month, day, hours, minutes, seconds) - Math.floor(instant / 1000) * 1000;
}
