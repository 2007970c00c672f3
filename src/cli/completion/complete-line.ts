/** The command `__complete`, which the scripts of the shells call, and how bash splits a line. */
import { readFileSync } from 'node:fs';
import type { Environment } from '../kit/host/host.ts';
import {
  type Candidate,
  type Completion,
  completionOf,
  type KnownRecord,
  type RecordQuery,
  readIndex,
} from './candidates.ts';

interface CompletionOptions {
  /** The completion index. */
  file: string;
  environment: Environment;
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
export async function complete(
  argv: readonly string[],
  { file, environment, ask }: CompletionOptions,
): Promise<string> {
  const end = argv.indexOf('--');
  const [mode, ...options] = argv.slice(0, end === -1 ? argv.length : end);
  const words = mode === '--environment' ? typedWords(environment) : argv.slice(end + 1);
  const index = readIndex(readFileSync(file));
  const completeWords = (typed: readonly string[]) => completionOf(typed, index, ask);
  if (mode === '--bash') return forBash(words[0] ?? '', options, completeWords);
  const { kind, candidates } = await completeWords(words);
  const lines = candidates.map(({ value, description }) =>
    description ? `${value}\t${description}` : value,
  );
  return [kind, ...lines, ''].join('\n');
}

/** Some shells drop an empty variable: a missing one counts as one empty word. */
function typedWords(environment: CompletionOptions['environment']): string[] {
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

/** The word under the cursor, as bash parses it. */
interface CurrentWord {
  /** The word without its quotes. */
  text: string;
  /** The open quote, if any. */
  quote: '' | '"' | "'";
  /** The length of the part of `text` that bash does not replace: it also breaks words at `=` and `:`. */
  kept: number;
  /** True if the word exists, even as two quotes. */
  isStarted: boolean;
  /** True for the file of a redirection, which is not a word of the command. */
  isTarget: boolean;
}

/** A line up to the cursor, split like bash does, without expanding or running anything. */
interface BashLine {
  words: string[];
  current: CurrentWord;
}

const emptyWord: CurrentWord = { text: '', quote: '', kept: 0, isStarted: false, isTarget: false };

/** Parses a line; `breaks` are the characters at which bash breaks words for completion. */
export function readBashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let current: CurrentWord = { ...emptyWord };
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] ?? '';
    const next = line[index + 1];
    if (current.quote === '' && isSeparator(character, current)) {
      if (current.isStarted && !current.isTarget && !isDescriptor(character, current))
        words.push(current.text);
      const isTarget = character === '<' || character === '>' || (current.isTarget && !current.isStarted);
      current = { ...emptyWord, isTarget };
      continue;
    }
    current.isStarted = true;
    if (character === '\\' && current.quote !== "'" && next !== undefined && isEscape(next, current)) {
      current.text += next;
      index += 1;
    } else if (current.quote !== '') {
      if (character === current.quote) current.quote = '';
      else current.text += character;
    } else if (character === '"' || character === "'") {
      current.quote = character;
      current.kept = current.text.length;
    } else {
      current.text += character;
      if (breaks.includes(character)) current.kept = current.text.length;
    }
  }
  return { words, current };
}

/** True for a word separator: a space, or a redirection operator such as `2>`, `>>`, `>&`, `>|`. */
function isSeparator(character: string, { isTarget, isStarted }: CurrentWord): boolean {
  return /[\s<>]/.test(character) || (isTarget && !isStarted && /[&|]/.test(character));
}

/** True for the part before a redirection: the number in `2>`, the sign in `&>`. */
function isDescriptor(character: string, { text }: CurrentWord): boolean {
  return /[<>]/.test(character) && /^(\d+|&)$/.test(text);
}

/** Within double quotes a backslash only escapes these characters. */
function isEscape(next: string, { quote }: CurrentWord): boolean {
  return quote === '' || '"\\$`'.includes(next);
}

/** The replacement for the part that bash replaces. */
export function bashWords(candidates: readonly Candidate[], { text, quote, kept }: CurrentWord): string[] {
  const head = text.slice(0, kept);
  const words = candidates
    .filter(({ value }) => value.startsWith(head) && !(quote === "'" && value.includes("'")))
    .map(({ value }) => escaped(value.slice(kept), quote));
  const [only = '', ...others] = words;
  // Bash treats a word as closed if it ends with the open quote.
  return quote === '"' && only.endsWith('"') && others.length === 0 ? [`${only}"`] : words;
}

function escaped(word: string, quote: CurrentWord['quote']): string {
  if (quote === "'") return word;
  const special = quote === '"' ? /["\\$`]/gu : /[^\p{L}\p{N}_@%+=:,./~-]/gu;
  return word.replace(special, '\\$&').replace(/^~/, '\\~');
}

/** Spaces between a word and its description. */
const gap = 2;

/** Formats candidates with descriptions for a list without insertion; no line is longer than the terminal. */
export function bashList(
  words: readonly string[],
  candidates: readonly Candidate[],
  columns: number,
): string[] {
  const width = Math.max(0, ...words.map((word) => word.length));
  const room = columns - width - gap - 2;
  if (words.length < 2 || words.length !== candidates.length || room < 10) return [...words];
  return words.map((word, index) => {
    const description = candidates[index]?.description ?? '';
    return description === '' ? word : `${word.padEnd(width + gap)}(${shortened(description, room)})`;
  });
}

function shortened(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, room - 3)}...`;
}
