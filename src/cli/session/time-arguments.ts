/** Arguments that are times or durations: `yesterday 6pm`, `Friday 5-6pm`, `2h`, `2026-03-02T18:00Z`. */
import { minute_ms, second_ms } from '../../domain/durations.ts';
import { nearNames } from '../../domain/near-names.ts';
import { foreignZone, readTimeOfDay, type TypedClock } from '../../domain/typed-clocks.ts';
import {
  type CalendarDay,
  calledFault,
  datesOf,
  monthFirst,
  plainTime,
  splitDay,
  type TypedDay,
  weekdayOf,
  withLengthsInDigits,
} from '../../domain/typed-days.ts';
import {
  BadValue,
  durationFlag,
  durationText,
  type Flag,
  type FlagOptions,
  parsedTextFlag,
  readDuration,
  unlessBadValue,
} from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { clockChangeAt, instantIn, type Zone, zonedClock, zoneNameAt } from '../kit/output/zoned-clock.ts';

/** The first day of a period, and the first one after it. */
type Period = (today: CalendarDay) => readonly [from: CalendarDay, to: CalendarDay];

/** A local time: of a day alone, `minutes` are null. */
type LocalTime = Omit<TypedClock, 'minutes' | 'offset'> & { day: TypedDay; minutes: number | null };

/**
 * A time as typed: an instant, an offset from now in milliseconds, a local time, or the start of a period. The service's
 * time determines the day.
 */
export type Moment = { typed: string } & (
  | { at: number; span?: never; day?: never; period?: never }
  | { at?: never; span: number; day?: never; period?: never }
  | ({ at?: never; span?: never; period?: never } & LocalTime)
  | { at?: never; span?: never; day?: never; period: Period }
);

/** A period as typed. */
export interface TypedPeriod {
  period: Period;
  /** The next or, below zero, the last milliseconds instead. */
  length?: number;
  typed: string;
}

type Direction = 'ago' | 'ahead';

/** What a time is for: past records, what is to come, a visit, which needs a time of day, or one in a file of any day. */
type Use = Direction | 'visit' | 'dated visit';

/**
 * `--since 2h`, `--since today`, `--since 2026-03-02`, `--pickup-at 2026-03-02T18:00-06:00`; local time without an
 * offset.
 */
export function momentFlag(
  options: FlagOptions & { isPast?: true; isVisit?: true },
): Flag<Moment | undefined> {
  const { isPast, isVisit, ...described } = options;
  const use = isVisit ? 'visit' : isPast ? 'ago' : 'ahead';
  return parsedTextFlag((typed) => readMoment(typed, use), { placeholder: 'WHEN', ...described });
}

/** `--period yesterday`, `--period 'last week'`, `--due tomorrow`, `--period 2026-03-02`. */
export function periodFlag(options: FlagOptions & { isToCome?: true }): Flag<TypedPeriod | undefined> {
  const { isToCome, ...described } = options;
  return parsedTextFlag((typed) => typedPeriod(typed, isToCome ? 'ahead' : 'ago'), {
    placeholder: 'PERIOD',
    ...described,
  });
}

/** A whole day, week or month; throws BadValue for any other text. */
export function typedPeriod(typed: string, direction: Direction): TypedPeriod {
  const period = readPeriod(typed, direction);
  if (period !== null) return period;
  const lead =
    direction === 'ahead' ? /^(?:in )?(?:the )?(?:next|coming|within) /i : /^(?:the )?(?:last|past) /i;
  const span = spanInWords(typed.replace(lead, '').replace(/^(hour|minute)$/i, '1 $1'), direction);
  if (span) return { period: (today) => [today, today], length: direction === 'ahead' ? span : -span, typed };
  throw new BadValue(
    `must be a period such as ${periodExamples[direction]}, not "${typed}"${meantDay(typed)}`,
  );
}

const periodExamples: Readonly<Record<Direction, string>> = {
  ago: 'yesterday, monday, "last week", month, 2026-03-02 or 15m',
  ahead: 'today, tomorrow, saturday, yesterday, week, 2026-03-02 or 15m',
};
const namedPattern = /^(?:(this|last|next)[ _-]?)?(week|month)$/i;

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const monthPattern =
  /^(?:last )?(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?(?:,? (\d{4}))?$/i;

/** The month of a year, or without one the latest that has begun. */
function namedMonth(name: string, typedYear: string | undefined): Period {
  const month = monthNames.indexOf(name.slice(0, 3).toLowerCase());
  return (today) => {
    const year = typedYear === undefined ? today.year - (month > today.month ? 1 : 0) : Number(typedYear);
    return months(0)({ year, month, day: 1 });
  };
}

/** Reads a whole day, week or month; null for any other text. A weekday is the latest one, or the next one if it is ahead. */
export function readPeriod(typed: string, direction: Direction = 'ago'): TypedPeriod | null {
  const [, which, unit] = namedPattern.exec(typed) ?? [];
  const offset = { last: -1, next: 1 }[which?.toLowerCase() ?? ''] ?? 0;
  if (unit !== undefined)
    return { period: unit.toLowerCase() === 'week' ? weeks(offset) : months(offset), typed };
  const [, name = '', year] = monthPattern.exec(typed) ?? [];
  if (name !== '') return { period: namedMonth(name, year), typed };
  const found = splitDay(plainTime(typed));
  if (found?.time !== '' || /^tonight$/i.test(typed)) return null;
  const period: Period = (today) => {
    const date = dateMeant(found.day, today, direction);
    return [date, { ...date, day: date.day + 1 }];
  };
  return { period, typed };
}

/** The latest date that a day can mean, not after today; ahead, the first that is not before today. */
function dateMeant(day: TypedDay, today: CalendarDay, direction: Direction): CalendarDay {
  const dates = datesOf(day, today);
  const time = (date: CalendarDay) => Date.UTC(date.year, date.month, date.day);
  const found =
    direction === 'ahead'
      ? dates.find((date) => time(date) >= time(today))
      : dates.findLast((date) => time(date) <= time(today));
  return (dates.length > 1 && found) || (dates[0] ?? today);
}

/** Weeks begin on Monday. */
function weeks(offset: number): Period {
  return ({ day, ...month }) => {
    const monday = day - ((weekdayOf({ ...month, day }) + 6) % 7) + 7 * offset;
    return [
      { ...month, day: monday },
      { ...month, day: monday + 7 },
    ];
  };
}

function months(offset: number): Period {
  return ({ year, month }) => [
    { year, month: month + offset, day: 1 },
    { year, month: month + offset + 1, day: 1 },
  ];
}

/** The bounds of a period in a zone, by default the reader's: its start, and the start of what follows. */
export function periodAt(
  { period, length }: TypedPeriod,
  now: number,
  zone: Zone = null,
): [from: number, to: number] {
  if (length !== undefined) return [now + Math.min(0, length), now + Math.max(0, length)];
  const [from, to] = period(zonedClock(now, zone));
  return [instantIn({ ...from, minutes: 0 }, zone), instantIn({ ...to, minutes: 0 }, zone)];
}

const examples: Readonly<Record<Use, string>> = {
  ago: 'must be a time such as "yesterday 6pm", "2 hours ago", 2026-03-02T18:00Z or 08:00 or a duration such as 2h',
  ahead:
    'must be a time such as "tomorrow 6pm", "Friday noon", "in 2 hours", 2026-03-02T18:00Z or 08:00 or a duration such as 2h',
  visit:
    'must be a time such as "tomorrow 6pm", "Friday 5-6pm", "in 2 hours", 2026-03-02T18:00Z or 08:00 or a duration such as 2h',
  'dated visit': 'must be a date and time such as 2026-01-31 15:00 or 01/31/2026 3:00 PM',
};

/** Reads an instant, a local time or a duration; throws BadValue. A date alone is its local midnight. */
export function readMoment(typed: string, use: Use = 'ago'): Moment {
  const span = spanOf(typed) ?? spanInWords(typed, use === 'ago' ? 'ago' : 'ahead');
  if (span !== null && use !== 'dated visit') return { span, typed };
  const text = plainTime(typed);
  const named = splitDay(text);
  const isPast = typeof named?.day === 'object' && 'isLast' in named.day;
  const found = isPast && use !== 'ago' ? null : named;
  const moment = comingMidnight(text, use) ?? clockMoment(text, found) ?? dayMoment(text, found, use);
  if (moment !== null && (use !== 'dated visit' || isDated(moment))) return { ...moment, typed };
  const period = use === 'ago' ? readPeriod(typed) : null;
  if (period !== null) return period;
  throw new BadValue(whyUnread(text, found, use) ?? `${examples[use]}, not "${typed}"${meantDay(typed)}`);
}

const dayWords = ['today', 'yesterday', 'tomorrow', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday'];

/** What a misspelled day or a time with a point was probably meant to be; empty if it looks like neither. */
function meantDay(typed: string): string {
  const [, hours, minutes] = /^(\d{1,2})\.([0-5]\d)$/.exec(typed.trim()) ?? [];
  const [near] = nearNames(typed.trim().toLowerCase(), [...dayWords, 'saturday', 'sunday', 'week', 'month']);
  const meant = hours === undefined ? near : `${hours}:${minutes}`;
  return meant === undefined ? '' : ` (did you mean ${meant}?)`;
}

type FoundDay = ReturnType<typeof splitDay>;

/** The midnight that comes is the end of today. */
function comingMidnight(text: string, use: Use): LocalTime | null {
  return use !== 'ago' && /^(?:at )?midnight$/i.test(text) ? { day: 1, minutes: 0 } : null;
}

function clockMoment(text: string, found: FoundDay): { at: number } | LocalTime | null {
  const { day, time } = found ?? { day: 0, time: text };
  const clock = readTimeOfDay(time, /\dT\d/i.test(text));
  if (clock === null) return null;
  const { offset, ...local } = clock;
  if (offset !== undefined) return exactMoment(day, { ...local, offset });
  // The hours after midnight of `tonight` have the date of tomorrow.
  const isTonight = /\btonight\b/i.test(text) && clock.minutes < 5 * 60;
  return { ...local, day: isTonight ? 1 : day };
}

/** Null without a date, as that of another zone is not known. */
function exactMoment(day: TypedDay, { minutes, offset }: { minutes: number; offset: string }) {
  if (typeof day === 'number' || 'weekday' in day || day.year === undefined) return null;
  const [, sign = '+', hours = '0', rest = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  if (Number(hours) > 14 || Number(rest) > 59) return null;
  const ahead = (Number(hours) * 60 + Number(rest)) * (sign === '+' ? 1 : -1);
  const midnight = Date.UTC(day.year, day.month, day.date);
  return { at: midnight + Math.round(minutes * minute_ms) - ahead * minute_ms };
}

function dayMoment(text: string, found: FoundDay, use: Use): LocalTime | null {
  const isAlone = found?.time === '' && !/^tonight$/i.test(text);
  return isAlone && (use === 'ago' || use === 'ahead') ? { day: found.day, minutes: null } : null;
}

function whyUnread(text: string, found: FoundDay, use: Use): string | null {
  const american = monthFirst(text);
  if (american !== null) return `must have the month before the day, such as ${american}, not "${text}"`;
  if (found?.time === '') {
    const example = /^tonight$/i.test(text) ? 'tonight 8' : `${text} 6pm`;
    return `must have a time of day, such as "${example}", not "${text}" alone`;
  }
  const time = found?.time ?? text;
  if (use === 'visit' && /^(?:now|asap|as soon as possible|right away|immediately)$/i.test(text))
    return `must be a time to come, not "${text}": what has no time is sent as soon as possible`;
  const later = /^(?:\+ ?(.+)|(.+) later)$/i.exec(text)?.slice(1).find(Boolean);
  if (later !== undefined && spanInWords(later, 'ahead') !== null)
    return `must be counted from now, as in "in ${later}", not "${text}"`;
  if (/^(?:2[4-9]|[3-9]\d):\d\d$|^\d{1,2}:[6-9]\d$/.test(time))
    return `must be a time from 0:00 to 23:59, not "${text}"`;
  if (/^(?:at )?(?:half|(?:a )?quarter) (?:past|after|to) /i.test(time))
    return `must say whether ${time} is in the morning or the afternoon, not "${text}"`;
  const [, hours, minutes] = /^([01]\d|2[0-3])([0-5]\d)$/.exec(time) ?? [];
  if (hours !== undefined) return `must have a colon in the time, as in ${hours}:${minutes}, not "${text}"`;
  const zone = foreignZone(time);
  if (zone !== null)
    return `must be in a time zone of the USA such as ET, or have an offset as in 2026-03-02T18:00-06:00, not "${zone}"`;
  const isHour = /^(?:at )?(?:0?[1-9]|1[0-2])$/i.test(time) && use !== 'ago';
  const hour = time.replace(/^at /i, '');
  if (isHour && use !== 'dated visit')
    return `must say whether ${hour} is ${hour}am or ${hour}pm, not "${text}"`;
  const isWindow = /^(?:from |between )?\d{1,2} ?(?:-|\u2013|to|until|till|and) ?\d{1,2}$/i.test(time);
  return isWindow || isHour
    ? `must say whether ${hour} is in the morning or the afternoon, not "${text}"`
    : null;
}

/** Whether the day of a moment does not depend on today. */
export function isDated({ at, day }: Pick<Moment, 'at' | 'day'>): boolean {
  return at !== undefined || (typeof day === 'object' && 'year' in day);
}

/** Whether the moment was typed as a local time: without an offset, and not as a length of time. */
export function isLocalTime({ at, span }: Moment): boolean {
  return at === undefined && span === undefined;
}

/** The milliseconds of a duration such as `1h30m`; null for any other text. */
function spanOf(typed: string): number | null {
  return unlessBadValue(() => readDuration(typed));
}

const unitWords =
  /(\d{1,9} ?|(?<!\w)an? )(d|h|m|s)(?:ays?|ours?|rs?|inutes?|ins?|econds?|ecs?)?(?=\d| |$)(?:,? and |, | )?/gi;

/** Reads `in 2 hours`, `1 hour and 30 minutes ago` and `90 minutes`; null for any other text or direction. */
function spanInWords(typed: string, direction: Direction): number | null {
  const ahead = (/^in (.+)$/i.exec(typed) ?? /^(.+) from now$/i.exec(typed))?.[1];
  const past = /^(.+) ago$/i.exec(typed)?.[1];
  if ((direction === 'ago' ? ahead : past) !== undefined) return null;
  const words = ahead ?? past ?? typed;
  const short = withLengthsInDigits(words)
    .replace(/\bhalf an hour\b/i, '30m')
    .replace(/\b(\d+|an?) hours? and a half\b/i, '$1 hour 30m')
    .replace(/\b(\d+)\.5 ?h(?:(?:ou)?rs?)?\b/i, '$1h30m')
    .replaceAll(unitWords, (_, count: string, unit: string) => {
      return `${/^a/i.test(count) ? '1' : count.trim()}${unit.toLowerCase()}`;
    });
  return spanOf(short);
}

/** The milliseconds of `15m`, `15 min` or `an hour`; null for any other text. */
export function readLength(typed: string): number | null {
  return spanOf(typed) ?? spanInWords(typed, 'ago');
}

/**
 * The instant of a moment, in milliseconds since the epoch, or why it is none. A duration is counted from `now`. A time
 * without an offset is read in an IANA zone, by default the reader's.
 */
export function resolveMoment(
  moment: Moment,
  now: number,
  direction: Direction,
  zone: Zone = null,
): { at: number } | { why: string } {
  if (moment.at !== undefined) return { at: moment.at };
  if (moment.period !== undefined) return { at: periodAt(moment, now, zone)[0] };
  if (moment.span !== undefined) return { at: direction === 'ago' ? now - moment.span : now + moment.span };
  const { zone: named, day } = moment;
  const zones = named === undefined ? [zone] : [zone, zonesByName[named.replace(/[SD]T$/, 'T')]];
  const read = zones
    .filter((each) => each !== undefined)
    .map((each) => ({ ...localInstant(moment, now, direction, each), zone: each }));
  const found = named === undefined ? read[0] : read.find((each) => isNamed(named, each));
  if (found === undefined) {
    const shown = read.map((each) => zoneNameAt(each.at, each.zone)).join(' or ');
    return { why: `must be in the zone that clocks show then, ${shown}, not ${named}` };
  }
  const why = calledFault(day, found.date);
  return why === null ? { at: found.at } : { why };
}

/** The instant of a moment, as `resolveMoment` reads it; throws UsageError if it is none. */
export function instantAt(moment: Moment, now: number, direction: Direction, zone: Zone = null): number {
  const read = resolveMoment(moment, now, direction, zone);
  if ('at' in read) return read.at;
  throw new UsageError(`"${moment.typed}" ${read.why}.`, { code: 'bad_value' });
}

const zonesByName: Readonly<Record<string, string>> = {
  AT: 'America/Puerto_Rico',
  ET: 'America/New_York',
  CT: 'America/Chicago',
  MT: 'America/Denver',
  PT: 'America/Los_Angeles',
  AKT: 'America/Anchorage',
  HT: 'Pacific/Honolulu',
  UTC: 'UTC',
};

/** Whether a clock shows `EST` as the zone at an instant; `ET` is either of its two. */
function isNamed(name: string, { at, zone }: { at: number; zone: Zone }): boolean {
  const shown = zoneNameAt(at, zone);
  return name === shown || name === shown.replace(/[SD]T$/, 'T');
}

/** Adds days by the calendar, so that 18:00 stays 18:00 across a change of the clocks. */
function localInstant({ day, minutes }: LocalTime, now: number, direction: Direction, zone: Zone) {
  const [whole, rest] = [Math.floor(minutes ?? 0), (minutes ?? 0) % 1];
  const today = zonedClock(now, zone);
  const read = datesOf(day, today).map((date) => ({
    date,
    at: instantIn({ ...date, minutes: whole }, zone) + Math.round(rest * minute_ms),
  }));
  const isMeant = ({ at }: { at: number }) => (direction === 'ahead' ? at > now : at <= now);
  const found = direction === 'ahead' ? read.find(isMeant) : read.findLast(isMeant);
  return (read.length > 1 && found) || (read[0] ?? { date: today, at: now });
}

/**
 * Remarks for people on how a moment was read in a zone, such as an hour that was skipped. Without an instant there are
 * none on the time of day.
 */
export function momentRemarks(moment: Moment, at: number | null, zone: Zone = null): string[] {
  if (moment.day === undefined) return [];
  const { isWindow, isEarly, minutes, day } = moment;
  const isFixed = at === null || minutes === null || moment.zone !== undefined;
  const change = isFixed ? null : clockChangeAt(Math.floor(minutes), at, zone);
  const isDayFirst = typeof day === 'object' && 'isDayFirst' in day;
  return [
    ...(isWindow ? ['the beginning of the window is meant'] : []),
    ...(isEarly ? ['it is in the morning, as nothing says "pm"'] : []),
    ...(isDayFirst ? ['the day comes before the month'] : []),
    ...(change === 'skipped' ? ['clocks go forward then, and skip the time as given'] : []),
    ...(change === 'doubled' ? ['clocks go back then, and the first of two such times is meant'] : []),
  ];
}

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
