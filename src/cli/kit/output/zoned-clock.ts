/** The clock in a time zone: what it shows at an instant (`zonedClock`), and when it shows a time (`instantIn`). */

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

/** Whether the reader's clock has a zone's names in winter and in summer: Regina has Central time without the latter. */
function isOwnZone(zone: string, { year }: WallClock): boolean {
  const name = zoneNames.get(zone);
  const hasZoneName = (month: number, kind: string) =>
    new Date(year, month, 1).toString().endsWith(`(${name} ${kind} Time)`);
  return name !== undefined && hasZoneName(0, 'Standard') && hasZoneName(6, 'Daylight');
}

function isSameTime(left: WallClock, right: WallClock): boolean {
  return left.day === right.day && left.hours === right.hours && left.minutes === right.minutes;
}

/** A formatter is slow to create and the same for each row of a list. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  const existing = formatters.get(zone);
  if (existing !== undefined) return existing;
  const formatter = new Intl.DateTimeFormat('en-US', {
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
  formatters.set(zone, formatter);
  return formatter;
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
 * The instant at which a clock in a zone shows a time. Of a time that clocks show twice it is the first instant. A time that
 * they skip is later by as much as they are put forward, as are the local times of JavaScript.
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

/** Whether clocks skip a time of day (in minutes) or show it twice, at the instant of `instantIn`; null if neither. */
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
