import { normalizeAddress, zoneOf } from '../../../../../domain/addresses.ts';
import { parseDollars } from '../../../../../domain/money.ts';
import { BadValue } from '../../../../kit/args/flags.ts';
import { instantAt, readMoment } from '../../../../kit/args/time-arguments.ts';
import { withCountry } from '../../../../nouns/order-flags.ts';

/** A cell that cannot be read. `why` continues a sentence that begins with the name of the field. */
export class Unreadable {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** The parts of an address that may have a column each. */
export interface AddressParts {
  street: string;
  city: string;
  state: string;
  zip: string;
}

/** One line: street, city, state, ZIP. Excel drops the zeros with which a ZIP code begins. */
export function addressLineOf({ street, city, state, zip }: AddressParts): string {
  const code = /^\d{3,4}$/.test(zip) ? zip.padStart(5, '0') : zip;
  return [street, city, `${state} ${code}`.trim()].filter((part) => part !== '').join(', ');
}

/**
 * A phone number as the service takes it. Excel writes long numbers as 3.12556E+10, mostly without their last digits; an
 * apostrophe before a number marks text in a spreadsheet.
 */
export function phoneIn(cell: string): string | Unreadable {
  const text = cell.replace(/^'(?=[+(\d])/, '');
  const [, first = '', more = '', zeros = '0'] = /^(\d)(?:[.,](\d+))?E\+?(\d+)$/i.exec(text) ?? [];
  if (first === '') return withCountry(text);
  if (more.length === Number(zeros)) return withCountry(`${first}${more}`);
  return new Unreadable(
    `is "${text}": Excel has shortened the number. Format the column as text in the spreadsheet, enter the numbers again, and save it as CSV`,
  );
}

/** The cents of `$1,234.50`, `37.9`, `12`, or `4,50` as Excel writes it in other countries; null for any other text. */
export function centsIn(text: string): number | null {
  return parseDollars(text.replace(/^(\d{1,10}),(\d{1,2})$/, '$1.$2'));
}

/** A whole number, also as `2.0`; null for any other text. */
export function countIn(text: string): number | null {
  return /^\d{1,6}(\.0+)?$/.test(text) ? Number(text) : null;
}

/** The ISO time of a day and a time at an address; null if they cannot be read, or the zone is unknown. */
export function timeAt(address: string, date: string, time: string): string | null {
  const [day, clock] = [dayIn(date), clockIn(time)];
  const zone = zoneOf(normalizeAddress(address)?.address ?? '');
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

/** `2026-03-05` of that, `2026/03/05` or `03/05/2026`; null for any other text. */
function dayIn(text: string): string | null {
  const iso = /^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})$/;
  const american = /^(?<month>\d{1,2})\/(?<day>\d{1,2})\/(?<year>\d{4})$/;
  const { year, month = '', day = '' } = (iso.exec(text) ?? american.exec(text))?.groups ?? {};
  return year === undefined ? null : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

/** `13:00` at the beginning of `1:00 PM - 2:00 PM`, `13:00 - 14:00` or `1pm`; null for any other text. */
function clockIn(text: string): string | null {
  const [, hours, minutes = '00', half = ''] = /^(\d{1,2})(?::(\d{2}))?\s*([ap])?/i.exec(text.trim()) ?? [];
  if (hours === undefined || (half === '' && !text.includes(':'))) return null;
  const hour = half === '' ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return `${String(hour).padStart(2, '0')}:${minutes}`;
}
