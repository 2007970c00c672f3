import { wordsInFull } from './search-text.ts';

/** An address as records hold it, and its parts. */
export interface NormalAddress {
  /** `street, city, ST ZIP, USA`, without what was not given; the ZIP code has five digits. */
  address: string;
  zip: string | null;
  /** The postal code of the state. */
  state: string | null;
  /** The parts before state and ZIP code: the street, more of it, and the city as the last one. */
  place: readonly string[];
}

const COUNTRY = /(?:[,\s]+(?:united states(?: of america)?|u\.?\s?s\.?\s?a\.?|u\.?\s?s\.?))+$/i;
const ZIP = /(?:^|[\s,])(\d{5})(?:-\d{4})?$/;

/**
 * Normalizes an address line `street, city, state, ZIP`. State and ZIP may share a part, a country may precede or
 * follow the ZIP code, and commas may be missing. ZIP+4 is cut to five digits. Without a ZIP code, street, city and
 * state are required, with the street and the city as separate parts; otherwise null. Normalizing is idempotent.
 */
export function normalizeAddress(line: string): NormalAddress | null {
  const text = partsOf(line.replace(/[\s.]+$/, ''))
    .join(', ')
    .replace(COUNTRY, '');
  const match = ZIP.exec(text);
  const zip = match?.[1];
  if (match === null || zip === undefined) return withoutZip(text);
  const before = partsOf(text.slice(0, match.index)).join(', ').replace(COUNTRY, '');
  const { place, state } = splitState(partsOf(before));
  const area = state === null ? zip : `${state} ${zip}`;
  return { address: [...place, area, 'USA'].join(', '), zip, state, place };
}

function withoutZip(text: string): NormalAddress | null {
  const { place, state } = splitState(partsOf(text));
  if (state === null || place.length < 2) return null;
  return { address: [...place, state, 'USA'].join(', '), zip: null, state, place };
}

function partsOf(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim().replace(/\s+/g, ' '));
  return parts.filter((part) => part !== '');
}

/**
 * Removes the state from the end. A postal code may be the last word of any part; a full name counts only as a
 * separate part after street and city, because New York and Washington are cities too.
 */
function splitState(parts: readonly string[]): { place: string[]; state: string | null } {
  const place = parts.slice(0, -1);
  const last = parts.at(-1) ?? '';
  const named = place.length >= 2 ? stateCodeOfName(last) : null;
  if (named !== null) return { place, state: named };
  const words = last.split(' ');
  const state = stateCode(words.at(-1) ?? '');
  if (state === null) return { place: [...parts], state };
  const rest = words.slice(0, -1).join(' ');
  return { place: rest === '' ? place : [...place, rest], state };
}

/** The postal codes of states, district, territories and military mail. */
const NAMES: Readonly<Record<string, string>> = {
  AL: 'Alabama',
  AK: 'Alaska',
  AZ: 'Arizona',
  AR: 'Arkansas',
  CA: 'California',
  CO: 'Colorado',
  CT: 'Connecticut',
  DE: 'Delaware',
  DC: 'District of Columbia',
  FL: 'Florida',
  GA: 'Georgia',
  HI: 'Hawaii',
  ID: 'Idaho',
  IL: 'Illinois',
  IN: 'Indiana',
  IA: 'Iowa',
  KS: 'Kansas',
  KY: 'Kentucky',
  LA: 'Louisiana',
  ME: 'Maine',
  MD: 'Maryland',
  MA: 'Massachusetts',
  MI: 'Michigan',
  MN: 'Minnesota',
  MS: 'Mississippi',
  MO: 'Missouri',
  MT: 'Montana',
  NE: 'Nebraska',
  NV: 'Nevada',
  NH: 'New Hampshire',
  NJ: 'New Jersey',
  NM: 'New Mexico',
  NY: 'New York',
  NC: 'North Carolina',
  ND: 'North Dakota',
  OH: 'Ohio',
  OK: 'Oklahoma',
  OR: 'Oregon',
  PA: 'Pennsylvania',
  RI: 'Rhode Island',
  SC: 'South Carolina',
  SD: 'South Dakota',
  TN: 'Tennessee',
  TX: 'Texas',
  UT: 'Utah',
  VT: 'Vermont',
  VA: 'Virginia',
  WA: 'Washington',
  WV: 'West Virginia',
  WI: 'Wisconsin',
  WY: 'Wyoming',
  AS: 'American Samoa',
  GU: 'Guam',
  MP: 'Northern Mariana Islands',
  PR: 'Puerto Rico',
  VI: 'Virgin Islands',
  AA: 'Armed Forces Americas',
  AE: 'Armed Forces Europe',
  AP: 'Armed Forces Pacific',
};

const CODES = new Map(Object.entries(NAMES).map(([code, name]) => [name.toLowerCase(), code]));

/** The postal code in a text, in any case and with or without periods (`il`, `D.C.`), or null. */
function stateCode(text: string): string | null {
  const code = text.replaceAll('.', '').toUpperCase();
  return Object.hasOwn(NAMES, code) ? code : null;
}

/** The postal code for a full state name in any case, or null. */
function stateCodeOfName(text: string): string | null {
  return CODES.get(text.toLowerCase()) ?? null;
}

/** The name of a state by its postal code; the code itself where it is none. */
export function stateName(code: string): string {
  return NAMES[code] ?? code;
}

const UNIT = /^(?:apt|apartment|unit|suite|ste|floor|fl|room|rm|#)\b\.?|^#|^\d+(?:st|nd|rd|th)\s+floor$/i;

/** Whether a part of an address is a unit in a building: `Apt 4`, `3rd floor`. */
export function isUnit(part: string): boolean {
  return UNIT.test(part);
}

/** An address for comparisons: `233 S. Wacker Dr` and `233 south wacker drive` are one. */
export function addressKey(address: string): string {
  return wordsInFull(address).join(' ');
}

export function isSameAddress(left: { address: string }, right: { address: string }): boolean {
  return left.address === right.address || addressKey(left.address) === addressKey(right.address);
}
