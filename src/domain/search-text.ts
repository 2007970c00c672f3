/**
 * What a search text means, the text by which an order and its deliveries are found, and the patterns that a search looks
 * for in it. Text and patterns are folded alike: without case, accents and punctuation, in words with one space before
 * and after each. Every pattern is a part of that text, so that an index of its trigrams finds it.
 */
import type { FailureReason } from '../contract/vocabulary.ts';
import { failureMessages } from './delivery-states.ts';

/** The fields of an order that identify it. */
export interface Searched {
  id: string;
  external_order_ref: string;
  pickup: SearchedEnd;
  dropoff: SearchedEnd;
  items: readonly { name: string }[];
  items_description: string;
  /** Of a delivery. */
  driver_name?: string;
  driver_phone?: string;
  /** Why it failed or was canceled. */
  reason?: string;
  /** The internal notes. */
  notes?: readonly string[];
}

interface SearchedEnd {
  name: string;
  address: string;
  unit: string;
  notes: string;
  phone: string;
  email?: string;
}

/** The characters at the end of an id that are random. */
const idEndLength = 10;

/** A word of a search: a record has it if its text contains one of the patterns. */
export interface SearchWord {
  word: string;
  patterns: readonly string[];
}

/** Letters that have no accent to remove, in ASCII. */
const replaced: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
};

/** A text without case, accents and apostrophes. */
export function foldedText(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}'’‘`´]/gu, '')
    .replace(/[ßæœøłđðþı]/g, (letter) => replaced[letter] ?? letter);
}

/** The words of a text, folded. An apostrophe does not end a word: `O'Neil` is one. */
export function foldedWords(text: string): string[] {
  return foldedText(text).match(/[\p{L}\p{N}]+/gu) ?? [];
}

/**
 * The text to search for an order: each word once, a reference of several words and a number in groups also as one.
 * `added` are the texts of its deliveries and its notes.
 */
export function createSearchText(order: Searched, added: readonly string[] = []): string {
  const words = searchedFields(order).flatMap(({ text, kind }) => fieldWords(text, kind));
  return ` ${[...new Set([...words, ...added.flatMap((text) => fieldWords(text, 'text'))])].join(' ')} `;
}

type FieldKind = 'text' | 'reference' | 'phone' | 'driver_phone' | 'id';

/** The words of a text that is searched, each with a space after it, as they are added to the text of an order. */
export function wordsInSearch(text: string, kind: FieldKind = 'text'): string {
  return fieldWords(text, kind)
    .map((word) => `${word} `)
    .join('');
}

interface SearchedDelivery {
  driver: { name: string | null; phone: string | null } | null;
  failure_reason: FailureReason | null;
  failure_message: string;
  cancellation_reason: string | null;
}

/** The fields of a delivery by which its order is found, too. */
export function searchedOfDelivery(record: SearchedDelivery) {
  const { driver, failure_reason, failure_message, cancellation_reason } = record;
  // People read the message, and the code's own words where the courier gave another one.
  const failed = failure_reason === null ? '' : `${failure_message} ${failureMessages[failure_reason]}`;
  return {
    driver_name: driver?.name ?? '',
    driver_phone: phoneDigits(driver?.phone ?? ''),
    reason: `${cancellation_reason ?? ''} ${failed}`.trim(),
  };
}

/** The words of a delivery by which its order is found, as they are added to the text of the order. */
export function deliveryWordsInSearch(record: SearchedDelivery): string {
  const { driver_name, driver_phone, reason } = searchedOfDelivery(record);
  return wordsInSearch(`${driver_name} ${reason}`) + wordsInSearch(driver_phone, 'driver_phone');
}

interface Field {
  label: string;
  text: string;
  kind: FieldKind;
}

function searchedFields({ id, external_order_ref, items, items_description, ...rest }: Searched): Field[] {
  const { driver_name = '', driver_phone = '', reason = '', notes: internal = [], ...ends } = rest;
  const endFields = (['dropoff', 'pickup'] as const).flatMap((end): Field[] => {
    const { name, address, unit, notes, phone, email = '' } = ends[end];
    return [
      { label: `${end} name`, text: name, kind: 'text' },
      { label: `${end} phone`, text: phone, kind: 'phone' },
      { label: `${end} e-mail`, text: email, kind: 'text' },
      { label: `${end} address`, text: address, kind: 'text' },
      { label: `${end} unit`, text: unit, kind: 'text' },
      { label: `${end} notes`, text: notes, kind: 'text' },
    ];
  });
  return [
    { label: 'reference', text: external_order_ref, kind: 'reference' },
    ...endFields,
    { label: 'items', text: items.map(({ name }) => name).join(' '), kind: 'text' },
    { label: 'items', text: items_description, kind: 'text' },
    { label: 'driver', text: driver_name, kind: 'text' },
    { label: 'driver phone', text: driver_phone, kind: 'driver_phone' },
    { label: 'reason', text: reason, kind: 'text' },
    { label: 'note', text: internal.join(' '), kind: 'text' },
    { label: 'order ID', text: id, kind: 'id' },
  ];
}

function fieldWords(text: string, kind: FieldKind): string[] {
  if (kind === 'id') return [text.slice(-idEndLength).toLowerCase()];
  // The letter keeps the country code from being found like the beginning of another number.
  if (kind === 'phone') return text === '' ? [] : [`t${text}`];
  // Another letter: an erasure finds the orders of a recipient by the number.
  if (kind === 'driver_phone') return text === '' ? [] : [`d${text}`];
  const words = foldedWords(text);
  if (kind === 'reference' && words.length > 1) return [...words, words.join('')];
  // A search for `60606-1234` is one for its digits, as of a phone number.
  const numbers = text.match(/\d+(?:[-.]\d+)+/g) ?? [];
  return [...words, ...numbers.map(phoneDigits)];
}

/** A text that consists of a phone number: `+1 (312) 555-0142`, `555-0142`. */
const phonePattern = /^\+?[\d\s().-]+$/;
const min_phone_digits = 7;

/** A phone number of the USA with separators, among words: `joe (312) 555-0142`, `555-0142 joe`. */
const phoneInText =
  /(?<!\w)(?:(?:\+?1[\s.-]?)?(?:\(\d{3}\)\s?|\d{3}[\s.-])\d{3}[\s.-]|\d{3}[.-])\d{4}(?!\w)/g;

/** Ignored in searches: a caller says Mrs Rossi, the order says Emma Rossi. `Dr` counts, as it also means Drive. */
const titles: ReadonlySet<string> = new Set(['mr', 'mrs', 'ms', 'miss']);

/** The words of a search; empty if the text has no letter and no digit. */
export function readSearchWords(text: string): SearchWord[] {
  const digits = phoneDigits(text);
  const isPhone = phonePattern.test(text.trim()) && digits.length >= min_phone_digits;
  const said = [...new Set(isPhone ? [digits] : foldedWords(text.replace(phoneInText, phoneDigits)))];
  const words = withoutDirections(said.length > 1 ? said.filter((word) => !titles.has(word)) : said);
  const hasLongWord = words.some((word) => [...word].length > 1);
  // Addresses are stored without the four digits that follow a ZIP code.
  const zip = /^\s*(\d{5})-\d{4}\s*$/.exec(text)?.[1];
  const zips = zip === undefined ? [] : [` ${zip} `];
  return words.map((word) => {
    const others = otherForms(word).map((form) => ` ${form} `);
    return { word, patterns: [...patternsOf(word, hasLongWord), ...others, ...zips] };
  });
}

/** Digits match the beginning of a number, four and more also its end; other words any part of a word. */
function patternsOf(word: string, hasLongWord: boolean): string[] {
  const { length } = [...word];
  // All phone numbers begin with these: only a whole word, or one that goes on with a letter, is what was meant.
  if (/^[td]\d+$/.test(word)) return [` ${word} `];
  if (/^[td]$/.test(word) && hasLongWord)
    return [...' abcdefghijklmnopqrstuvwxyz'].map((next) => ` ${word}${next}`);
  if (/^\d+$/.test(word) && length > 1) return length < 4 ? [` ${word}`] : [` ${word}`, `${word} `];
  if (length > 2) return [word];
  // The beginning of a word: two characters are less than a trigram. A single one is the whole word if nothing else
  // leads.
  return hasLongWord ? [` ${word}`] : [` ${word} `];
}

/** The trigrams of a pattern; empty if it is shorter. */
export function trigramsOf(pattern: string): string[] {
  const characters = [...pattern];
  const trigrams = characters.slice(2).map((_, place) => characters.slice(place, place + 3).join(''));
  return [...new Set(trigrams)];
}

/** Whether a text is an e-mail address, which is searched as a whole: li.wei@ is not alina.wei@, nor one with a driver Li. */
export function isEmailSearch(text: string): boolean {
  return /^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i.test(text.trim());
}

/** Whether an end of an order has this e-mail address, also in its notes. */
export function hasEmail({ pickup, dropoff }: Pick<Searched, 'pickup' | 'dropoff'>, text: string): boolean {
  const email = text.trim().toLowerCase();
  return [pickup, dropoff].some(
    (end) => end.email?.toLowerCase() === email || end.notes.toLowerCase().includes(email),
  );
}

/** The fields that have all words of a search, `pickup name, items`; else one field for each word, `driver and dropoff name`. */
export function matchedFields(order: Searched, words: readonly SearchWord[]): string {
  const fields = searchedFields(order).map((field) => ({
    ...field,
    folded: ` ${fieldWords(field.text, field.kind).join(' ')} `,
  }));
  const isIn = ({ folded }: { folded: string }, { patterns }: SearchWord) =>
    patterns.some((pattern) => folded.includes(pattern));
  // One field with all words says more than several with one each.
  const whole = fields.filter((field) => words.every((word) => isIn(field, word)));
  const [first] = words;
  if (first !== undefined && whole.length > 0)
    return [...new Set(whole.map((field) => matchLabel(field, first.word)))].join(', ');
  const labels = words.flatMap((each) => {
    const field = fields.find((other) => isIn(other, each));
    return field === undefined ? [] : [matchLabel(field, each.word)];
  });
  return [...new Set(labels)].join(' and ');
}

function matchLabel({ label, kind, text }: Field, word: string): string {
  if (kind === 'phone' || kind === 'driver_phone')
    return text === word ? label : `${label} ending ${word.slice(-4)}`;
  return kind === 'id' ? `${label} ending ${word.toUpperCase()}` : label;
}

// Street words and directions are written out or shortened: a search for one form finds the other.

/** The forms of a street word; the first one is the longest. */
const streetForms: readonly (readonly string[])[] = [
  ['street', 'st', 'str'],
  ['avenue', 'ave', 'av'],
  ['boulevard', 'blvd'],
  ['drive', 'dr'],
  ['road', 'rd'],
  ['lane', 'ln'],
  ['court', 'ct'],
  ['place', 'pl'],
  ['parkway', 'pkwy'],
  ['highway', 'hwy'],
  ['expressway', 'expy'],
  ['terrace', 'ter'],
  ['circle', 'cir'],
  ['square', 'sq'],
  ['trail', 'trl'],
  ['plaza', 'plz'],
  ['alley', 'aly'],
  ['apartment', 'apt'],
  ['suite', 'ste'],
  ['floor', 'fl'],
  ['building', 'bldg'],
];

const directionForms: readonly (readonly string[])[] = [
  ['north', 'n'],
  ['south', 's'],
  ['east', 'e'],
  ['west', 'w'],
  ['northeast', 'ne'],
  ['northwest', 'nw'],
  ['southeast', 'se'],
  ['southwest', 'sw'],
];

const formsOf = new Map(
  [...streetForms, ...directionForms].flatMap((forms) => forms.map((form) => [form, forms])),
);
const streetWords = new Set(streetForms.flat());
const directions = new Set(directionForms.flat());

/** The other forms of a street word or direction; empty for any other word. */
function otherForms(word: string): readonly string[] {
  return (formsOf.get(word) ?? []).filter((form) => form !== word);
}

/** The words of a text, folded, with street words and directions in their longest form: `Wacker Dr` as `wacker drive`. */
export function wordsInFull(text: string): string[] {
  return foldedWords(text).map((word) => formsOf.get(word)?.[0] ?? word);
}

/** Leaves directions out of a search for a street, whose stored address may have none: `N Michigan Avenue`. */
function withoutDirections(words: readonly string[]): readonly string[] {
  const isStreet = words.some((word) => streetWords.has(word));
  const left = words.filter((word) => !directions.has(word) && !streetWords.has(word));
  return isStreet && left.length > 0 ? words.filter((word) => !directions.has(word)) : words;
}

/** Converts a stored phone number to the format of requests. An empty number stays empty. */
export function withPlus(stored: string): string {
  return stored === '' || stored.startsWith('+') ? stored : `+${stored}`;
}

/** The digits of a number, typed with or without plus, spaces and separators. */
export function phoneDigits(text: string): string {
  return text.replace(/\D/g, '');
}

/** The meaning of a search text. */
type Search =
  | { kind: 'id'; noun: 'delivery' | 'order' | 'route' | 'batch'; id: string }
  | { kind: 'token'; token: string }
  /** Empty if the text has no letter and no digit: nothing is found. */
  | { kind: 'words'; words: readonly SearchWord[]; id_part: string | null; token_part: string | null };

const nouns = { dlv: 'delivery', ord: 'order', rte: 'route', bat: 'batch' } as const;
const prefixed_id = /^(dlv|ord|rte|bat)_([0-9a-z]+)$/i;
const tracking_link = /\/track\/([0-9A-Za-z]+)/;
const tracking_token = /^[0-9a-f]{32}$/;
/** Six or more characters of a tracking link. */
const tokenPart = /^[0-9a-f]{6,31}$/i;
/** Four or more characters of an id, with or without its prefix. */
const idPart = /^[0-9A-HJKMNP-TV-Z]{4,26}$/i;

/** Reads a search text: an id, a tracking link or its token, or words. The id of a delivery may lack its end. */
export function readSearch(text: string): Search {
  // A list shows the end of an ID, behind dots where there is room.
  const trimmed = text.trim().replace(/^(?:…|\.{2,3})|(?:…|\.{2,3})$/g, '');
  const [, prefix, rest] = prefixed_id.exec(trimmed) ?? [];
  const noun = Object.entries(nouns).find(([name]) => name === prefix?.toLowerCase());
  if (noun !== undefined && rest !== undefined)
    return { kind: 'id', noun: noun[1], id: `${noun[0]}_${rest.toUpperCase()}` };
  const token = tracking_link.exec(trimmed)?.[1] ?? tracking_token.exec(trimmed)?.[0];
  if (token !== undefined) return { kind: 'token', token };
  const id_part = idPart.exec(trimmed)?.[0].toUpperCase() ?? null;
  const token_part = tokenPart.exec(trimmed)?.[0].toLowerCase() ?? null;
  return { kind: 'words', words: readSearchWords(trimmed), id_part, token_part };
}
