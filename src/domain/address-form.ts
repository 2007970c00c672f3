import { addressPieces, textFault } from './address-text.ts';
import { stateCodeIn } from './us-states.ts';

/** What can be said about an address without the tables of ZIP codes and cities. */

/** The fault of an address in which neither a ZIP code nor a city and a state are found. */
export const addressRule = 'must have a ZIP code, or a street, city and state';

/** Why no courier can go to an address, as the end of a sentence that begins with the field; null if one may. */
export function formFault(line: string): string | null {
  return textFault(addressPieces(line).join(', '));
}

/** Whether a text may end in a ZIP code or a state. */
export function hasEnd(line: string): boolean {
  const text = addressPieces(line).join(', ');
  if (/(?:^|\D)\d{5}(?!\d)|\d{9}|\d{4}(?:-\d{4}|\.0)/.test(text)) return true;
  const words = text
    .replace(/[,\s]+(?:u\.?s\.?(?:a\.?)?|united states(?: of america)?)$/i, '')
    .split(/[,\s]+/);
  const ends = [1, 2, 3].map((count) => words.slice(-count).join(' '));
  return words.length > 2 && ends.some((end) => stateCodeIn(end) !== null);
}
