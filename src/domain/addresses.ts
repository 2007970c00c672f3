import { stateCode, stateCodeOfName } from './states.ts';

/** An address as records hold it, and its parts. */
export interface NormalAddress {
  /** `street, city, ST ZIP, USA`, without what was not given; the ZIP code has five digits. */
  address: string;
  zip: string | null;
  /** The postal code of the state. */
  state: string | null;
  /** What stands before state and ZIP code: the street, more of it, and the city as the last part. */
  place: readonly string[];
}

const COUNTRY = /[,\s]+(?:united states(?: of america)?|u\.?\s?s\.?\s?a\.?|u\.?\s?s\.?)$/i;
const ZIP = /(?:^|[\s,])(\d{5})(?:-\d{4})?$/;

/**
 * Normalizes an address line `street, city, state, ZIP`. State and ZIP may share a part, a country may follow, and
 * commas may be missing. ZIP+4 is cut to five digits. Without a ZIP code, street, city and state are required, with
 * the street and the city as separate parts; otherwise null. Normalizing is idempotent.
 */
export function normalizeAddress(line: string): NormalAddress | null {
  const text = partsOf(line.replace(/[\s.]+$/, ''))
    .join(', ')
    .replace(COUNTRY, '');
  const match = ZIP.exec(text);
  const zip = match?.[1];
  if (match === null || zip === undefined) return withoutZip(text);
  const { place, state } = splitState(partsOf(text.slice(0, match.index)));
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
