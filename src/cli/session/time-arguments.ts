/** Arguments that are times: `yesterday 6pm`, `Friday 5-6pm`, `2h` or `2026-03-02T18:00Z`, and their instants. */
import { minute_ms } from '../../domain/durations.ts';
import { readTimeOfDay, type TypedClock } from '../../domain/typed-clocks.ts';
import { calledFault, datesOf, plainTime, splitDay, type TypedDay } from '../../domain/typed-days.ts';
import { BadValue, type Flag, type FlagOptions, parsedTextFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { clockChangeAt, instantIn, type Zone, zonedClock, zoneNameAt } from '../kit/output/zoned-clock.ts';
import { type Direction, spanInWords, spanOf } from './typed-lengths.ts';
import { isTimeRange, type Period, periodAt, readPeriod } from './typed-periods.ts';
import { examples, type FoundDay, meantDay, type Use, whyUnread } from './unread-times.ts';

/** A local time; `minutes` are null for a day alone. */
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

/** A flag that takes a time such as `2h`, `today` or `2026-03-02T18:00-06:00`, which is local without an offset. */
export function momentFlag(
  options: FlagOptions & { isPast?: true; isVisit?: true },
): Flag<Moment | undefined> {
  const { isPast, isVisit, ...described } = options;
  const use = isVisit ? 'visit' : isPast ? 'ago' : 'ahead';
  return parsedTextFlag((typed) => readMoment(typed, use), { placeholder: 'WHEN', ...described });
}

/** Reads an instant, a local time or a duration; throws BadValue. A date alone is its local midnight. */
export function readMoment(typed: string, use: Use = 'ago'): Moment {
  if (use === 'ago' && typed.trim().toLowerCase() === 'now') return { span: 0, typed };
  const span = spanOf(typed) ?? spanInWords(typed, use === 'ago' ? 'ago' : 'ahead');
  if (span !== null && use !== 'dated visit') return { span, typed };
  const text = plainTime(typed);
  const split = splitDay(text);
  const isPastDay = typeof split?.day === 'object' && 'isLast' in split.day;
  const foundDay = isPastDay && use !== 'ago' ? null : split;
  if (use === 'ago' && isTimeRange(text)) throw new BadValue(`must be one time, and "${typed}" is a range`);
  const moment = comingMidnight(text, use) ?? clockMoment(text, foundDay) ?? dayMoment(text, foundDay, use);
  if (moment !== null && (use !== 'dated visit' || isDated(moment))) return { ...moment, typed };
  const period = use === 'ago' ? readPeriod(typed) : null;
  if (period !== null) return period;
  throw new BadValue(whyUnread(text, foundDay, use) ?? `${examples[use]}, not "${typed}"${meantDay(typed)}`);
}

/** Reads `midnight` as the end of today, if a time to come is meant. */
function comingMidnight(text: string, use: Use): LocalTime | null {
  return use !== 'ago' && /^(?:at )?midnight$/i.test(text) ? { day: 1, minutes: 0 } : null;
}

/** Reads a time of day with its day, which is today by default. */
function clockMoment(text: string, foundDay: FoundDay): { at: number } | LocalTime | null {
  const { day, time } = foundDay ?? { day: 0, time: text };
  const clock = readTimeOfDay(time, /\dT\d/i.test(text));
  if (clock === null) return null;
  const { offset, ...local } = clock;
  if (offset !== undefined) return exactMoment(day, { ...local, offset });
  // The hours after midnight of `tonight` have the date of tomorrow.
  const isTonight = /\btonight\b/i.test(text) && clock.minutes < 5 * 60;
  return { ...local, day: isTonight ? 1 : day };
}

/** Reads a date and time with an offset. Null without a date, as the date in another zone is not known. */
function exactMoment(day: TypedDay, { minutes, offset }: { minutes: number; offset: string }) {
  if (typeof day === 'number' || 'weekday' in day || day.year === undefined) return null;
  const [, sign = '+', hours = '0', rest = '0'] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  if (Number(hours) > 14 || Number(rest) > 59) return null;
  const ahead = (Number(hours) * 60 + Number(rest)) * (sign === '+' ? 1 : -1);
  const midnight = Date.UTC(day.year, day.month, day.date);
  return { at: midnight + Math.round(minutes * minute_ms) - ahead * minute_ms };
}

/** Reads a day alone, which is no time of a visit. */
function dayMoment(text: string, foundDay: FoundDay, use: Use): LocalTime | null {
  const isAlone = foundDay?.time === '' && !/^tonight$/i.test(text);
  return isAlone && (use === 'ago' || use === 'ahead') ? { day: foundDay.day, minutes: null } : null;
}

/** Whether the day of a moment does not depend on today. */
export function isDated({ at, day }: Pick<Moment, 'at' | 'day'>): boolean {
  return at !== undefined || (typeof day === 'object' && 'year' in day);
}

/** Whether the moment was typed as a local time: without an offset, and not as a length of time. */
export function isLocalTime({ at, span }: Moment): boolean {
  return at === undefined && span === undefined;
}

/**
 * The instant of a moment in milliseconds, or why there is none. A duration is counted from `now`. A time without an
 * offset is read in an IANA zone, by default the reader's.
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
  const { zone: zoneName, day } = moment;
  const zones = zoneName === undefined ? [zone] : [zone, zonesByName[zoneName.replace(/[SD]T$/, 'T')]];
  const readings = zones
    .filter((each) => each !== undefined)
    .map((each) => ({ ...localInstant(moment, now, direction, each), zone: each }));
  const reading = zoneName === undefined ? readings[0] : readings.find((each) => isZoneNamed(zoneName, each));
  if (reading === undefined) {
    const shownNames = readings.map((each) => zoneNameAt(each.at, each.zone)).join(' or ');
    return { why: `must be in the zone that clocks show then, ${shownNames}, not ${zoneName}` };
  }
  const why = calledFault(day, reading.date);
  return why === null ? { at: reading.at } : { why };
}

/** The instant of a moment, as `resolveMoment` reads it; throws UsageError if there is none. */
export function instantAt(moment: Moment, now: number, direction: Direction, zone: Zone = null): number {
  const result = resolveMoment(moment, now, direction, zone);
  if ('at' in result) return result.at;
  throw new UsageError(`"${moment.typed}" ${result.why}.`, { code: 'bad_value' });
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
function isZoneNamed(name: string, { at, zone }: { at: number; zone: Zone }): boolean {
  const shown = zoneNameAt(at, zone);
  return name === shown || name === shown.replace(/[SD]T$/, 'T');
}

/**
 * The date and the instant of a local time. Days are added by the calendar, so that 18:00 stays 18:00 across a change
 * of the clocks. Of several dates, as of `monday`, the nearest one in the direction is meant.
 */
function localInstant({ day, minutes }: LocalTime, now: number, direction: Direction, zone: Zone) {
  const [whole, rest] = [Math.floor(minutes ?? 0), (minutes ?? 0) % 1];
  const today = zonedClock(now, zone);
  const candidates = datesOf(day, today).map((date) => ({
    date,
    at: instantIn({ ...date, minutes: whole }, zone) + Math.round(rest * minute_ms),
  }));
  const isMeant = ({ at }: { at: number }) => (direction === 'ahead' ? at > now : at <= now);
  const nearest = direction === 'ahead' ? candidates.find(isMeant) : candidates.findLast(isMeant);
  return (candidates.length > 1 && nearest) || (candidates[0] ?? { date: today, at: now });
}

/** Remarks for people on how a moment was read, such as an hour that clocks skip if the instant is known. */
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
