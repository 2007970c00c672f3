/** Explains why a search finds nothing: `Nothing contains "waker". Did you mean "Wacker"?` */
import { nearNames } from '../../domain/near-names.ts';
import { readSearchWords } from '../../domain/search-text.ts';

/** Searches, and returns the texts of what it finds. */
type Search = (q: string) => Promise<readonly string[]>;

/** The most words of a search that is explained word by word. */
const max_words = 6;
/** The number of letters with which a similar word begins, too. */
const prefix_length = 3;

/** Explains why a search found nothing: the words that match nothing, with similar ones that do. */
export async function explainNoMatch(text: string, search: Search): Promise<string | null> {
  const words = readSearchWords(text).map(({ word }) => word);
  if (words.length === 0 || words.length > max_words) return null;
  const textsByWord = words.length === 1 ? [[]] : await Promise.all(words.map(search));
  const unmatched = words.filter((_, index) => textsByWord[index]?.length === 0);
  if (words.length > 1 && unmatched.every((word) => shortNumber.test(word))) return apartText(words, search);
  const near = await Promise.all(unmatched.map((word) => nearWords(word, search)));
  const named = unmatched.map((word) => `"${word}"`).join(' and ');
  const similar = [...new Set(near.flat())].map((word) => `"${word}"`);
  const meant = similar.length === 0 ? '' : ` Did you mean ${similar.join(' or ')}?`;
  if (unmatched.every((word) => /^\d+$/.test(word)))
    return `Nothing is found by ${named}.${meant} Phone numbers are found by their last digits, at least four.`;
  if (unmatched.some((word) => [...word].length < 3))
    return `Nothing is found by ${named}.${meant} Parts of words are found from three letters on.`;
  return `Nothing contains ${named}.${meant}`;
}

/** Matches a number that is too short to find a phone number. */
const shortNumber = /^\d{2,3}$/;

/** Explains why words are only found apart, and which of them to leave out. */
async function apartText(words: readonly string[], search: Search): Promise<string> {
  const short = words.find((word) => shortNumber.test(word));
  // Of two words, both are found alone: no hint is needed.
  const candidates = words.length > 2 ? words : [];
  const without = (word: string) => words.filter((other) => other !== word).join(' ');
  const searches = (short === undefined ? candidates : [short]).map(async (word) => ({
    word,
    texts: await search(without(word)),
  }));
  const removable = (await Promise.all(searches)).find(({ texts }) => texts.length > 0);
  const cause =
    short === undefined
      ? 'No single record has all of these words.'
      : `"${short}" is not enough of a phone number: at least its last four digits.`;
  if (removable === undefined) return cause;
  return `${cause} "${without(removable.word)}" is found without "${removable.word}".`;
}

/** Explains why a list that may have other filters has nothing that a search finds. */
export async function explainNoneListed(text: string, search: Search): Promise<string | null> {
  const texts = await search(text);
  return texts.length > 0 ? `"${text}" is found without the other filters.` : explainNoMatch(text, search);
}

/** Words of records that begin like a word and are similar to it. */
async function nearWords(word: string, search: Search): Promise<string[]> {
  if (word.length <= prefix_length) return [];
  const near = nearAmong(word, await search(word.slice(0, prefix_length)));
  // The wrong letter may be the third one: Waker for Wacker.
  return near.length > 0 ? near : nearAmong(word, await search(word.slice(0, prefix_length - 1)));
}

/** The similar words in texts, as they are written there. */
function nearAmong(word: string, texts: readonly string[]): string[] {
  const written = new Map<string, string>();
  for (const part of texts.flatMap((text) => text.split(/[^\p{L}\p{N}'’]+/u))) {
    const [folded] = readSearchWords(part);
    if (folded !== undefined) written.set(folded.word, part);
  }
  return nearNames(word, [...written.keys()]).map((near) => written.get(near) ?? near);
}
