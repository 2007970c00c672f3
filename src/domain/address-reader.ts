/**
 * Reads addresses as people write them, from their end: country, ZIP code, state, city; what is left is the street. The
 * parts are checked against each other by the tables of ZIP codes and cities, which also tell where the city begins if
 * there are no commas. City and state that are not given are those of the ZIP code.
 */
import {
  type CityArea,
  type CitySplit,
  findCityIn,
  isCityWithin,
  likeCityOfZip,
  max_sure_miles,
  milesToCity,
  stateWithCity,
  unknownCity,
} from './address-city.ts';
import {
  type AddressEnd,
  findEnd,
  fitsState,
  joinWords,
  stateAtEnd,
  type Word,
  withoutCountry,
} from './address-end.ts';
import {
  addressPieces,
  addressRule,
  countryAtEnd,
  hasForeignPostalCode,
  hasTwoStreets,
  isUnit,
  looksLikeStreet,
  military,
  textFault,
  withoutBoxes,
} from './address-text.ts';
import { type AddressFields, addressLine, storedAddressFields } from './addresses.ts';
import { cityOfZip, type Gazetteer, stateOfZip } from './gazetteer.ts';
import { nearNames } from './near-names.ts';
import { isStateCode, militaryStates, nearState, stateCodeIn, stateName } from './us-states.ts';

export interface ReadAddress extends AddressFields {
  /** One line as records hold it: `street, city, ST ZIP, USA`. */
  address: string;
  /** What was left out, moved or filled in, in sentences without a period. */
  changes: readonly string[];
  /** What may be wrong, each as the end of a sentence that begins with the field. */
  warnings: readonly string[];
}

export type AddressReading = ReadAddress | { fault: string };

const how = 'write street, city, state and ZIP code';
const abroad = 'is outside the USA: only US addresses are served';
const twoAddresses = 'contains two addresses: write only the one to which the courier goes';

/**
 * Reads an address. `fault` is the end of a sentence that begins with the field. What is stored of it is read as the same
 * parts, with the tables and without: whatever is not is refused.
 */
export function readAddress(line: string, gazetteer: Gazetteer): AddressReading {
  const read = readOnce(line, gazetteer);
  if ('fault' in read || [line, `${line}, USA`].includes(read.address)) return read;
  const again = { address: '', ...readOnce(read.address, gazetteer) };
  const isSame = again.address === read.address && isStoredAs(read);
  return isSame ? read : { fault: `cannot be read for certain: ${how}, with commas between them` };
}

function isStoredAs({ address, street, unit, city, state, zip }: ReadAddress): boolean {
  const stored = Object.values(storedAddressFields(address) ?? {});
  return stored.join() === [street, unit, city, state, zip].join();
}

function readOnce(line: string, gazetteer: Gazetteer): AddressReading {
  const pieces = addressPieces(line);
  const text = pieces.join(', ');
  const fault = textFault(text);
  if (fault !== null) return { fault };
  const words = pieces.flatMap((piece, part) =>
    piece.split(' ').flatMap((word) => (/[\p{L}\p{N}#&@-]/u.test(word) ? { text: word, part } : [])),
  );
  const end = findEnd(withoutCountry(words), gazetteer, (city, zip) => {
    const states = [stateOfZip(gazetteer, zip) ?? ''];
    return isCityWithin(max_sure_miles, joinWords(city), { gazetteer, states, zip });
  });
  const checked = checkedEnd(end, gazetteer, text);
  return 'fault' in checked ? checked : readStreet(checked, gazetteer);
}

/** The end of an address, with a state that fits its ZIP code. */
interface CheckedEnd extends AddressEnd {
  area: CityArea;
  /** The state of the address. */
  code: string;
}

function checkedEnd(end: AddressEnd, gazetteer: Gazetteer, text: string): CheckedEnd | { fault: string } {
  const { zip, state } = end;
  if (zip === null) {
    if (state === null) return { fault: faultWithoutEnd(text) };
    if (end.before.length === 0) return { fault: `is only a state: ${how}` };
    return { ...end, code: state.state, area: { gazetteer, states: [state.state], zip } };
  }
  const own = stateOfZip(gazetteer, zip);
  if (militaryStates.includes(own ?? '')) return { fault: military };
  if (own === null)
    return { fault: countryAtEnd(text) !== null ? abroad : `has a ZIP code that does not exist: ${zip}` };
  if (state === null) {
    if (countryAtEnd(joinWords(end.after)) !== null) return { fault: abroad };
    return { ...end, code: own, area: { gazetteer, states: [own], zip } };
  }
  if (fitsState(zip, state.state, gazetteer)) {
    const states = [...new Set([state.state, own])];
    const before = withoutCode(end.before, state.state);
    return { ...end, before, code: state.state, area: { gazetteer, states, zip } };
  }
  // New York and Washington are cities, too, as is LA; Ct is also a court.
  const area = { gazetteer, states: [own], zip };
  const isCity = isCityWithin(max_sure_miles, state.text, area);
  const other = { gazetteer, states: [state.state], zip: null };
  const isStreet = isStreetWord(end) && findCityIn(end.before, other, true) === null;
  if (isCity || isStreet) return { ...end, state: null, before: withState(end), code: own, area };
  return { fault: otherStateFault(zip, own, stateName(state.state)) };
}

function otherStateFault(zip: string, own: string, other: string): string {
  return `does not fit together: ZIP code ${zip} is in ${stateName(own)}, not in ${other}`;
}

/** A word at the end that is the name of another state, but for a typing error. */
function misspelledState(words: readonly Word[], own: string): { state: string; text: string } | null {
  const last = words.at(-1);
  const part = joinWords(words.filter((word) => word.part === last?.part));
  for (const text of [part, last?.text ?? '']) {
    const state = text.length > 5 && words.length > 1 ? nearState(text) : null;
    if (state !== null) return state === own ? null : { state, text };
  }
  return null;
}

/** The words without the code of a state that is written behind it once more: `New York, NY, New York 10001`. */
function withoutCode(words: readonly Word[], code: string): readonly Word[] {
  const last = stateAtEnd(words);
  const isCode = last?.state === code && isStateCode(last.text);
  return isCode ? words.slice(0, -last.count) : words;
}

/** The words with the state as a word like the others. */
function withState({ before, state }: AddressEnd): readonly Word[] {
  if (state === null) return before;
  return [...before, ...state.text.split(' ').map((text) => ({ text, part: state.part }))];
}

/** The fault of an address without ZIP code and state. */
function faultWithoutEnd(text: string): string {
  if (countryAtEnd(text) !== null) return abroad;
  const [, ahead = '', last = ''] = /^(.*?)[,\s]+([\dOoIl]+(?:-\d+)?)\.?$/.exec(text) ?? [];
  const isBehindState = stateCodeIn(/[^\s,]+$/.exec(ahead)?.[0] ?? '') !== null || /,[^,]*\p{L}/u.test(ahead);
  if (isBehindState && /\d/.test(last)) return zipDigitsFault(last, ahead);
  return hasForeignPostalCode(text) ? abroad : addressRule;
}

function zipDigitsFault(text: string, ahead: string): string {
  if (/[a-z]/i.test(text)) return `has letters in its ZIP code: ${text}`;
  const digits = text.replace(/-.*$/, '');
  const count =
    digits.length === 5 && text !== digits
      ? `${text.length - 6} digits behind the hyphen of its ZIP code`
      : null;
  const isShort = digits.length === 4 && hasZipsFromZero(ahead);
  const hint = isShort ? `; if its first digit is missing, write 0${digits}` : '';
  return `has ${count ?? `a ZIP code of ${digits.length} digit${digits.length === 1 ? '' : 's'}`}: ${text}${hint}`;
}

/** The states that have ZIP codes with 0 as the first digit. */
const statesFromZero: ReadonlySet<string> = new Set(['CT', 'MA', 'ME', 'NH', 'NJ', 'PR', 'RI', 'VI', 'VT']);

/** Whether a text ends with such a state, by its code or name. */
function hasZipsFromZero(text: string): boolean {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  return [1, 2].some((count) => statesFromZero.has(stateCodeIn(words.slice(-count).join(' ')) ?? ''));
}

function readStreet(end: CheckedEnd, gazetteer: Gazetteer): AddressReading {
  const { zip, area, code } = end;
  const split = splitAtCity(end);
  if ('fault' in split) return split;
  const { street, behind, changes, warnings } = split;
  const city = withoutDashes(split.city);
  const parts = partsOf(street);
  const extra = [...behind.flatMap(partsOf), ...afterParts(end)];
  const fault = streetFault([...parts, ...extra], parts, end, city);
  if (fault !== null) return { fault };
  const lines = [...parts, ...extra];
  const fields = {
    street: lines.filter((line) => !isUnit(line)).join(', '),
    unit: lines.filter(isUnit).join(', '),
    city: city === '' ? (cityOfZip(gazetteer, zip ?? '') ?? '') : city,
    state: code,
    zip,
  };
  return {
    ...fields,
    address: addressLine(lines, fields),
    changes: [...changes, ...changesOfEnd(end, city, fields)],
    warnings: [
      ...warnings,
      ...afterParts(end).flatMap((part) =>
        isUnit(part) ? [] : `has "${part}" behind the ZIP code, which is sent with the street`,
      ),
      ...(looksNumbered(lines) ? [] : ['has no house number']),
      ...farFrom(city, area),
      ...twoCities(parts, city, area),
    ],
  };
}

/** A house number in words, as landmarks have: `One Apple Park Way`. */
const numberInWords = /^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) \S/i;

function looksNumbered(lines: readonly string[]): boolean {
  return lines.some((line) => !isUnit(line) && (/\d/.test(line) || numberInWords.test(line)));
}

/** A part in front of the city that is a city near it, as in `Jamaica, Queens`. */
function twoCities(parts: readonly string[], city: string, area: CityArea): string[] {
  const part = parts.length < 2 ? '' : (parts.at(-1) ?? '');
  const miles = part.toLowerCase() === city.toLowerCase() ? null : milesToCity(part, area);
  return miles === null || miles > max_between_cities
    ? []
    : [`has two cities, "${part}" and "${city}": the second one is sent as the city`];
}

const max_between_cities = 15;

/** A city that is written with a ZIP code of another town. */
function farFrom(city: string, area: CityArea): string[] {
  const miles = milesToCity(city, area) ?? 0;
  return miles < max_sure_miles ? [] : [`has a ZIP code ${Math.round(miles)} miles from ${city}`];
}

function changesOfEnd({ cut, zip, state }: CheckedEnd, city: string, fields: AddressFields): string[] {
  return [
    ...(cut === '' ? [] : [`has "${cut.replace(/^-/, '')}" behind the ZIP code, which is left out`]),
    ...(city === '' ? [`${fields.city} is the city of ZIP code ${zip}`] : []),
    ...(state === null ? [`${fields.state} is the state of ZIP code ${zip}`] : []),
  ];
}

/** The words in front of state and ZIP code, split at the city. */
function splitAtCity(end: CheckedEnd): CitySplit | { fault: string } {
  const { before, area, state, zip, code } = end;
  const found = findCityIn(before, area, state !== null);
  if (found !== null) return found;
  const far = farCity(before, area);
  if (far !== null) return { fault: `does not fit together: ZIP code ${zip} is far from ${far}, ${code}` };
  const nothing = { city: '', street: before, behind: [], changes: [], warnings: [] };
  // `350 5th Ave, New York 10118`
  const written = state === null ? '' : state.text;
  if (milesToCity(written, area) === 0 && !isStateCode(written)) return { ...nothing, city: written };
  if (zip === null) {
    const unknown = unknownCity(before)?.city ?? joinWords(before);
    return { fault: `has no ZIP code and an unknown city: ${unknown}, ${code}` };
  }
  const other = state === null ? misspelledState(before, code) : null;
  if (other !== null)
    return { fault: otherStateFault(zip, code, `${stateName(other.state)} ("${other.text}")`) };
  const like = likeCityOfZip(before, area);
  if (like !== null) {
    const { name, ...split } = like;
    return { ...split, warnings: [`has the city "${split.city}", which is read as ${name}`] };
  }
  if (isStreetWord(end)) return { ...nothing, street: withState(end) };
  const unknown = unknownCity(before);
  const own = cityOfZip(area.gazetteer, zip) ?? '';
  if (unknown === null) {
    const isSilent = state === null || before.length === 0;
    return isSilent
      ? nothing
      : {
          ...nothing,
          warnings: [`has no city that is known near ZIP code ${zip}: it is sent with ${own}, ${code}`],
        };
  }
  const isTypo = nearNames(unknown.city.toLowerCase(), [own.toLowerCase()]).length > 0;
  const warning = `has a city that is not known near ZIP code ${zip}, which is in ${own}: "${unknown.city}"`;
  if (state !== null || isTypo) return { ...unknown, warnings: [warning] };
  const elsewhere = stateWithCity(unknown.city, area.gazetteer);
  if (elsewhere !== null)
    return { fault: `does not fit together: ZIP code ${zip} is in ${own}, ${code}, not in ${unknown.city}` };
  return { ...nothing, warnings: [`${warning}; it is sent with the street`] };
}

/** The name of a city that the last part is, although it is too far from the ZIP code; null without one. */
function farCity(words: readonly Word[], area: CityArea): string | null {
  const last = words.at(-1)?.part;
  const name = joinWords(words.filter(({ part }) => part === last));
  return milesToCity(name, area) === null ? null : name;
}

/** Whether the code of a state ends a street without a city: `12 Maple Ct 06511`. */
function isStreetWord({ state, before }: AddressEnd): boolean {
  const { text = '', part } = state ?? {};
  if (part !== before.at(-1)?.part || !/\d/.test(joinWords(before))) return false;
  return /^ct\.?$/i.test(text) || (/^fl\.?$/i.test(text) && /\d/.test(before.at(-1)?.text ?? ''));
}

/** The parts between commas. */
function partsOf(words: readonly Word[]): string[] {
  const numbers = [...new Set(words.map(({ part }) => part))];
  const parts = numbers.map((number) =>
    withoutDashes(joinWords(words.filter(({ part }) => part === number))),
  );
  return parts.filter((part) => part !== '');
}

function withoutDashes(text: string): string {
  return text.replace(/^[-\s]+|(?<=\s)[-\s]+$|^-$/g, '').trim();
}

/** What stands behind the ZIP code, as parts of the street. */
function afterParts({ after }: AddressEnd): string[] {
  return partsOf(after).map((part) => part.replace(/^\((.*)\)$/, '$1'));
}

function streetFault(
  lines: readonly string[],
  ahead: readonly string[],
  end: CheckedEnd,
  city: string,
): string | null {
  const text = lines.join(', ');
  if (hasTwoStreets(text) || hasSecondEnd(ahead, end) || hasSecondZip(end)) return twoAddresses;
  if (isSecondAddress(joinWords(end.after))) return twoAddresses;
  const streets = lines.filter((line) => !isUnit(line));
  const withoutBox = streets.map(withoutBoxes).filter((line) => line !== '');
  const hasBox = withoutBox.join() !== streets.join();
  if (hasBox && !withoutBox.some(looksLikeStreet)) return 'is a PO box: couriers need a street address';
  if (streets.length > 0) return null;
  if (lines.length > 0) return `has a unit (${lines.join(', ')}) but no street: ${how}`;
  return city === '' ? `is only a ZIP code: ${how}` : `has no street: ${how}`;
}

/** Whether the street has a state, or a ZIP code with its state, which end another address. */
function hasSecondEnd(lines: readonly string[], { area }: CheckedEnd): boolean {
  return lines.some((line, index) => {
    const [, code = '', zip = ''] = /\b([A-Z]{2})(?:[,\s]+(\d{5}))?$/.exec(line) ?? [];
    if (stateCodeIn(code) === null) return false;
    if (zip !== '') return fitsState(zip, code, area.gazetteer);
    const isWhole =
      line === code || milesToCity(line.slice(0, -3), { ...area, states: [code], zip: null }) !== null;
    return isWhole && index > 0 && lines.slice(index + 1).some(looksLikeStreet);
  });
}

/** Whether another ZIP code with its state stands in the street. */
function hasSecondZip({ before, area: { gazetteer } }: CheckedEnd): boolean {
  return before.some(({ text }, index) => {
    const zip = /^\d{5}/.exec(text)?.[0] ?? '';
    const state = zip === '' ? null : stateAtEnd(before.slice(0, index));
    return state !== null && fitsState(zip, state.state, gazetteer);
  });
}

/** Whether what stands behind a ZIP code is an address of its own. */
function isSecondAddress(text: string): boolean {
  if (/^(?:or|and|&|oder|o|y)\s+\S|^\d{5}(?!\d)/i.test(text)) return true;
  return /^\d+[a-z]?\s+\p{L}/iu.test(text) && looksLikeStreet(text.replace(/^\d+/, ''));
}
