/** How people, spreadsheets and shop systems write a value in a cell, and the value that is meant. */
import type { Fields } from '../../../../../domain/fields.ts';
import { parseDollars } from '../../../../../domain/money.ts';
import { readOrderPhones } from '../../../../../domain/phone-notes.ts';
import { readPhoneText } from '../../../../../domain/phone-text.ts';
import type { Column } from './order-fields.ts';

/** A cell that cannot be read. `why` continues a sentence that begins with the name of the field. */
export class Unreadable {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** A value that is not taken as it is written; a guess is one that could mean something else. */
export interface Change {
  field: string;
  from: string;
  to: string;
  isGuess?: true;
}

/** The text of a cell: `="02108"` keeps its zero in a spreadsheet, which would run it as a formula. */
export function cellText(cell: string): string {
  // An apostrophe marks text in a spreadsheet.
  const text = cell.trim().replace(/^'(?=[\d+])/, '');
  return /^="([^"]*)"$/.exec(text)?.[1]?.trim() ?? text;
}

/** Whether a text such as `n/a` means that there is no value; in a time or quantity it is a fault instead. */
export function isPlaceholder(text: string, { field, kind }: Pick<Column, 'field' | 'kind'>): boolean {
  if (!['text', 'phone', 'part'].includes(kind) || /_at$|_quantity$/.test(field)) return false;
  return /^(?:[-\u2013\u2014]+|n\/a|none|null|nan|nil|undefined|\(blank\))$/i.test(text);
}

/** The error that a formula left in the place of a value. */
export function formulaError(text: string): Unreadable | null {
  const isError = /^#(?:REF!|VALUE!|NAME\?|DIV\/0!|NUM!|NULL!|N\/A|SPILL!)$/i.test(text);
  return isError ? new Unreadable(`is "${text}": a formula of the spreadsheet has failed`) : null;
}

/** A phone number that `--set` gives, in international format. */
export function phoneCell(text: string): string | Unreadable {
  const phone = readPhoneText(text);
  return 'fault' in phone ? new Unreadable(phone.fault) : phone.number;
}

/** Excel writes long numbers as `3.12556E+10`, mostly without their last digits. */
const shortened = /^(\d)[.,](\d+)E\+(\d+)$/i;

const reformat =
  'Excel has shortened the number. Format the column as text in the spreadsheet, enter the numbers again, and save it as CSV';

/** A reference; of one that Excel has shortened, other orders would have the same. */
export function referenceCell(text: string): string | Unreadable {
  return shortened.test(text) ? new Unreadable(`is "${text}": ${reformat}`) : text;
}

/**
 * A ZIP code with the zeros that a spreadsheet dropped, and without what it added: `2108.0`, `60,606`, `2.108E+03`. Any
 * other text is unchanged.
 */
export function zipCell(cell: string): string {
  const text = cell
    .replace(/^'/, '')
    .replace(/\s*[-\u2010-\u2015]\s*/g, '-')
    .replace(/(\.0+|-)$/, '')
    .replace(/^(\d{1,2}),(\d{3})$/, '$1$2')
    .replace(/^(\d{5}) (\d{4})$/, '$1-$2');
  const [, first = '', more = '', zeros = '0'] = shortened.exec(text) ?? [];
  const digits = first === '' ? text : `${first}${more.padEnd(Number(zeros), '0')}`;
  const [, zip = '', area = ''] = /^(\d{3,5})(?:-(\d{4}))?$/.exec(digits) ?? [];
  if (zip !== '') return [zip.padStart(5, '0'), area].filter(Boolean).join('-');
  const [, whole = '', end = ''] = /^(\d{3,5})(\d{4})$/.exec(digits) ?? [];
  return whole === '' ? text : `${whole.padStart(5, '0')}-${end}`;
}

const usa =
  /^(us|usa|u\.s\.(a\.)?|zz|840|united states.*|the united states.*|estados unidos.*|etats[- ]unis.*|vereinigte staaten.*|stati uniti.*)?$/i;

/** Territories of the USA, which some systems have as countries. */
const territories: readonly [names: RegExp, state: string][] = [
  [/^(pr|puerto rico)$/i, 'PR'],
  [/^(gu|guam)$/i, 'GU'],
  [
    /^(vi|(us|u\.s\.|united states) virgin islands|virgin islands(, us|, u\.s\.| \(us\)| of the united states)?)$/i,
    'VI',
  ],
  [/^(as|american samoa)$/i, 'AS'],
  [/^(mp|northern mariana islands)$/i, 'MP'],
];

/** The state of a territory that a column of countries names, or an empty text for the USA; null for another country. */
export function countryCell(cell: string): string | null {
  const text = cell.normalize('NFD').replace(/\p{M}/gu, '').trim();
  const territory = territories.find(([names]) => names.test(text));
  if (territory !== undefined) return territory[1];
  return usa.test(text) ? '' : null;
}

/** The fault of an address in another country. */
export function abroad(country: string): string {
  return `is in ${country}; deliveries are in the USA`;
}

/** Reads dollars. A whole number without a dollar sign is refused, as it is cents in other formats and in the interface. */
export function dollarCell(text: string, field: string): number | Unreadable {
  const cents = /\$|usd|dollar|\.\d{1,2}0*$|,\d{2}$/i.test(text) ? parseDollars(text) : null;
  if (cents !== null) return cents;
  if (/^0+$/.test(text)) return 0;
  const whole = /^(\d{1,10})$/.exec(text)?.[1];
  if (whole === undefined) return new Unreadable(`must be dollars such as 4.50, not "${text}"`);
  const columns = `read the column as ${field}_dollars if "${text}" is dollars, as ${field}_cents if it is cents`;
  return new Unreadable(`must be dollars with two decimals: write ${whole}.00, or ${columns}`);
}

/** A whole number, also as `2.0` or `1,500`; null for any other text. */
export function countIn(text: string): number | null {
  const digits = text.replace(/^(\d{1,3}),(\d{3})$/, '$1$2');
  return /^\d{1,6}(\.0+)?$/.test(digits) ? Number(digits) : null;
}

/** The most that an order may have of an item. */
const max_quantity = 999;

/**
 * An item as an order has it. Goods by weight, and more of them than an order may have, are one item with the amount in
 * its name: `1.5 x Beef`. Null for a quantity that is no number.
 */
export function countedItem(name: string, quantity: string): { name: string; quantity: number } | null {
  const count = countIn(quantity);
  if (count !== null && count <= max_quantity) return { name, quantity: count };
  const amount = count === null ? (/^(\d{1,6}[.,]\d*?)0*$/.exec(quantity)?.[1] ?? null) : String(count);
  return amount === null ? null : { name: `${amount.replace(',', '.')} x ${name}`, quantity: 1 };
}

export function flagCell(text: string): boolean | Unreadable {
  if (/^true$/i.test(text)) return true;
  return /^false$/i.test(text) ? false : new Unreadable(`must be true or false, not "${text}"`);
}

export function degreeCell(text: string): number | Unreadable {
  return /^[-+]?\d{1,3}(\.\d{1,15})?$/.test(text)
    ? Number(text)
    : new Unreadable(`must be degrees such as 41.8788, not "${text}"`);
}

export function centCell(text: string): number | Unreadable {
  return /^\d{1,15}$/.test(text) ? Number(text) : new Unreadable(`must be a whole number, not "${text}"`);
}

/** Items as JSON, their number, or in words: `Soup`, `2 x Soup; Tea`, or `2 x Soup (small), 1 x Tea (large)` as in exports. */
export function itemsCell(text: string): unknown {
  if (!/^[[{]/.test(text)) return itemsInWords(text);
  try {
    return JSON.parse(text);
  } catch {
    return new Unreadable('must be JSON such as [{"name":"Soup","quantity":2}], or words');
  }
}

const wordsOfItem = /^(?:(\d{1,3}) ?[x×] )?(.+?)(?: \((small|medium|large|extra_large)\))?$/s;

/** A comma separates items where a size precedes it in all of them, or a count follows: it may be part of a name. */
function itemsInWords(text: string): readonly Fields[] {
  const count = countIn(text);
  if (count !== null) return [{ name: 'Item', quantity: count }];
  const sized = text.split(/(?<=\(\w+\)), (?=\d{1,3} x )/);
  const isSized = sized.every((part) => /^\d{1,3} x .*\(\w+\)$/s.test(part));
  const lines = isSized ? sized : text.split(/, (?=\d{1,3} ?[x×] )|[;|\n]/);
  const parts = lines.length === 1 ? countedBehind(text) : lines;
  return parts.flatMap((part) => {
    const words = part
      .trim()
      .replace(/^(.+?) \(qty: ?(\d{1,3})\b[^)]*\)$/is, '$2 x $1')
      .replace(/^"?(\D+?)(?: |(?<=[\])]))\(?(?:[x×]|qty:?) ?(\d{1,3})\)?"?$/i, '$2 x $1');
    const [, number, name, size] = wordsOfItem.exec(words) ?? [];
    return name === undefined
      ? []
      : { name, quantity: Number(number ?? 1), ...(size !== undefined && { size }) };
  });
}

/** An item with its count at the end: `Cola 12x`, `Cookies 4pcs`, `Chips x2`, `Tea (3)`. `Lumber 2 x 4` has no count. */
const countBehind =
  /^(.*\p{L}.*?) (?:(\d{1,3}) ?(?:[x×]|pcs?)|[x×](\d{1,3})|(?<!\d )[x×] (\d{1,3})|\((\d{1,3})\))$/iu;

/** The items of a text that are separated by commas. Each must end with a count: a comma may also be part of a name. */
function countedBehind(text: string): string[] {
  const parts = text.split(/, ?/);
  const counted = parts.flatMap((part) => {
    const [, name = '', ...counts] = countBehind.exec(part.trim()) ?? [];
    return name === '' ? [] : `${counts.find(Boolean)} x ${name}`;
  });
  return parts.length > 1 && counted.length === parts.length ? counted : [text];
}

/** The order of a row with its phone numbers read: what stands beside a number is in the notes, which is noted. */
export function withPhonesRead<R extends { fields: Fields; changes?: readonly Change[] }>(row: R): R {
  const { fields } = readOrderPhones(row.fields);
  const changes = ['pickup', 'dropoff'].flatMap((end): Change[] => {
    const { [`${end}_notes`]: notes, [`${end}_phone_number`]: number } = fields;
    const { [`${end}_notes`]: before, [`${end}_phone_number`]: text } = row.fields;
    if (notes === before) return [];
    return [{ field: `${end}_phone_number`, from: String(text), to: `${number}, the rest in the notes` }];
  });
  return {
    ...row,
    fields,
    ...(changes.length === 0 ? {} : { changes: [...(row.changes ?? []), ...changes] }),
  };
}
