/** Why a search finds nothing, and what was probably meant. */
import { nearNames } from '../../domain/near-names.ts';
import { readSearchWords } from '../../domain/search-text.ts';

/** Searches, and returns the texts of what it finds. */
type Search = (q: string) => Promise<readonly string[]>;

/** A longer search is not explained word by word. */
const max_words = 6;
/** The beginning of a word that a similar one has too. */
const min_prefix = 3;

/** Explains why a search found nothing: the words that match nothing, with similar ones that do. */
export async function explainNoMatch(text: string, search: Search): Promise<string | null> {
  const words = readSearchWords(text).map(({ word }) => word);
  if (words.length === 0 || words.length > max_words) return null;
  const found = words.length === 1 ? [[]] : await Promise.all(words.map(search));
  const lost = words.filter((_, index) => found[index]?.length === 0);
  if (words.length > 1 && lost.every((word) => isShortNumber.test(word))) return apartText(words, search);
  const near = await Promise.all(lost.map((word) => nearWords(word, search)));
  const named = lost.map((word) => `"${word}"`).join(' and ');
  const similar = [...new Set(near.flat())].map((word) => `"${word}"`);
  const meant = similar.length === 0 ? '' : ` Did you mean ${similar.join(' or ')}?`;
  if (lost.every((word) => /^\d+$/.test(word)))
    return `Nothing is found by ${named}.${meant} Phone numbers are found by their last digits, at least four.`;
  if (lost.some((word) => [...word].length < 3))
    return `Nothing is found by ${named}.${meant} Parts of words are found from three letters on.`;
  return `Nothing contains ${named}.${meant}`;
}

const isShortNumber = /^\d{2,3}$/;

/** Says which word is too short for a phone number, or that the words are found apart only, and what is found without one. */
async function apartText(words: readonly string[], search: Search): Promise<string> {
  const short = words.find((word) => isShortNumber.test(word));
  // If there are two, both are found alone: no hint is needed.
  const asked = short !== undefined ? [short] : words.length > 2 ? words : [];
  const without = (left: string) => words.filter((word) => word !== left).join(' ');
  const found = await Promise.all(asked.map(async (word) => ({ word, texts: await search(without(word)) })));
  const cause =
    short === undefined
      ? 'No single record has all of these words.'
      : `"${short}" is not enough of a phone number: at least its last four digits.`;
  const [left] = found.filter(({ texts }) => texts.length > 0);
  return left === undefined ? cause : `${cause} "${without(left.word)}" is found without "${left.word}".`;
}

/** Explains why a list that may have other filters has nothing that a search finds. */
export async function explainNoneListed(text: string, search: Search): Promise<string | null> {
  const found = await search(text);
  return found.length > 0 ? `"${text}" is found without the other filters.` : explainNoMatch(text, search);
}

/** Words that begin alike and are within two edits of a word. */
async function nearWords(word: string, search: Search): Promise<string[]> {
  if (word.length <= min_prefix) return [];
  const near = nearAmong(word, await search(word.slice(0, min_prefix)));
  // The wrong letter may be the third one: Waker for Wacker.
  return near.length > 0 ? near : nearAmong(word, await search(word.slice(0, min_prefix - 1)));
}

function nearAmong(word: string, texts: readonly string[]): string[] {
  const written = new Map<string, string>();
  for (const part of texts.flatMap((text) => text.split(/[^\p{L}\p{N}'’]+/u))) {
    const [folded] = readSearchWords(part);
    if (folded !== undefined) written.set(folded.word, part);
  }
  return nearNames(word, [...written.keys()]).map((near) => written.get(near) ?? near);
}
