/**
 * The end of an address: its ZIP code and its state, wherever in the last words they stand. `findEnd` goes from the last
 * word to the first, and takes the first ZIP code that cannot be the number of a house or a unit; without one, the state
 * that the words end with.
 */
import { isNumberLabel, startsWithUnit } from './address-text.ts';
import { type Gazetteer, stateOfZip } from './gazetteer.ts';
import { isZipOfState, stateCodeIn } from './us-states.ts';

/** A word of an address, and the number of the part between commas in which it stands. */
export interface Word {
  text: string;
  part: number;
}

/**
 * What stands at the end of an address. In `43 E Ohio St, Chicago, IL 60611-2703 Apt 4` the street and `Chicago` are
 * `before`, `Apt 4` is `after`, and `-2703` is `cut`.
 */
export interface AddressEnd {
  zip: string | null;
  state: WrittenState | null;
  /** The street and the city. */
  before: readonly Word[];
  /** The words behind the ZIP code. */
  after: readonly Word[];
  /** The digits behind the ZIP code that are left out: `-6306`. */
  cut: string;
}

type EndWithZip = AddressEnd & { zip: string };

/** What tells a ZIP code from the number of a house. */
interface ZipTests {
  gazetteer: Gazetteer;
  /** Whether words are the name of a city near a ZIP code. */
  isCity: (words: readonly Word[], zip: string) => boolean;
}

/** Five digits with words behind them are the number of a house, unless those are a city, a state or a unit. */
export function findEnd(written: readonly Word[], tests: ZipTests): AddressEnd {
  const words = withoutRepeatedZip(written);
  for (let index = words.length - 1; index >= 0; index -= 1) {
    const found = zipAt(words, index);
    const previous = words[index - 1];
    if (found === null) continue;
    if (previous?.part === words[index]?.part && isNumberLabel(previous?.text ?? '')) continue;
    const end = endAt(words, index, found, tests);
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

/** The end with the ZIP code at an index; null if that must be the number of a house. */
function endAt(
  words: readonly Word[],
  index: number,
  found: ZipToken,
  { gazetteer, isCity }: ZipTests,
): AddressEnd | null {
  const { zip, cut } = found;
  const ahead = withoutCountry(words.slice(0, index));
  const state = stateInZipWord(found, words[index]) ?? stateAtEnd(ahead);
  const before = ahead.slice(0, ahead.length - (state?.count ?? 0));
  const after = words.slice(index + found.count);
  const end = { zip, state, before, after, cut };
  if (after.length === 0) return end;
  // The first word is the number of a house, unless only city and state follow.
  const isFirst = index === 0;
  const withState = isFirst ? null : withStateBehind(end, gazetteer);
  if (withState !== null) return withState;
  if (state !== null && fitsState(zip, state.state, gazetteer)) return withCityBehind(end, isCity);
  if (stateOfZip(gazetteer, zip) === null) return null;
  const isExtra = isUnitOrNothing(after) || after[0]?.text.startsWith('(') === true;
  if (!isFirst && isExtra) return end;
  return state === null ? withCityAndStateBehind(end, { gazetteer, isCity }) : null;
}

/** The state that is written together with a ZIP code, as in `IL60606`; null without one. */
function stateInZipWord({ state }: ZipToken, word: Word | undefined): WrittenState | null {
  return state === null ? null : { state, text: state, count: 0, part: word?.part ?? 0 };
}

/** The end whose state stands behind the ZIP code, alone or once more: `60611 IL`, `IL 60611 Illinois`; null otherwise. */
function withStateBehind(end: EndWithZip, gazetteer: Gazetteer): AddressEnd | null {
  const behind = longestState((count) => end.after.slice(0, count));
  if (behind === null || !fitsState(end.zip, behind.state, gazetteer)) return null;
  const after = end.after.slice(behind.count);
  const isOnly = end.state === null || end.state.state === behind.state;
  return isOnly && isUnitOrNothing(after) ? { ...end, state: end.state ?? behind, after } : null;
}

/** The end of `43 E Ohio St, IL 60611 Chicago`, where the city may stand behind the ZIP code. */
function withCityBehind(end: EndWithZip, isCity: ZipTests['isCity']): AddressEnd {
  const { zip, before, after } = end;
  const hasCity = [1, 2, 3].some((count) => isCity(before.slice(-count), zip));
  return hasCity || !isCity(after, zip) ? end : { ...end, before: [...before, ...after], after: [] };
}

/** The end of `60606 Chicago, IL`; null if other words stand behind the ZIP code. */
function withCityAndStateBehind(end: EndWithZip, { gazetteer, isCity }: ZipTests): AddressEnd | null {
  const { zip, before, after } = end;
  const state = stateAtEnd(after);
  const city = after.slice(0, after.length - (state?.count ?? 0));
  const fits = state === null || fitsState(zip, state.state, gazetteer);
  return fits && isCity(city, zip) ? { ...end, state, before: [...before, ...city], after: [] } : null;
}

function isUnitOrNothing(words: readonly Word[]): boolean {
  return words.length === 0 || startsWithUnit(joinWords(words));
}

/** Whether a ZIP code may be written with a state. */
export function fitsState(zip: string, state: string, gazetteer: Gazetteer): boolean {
  return stateOfZip(gazetteer, zip) === state || isZipOfState(zip, state);
}

interface ZipToken {
  zip: string;
  /** The state in front of it, without a blank: `IL60606`. */
  state: string | null;
  /** How many words it has: three are `60606 - 6306`. */
  count: number;
  /** What is left out of it: `-6306`. */
  cut: string;
}

/** A word that is a ZIP code, with what people write around it: `60606-6306`, `IL60606`, `(60606)`, `60606.0`. */
const zipWord =
  /^\(?(?:(us|usa|[a-z]{2}|[a-z]\.[a-z]\.)[-.]?)?(\d{5})(?:(-?\d{4})|(-\d{1,3})|\.0+)?-?[).]*$/i;
/** A ZIP code whose first digit, 0, a spreadsheet has dropped: `2134-5678`, `2134.0`. */
const shortZipWord = /^(\d{4})(?:(-\d{4})|\.0+)$/;

/** The ZIP code that begins with a word; null if none does. */
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
  return longestState((count) => words.slice(-count));
}

/** The longest name of a state among the choices of one to four words: `West Virginia` before `Virginia`. */
function longestState(wordsOf: (count: number) => readonly Word[]): WrittenState | null {
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

/** The names of the USA in several languages, without blanks, periods and hyphens. */
const countryNames = new Set([
  ...['us', 'usa', 'unitedstates', 'unitedstatesofamerica', 'theunitedstates', 'theunitedstatesofamerica'],
  ...['theusa', 'usofa', 'theusofa', 'eeuu', 'eua', 'eeuua', 'estadosunidos', 'estadosunidosdeamerica'],
  ...['estadosunidosdeamérica', 'etatsunis', 'étatsunis', 'vereinigtestaaten'],
]);

/** How the names of the USA end: most addresses end with another word, and need no comparison with them. */
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

/** The words behind the last comma. */
export function lastPart(words: readonly Word[]): readonly Word[] {
  const last = words.at(-1)?.part;
  return words.filter(({ part }) => part === last);
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
