import { findZone } from '../../../../../domain/addresses.ts';
import { BadValue } from '../../../../kit/args/flags.ts';
import { readLoadedAddress } from '../../../../session/gazetteer.ts';
import { type Moment, momentRemarks, readMoment, resolveMoment } from '../../../../session/time-arguments.ts';
import { type Change, Unreadable } from './cell-values.ts';

/** A time of a file in the form of the interface, and the guess by which it was read; null without one. */
interface CellTime {
  at: string;
  guess: Omit<Change, 'field'> | null;
}

/** The time of a text with date and time at an address, which is empty if a store stands for it. */
export function timeAtAddress(text: string, address: string): CellTime | Unreadable {
  const moment = momentOf(text);
  if (moment instanceof Unreadable) return moment;
  const place = readLoadedAddress(address);
  const zone = 'fault' in place ? null : findZone(place.address);
  if (zone === null && moment.at === undefined) {
    const where = address === '' ? 'store' : 'address';
    return new Unreadable(
      `needs its offset, such as 2026-01-31T15:00:00-06:00: the file does not say the zone of its ${where}`,
    );
  }
  const read = resolveMoment(moment, 0, 'ahead', zone);
  if ('why' in read) return new Unreadable(`${read.why}: "${text}"`);
  const at = new Date(read.at).toISOString();
  const remarks = momentRemarks(moment, read.at, zone);
  return {
    at,
    guess: remarks.length === 0 ? null : { from: text, to: `${at}: ${remarks.join('; ')}`, isGuess: true },
  };
}

/** Whether a text is a date with its time of day. */
export function isDatedTime(text: string): boolean {
  return !(momentOf(text) instanceof Unreadable);
}

function momentOf(text: string): Moment | Unreadable {
  try {
    return readMoment(withSerialDate(text), 'dated visit');
  } catch (error) {
    if (error instanceof BadValue) return new Unreadable(error.message);
    throw error;
  }
}

/** The date and time that a spreadsheet keeps as a number of days since 1899: `46361.75`, or `46361 0.75`. */
function withSerialDate(text: string): string {
  const [, days = '', time = ''] = /^(4\d{4}(?:\.\d+)?)(?: (0?\.\d+))?$/.exec(text.trim()) ?? [];
  if (days === '') return text;
  const at = Date.UTC(1899, 11, 30, 0, 0, 30) + (Number(days) + Number(time)) * 24 * 60 * 60_000;
  const iso = new Date(at).toISOString().replace('T', ' ');
  return iso.slice(0, /\./.test(days + time) ? 16 : 10);
}
