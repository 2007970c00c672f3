/** Arguments that are times or durations: `yesterday 6pm`, `2h`, `2026-03-02T18:00Z`. */
import { instantIn, wallClock, type Zone } from '../output/times.ts';
import {
  BadValue,
  durationFlag,
  durationText,
  type Flag,
  type FlagOptions,
  parsedTextFlag,
  readDuration,
} from './flags.ts';
import { instantOnDay, type NearDay, splitNearDay, withNumericMonth } from './named-days.ts';
import { dayPeriod, namedPeriod, type Period } from './periods.ts';

/**
 * A time as typed: an instant, an offset from now in milliseconds, minutes after the midnight of a day near today, or
 * the start of a period. The service's time determines the day.
 */
export type Moment =
  | { at: number; span?: never; day?: never; period?: never; typed: string }
  | { at?: never; span: number; day?: never; period?: never; typed: string }
  | { at?: never; span?: never; day: NearDay; minutes: number; period?: never; typed: string }
  | { at?: never; span?: never; day?: never; period: Period; typed: string };

/** A period as typed. */
export interface TypedPeriod {
  period: Period;
  typed: string;
}

/**
 * `--since 2h`, `--since today`, `--since 2026-03-02`, `--pickup-at 2026-03-02T18:00-06:00`; local time without an
 * offset.
 */
export function momentFlag(options: FlagOptions & { isPast?: true }): Flag<Moment | undefined> {
  const direction = options.isPast === true ? 'ago' : 'ahead';
  return parsedTextFlag((typed) => readMoment(typed, direction), { placeholder: 'WHEN', ...options });
}

/** `--period yesterday`, `--period 'last week'`, `--period 2026-03-02`. */
export function periodFlag(options: FlagOptions): Flag<TypedPeriod | undefined> {
  return parsedTextFlag(
    (typed) => {
      const period = readPeriod(typed);
      if (period !== null) return period;
      throw new BadValue(`must be a period such as ${periodExamples}, not "${typed}"`);
    },
    { placeholder: 'PERIOD', ...options },
  );
}

const periodExamples = 'yesterday, monday, "last week", month or 2026-03-02';

/** Reads a whole day, week or month in the past; null for any other text. */
export function readPeriod(typed: string): TypedPeriod | null {
  const date = / /.test(typed) || instantPattern.test(typed) ? null : clockTyped(typed);
  if (date === null) {
    const period = namedPeriod(typed);
    return period && { period, typed };
  }
  const at = new Date(date);
  const day = { year: at.getUTCFullYear(), month: at.getUTCMonth(), day: at.getUTCDate() };
  return { period: dayPeriod(day), typed };
}

/** The bounds of a period in a zone, by default the reader's: its start, and the start of what follows. */
export function periodAt(
  { period }: TypedPeriod,
  now: number,
  zone: Zone = null,
): [from: number, to: number] {
  const [from, to] = period(wallClock(now, zone));
  return [instantIn({ ...from, minutes: 0 }, zone), instantIn({ ...to, minutes: 0 }, zone)];
}

const datePattern = /^\d{4}-\d\d-\d\d$/;
const instantPattern = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;
/** A date, or a date and a time without an offset. */
const localTimePattern = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?$/i;
/** A date as Americans write it. */
const americanDatePattern = /^(\d{1,2})\/(\d{1,2})\/(\d{4}|\d{2})(?: (.+))?$/;

/** The name of a day, a time of day, or both. */
const nearDayPattern = /^(?=.)(?:(today|yesterday|tomorrow)(?:(?: at)? (?=\d|noon|midnight)|$))?(.*)$/i;
const timeOfDayPattern =
  /^(?:([01]?\d|2[0-3])[:h]([0-5]\d)(?::00)?|(0?[1-9]|1[0-2])(?:[:.]([0-5]\d))? ?([ap])\.?m\.?)$/i;
const days: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/** Reads an instant or a duration; throws BadValue. A date alone is its local midnight. */
export function readMoment(typed: string, direction: 'ago' | 'ahead' = 'ago'): Moment {
  const clock = clockTyped(typed);
  if (clock !== null) return { at: clockIn(null, clock), typed };
  const at = instantPattern.test(typed) && isDay(typed) ? Date.parse(typed.replace(' ', 'T')) : Number.NaN;
  if (!Number.isNaN(at)) return { at, typed };
  const span = spanOf(typed) ?? spanInWords(typed, direction);
  if (span !== null) return { span, typed };
  const [, name, time = ''] = nearDayPattern.exec(typed) ?? [];
  const minutes = time === '' ? 0 : minutesOf(time);
  // The midnight that comes is the end of today.
  const isComing = name === undefined && direction === 'ahead' && /^midnight$/i.test(time);
  const day = isComing ? 1 : (days[(name ?? 'today').toLowerCase()] ?? 0);
  if (minutes !== null && typed !== '') return { day, minutes, typed };
  const near = splitNearDay(typed);
  const nearMinutes = near && minutesOf(near.time);
  if (near !== null && nearMinutes !== null) return { day: near.day, minutes: nearMinutes, typed };
  const american = monthFirst(typed);
  if (american !== null)
    throw new BadValue(`must have the month before the day, such as ${american}, not "${typed}"`);
  const period = direction === 'ago' ? namedPeriod(typed) : null;
  if (period !== null) return { period, typed };
  const hour = near?.time ?? typed;
  if (/^(?:0?[1-9]|1[0-2])$/.test(hour) && near !== null)
    throw new BadValue(`must say whether ${hour} is ${hour}am or ${hour}pm, not "${typed}"`);
  const examples =
    direction === 'ago' ? '"yesterday 6pm", "2 hours ago"' : '"tomorrow 6pm", "Friday noon", "in 2 hours"';
  throw new BadValue(
    `must be a time such as ${examples}, 2026-03-02T18:00Z or 08:00 or a duration such as 2h, not "${typed}"`,
  );
}

/** The date with its month first, if it is typed with its day first and cannot be read otherwise. */
function monthFirst(typed: string): string | null {
  const [, day = '', month = '', year = ''] = /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})\b/.exec(typed) ?? [];
  return Number(day) > 12 && Number(day) <= 31 && Number(month) >= 1 && Number(month) <= 12
    ? `${month}/${day}/${year}`
    : null;
}

/** False for a day that no month has, such as 2026-02-30, which Date.parse reads as a day of the next month. */
function isDay(iso: string): boolean {
  const [year = 0, month = 0, day = 0] = iso.slice(0, 10).split('-').map(Number);
  return new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day;
}

/**
 * Reads a date and time without an offset as if it were UTC, where daylight saving skips no time of day. Null for any
 * other text, and for a day that does not exist.
 */
function clockTyped(typed: string): number | null {
  const [whole, date = '', time = '00:00'] = localTimePattern.exec(typed) ?? [];
  if (whole === undefined) return americanClock(typed);
  const clock = Date.parse(`${date}T${time}Z`);
  return Number.isNaN(clock) || !isDay(date) ? null : clock;
}

/** Reads `12/24/2026 6pm`, and `2026-12-24 6pm`, like `clockTyped`. */
function americanClock(typed: string): number | null {
  const american = withNumericMonth(typed).replace(/^(\d{4})-(\d\d)-(\d\d)(?= )/, '$2/$3/$1');
  const [whole, month, day, year, time = '0:00'] = americanDatePattern.exec(american) ?? [];
  const minutes = minutesOf(time);
  if (whole === undefined || minutes === null) return null;
  const date = new Date(
    Date.UTC(Number(year?.padStart(4, '20')), Number(month) - 1, Number(day), 0, minutes),
  );
  const isSameDay = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
  return isSameDay ? date.getTime() : null;
}

/** Reads the date and time of `clockTyped` in a zone, by default the reader's: returns the instant. */
function clockIn(zone: Zone, clock: number): number {
  const date = new Date(clock);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const minutes = date.getUTCHours() * 60 + date.getUTCMinutes();
  return instantIn({ year, month, day, minutes }, zone) + (clock % 60_000);
}

const namedTimes: Readonly<Record<string, number>> = { noon: 12 * 60, midnight: 0 };

/** Minutes after midnight of `18:05`, `6:05pm`, `6 PM` or `noon`; null for any other text. */
function minutesOf(time: string): number | null {
  const named = namedTimes[time.toLowerCase()];
  if (named !== undefined) return named;
  const [whole, hours, minutes, twelve, more = '0', half] = timeOfDayPattern.exec(time) ?? [];
  if (whole === undefined) return null;
  if (hours !== undefined) return Number(hours) * 60 + Number(minutes);
  const isAfternoon = half?.toLowerCase() === 'p';
  return ((Number(twelve) % 12) + (isAfternoon ? 12 : 0)) * 60 + Number(more);
}

/** Whether the moment was typed as a local time: without an offset, and not as a length of time. */
export function isLocalTime({ span, typed }: Moment): boolean {
  return span === undefined && !/(Z|[+-]\d\d:?\d\d)$/i.test(typed.replace(datePattern, ''));
}

/** The time of day of a local time, in minutes after midnight; null for any other moment. */
export function localMinutes(moment: Moment): number | null {
  if (!isLocalTime(moment)) return null;
  if (moment.day !== undefined) return moment.minutes;
  const clock = clockTyped(moment.typed);
  return clock === null ? null : new Date(clock).getUTCHours() * 60 + new Date(clock).getUTCMinutes();
}

/** The milliseconds of a duration such as `1h30m`; null for any other text. */
function spanOf(typed: string): number | null {
  try {
    return readDuration(typed);
  } catch (error) {
    if (error instanceof BadValue) return null;
    throw error;
  }
}

const unitWords =
  /(\d{1,9} ?|(?<!\w)an? )(d|h|m|s)(?:ays?|ours?|rs?|inutes?|ins?|econds?|ecs?)?(?=\d| |$)(?:,? and |, | )?/gi;

/** Reads `in 2 hours`, `1 hour and 30 minutes ago` and `90 minutes`; null for any other text or direction. */
function spanInWords(typed: string, direction: 'ago' | 'ahead'): number | null {
  const ahead = /^in (.+)$/i.exec(typed)?.[1];
  const past = /^(.+) ago$/i.exec(typed)?.[1];
  if ((direction === 'ago' ? ahead : past) !== undefined) return null;
  const words = ahead ?? past ?? typed;
  const short = words
    .replace(/\bhalf an hour\b/i, '30m')
    .replaceAll(unitWords, (_, count: string, unit: string) => {
      return `${/^a/i.test(count) ? '1' : count.trim()}${unit.toLowerCase()}`;
    });
  return spanOf(short);
}

/**
 * The instant of a moment, in milliseconds since the epoch. A duration is counted from `now`. A time without an offset
 * is read in an IANA zone, by default the reader's.
 */
export function instantAt(
  moment: Moment,
  now: number,
  direction: 'ago' | 'ahead',
  zone: Zone = null,
): number {
  if (moment.at !== undefined) {
    // Parsed again in the zone: daylight saving may skip this time of day where the reader is, but not there.
    const clock = zone ? clockTyped(moment.typed) : null;
    return clock === null ? moment.at : clockIn(zone, clock);
  }
  if (moment.period !== undefined) return periodAt(moment, now, zone)[0];
  if (moment.span === undefined) return timeNear(now, moment, { direction, zone });
  return direction === 'ago' ? now - moment.span : now + moment.span;
}

/** Adds days by the calendar, so that 18:00 stays 18:00 across a change of the clocks. */
function timeNear(
  now: number,
  { day, minutes }: { day: NearDay; minutes: number },
  { direction, zone }: { direction: 'ago' | 'ahead'; zone: Zone },
): number {
  if (typeof day !== 'number') return instantOnDay(now, { day, minutes }, { direction, zone });
  const today = wallClock(now, zone);
  return instantIn({ year: today.year, month: today.month, day: today.day + day, minutes }, zone);
}

const second_ms = 1000;

interface Bounds {
  minimum?: number;
  maximum: number;
}

/** Text with a unit (`10m`), value in whole seconds. */
export function secondsFlag(options: FlagOptions & Bounds): Flag<number | undefined> {
  const { minimum = 1, maximum, ...described } = options;
  const base = durationFlag(described);
  return { ...base, read: (texts) => readSeconds(texts.at(-1) ?? '', { minimum, maximum }) };
}

function readSeconds(given: string, { minimum, maximum }: Required<Bounds>): number {
  const length = (spanOf(given) ?? Number.NaN) / second_ms;
  if (Number.isInteger(length) && length >= minimum && length <= maximum) return length;
  const span = `from ${secondsText(minimum)} to ${secondsText(maximum)}`;
  throw new BadValue(`must be whole seconds, ${span}, such as 30s or 10m, not "${given}"`);
}

/** Formats seconds as typed: `30m`, `0s`. */
export function secondsText(length: number): string {
  return length === 0 ? '0s' : durationText(length * second_ms);
}
