import { nearNames } from '../../domain/near-names.ts';
import { searchWordsOf } from '../../domain/search-text.ts';

/** Searches, and returns the texts of what it finds. */
type Search = (q: string) => Promise<readonly string[]>;

/** A longer search is not explained word by word. */
const max_words = 6;
/** The beginning of a word that a similar one has too. */
const beginning = 3;

/** Explains why a search found nothing: the words that match nothing, with similar ones that do. */
export async function explainNoMatch(text: string, search: Search): Promise<string | null> {
  const words = searchWordsOf(text).map(({ word }) => word);
  if (words.length === 0 || words.length > max_words) return null;
  const found = words.length === 1 ? [[]] : await Promise.all(words.map(search));
  const lost = words.filter((_, index) => found[index]?.length === 0);
  if (lost.length === 0) return 'Each of the words is found, but not all of them together.';
  const near = await Promise.all(lost.map((word) => nearWords(word, search)));
  const named = lost.map((word) => `"${word}"`).join(' and ');
  const similar = [...new Set(near.flat())].map((word) => `"${word}"`);
  const meant = similar.length === 0 ? '' : ` Did you mean ${similar.join(' or ')}?`;
  return `Nothing contains ${named}.${meant}`;
}

/** Words that begin alike and are within two edits of a word. */
async function nearWords(word: string, search: Search): Promise<string[]> {
  if (word.length <= beginning) return [];
  const texts = await search(word.slice(0, beginning));
  const written = new Map<string, string>();
  for (const part of texts.flatMap((text) => text.split(/[^\p{L}\p{N}'’]+/u))) {
    const [folded] = searchWordsOf(part);
    if (folded !== undefined) written.set(folded.word, part);
  }
  return nearNames(word, [...written.keys()]).map((near) => written.get(near) ?? near);
}
