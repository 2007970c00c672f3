/** Periods as people type them: `yesterday`, `last week`, `March 2026`, `yesterday 11:00-14:00`, and the last `15m`. */
import { readTimeOfDay, readTimeRange } from '../../domain/typed-clocks.ts';
import {
  type CalendarDay,
  datesOf,
  plainTime,
  splitDay,
  type TypedDay,
  weekdayOf,
} from '../../domain/typed-days.ts';
import { BadValue, type Flag, type FlagOptions, parsedTextFlag } from '../kit/args/flags.ts';
import { instantIn, type Zone, zonedClock } from '../kit/output/zoned-clock.ts';
import { type Direction, spanInWords } from './typed-lengths.ts';
import { meantDay } from './unread-times.ts';

/** A day, and the minutes after its midnight if a period begins or ends within the day. */
type Bound = CalendarDay & { minutes?: number };

/** The first day of a period and the first day after it, or two times of day. */
export type Period = (today: CalendarDay) => readonly [from: Bound, to: Bound];

/** A period as typed. */
export interface TypedPeriod {
  period: Period;
  /** Milliseconds of a period that begins now or, below zero, ends now, in place of `period`. */
  length?: number;
  typed: string;
}

/** A flag that takes a period: `--period yesterday`, `--period 'last week'`, `--due tomorrow`, `--period 2026-03-02`. */
export function periodFlag(options: FlagOptions & { direction?: Direction }): Flag<TypedPeriod | undefined> {
  const { direction = 'ago', ...described } = options;
  return parsedTextFlag((typed) => typedPeriod(typed, direction), { placeholder: 'PERIOD', ...described });
}

/** Reads a period, or a length of time up to now or from now on; throws BadValue for any other text. */
export function typedPeriod(typed: string, direction: Direction): TypedPeriod {
  const period = readPeriod(typed, direction);
  if (period !== null) return period;
  const span = spanInWords(typed, direction);
  if (span) return { period: (today) => [today, today], length: direction === 'ahead' ? span : -span, typed };
  throw new BadValue(
    `must be a period such as ${periodExamples[direction]}, not "${typed}"${meantDay(typed)}`,
  );
}

const periodExamples: Readonly<Record<Direction, string>> = {
  ago: 'yesterday, monday, "last week", month, 2026-03-02, "yesterday 11:00-14:00" or 15m',
  ahead: 'today, tomorrow, saturday, yesterday, week, 2026-03-02 or 15m',
};
/** Matches `week`, `last month` and `next_week`. */
const namedPattern = /^(?:(this|last|next)[ _-]?)?(week|month)$/i;

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
/** Matches `March`, `mar.` and `last march, 2026`. */
const monthPattern =
  /^(?:last )?(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?(?:,? (\d{4}))?$/i;

/** The month of a year, or without one the latest that has begun. */
function namedMonth(name: string, typedYear: string | undefined): Period {
  const month = monthNames.indexOf(name.slice(0, 3).toLowerCase());
  return (today) => {
    const year = typedYear === undefined ? today.year - (month > today.month ? 1 : 0) : Number(typedYear);
    return wholeMonth(year, month);
  };
}

/** Reads a whole day, week or month; null for any other text. A weekday is the latest or, ahead, the next one. */
export function readPeriod(typed: string, direction: Direction = 'ago'): TypedPeriod | null {
  const [, which, unit] = namedPattern.exec(typed) ?? [];
  const offset = { last: -1, next: 1 }[which?.toLowerCase() ?? ''] ?? 0;
  if (unit !== undefined)
    return { period: unit.toLowerCase() === 'week' ? weeks(offset) : months(offset), typed };
  const [, name = '', year] = monthPattern.exec(typed) ?? [];
  if (name !== '') return { period: namedMonth(name, year), typed };
  const dayAndRange = splitRange(typed);
  if (dayAndRange === null) return null;
  const { day, range } = dayAndRange;
  const [from, to] = range;
  const period: Period = (today) => {
    const date = dateMeant(day, today, direction);
    return [
      { ...date, minutes: from },
      { ...date, day: date.day + Math.floor(to / wholeDay[1]), minutes: to % wholeDay[1] },
    ];
  };
  return { period, typed };
}

/** The minutes of a whole day. */
const wholeDay = [0, 24 * 60] as const;

/** Reads a day and its range of minutes; null for any other text, and for `11-14` alone, which may be a date. */
function splitRange(typed: string) {
  const text = plainTime(typed);
  if (/^tonight$|^\d+-\d+$|\dT\d/i.test(text)) return null;
  const { day, time } = splitDay(text) ?? { day: 0, time: text };
  if (time === '') return text === '' ? null : { day, range: wholeDay };
  const range = readTimeRange(time, typeof day === 'object' && 'year' in day);
  return range && { day, range };
}

/** Whether a text is a range of times, such as `yesterday 11:00-14:00`, and not whole days. */
export function isTimeRange(typed: string): boolean {
  const range = splitRange(typed)?.range ?? wholeDay;
  return range !== wholeDay;
}

/** The part of a day between two times of day, by default the whole day; null for other times and longer periods. */
export function partOfDay(day: TypedPeriod, from = '0:00', to = '24:00'): TypedPeriod | null {
  const [start, end] = [from, to].map((text) => (text === '24:00' ? text : clockText(text)));
  if (start === null || end === null || splitDay(plainTime(day.typed))?.time !== '') return null;
  return readPeriod(`${day.typed} ${start}-${end}`);
}

/** A time of day as hours and minutes: `14:00` for `2pm`. Null for any other text, a window, and a time with a zone. */
function clockText(text: string): string | null {
  const clock = readTimeOfDay(plainTime(text));
  if (clock === null || clock.isWindow || clock.zone !== undefined || clock.offset !== undefined) return null;
  const [hours, minutes] = [Math.floor(clock.minutes / 60), Math.floor(clock.minutes % 60)];
  return [hours, minutes].map((part) => String(part).padStart(2, '0')).join(':');
}

/** The date that a day means: the latest one not after today, or ahead the first one not before today. */
function dateMeant(day: TypedDay, today: CalendarDay, direction: Direction): CalendarDay {
  const dates = datesOf(day, today);
  const time = (date: CalendarDay) => Date.UTC(date.year, date.month, date.day);
  const nearest =
    direction === 'ahead'
      ? dates.find((date) => time(date) >= time(today))
      : dates.findLast((date) => time(date) <= time(today));
  return (dates.length > 1 && nearest) || (dates[0] ?? today);
}

/** A week, counted from this one. Weeks begin on Monday. */
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
  return ({ year, month }) => wholeMonth(year, month + offset);
}

/** A whole month. Its number may be below 0 or above 11, for a month of another year. */
function wholeMonth(year: number, month: number): ReturnType<Period> {
  return [
    { year, month, day: 1 },
    { year, month: month + 1, day: 1 },
  ];
}

/** The bounds of a period in a zone, by default the reader's: its start, and the start of what follows. */
export function periodAt(
  { period, length }: TypedPeriod,
  now: number,
  zone: Zone = null,
): [from: number, to: number] {
  if (length !== undefined) return [now + Math.min(0, length), now + Math.max(0, length)];
  const { year, month, day } = zonedClock(now, zone);
  const [from, to] = period({ year, month, day });
  return [instantIn({ minutes: 0, ...from }, zone), instantIn({ minutes: 0, ...to }, zone)];
}
