import type { Candidate } from './completion-index.ts';

/** The word under the cursor as bash has it. */
interface Current {
  /** As it is meant, without quotes. */
  text: string;
  /** The quote that is open, or none. */
  quote: '' | '"' | "'";
  /** How much of `text` stands before what bash replaces: it breaks a word at `=` and `:` too. */
  kept: number;
  /** Something stands there, if only two quotes. */
  isBegun: boolean;
  /** The file that a `>` or `<` in front of it names: no word of the command. */
  isTarget: boolean;
}

/** A line up to the cursor, taken apart as bash would, without running anything in it. */
export interface BashLine {
  words: string[];
  current: Current;
}

const fresh: Current = { text: '', quote: '', kept: 0, isBegun: false, isTarget: false };

/** Reads a line; `breaks` are the characters at which bash breaks words for completion. */
export function readBashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let current: Current = { ...fresh };
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] ?? '';
    const next = line[index + 1];
    if (current.quote === '' && isGap(character, current)) {
      if (current.isBegun && !current.isTarget && !isDescriptor(character, current)) words.push(current.text);
      const isTarget = character === '<' || character === '>' || (current.isTarget && !current.isBegun);
      current = { ...fresh, isTarget };
      continue;
    }
    current.isBegun = true;
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

/** Ends a word: a space, or a redirection with all that belongs to it: `2>`, `>>`, `>&`, `>|`. */
function isGap(character: string, { isTarget, isBegun }: Current): boolean {
  return /[\s<>]/.test(character) || (isTarget && !isBegun && /[&|]/.test(character));
}

/** What is redirected, not a word: the number in `2>`, the sign in `&>`. */
function isDescriptor(character: string, { text }: Current): boolean {
  return /[<>]/.test(character) && /^(\d+|&)$/.test(text);
}

/** Between double quotes only these lose their meaning. */
function isEscape(next: string, { quote }: Current): boolean {
  return quote === '' || '"\\$`'.includes(next);
}

/** What bash is to put in place of the part that it replaces. */
export function bashWords(candidates: readonly Candidate[], { text, quote, kept }: Current): string[] {
  const head = text.slice(0, kept);
  const words = candidates
    .filter(({ value }) => value.startsWith(head) && !(quote === "'" && value.includes("'")))
    .map(({ value }) => escaped(value.slice(kept), quote));
  const [only = '', ...others] = words;
  // Where the word ends in the quote that is open bash takes it for closed.
  return quote === '"' && only.endsWith('"') && others.length === 0 ? [`${only}"`] : words;
}

function escaped(word: string, quote: Current['quote']): string {
  if (quote === "'") return word;
  const special = quote === '"' ? /["\\$`]/gu : /[^\p{L}\p{N}_@%+=:,./~-]/gu;
  return word.replace(special, '\\$&').replace(/^~/, '\\~');
}

/** Spaces between a word and what is said of it. */
const gap = 2;

/** The same with what is said beside them, for a list that nothing is taken from; no line longer than the terminal. */
export function bashList(
  words: readonly string[],
  candidates: readonly Candidate[],
  columns: number,
): string[] {
  const width = Math.max(0, ...words.map((word) => word.length));
  const room = columns - width - gap - 2;
  if (words.length < 2 || words.length !== candidates.length || room < 10) return [...words];
  return words.map((word, index) => {
    const about = candidates[index]?.about ?? '';
    return about === '' ? word : `${word.padEnd(width + gap)}(${cut(about, room)})`;
  });
}

function cut(text: string, room: number): string {
  return text.length <= room ? text : `${text.slice(0, room - 3)}...`;
}
