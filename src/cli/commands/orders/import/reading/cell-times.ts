import { zoneOf } from '../../../../../domain/addresses.ts';
import { BadValue } from '../../../../kit/args/flags.ts';
import { instantAt, readMoment } from '../../../../kit/args/time-arguments.ts';
import { readLoadedAddress } from '../../../../session/gazetteer.ts';
import { type Change, Unreadable } from './cell-values.ts';

/** Dates and times as shops and spreadsheets write them, at the address of an order. */

/** The ISO time of a day and a time at an address; null if they cannot be read, or the zone is unknown. */
export function timeAt(address: string, date: string, time: string): string | null {
  const [day, clock] = [dayIn(date), clockIn(time)];
  const place = readLoadedAddress(address);
  const zone = 'fault' in place ? null : zoneOf(place.address);
  const at = day === null || clock === null || zone === null ? null : instantOf(`${day} ${clock}`, zone);
  return at === null ? null : new Date(at).toISOString();
}

/** The time in a zone, in milliseconds since the epoch; null if there is no such day or time. */
function instantOf(text: string, zone: string): number | null {
  try {
    return instantAt(readMoment(text), 0, 'ahead', zone);
  } catch (error) {
    if (error instanceof BadValue) return null;
    throw error;
  }
}

const dayNumber = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`;
const monthName = '(?<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\\.?';
const dayForms = [
  String.raw`(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})`,
  String.raw`(?<month>\d{1,2})/(?<day>\d{1,2})/(?<year>\d{4}|\d{2})`,
  String.raw`(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4})`,
  String.raw`${monthName} ${dayNumber},? (?<year>\d{4})`,
  String.raw`${dayNumber} ${monthName},? (?<year>\d{4})`,
].map((form) => new RegExp(`^(?:(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*,? )?${form}(?=$|[T, ])`, 'i'));

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** A day at the beginning of a text, and what follows it; null without any. */
function splitDay(text: string): { day: string; rest: string } | null {
  for (const form of dayForms) {
    const found = form.exec(text);
    const { year = '', month, name = '', day = '' } = found?.groups ?? {};
    if (found === null) continue;
    const number = month ?? String(months.indexOf(name.toLowerCase()) + 1);
    const date = `${year.padStart(4, '20')}-${number.padStart(2, '0')}-${day.padStart(2, '0')}`;
    return { day: date, rest: text.slice(found[0].length).replace(/^(T|,? at |[, ]+)/, '') };
  }
  return null;
}

/** `2026-03-05` of that, `3/5/26` or `Thu, Mar 5, 2026`; null for any other text. */
function dayIn(text: string): string | null {
  const found = splitDay(text.trim());
  return found?.rest === '' ? found.day : null;
}

/** Whether a text begins with a day. */
export function isDated(text: string): boolean {
  return splitDay(text.trim()) !== null;
}

/** A date, and the time that follows it in one text; null without a date. */
export function dateAndTime(text: string): { date: string; time: string } | null {
  const found = splitDay(text.trim());
  return found === null ? null : { date: found.day, time: found.rest };
}

const clock = String.raw`(\d{1,2})(?::?(\d{2}))?(?::\d{2}(?:\.\d+)?)?\s*(?:([ap])\.?m?\.?)?`;
const window = new RegExp(String.raw`^${clock}\s*(?:-|\u2013|\u2014|to|until|bis)\s*${clock}$`, 'i');
const single = new RegExp(`^${clock}$`, 'i');

/** Whether a time is a window, of which the beginning is taken. */
export function isWindow(time: string): boolean {
  return window.test(time.trim());
}

/** The beginning of a window is a guess: the customer may be there later only. */
export function windowChange(from: string, at: string): Change {
  return { field: 'dropoff_at', from, to: `the beginning of it, ${at}`, isGuess: true };
}

/** `13:00` of `1pm`, or the beginning of `1:00 PM - 2:00 PM`, `13:00 - 14:00` or `1-2pm`; null for any other text. */
function clockIn(time: string): string | null {
  const text = time.trim().replace(/^(12 )?noon$/i, '12:00 pm');
  const [, hours, minutes = '00', half = '', end = '', , endHalf = ''] =
    window.exec(text) ?? single.exec(text) ?? [];
  if (hours === undefined) return null;
  const meant = half || (Number(hours) > 12 ? '' : halfBefore(Number(hours), Number(end), endHalf));
  if (meant === '' && !/^\d{1,2}:\d/.test(text)) return null;
  const hour = meant === '' ? Number(hours) : (Number(hours) % 12) + (meant.toLowerCase() === 'p' ? 12 : 0);
  return `${String(hour).padStart(2, '0')}:${minutes}`;
}

/** Morning or afternoon of the beginning of a window such as `11-1pm`, of which only the end says it; empty if none does. */
function halfBefore(start: number, end: number, half: string): string {
  if (half === '') return '';
  const isSame = start % 12 < end % 12;
  return isSame === (half.toLowerCase() === 'p') ? 'p' : 'a';
}

/**
 * The time of a text with date and time at an address, which is empty if a store stands for it. With an offset it is
 * what the interface takes, or refuses.
 */
export function localTime(text: string, address: string): string | Unreadable {
  const { date = '', time = '' } = dateAndTime(text) ?? {};
  if (hasOffset(text) && (/^[\d-]+T/i.test(text) || !isLaterWindow(time))) return text;
  if (timeAt(anywhere, date, time) === null)
    return new Unreadable('must be a date and time such as 2026-01-31 15:00 or 01/31/2026 3:00 PM');
  const place = address === '' ? 'store' : 'address';
  const why = `needs its offset, such as 2026-01-31T15:00:00-06:00: the file does not say the zone of its ${place}`;
  return timeAt(address, date, time) ?? new Unreadable(why);
}

function hasOffset(text: string): boolean {
  return /(Z|[+-]\d\d:?\d\d)$/i.test(text);
}

/** `08:00-10:00` after a blank is a window, unless it ends before it begins; after a `T` it is a time with its offset. */
function isLaterWindow(time: string): boolean {
  const [, from = '', to = ''] = /^(\d\d:\d\d) ?- ?(\d\d:\d\d)$/.exec(time) ?? [];
  return from < to;
}

/** An address with a time zone, to see whether a time can be read at all. */
const anywhere = '233 S Wacker Dr, Chicago, IL 60606';
