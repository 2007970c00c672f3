/** The date and time that a customer chose, which apps keep among the attributes of an order under names of their own. */
import { findZone } from '../../../../../domain/addresses.ts';
import { plainTime, splitDay } from '../../../../../domain/typed-days.ts';
import { BadValue } from '../../../../kit/args/flags.ts';
import { readLoadedAddress } from '../../../../session/gazetteer.ts';
import { type Moment, momentRemarks, readMoment, resolveMoment } from '../../../../session/time-arguments.ts';
import type { Layout } from '../source.ts';
import { type Change, Unreadable } from './cell-values.ts';

export type Attribute = readonly [name: string, value: string];

/** The text of a date and of a time, as written, and the attributes that look like one and are not used. */
export interface ChosenTime {
  date: string;
  time: string;
  unused: string[];
}

const deliveryWords = '(?:deliver(?:y|ies)?|dropoff|shipping|jckwds|orddd)';
/** Of `Delivery Date`, `requested_delivery_day`, `deliver-by` and `jckwds date`, as `foldedName` writes them. */
const dateName = new RegExp(
  `^(?:order|local|requested|preferred|chosen|selected|desired|your|e)*${deliveryWords}(?:date|day|datetime|dateandtime)(?:ymd)?$|^dateofdelivery$|^deliver(?:yon|on|by|yby|at|yat)$`,
);
/** Of `Delivery Time`, `preferred delivery slot` and `Time Slot`. */
const timeName = new RegExp(
  `^(?:order|local|requested|preferred|chosen|selected|desired|your|e)*${deliveryWords}(?:time|timeslot|slot|hours?|window|timewindow|timeframe|timerange)$|^timeslot$|^timeofdelivery$`,
);

/** Dates that shop systems keep of an order, which tell nothing about its delivery. */
const systemDate =
  /paid|payment|created|modified|completed|updated|timestamp|processed|birth|expir|order(ed)?date$|^date$|pickup|coupon|version/;

/** `Delivery Date`, `delivery_date` and `delivery-date` are one name. */
function foldedName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

/** Finds the date and time of the delivery. */
export function chosenTime(attributes: readonly Attribute[], { dateAttributes }: Layout): ChosenTime {
  const given = attributes.filter(([, value]) => value.trim() !== '');
  const named = dateAttributes.map(foldedName);
  const isNamed = ([name]: Attribute) => named.includes(foldedName(name));
  const dates = given.filter(
    (each) =>
      (isNamed(each) && isDated(each[1])) || (named.length === 0 && dateName.test(foldedName(each[0]))),
  );
  const [first] = dates;
  const times = given.filter(
    (each) =>
      !dates.includes(each) && ((isNamed(each) && each !== first) || timeName.test(foldedName(each[0]))),
  );
  const [time] = first === undefined ? [] : times;
  const used = [first, time];
  const unused = given.filter((each) => !used.includes(each) && looksLikeTime(each)).map(unusedText);
  return { date: first?.[1] ?? '', time: time?.[1] ?? '', unused: [...new Set(unused)] };
}

/** Whether a text has a date with its year. */
function isDated(text: string): boolean {
  const day = splitDay(plainTime(text))?.day;
  return typeof day === 'object' && 'year' in day;
}

/** Whether an attribute may be meant as the time of the delivery. */
function looksLikeTime([name, value]: Attribute): boolean {
  const folded = foldedName(name);
  if (systemDate.test(folded)) return false;
  if (dateName.test(folded) || timeName.test(folded)) return true;
  return (
    isDated(value) ||
    (/date|(?<!life|down|over|part|full|some|any)time|slot/.test(folded) && /\d/.test(value))
  );
}

function unusedText([name]: Attribute): string {
  return `Not read: "${name}", which looks like a time: --date-attribute '${name}' reads it as that of the delivery`;
}

/** Whether a column of an export is named like the date or time of a delivery. */
export function isDeliveryTimeColumn(name: string): boolean {
  return dateName.test(foldedName(name)) || timeName.test(foldedName(name));
}

/** Of `Time window from`, `Requested Date`, `completeBefore` and `Del no later than`: names of planners and forms. */
const promisedName =
  /^(?:time)?windows?(?:from|to|start|end|stop|open|close)\d?$|^complete(?:after|before)$|^del(?:ivery)?(?:date|time)?(?:no)?(?:earlier|later|from|to|start|end)(?:than)?$|^(?:orig)?(?:promised?|due|requested|required|req|scheduled|needed|wanted|preferred|expected)(?:del(?:ivery)?|ship(?:ping)?)?(?:date|time|datetime|at|by|for)(?:from|to|start|end)?$|^(?:earliest|latest)(?:delivery|arrival)?(?:date|time)?$/;

/** Whether a column of another system is named like the time of a delivery, or like one end of it. */
export function isPromisedTimeColumn(name: string): boolean {
  return isDeliveryTimeColumn(name) || promisedName.test(foldedName(name));
}

/** The lines `name: value` of a text. */
export function attributesIn(text: string): Attribute[] {
  return text.split('\n').flatMap((line): Attribute[] => {
    const [, name = '', value = ''] = /^\s*([^:]+?)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    return name === '' ? [] : [[name, value]];
  });
}

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
