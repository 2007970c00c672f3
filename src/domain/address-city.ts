/** The city of an address: the longest tail of its words that the tables know in the state, and near the ZIP code. */
import { joinWords, lastPart, type Word } from './address-end.ts';
import { cannotBeCity, isCounty, isUnit, looksLikeStreet } from './address-text.ts';
import { cityKey, cityOfZip, cityZips, type Gazetteer, milesBetweenZips } from './gazetteer.ts';
import { nearNames } from './near-names.ts';
import { foldedWords } from './search-text.ts';
import { lettersOf, stateCodeIn, stateCodes, stateName } from './us-states.ts';

/** How far a city may be from its ZIP code: some are outside, and two towns of one state may share a name. */
const max_city_miles = 100;
/** How far words may be from their ZIP code that are a city there, and could also be something else. */
export const max_sure_miles = 40;

/** The state, and the ZIP code if there is one, that a city has to fit. */
export interface CityArea {
  gazetteer: Gazetteer;
  states: readonly string[];
  zip: string | null;
}

/** What people call cities that the tables have under another name. */
const nicknames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  CA: { la: 'losangeles', sf: 'sanfrancisco', sanfran: 'sanfrancisco', sd: 'sandiego', sac: 'sacramento' },
  DC: { dc: 'washington', washingtondc: 'washington' },
  FL: { jax: 'jacksonville', ftlaud: 'fortlauderdale' },
  GA: { atl: 'atlanta' },
  IL: { chi: 'chicago', chgo: 'chicago' },
  IN: { indy: 'indianapolis', indpls: 'indianapolis' },
  LA: { nola: 'neworleans', br: 'batonrouge' },
  MD: { balto: 'baltimore', baltimorecity: 'baltimore' },
  MN: { mpls: 'minneapolis' },
  MO: { kc: 'kansascity', stl: 'saintlouis' },
  NV: { vegas: 'lasvegas', lv: 'lasvegas' },
  NY: {
    ny: 'newyork',
    nyc: 'newyork',
    newyorkcity: 'newyork',
    manhattan: 'newyork',
    bk: 'brooklyn',
    bklyn: 'brooklyn',
    thebronx: 'bronx',
    si: 'statenisland',
  },
  OH: { cincy: 'cincinnati', cinti: 'cincinnati', cle: 'cleveland', cbus: 'columbus' },
  OK: { okc: 'oklahomacity' },
  OR: { pdx: 'portland' },
  PA: { philly: 'philadelphia', phila: 'philadelphia', pgh: 'pittsburgh' },
  TX: { dfw: 'dallas', sat: 'sanantonio', htx: 'houston' },
  UT: { slc: 'saltlakecity' },
};

/** The ZIP codes that stand for the cities of this name in a state, also of a name that only people use. */
export function zipsOfCity({ cities }: Gazetteer, name: string, state: string): readonly string[] {
  return cityZips(cities, { city: nicknames[state]?.[lettersOf(name)] ?? name, state });
}

/** How far a city of this name is from the ZIP code, 0 without one; null if there is none in the states. */
export function milesToCity(name: string, area: CityArea): number | null {
  const { gazetteer, states, zip } = area;
  const found = states.flatMap((state) => zipsOfCity(gazetteer, name, state));
  if (found.length === 0) return null;
  if (isCityOfZip(name, area)) return 0;
  return Math.min(...found.map((each) => milesBetweenZips(gazetteer, each, zip ?? each) ?? 0));
}

/** Whether a city of this name is known in the states, nearer to the ZIP code than some miles. */
export function isCityWithin(miles: number, name: string, area: CityArea): boolean {
  return (milesToCity(name, area) ?? miles) < miles;
}

function isCityOfZip(name: string, { gazetteer, zip }: CityArea): boolean {
  return cityKey(cityOfZip(gazetteer, zip ?? '') ?? '') === cityKey(name);
}

/** A state that has a city of this name; null if none has. */
export function stateWithCity(name: string, gazetteer: Gazetteer): string | null {
  return (
    stateCodes.find((state) => milesToCity(name, { gazetteer, states: [state], zip: null }) !== null) ?? null
  );
}

/** An address split at its city. */
export interface CitySplit {
  /** Empty if none was written. */
  city: string;
  street: readonly Word[];
  /** What stood behind the city. */
  behind: readonly (readonly Word[])[];
  changes: readonly string[];
  warnings: readonly string[];
}

/** The last words as the city, and the others as the street. */
function splitBefore(words: readonly Word[], count: number): CitySplit {
  const at = words.length - count;
  return withoutCity(words.slice(0, at), joinWords(words.slice(at)));
}

/** Words that are all the street, with a city that is not one of them, if any. */
export function withoutCity(street: readonly Word[], city = ''): CitySplit {
  return { city, street, behind: [], changes: [], warnings: [] };
}

/** The city at the end of some words; null if they end with none that is known. */
function cityTail(words: readonly Word[], area: CityArea): CitySplit | null {
  const part = lastPart(words);
  if (isCityWithin(max_city_miles, joinWords(part), area)) return splitBefore(words, part.length);
  const isWhole = part.length === words.length;
  // The longest name first, such as `Port Jervis` before `Jervis`.
  const tails = Array.from({ length: Math.max(0, part.length - 1) }, (_, index) => part.length - 1 - index)
    .filter((count) => /[\p{L}\d]/u.test(part.at(-count)?.text ?? ''))
    .filter((count) => !isWhole || hasName(part.slice(0, part.length - count)))
    .map((count) => ({ count, name: joinWords(part.slice(-count)) }))
    .filter(({ name }) => isCityWithin(max_sure_miles, name, area));
  const best = tails.find(({ name }) => isCityOfZip(name, area)) ?? tails[0];
  return best === undefined ? null : splitBefore(words, best.count + directionsBefore(part, best.count));
}

const direction = /^(?:[nsew]|[ns][ew]|north|south|east|west|upper|lower|new|old|greater|downtown)\.?$/i;

/**
 * How many directions in front of a known city are a part of its name: all of a part, as in `, North Chesterfield,`, and
 * one behind a direction of the street: `SE E Grand Rapids`.
 */
function directionsBefore(part: readonly Word[], count: number): number {
  const ahead = part.slice(0, part.length - count);
  const isDirection = (word: Word | undefined) => direction.test(word?.text ?? '');
  if (ahead.every(isDirection)) return ahead.length;
  const isBehindOne = /^[ns][ew]\.?$/i.test(ahead.at(-2)?.text ?? '');
  return isBehindOne && isDirection(ahead.at(-1)) ? 1 : 0;
}

/** Whether words may be a street, which has a name beside its number; a direction such as `N` is none. */
function hasName(words: readonly Word[]): boolean {
  return words.some(({ text }) => /\p{L}{2}|\d[a-z]/iu.test(text)) || words.length > 2;
}

/** Finds the city, also with a unit, a county or words that are not known behind it. */
export function findCityIn(words: readonly Word[], area: CityArea, hasState: boolean): CitySplit | null {
  const found = cityTail(words, area);
  if (found !== null) return found;
  for (const count of trailingCounts(words)) {
    const [rest, behind] = [words.slice(0, words.length - count), words.slice(words.length - count)];
    const isPart = rest.at(-1)?.part !== behind[0]?.part;
    const kind = kindBehindCity(behind, area, { hasState, isPart });
    if (kind === null) continue;
    // A unit or a county may stand behind another one; unknown words stand directly behind the city.
    const mayRepeat = kind === 'unit' || kind === 'county';
    const split = mayRepeat ? findCityIn(rest, area, hasState) : cityTail(rest, area);
    if (split !== null) return withBehind(split, behind, kind);
  }
  return null;
}

/** The numbers of words at the end that may stand behind a city: up to four of the last part, or all of it. */
function trailingCounts(words: readonly Word[]): number[] {
  const { length } = lastPart(words);
  const counts = [length, 4, 3, 2, 1].filter((count) => count <= length);
  return [...new Set(counts)];
}

/** What words behind a city are; `state`: the place of the state, misspelled; `repeated`: the state once more. */
type Behind = 'unit' | 'county' | 'state' | 'repeated' | 'other';

/** What words behind a city may be; null if no city can stand in front of them. `isPart`: a comma is in front of them. */
function kindBehindCity(
  behind: readonly Word[],
  { states, zip }: CityArea,
  { hasState, isPart }: { hasState: boolean; isPart: boolean },
): Behind | null {
  const text = joinWords(behind);
  if (isUnit(text)) return 'unit';
  if (isCounty(text)) return 'county';
  if (states.includes(stateCodeIn(text) ?? '')) return 'repeated';
  if (cannotBeCity(text) || zip === null) return null;
  const isAbbreviation = /^[\p{L}.]{2,4}$/u.test(text) && !looksLikeStreet(text);
  if (!hasState && (isAbbreviation || isLikeState(text, states))) return 'state';
  return isPart ? 'other' : null;
}

function isLikeState(text: string, states: readonly string[]): boolean {
  const names = states.map((state) => lettersOf(stateName(state)));
  return nearNames(lettersOf(text), names).length > 0;
}

function withBehind(split: CitySplit, behind: readonly Word[], kind: Behind): CitySplit {
  const text = joinWords(behind);
  switch (kind) {
    case 'repeated':
      return split;
    case 'county':
      return { ...split, changes: [...split.changes, `"${text}" is left out: couriers need no county`] };
    case 'state':
      return { ...split, warnings: [...split.warnings, `has "${text}", which is no state`] };
    case 'other':
      return {
        ...split,
        behind: [...split.behind, behind],
        warnings: [...split.warnings, `has "${text}" behind the city, which is sent with the street`],
      };
    default:
      return { ...split, behind: [...split.behind, behind] };
  }
}

/**
 * The city of the ZIP code at the end of some words, shortened or misspelled: `HUNTINGDON VY`, `chiago`. `name` is the
 * right one; null if they do not end with it.
 */
export function likeCityOfZip(
  words: readonly Word[],
  { gazetteer, zip }: CityArea,
): (CitySplit & { name: string }) | null {
  const name = cityOfZip(gazetteer, zip ?? '') ?? '';
  const wanted = foldedWords(name);
  const part = lastPart(words);
  const count = wanted.length;
  const tail = foldedWords(joinWords(part.slice(-count)));
  if (tail.length !== count) return null;
  const isShort = tail.every((word, index) => isShortFor(word, wanted[index] ?? ''));
  const isMisspelled = name.length > 5 && nearNames(tail.join(''), [wanted.join('')]).length > 0;
  if (!isShort && !isMisspelled) return null;
  const split = splitBefore(words, count);
  if (part.length === words.length && !hasName(split.street)) return null;
  return { ...split, name };
}

/** Whether a word has the first letter of another, and only letters of it in their order. */
function isShortFor(word: string, whole: string): boolean {
  if (word === whole) return true;
  if (word.length < 2 || word[0] !== whole[0]) return false;
  let at = 0;
  for (const letter of whole) if (letter === word[at]) at += 1;
  return at === word.length;
}

/** The last part as a city that the tables do not know; null if it must be a part of the street. */
export function unknownCity(words: readonly Word[]): CitySplit | null {
  const split = splitBefore(words, lastPart(words).length);
  const { city, street } = split;
  const isNone = street.length === 0 || cannotBeCity(city) || isUnit(city) || isCounty(city);
  return isNone ? null : split;
}
