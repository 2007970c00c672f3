import { readFileSync } from 'node:fs';
import { bashList, bashWords, readBashLine } from './bash.ts';
import { type Completion, completionOf, type KnownRecord, type RecordQuery } from './candidates.ts';
import { readIndex } from './completion-index.ts';

interface Parts {
  /** The completion index. */
  file: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** Reads the records of the service. */
  ask(query: RecordQuery): Promise<readonly KnownRecord[]>;
}

/**
 * Runs `__complete`, which a shell's script calls when the user presses Tab; returns its output. The first line is
 * `files` if the shell should complete file names; otherwise it is `values`, and each further line is a candidate, with
 * its description after a tab.
 *
 *   -- WORD...                           the words of the line; the last one is being typed
 *   --environment                        the same words in WAYBILL_TYPED, U+001F between them
 *   --bash TYPE COLUMNS BREAKS -- LINE   the line up to the cursor, and what bash knows about the key
 */
export async function complete(argv: readonly string[], { file, environment, ask }: Parts): Promise<string> {
  const end = argv.indexOf('--');
  const [mode, ...options] = argv.slice(0, end === -1 ? argv.length : end);
  const words = mode === '--environment' ? typedWords(environment) : argv.slice(end + 1);
  const index = readIndex(readFileSync(file));
  const completeWords = (typed: readonly string[]) => completionOf(typed, index, ask);
  if (mode === '--bash') return forBash(words[0] ?? '', options, completeWords);
  const { kind, candidates } = await completeWords(words);
  const lines = candidates.map(({ value, about }) => (about ? `${value}\t${about}` : value));
  return [kind, ...lines, ''].join('\n');
}

/** Some shells drop an empty variable: a missing one counts as one empty word. */
function typedWords(environment: Parts['environment']): string[] {
  return (environment.WAYBILL_TYPED ?? '').split('\u001f');
}

/** The keys that list candidates in bash without inserting one: a second Tab, and M-?. */
const listingKeys: readonly (string | undefined)[] = ['33', '63', '64'];

async function forBash(
  line: string,
  [type, columns, breaks = '']: readonly string[],
  answer: (words: readonly string[]) => Promise<Completion>,
): Promise<string> {
  const { words, current } = readBashLine(line, breaks);
  if (current.isTarget) return 'files\n';
  const { kind, candidates } = await answer([...words.slice(1), current.text]);
  const typed = bashWords(candidates, current);
  const lines = listingKeys.includes(type) ? bashList(typed, candidates, Number(columns) || 80) : typed;
  return [kind, ...lines, ''].join('\n');
}
