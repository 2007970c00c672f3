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
  withoutCity,
} from './address-city.ts';
import {
  type AddressEnd,
  findEnd,
  fitsState,
  joinWords,
  lastPart,
  stateAtEnd,
  type Word,
  withoutCountry,
} from './address-end.ts';
import {
  addressPieces,
  addressRule,
  countryAtEnd,
  hasForeignPostalCode,
  hasProvince,
  hasTwoStreets,
  howToWrite,
  isUnit,
  looksLikeStreet,
  militaryFault,
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

const abroad = 'is outside the USA: only US addresses are served';
const twoAddresses = 'contains two addresses: write only the one to which the courier goes';

/**
 * Reads an address. `fault` is the end of a sentence that begins with the field. What is stored of it is read as the same
 * parts, with the tables and without: whatever is not is refused.
 */
export function readAddress(line: string, gazetteer: Gazetteer): AddressReading {
  const read = readOnce(line, gazetteer);
  // A line that is stored as it was written need not be read twice, which takes twice the time.
  if ('fault' in read || [line, `${line}, USA`].includes(read.address)) return read;
  const again = { address: '', ...readOnce(read.address, gazetteer) };
  const isSame = again.address === read.address && isStoredAs(read);
  return isSame ? read : { fault: `cannot be read for certain: ${howToWrite}, with commas between them` };
}

/** Whether the stored line is divided without the tables into the same parts. */
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
  const isCity = (city: readonly Word[], zip: string) => {
    const states = [stateOfZip(gazetteer, zip) ?? ''];
    return isCityWithin(max_sure_miles, joinWords(city), { gazetteer, states, zip });
  };
  const end = findEnd(withoutCountry(words), { gazetteer, isCity });
  const checked = checkEnd(end, gazetteer, text);
  return 'fault' in checked ? checked : readStreet(checked);
}

/** The end of an address, with a state that fits its ZIP code. */
interface CheckedEnd extends AddressEnd {
  /** Where its city has to be. */
  area: CityArea;
  stateCode: string;
}

/** Chooses the state of an address, by its ZIP code if there is one; `fault` says why the two cannot be right. */
function checkEnd(end: AddressEnd, gazetteer: Gazetteer, text: string): CheckedEnd | { fault: string } {
  const { zip, state } = end;
  const areaOf = (...states: string[]): CityArea => ({ gazetteer, states, zip });
  if (zip === null) {
    if (state === null) return { fault: faultWithoutEnd(text) };
    if (end.before.length === 0) return { fault: `is only a state: ${howToWrite}` };
    return { ...end, stateCode: state.state, area: areaOf(state.state) };
  }
  const stateCode = stateOfZip(gazetteer, zip);
  if (militaryStates.includes(stateCode ?? '')) return { fault: militaryFault };
  if (stateCode === null)
    return { fault: countryAtEnd(text) !== null ? abroad : `has a ZIP code that does not exist: ${zip}` };
  const area = areaOf(stateCode);
  if (state === null) {
    if (countryAtEnd(joinWords(end.after)) !== null) return { fault: abroad };
    return { ...end, stateCode, area };
  }
  if (fitsState(zip, state.state, gazetteer)) {
    const both = areaOf(...new Set([state.state, stateCode]));
    return { ...end, before: withoutCode(end.before, state.state), stateCode: state.state, area: both };
  }
  // What was read as the state is that of another ZIP code: it may be a city (New York, LA) or end the street (Ct).
  const isCity = isCityWithin(max_sure_miles, state.text, area);
  const other = { gazetteer, states: [state.state], zip: null };
  const isStreet = isStreetWord(end) && findCityIn(end.before, other, true) === null;
  if (isCity || isStreet) return { ...end, state: null, before: withState(end), stateCode, area };
  return { fault: otherStateFault(zip, stateCode, stateName(state.state)) };
}

/** `other` is the name of the state that was written. */
function otherStateFault(zip: string, stateCode: string, other: string): string {
  return `does not fit together: ZIP code ${zip} is in ${stateName(stateCode)}, not in ${other}`;
}

/** The word or the words at the end that are the name of another state, but for a typing error; null without one. */
function misspelledState(words: readonly Word[], stateCode: string): { state: string; text: string } | null {
  const last = words.at(-1);
  for (const text of [joinWords(lastPart(words)), last?.text ?? '']) {
    const state = text.length > 5 && words.length > 1 ? nearState(text) : null;
    if (state !== null) return state === stateCode ? null : { state, text };
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
  return hasForeignPostalCode(text) || hasProvince(text) ? abroad : addressRule;
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

const statesFromZero: ReadonlySet<string> = new Set(['CT', 'MA', 'ME', 'NH', 'NJ', 'PR', 'RI', 'VI', 'VT']);

/** Whether a text ends with the code or name of a state whose ZIP codes may begin with 0. */
function hasZipsFromZero(text: string): boolean {
  const words = text.split(/[\s,]+/).filter((word) => word !== '');
  return [1, 2].some((count) => statesFromZero.has(stateCodeIn(words.slice(-count).join(' ')) ?? ''));
}

/** Reads what is in front of the state and the ZIP code: the street, its units and the city. */
function readStreet(end: CheckedEnd): AddressReading {
  const { zip, area, stateCode } = end;
  const split = splitAtCity(end);
  if ('fault' in split) return split;
  const { street, behind, changes, warnings } = split;
  const city = withoutDashes(split.city);
  const parts = partsOf(street);
  const lines = [...parts, ...behind.flatMap(partsOf), ...afterParts(end)];
  if (hasSecondAddress(parts, lines, end)) return { fault: twoAddresses };
  const fault = streetFault(lines, city);
  if (fault !== null) return { fault };
  const fields = {
    street: lines.filter((line) => !isUnit(line)).join(', '),
    unit: lines.filter(isUnit).join(', '),
    city: city === '' ? (cityOfZip(area.gazetteer, zip ?? '') ?? '') : city,
    state: stateCode,
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
      ...distanceWarnings(city, area),
      ...secondCityWarnings(parts, city, area),
    ],
  };
}

/** A house number in words, as landmarks have: `One Apple Park Way`. */
const numberInWords = /^(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve) \S/i;

function looksNumbered(lines: readonly string[]): boolean {
  return lines.some((line) => !isUnit(line) && (/\d/.test(line) || numberInWords.test(line)));
}

/** In miles: two cities of one address are neighbors, or one is a part of the other. */
const max_between_cities = 15;

/** The warning of a city in front of the city, as in `Jamaica, Queens`; none without. */
function secondCityWarnings(parts: readonly string[], city: string, area: CityArea): string[] {
  const part = parts.length < 2 ? '' : (parts.at(-1) ?? '');
  const miles = part.toLowerCase() === city.toLowerCase() ? null : milesToCity(part, area);
  return miles === null || miles > max_between_cities
    ? []
    : [`has two cities, "${part}" and "${city}": the second one is sent as the city`];
}

/** The warning of a city that is written with a ZIP code of another town; none without. */
function distanceWarnings(city: string, area: CityArea): string[] {
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
  const { before, area, state, zip, stateCode } = end;
  const found = findCityIn(before, area, state !== null);
  if (found !== null) return found;
  const far = farCity(before, area);
  if (far !== null)
    return { fault: `does not fit together: ZIP code ${zip} is far from ${far}, ${stateCode}` };
  // `350 5th Ave, New York 10118`
  const written = state?.text ?? '';
  if (milesToCity(written, area) === 0 && !isStateCode(written)) return withoutCity(before, written);
  if (zip !== null) return splitByZip({ ...end, zip });
  const unknown = unknownCity(before)?.city ?? joinWords(before);
  return { fault: `has no ZIP code and an unknown city: ${unknown}, ${stateCode}` };
}

type EndWithZip = CheckedEnd & { zip: string };

/** The words in front of a ZIP code that name no city near it as it is known. */
function splitByZip(end: EndWithZip): CitySplit | { fault: string } {
  const { before, area, state, zip, stateCode } = end;
  const other = state === null ? misspelledState(before, stateCode) : null;
  if (other !== null)
    return { fault: otherStateFault(zip, stateCode, `${stateName(other.state)} ("${other.text}")`) };
  const like = likeCityOfZip(before, area);
  if (like !== null) {
    const { name, ...split } = like;
    return { ...split, warnings: [`has the city "${split.city}", which is read as ${name}`] };
  }
  if (isStreetWord(end)) return withoutCity(withState(end));
  const unknown = unknownCity(before);
  return unknown === null ? splitWithoutCity(end) : splitAtUnknownCity(end, unknown);
}

/** All words are the street: the city is that of the ZIP code. */
function splitWithoutCity({ before, area, state, zip, stateCode }: EndWithZip): CitySplit {
  const split = withoutCity(before);
  if (state === null || before.length === 0) return split;
  const zipCity = cityOfZip(area.gazetteer, zip) ?? '';
  const warning = `has no city that is known near ZIP code ${zip}: it is sent with ${zipCity}, ${stateCode}`;
  return { ...split, warnings: [warning] };
}

/** The last part may be a city that the tables do not have there. */
function splitAtUnknownCity(
  { before, area, state, zip, stateCode }: EndWithZip,
  unknown: CitySplit,
): CitySplit | { fault: string } {
  const zipCity = cityOfZip(area.gazetteer, zip) ?? '';
  const isTypo = nearNames(unknown.city.toLowerCase(), [zipCity.toLowerCase()]).length > 0;
  const warning = `has a city that is not known near ZIP code ${zip}, which is in ${zipCity}: "${unknown.city}"`;
  if (state !== null || isTypo) return { ...unknown, warnings: [warning] };
  if (stateWithCity(unknown.city, area.gazetteer) !== null)
    return {
      fault: `does not fit together: ZIP code ${zip} is in ${zipCity}, ${stateCode}, not in ${unknown.city}`,
    };
  return { ...withoutCity(before), warnings: [`${warning}; it is sent with the street`] };
}

/** The name of a city that the last part is, although it is too far from the ZIP code; null without one. */
function farCity(words: readonly Word[], area: CityArea): string | null {
  const name = joinWords(lastPart(words));
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

/** Whether the parts in front of the city, all lines together, or what is behind the ZIP code have another address. */
function hasSecondAddress(parts: readonly string[], lines: readonly string[], end: CheckedEnd): boolean {
  if (hasTwoStreets(lines.join(', ')) || hasSecondEnd(parts, end) || hasSecondZip(end)) return true;
  return isAddressAlone(joinWords(end.after));
}

/** Why no courier can go to the lines of an address beside its city; null if one can. */
function streetFault(lines: readonly string[], city: string): string | null {
  const streets = lines.filter((line) => !isUnit(line));
  const withoutBox = streets.map(withoutBoxes).filter((line) => line !== '');
  const hasBox = withoutBox.join() !== streets.join();
  if (hasBox && !withoutBox.some(looksLikeStreet)) return 'is a PO box: couriers need a street address';
  if (streets.length > 0) return null;
  if (lines.length > 0) return `has a unit (${lines.join(', ')}) but no street: ${howToWrite}`;
  return city === '' ? `is only a ZIP code: ${howToWrite}` : `has no street: ${howToWrite}`;
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

/** Whether what stands behind a ZIP code is an address of its own: `or 43 E Ohio St`. */
function isAddressAlone(text: string): boolean {
  if (/^(?:or|and|&|oder|o|y)\s+\S|^\d{5}(?!\d)/i.test(text)) return true;
  return /^\d+[a-z]?\s+\p{L}/iu.test(text) && looksLikeStreet(text.replace(/^\d+/, ''));
}
