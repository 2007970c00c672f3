/** The end of an address: its country, its ZIP code and its state, wherever in the last words they stand. */
import { isNumbered, startsWithUnit } from './address-text.ts';
import { type Gazetteer, stateOfZip } from './gazetteer.ts';
import { isZipOfState, stateCodeIn } from './us-states.ts';

/** A word of an address, and the part between commas in which it stands. */
export interface Word {
  text: string;
  part: number;
}

export function joinWords(words: readonly Word[]): string {
  let text = '';
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    if (before !== undefined) text += before.part === word.part ? ' ' : ', ';
    text += word.text;
  }
  return text;
}

const countryNames = new Set([
  ...[
    'us',
    'usa',
    'unitedstates',
    'unitedstatesofamerica',
    'theunitedstates',
    'theunitedstatesofamerica',
    'theusa',
    'usofa',
    'theusofa',
    'eeuu',
    'eua',
    'eeuua',
  ],
  ...[
    'estadosunidos',
    'estadosunidosdeamerica',
    'estadosunidosdeamérica',
    'etatsunis',
    'étatsunis',
    'vereinigtestaaten',
  ],
]);

/** The ends of the names of the USA, by which most addresses are told to have none. */
const lastOfCountry = /(?:u\.?s|a|uu|states|america|américa|unidos|unis|staaten)\W*$/i;

/** The words without names of the USA at their end. */
export function withoutCountry(words: readonly Word[]): readonly Word[] {
  if (!lastOfCountry.test(words.at(-1)?.text ?? '')) return words;
  for (const count of [5, 4, 3, 2, 1]) {
    const key = words
      .slice(-count)
      .map(({ text }) => text)
      .join('')
      .toLowerCase()
      .replace(/[.()-]/g, '');
    if (countryNames.has(key)) return withoutCountry(words.slice(0, -count));
  }
  return words;
}

/** A state as it was written. */
export interface WrittenState {
  state: string;
  text: string;
  /** How many words it has. */
  count: number;
  /** The part in which it stands. */
  part: number;
}

/** The state at the end of some words; null if they end with none. */
export function stateAtEnd(words: readonly Word[]): WrittenState | null {
  return firstState((count) => words.slice(-count));
}

function stateAtStart(words: readonly Word[]): WrittenState | null {
  return firstState((count) => words.slice(0, count));
}

function firstState(wordsOf: (count: number) => readonly Word[]): WrittenState | null {
  for (const count of [4, 3, 2, 1]) {
    const found = stateIn(wordsOf(count));
    if (found !== null) return found;
  }
  return null;
}

function stateIn(words: readonly Word[]): WrittenState | null {
  const part = words[0]?.part ?? 0;
  if (words.some((word) => word.part !== part)) return null;
  const text = words.map((word) => word.text).join(' ');
  // `N E` is a direction, `N. Y.` and `I L` are not.
  const areLetters = words.every((word) => /^[a-z]$/i.test(word.text));
  const isDirection = areLetters && (text !== text.toUpperCase() || text === 'N E');
  const state = isDirection ? null : stateCodeIn(text.replace(/[()[\]]/g, '').replace(/-$/, ''));
  return state === null ? null : { state, text, count: words.length, part };
}

interface ZipToken {
  zip: string;
  /** The state in front of it, without a blank: `IL60606`. */
  state: string | null;
  count: number;
  /** What is left out of it: `-6306`. */
  cut: string;
}

const zipWord =
  /^\(?(?:(us|usa|[a-z]{2}|[a-z]\.[a-z]\.)[-.]?)?(\d{5})(?:(-?\d{4})|(-\d{1,3})|\.0+)?-?[).]*$/i;
const shortZipWord = /^(\d{4})(?:(-\d{4})|\.0+)$/;

/** The ZIP code that begins with a word; null if that is none. */
function zipAt(words: readonly Word[], index: number): ZipToken | null {
  const { text = '' } = words[index] ?? {};
  const short = shortZipWord.exec(text);
  if (short !== null) return { zip: `0${short[1]}`, state: null, count: 1, cut: short[2] ?? '' };
  const [, prefix, zip, more = '', few = ''] = zipWord.exec(text) ?? [];
  if (zip === undefined) return null;
  const isCountry = prefix === undefined || /^usa?$/i.test(prefix);
  const state = isCountry ? null : stateCodeIn(prefix);
  if (!isCountry && state === null) return null;
  const found = { zip, state, count: 1, cut: more || few };
  return found.cut === '' ? withFourDigits(found, words, index) : found;
}

/** The ZIP code with the four digits that stand behind it as words of their own: `60606 - 6306`. */
function withFourDigits(found: ZipToken, words: readonly Word[], index: number): ZipToken {
  const count = words[index + 1]?.text === '-' ? 3 : 2;
  const digits = words[index + count - 1]?.text ?? '';
  const rest = words.slice(index + count);
  const isLast = startsWithUnit(joinWords(rest)) || rest[0]?.part !== words[index]?.part;
  return /^-?\d{4}$/.test(digits) && isLast ? { ...found, count, cut: digits } : found;
}

/** What stands at the end of an address. */
export interface AddressEnd {
  zip: string | null;
  state: WrittenState | null;
  before: readonly Word[];
  /** What stands behind the ZIP code. */
  after: readonly Word[];
  cut: string;
}

/** Whether a ZIP code may be written with a state. */
export function fitsState(zip: string, state: string, gazetteer: Gazetteer): boolean {
  return stateOfZip(gazetteer, zip) === state || isZipOfState(zip, state);
}

/**
 * Finds ZIP code and state. `isCity` says whether words are the name of a city near a ZIP code, which may stand behind it
 * only then: other digits with words behind them are a house number.
 */
export function findEnd(
  written: readonly Word[],
  gazetteer: Gazetteer,
  isCity: (words: readonly Word[], zip: string) => boolean,
): AddressEnd {
  const words = withoutRepeatedZip(written);
  for (let index = words.length - 1; index >= 0; index -= 1) {
    const found = zipAt(words, index);
    const previous = words[index - 1];
    if (found === null) continue;
    if (previous?.part === words[index]?.part && isNumbered(previous?.text ?? '')) continue;
    const end = endAt(words, index, found, gazetteer, isCity);
    if (end !== null) return end;
  }
  const state = stateAtEnd(words);
  const before = words.slice(0, words.length - (state?.count ?? 0));
  return { zip: null, state, before, after: [], cut: '' };
}

/** The words without a last ZIP code that is that of the word in front of it: `Chicago, IL 60606, 60606`. */
function withoutRepeatedZip(words: readonly Word[]): readonly Word[] {
  const [zip, again] = [words.length - 2, words.length - 1].map((index) => zipAt(words, index)?.zip);
  return zip !== undefined && zip === again ? words.slice(0, -1) : words;
}

/** The end with a certain ZIP code; null if that must be the number of a house. */
function endAt(
  words: readonly Word[],
  index: number,
  found: ZipToken,
  gazetteer: Gazetteer,
  isCity: (words: readonly Word[], zip: string) => boolean,
): AddressEnd | null {
  const { zip, cut } = found;
  const ahead = withoutCountry(words.slice(0, index));
  const prefixed =
    found.state === null
      ? null
      : { state: found.state, text: found.state, count: 0, part: words[index]?.part ?? 0 };
  const state = prefixed ?? stateAtEnd(ahead);
  const before = ahead.slice(0, ahead.length - (state?.count ?? 0));
  const after = words.slice(index + found.count);
  const plain = { zip, state, before, after, cut };
  // The first word is the number of a house, unless only city and state follow.
  const isFirst = index === 0;
  if (after.length === 0) return plain;
  const behind = stateAtStart(after);
  if (
    !isFirst &&
    behind !== null &&
    fitsState(zip, behind.state, gazetteer) &&
    isUnitOrNothing(after.slice(behind.count))
  ) {
    if (state === null) return { zip, state: behind, before: ahead, after: after.slice(behind.count), cut };
    if (state.state === behind.state) return { ...plain, after: after.slice(behind.count) };
  }
  if (state !== null && fitsState(zip, state.state, gazetteer)) {
    // `43 E Ohio St, IL 60611 Chicago`
    const hasCity = [1, 2, 3].some((count) => isCity(before.slice(-count), zip));
    if (hasCity || !isCity(after, zip)) return plain;
    return { ...plain, before: [...before, ...after], after: [] };
  }
  if (stateOfZip(gazetteer, zip) === null) return null;
  if (!isFirst && (isUnitOrNothing(after) || after[0]?.text.startsWith('(') === true)) return plain;
  // `60606 Chicago, IL`
  const last = stateAtEnd(after);
  const city = after.slice(0, after.length - (last?.count ?? 0));
  const fits = last === null || fitsState(zip, last.state, gazetteer);
  if (state !== null || !fits || !isCity(city, zip)) return null;
  return { zip, state: last, before: [...ahead, ...city], after: [], cut };
}

function isUnitOrNothing(words: readonly Word[]): boolean {
  return words.length === 0 || startsWithUnit(joinWords(words));
}
