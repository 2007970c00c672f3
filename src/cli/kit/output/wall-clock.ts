/** A local date and time in parts. */
export interface WallClock {
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

/** Reads a time in a zone. Only another zone than the reader's uses Intl, whose first use takes 12 ms. */
export function wallClock(instant: number, zone: Zone = null): WallClock {
  const own = ownClock(new Date(instant));
  if (!zone) return own;
  const there = clockIn(zone, instant);
  return isSameTime(own, there) ? own : there;
}

function ownClock(date: Date): WallClock {
  return {
    ...{ year: date.getFullYear(), month: date.getMonth(), day: date.getDate() },
    ...{ hours: date.getHours(), minutes: date.getMinutes(), seconds: date.getSeconds(), zone: '' },
  };
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
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
    ...{ hourCycle: 'h23', timeZoneName: 'short', timeZone: zone },
  });
  formatters.set(zone, made);
  return made;
}

function clockIn(zone: string, instant: number): WallClock {
  const parts = new Map(
    formatterOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, value]),
  );
  const number = (type: Intl.DateTimeFormatPartTypes) => Number(parts.get(type));
  return {
    ...{ year: number('year'), month: number('month') - 1, day: number('day') },
    ...{ hours: number('hour'), minutes: number('minute'), seconds: number('second') },
    zone: parts.get('timeZoneName') ?? zone,
  };
}

const day_ms = 86_400_000;

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

/** How far the clock in a zone is ahead of UTC, in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  const { year, month, day, hours, minutes, seconds } = clockIn(zone, instant);
  return Date.UTC(year, month, day, hours, minutes, seconds) - Math.floor(instant / 1000) * 1000;
}
