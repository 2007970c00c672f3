import { readFileSync } from 'node:fs';
import { bashList, bashWords, readBashLine } from './bash.ts';
import { type Completed, completed } from './candidates.ts';
import { bookOf } from './completion-index.ts';
import { knownOn, type Place } from './id-cache.ts';

/**
 * Answers a key press: what a shell's script asks for with `__complete`. The first line says what follows: `values`,
 * each on a line with what is said of it behind a tab, or `files`, which the shell is to find.
 *
 *   -- WORD...                           the words of the line, the last is the one being typed
 *   --environment                        the same words in WAYBILL_TYPED, U+001F between them
 *   --bash TYPE COLUMNS BREAKS -- LINE   the line up to the cursor, and what bash knows about the key
 */
export function complete(argv: readonly string[], file: string, place: Place): string {
  const end = argv.indexOf('--');
  const [mode, ...options] = argv.slice(0, end === -1 ? argv.length : end);
  const words = mode === '--environment' ? typedIn(place) : argv.slice(end + 1);
  const book = bookOf(readFileSync(file));
  const answer = (typed: readonly string[]) => completed(typed, book, knownOn(place));
  if (mode === '--bash') return forBash(words[0] ?? '', options, answer);
  const { kind, candidates } = answer(words);
  const lines = candidates.map(({ value, about }) => (about ? `${value}\t${about}` : value));
  return [kind, ...lines, ''].join('\n');
}

/** An empty variable may be lost on the way: it counts as one empty word. */
function typedIn({ environment }: Place): string[] {
  return (environment.WAYBILL_TYPED ?? '').split('\u001f');
}

/** The keys that list candidates in bash without inserting one: a second Tab, and M-?. */
const listing: readonly (string | undefined)[] = ['33', '63', '64'];

function forBash(
  line: string,
  [type, columns, breaks = '']: readonly string[],
  answer: (words: readonly string[]) => Completed,
): string {
  const { words, current } = readBashLine(line, breaks);
  if (current.isTarget) return 'files\n';
  const { kind, candidates } = answer([...words.slice(1), current.text]);
  const typed = bashWords(candidates, current);
  const lines = listing.includes(type) ? bashList(typed, candidates, Number(columns) || 80) : typed;
  return [kind, ...lines, ''].join('\n');
}
