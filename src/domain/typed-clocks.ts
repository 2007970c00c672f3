/**
 * Times of day as people and shop systems write them: `6pm`, `18:00`, `noon`, `5-6pm`, `1:00 PM - 2:00 PM`, `6pm EST`.
 * `readTimeOfDay` brings a text into one form, and reads it as a window, or as a single time with its offset or its zone.
 */

/** A time of day; of a window it is the beginning. */
export interface TypedClock {
  /** After midnight. */
  minutes: number;
  isWindow?: true;
  /** Set for a time before 7 that may also be in the afternoon. */
  isEarly?: true;
  /** `EST`, `ET` or `UTC`: the zone that is named. */
  zone?: string;
  /** `-06:00`: how far it is ahead of UTC. */
  offset?: string;
}

/** `6 in the evening`, but not `12 in the evening`. */
const partOfDay =
  /(?<=(?:^|\D)(?:\d|1[01])(?::[0-5]\d)?) (?:in the |at )(?:(morning)|afternoon|evening|night)$/i;

type End = 'from' | 'to';

/** The pattern of one time; the names of its groups begin with which end of a window it is. */
function timePattern(end: End): string {
  const word = `(?:12 )?(?<${end}_word>noon|midnight)`;
  const colon = `[:h](?<${end}_minutes>[0-5]\\d)(?::(?<${end}_seconds>[0-5]\\d(?:\\.\\d+)?))?`;
  const dot = `\\.(?<${end}_dotted>[0-5]\\d)(?= ?[ap])`;
  const half = `(?:(?<${end}_half>[ap])\\.? ?(?:m\\.?)?)?`;
  return `(?:${word}|(?<${end}_hours>\\d{1,2})(?:${colon}|${dot})? ?${half})`;
}

/** `5-6pm`, `from 5pm to 6pm`, `between 5 and 6pm`. */
const windowPattern = new RegExp(
  `^(?:from |(?<between>between) )?${timePattern('from')} ?(?<joint>-|\\u2013|\\u2014|to|until|till|bis|and) ?${timePattern('to')}$`,
  'i',
);
const singlePattern = new RegExp(`^${timePattern('from')}$`, 'i');
/** `-06:00`, `UTC+01:00`, `Z`, `GMT-0600 (Central Standard Time)`. */
const offsetPattern = / ?(?:(?:UTC|GMT)? ?([+-])(\d\d):?(\d\d)(?: \([^()]*\))?|(?<=\d)(Z))$/i;
/** `UTC`, `CST`, `CT`, `(Central Time)`, `pacific daylight`. */
const zonePattern =
  / ?\(?\b(?:(UTC|GMT)|(AK|[ACEHMP])([SD])?T|(alaska|atlantic|central|eastern|hawaii|mountain|pacific)(?: (s|d)(?:tandard|aylight))?(?: time)?)\)?$/i;

/**
 * Reads a text of `plainTime` (`typed-days.ts`); null for any other one, and for a bare hour, which may be in the morning
 * or evening. What looks like an offset and like the end of a window (`08:00-10:00`) is an offset only in an exact time.
 */
export function readTimeOfDay(text: string, isExact = false): TypedClock | null {
  const said = text
    .replace(/^\((.*)\)$/, '$1')
    .replace(/^(?:at |by |@ ?)/i, '')
    .replace(/ ?o'?clock\b/i, '')
    .replace(/^(\d{1,2})(?:[.:]([0-5]\d) ?h(?:rs?)?| ?Uhr(?: ([0-5]\d))?)$/i, '$1:$2$3')
    .replace(/:$/, ':00')
    .replace(/^(?:in the |this )?(morning|afternoon|evening|night)(?: at)? (.+)$/i, '$2 at $1')
    .replace(partOfDay, (_, isMorning?: string) => (isMorning === undefined ? 'pm' : 'am'));
  const window = isExact ? null : windowIn(said);
  if (window !== null) return window;
  const [given = '', sign, hours = '00', minutes = '00'] = offsetPattern.exec(said) ?? [];
  if (given !== '') {
    const offset = sign === undefined ? 'Z' : `${sign}${hours}:${minutes}`;
    const clock = singleIn(said.slice(0, -given.length));
    return clock && { ...clock, offset };
  }
  const [zoned = '', utc, letter, kind = '', name = '', nameKind = ''] = zonePattern.exec(said) ?? [];
  if (zoned === '') return singleIn(said);
  const rest = said.slice(0, -zoned.length);
  const clock = windowIn(rest) ?? singleIn(rest);
  const initial = letter ?? (/^ala/i.test(name) ? 'AK' : name.slice(0, 1));
  return (
    clock && { ...clock, zone: utc === undefined ? `${initial}${kind || nameKind}T`.toUpperCase() : 'UTC' }
  );
}

/** The zone of another country behind a time, such as `CET`; null without one. */
export function foreignZone(text: string): string | null {
  return /(?:\d|\d ?[ap]\.?m\.?|noon) (?![AP]M$)([A-Z]{2,5})$/.exec(text)?.[1] ?? null;
}

/** `6pm` */
function singleIn(text: string): TypedClock | null {
  const found = singlePattern.exec(text)?.groups;
  return found === undefined ? null : clockOf(partsOf(found, 'from'), '');
}

/** The beginning of `5-6pm`. */
function windowIn(text: string): TypedClock | null {
  const window = boundsIn(text);
  // `13:00-06:00` is a time with its offset.
  return window === null || window.isBackwards ? null : { ...window.start, isWindow: true };
}

/**
 * Both ends of a window in minutes after midnight of its day, such as `11am-2pm`, `between 11 and 14`; null for any other
 * text, and for what is a time with its offset where that is exact: `18:00-06:00`.
 */
export function readTimeRange(text: string, isExact: boolean): [from: number, to: number] | null {
  const isToMidnight = /\b24:00$/.test(text);
  const window = boundsIn(text.replace(/\b24:00$/, '23:59'));
  if (window === null || (isExact && window.isBackwards)) return null;
  const [from, to] = [window.start.minutes, isToMidnight ? 24 * 60 : window.end.minutes];
  return [from, to > from ? to : to + 24 * 60];
}

/** Both ends of a window, of which one may say for both what it is: `5-6pm`, `11-14`, `11-1pm` from 11 in the morning. */
function boundsIn(text: string): { start: TypedClock; end: TypedClock; isBackwards: boolean } | null {
  const found = windowPattern.exec(text)?.groups;
  if (found === undefined) return null;
  const { between, joint = '' } = found;
  if (between === undefined && /and/i.test(joint)) return null;
  const parts = [partsOf(found, 'from'), partsOf(found, 'to')] as const;
  // An hour after 12 says that the other one is of the same clock: `11-14`.
  const is24h = parts.every(({ half }) => half === '') && parts.some(({ hours }) => Number(hours) > 12);
  const [from, to] = is24h ? [onFullHour(parts[0]), onFullHour(parts[1])] : parts;
  const halfOfWord = from.word === '' || is24h ? '' : from.word === 'noon' ? 'p' : 'a';
  const end = clockOf(to, from.half || halfOfWord);
  const start = clockOf(from, Number(from.hours) > 12 ? '' : halfBefore(from, to));
  if (start === null || end === null) return null;
  const isBackwards = `${from.half}${to.half}${to.word}` === '' && end.minutes <= start.minutes;
  return { start, end, isBackwards };
}

/** `11` as `11:00`, which is an hour of 24. */
function onFullHour(parts: Parts): Parts {
  return { ...parts, minutes: parts.minutes || '00' };
}

/** The parts of a time as they are written; those that are not are empty. */
interface Parts {
  /** `noon` or `midnight`. */
  word: string;
  hours: string;
  minutes: string;
  seconds: string;
  /** `a` or `p`. */
  half: string;
}

function partsOf(groups: Readonly<Record<string, string | undefined>>, end: End): Parts {
  const group = (name: string) => groups[`${end}_${name}`]?.toLowerCase() ?? '';
  return {
    word: group('word'),
    hours: group('hours'),
    minutes: group('minutes') || group('dotted'),
    seconds: group('seconds'),
    half: group('half'),
  };
}

/** Morning or afternoon of the beginning of a window such as `11-1pm`, of which only the end says it; empty if none does. */
function halfBefore(from: Parts, to: Parts): string {
  const half = to.half || (to.word === '' ? '' : to.word === 'noon' ? 'p' : 'a');
  if (half === '') return '';
  const [start, end] = [Number(from.hours) % 12, Number(to.hours) % 12];
  const isBefore = start * 60 + Number(from.minutes) < end * 60 + Number(to.minutes);
  return isBefore === (half === 'p') ? 'p' : 'a';
}

/** The time of its parts; null for a bare hour. `otherHalf` is the half of the day that the other end of a window says. */
function clockOf({ word, hours, minutes, seconds, half }: Parts, otherHalf: string): TypedClock | null {
  if (word !== '') return { minutes: word === 'noon' ? 12 * 60 : 0 };
  const hour = Number(hours);
  const known = half || otherHalf;
  if (known === '' ? minutes === '' || hour > 23 : hour > 12 || hour === 0) return null;
  const isEarly = known === '' && /^[1-6]$/.test(hours);
  const past = known === '' ? hour : (hour % 12) + (known === 'p' ? 12 : 0);
  const after_midnight = past * 60 + Number(minutes) + Number(seconds) / 60;
  return { minutes: after_midnight, ...(isEarly && { isEarly }) };
}
