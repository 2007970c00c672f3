import { stateCodeIn } from '../../src/domain/us-states.ts';

/** The words of a text: letters and digits. */
const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const countries = 'usa us u s a unitedstates united states of america eeuu ee uu estados unidos'.split(' ');

/** What stands in the tables only to be taken away: markup, labels, and states of several words. */
const takenAway =
  /<|&|zip |ship to|[nwsd]\.? ?[a-z]+\.|north|south|rhode|new |west |district|puerto|lost zero|carolina|606066306|\bi l\b/i;

/** Whether every word of an address of the tables must be kept or named. */
export function mayBeCompared({ kind, text }: { kind: string; text: string }): boolean {
  return !takenAway.test(text) && !kind.startsWith('lost zero');
}

/** The words of an address that neither the texts that are kept of it nor what was said about it have. */
export function lostWords(text: string, kept: readonly string[], state: string): string[] {
  const words = new Set(wordsOf(kept.join(' ')));
  const joined = wordsOf(kept.join('')).join('');
  return wordsOf(text).filter(
    (word) =>
      !words.has(word) && !joined.includes(word) && !countries.includes(word) && stateCodeIn(word) !== state,
  );
}
