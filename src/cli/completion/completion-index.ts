import { once } from '../kit/once.ts';
import type { PositionalKind } from '../session/command.ts';

/** The part of the command tree that completion needs. The build prepares it, so that completing loads no command. */

/** The source of the values of a flag or positional. */
export type ValueSource =
  | Exclude<PositionalKind, 'text'>
  | 'reference'
  | 'command'
  /** `dlv_1:delivered` */
  | 'delivery_status';

/** A word with its description; null without one. */
export interface Candidate {
  value: string;
  about: string | null;
}

export interface Values {
  sources: readonly ValueSource[];
  choices: readonly string[];
  /** Takes a comma-separated list. */
  many: boolean;
  /** The statuses of the IDs that are offered; absent: all. */
  statuses?: readonly string[];
}

export interface FlagPage {
  /** The flag as typed, with dashes; the first one is its name, the others are aliases. */
  names: readonly string[];
  short: string | null;
  /** `--no-…`, if it exists. */
  denial: string | null;
  /** True if the negation is the useful form, as the flag is on by default. */
  isOn: boolean;
  summary: string;
  /** `maybe`: an optional value after `=`. */
  takes: 'nothing' | 'maybe' | 'value';
  repeats: boolean;
  values: Values;
}

export interface PlacePage {
  values: Values;
  /** The possible words, by the word before. */
  after?: Readonly<Record<string, readonly string[]>>;
  variadic: boolean;
}

export interface WordPage {
  name: string;
  aliases: readonly string[];
  summary: string;
}

/** The root page, under the empty path: groups, then single commands. */
export interface RootPage {
  groups: readonly WordPage[];
  commands: readonly WordPage[];
}

/** The page of global flags, under a dash. */
export interface GlobalPage {
  flags: readonly FlagPage[];
}

/** The page of values that are the same everywhere, under a question mark. */
export interface ValuePage {
  /** The statuses of deliveries. */
  statuses: readonly string[];
  providers: readonly Candidate[];
  /** The couriers that can be connected. */
  couriers: readonly Candidate[];
  scenarios: readonly Candidate[];
  topics: readonly Candidate[];
}

/** A page under the name of a group. */
interface GroupPage {
  commands: readonly WordPage[];
}

/** A page under the path of a command. */
export interface CommandPage {
  /** Its own flags, and global ones that it declares differently. */
  flags: readonly FlagPage[];
  /** The names of the other global flags that it takes. */
  globals: readonly string[];
  places: readonly PlacePage[];
}

/**
 * Formats the pages as text. Each is a line of its path, a tab and its JSON, so that only the requested pages are
 * parsed.
 */
export function indexText(pages: Readonly<Record<string, object>>): string {
  return Object.entries(pages)
    .map(([words, page]) => `\n${words}\t${JSON.stringify(page)}`)
    .join('');
}

/** Reads single pages from the text. */
export interface CompletionIndex {
  root(): RootPage;
  globals(): GlobalPage;
  values(): ValuePage;
  group(name: string): GroupPage;
  command(words: string): CommandPage;
}

/** Throws if the text is not an index. */
export function readIndex(bytes: Buffer): CompletionIndex {
  const lineOf = (words: string) => {
    const head = `\n${words}\t`;
    const start = bytes.indexOf(head) + Buffer.byteLength(head);
    const end = bytes.indexOf('\n', start);
    return bytes.toString('utf8', start, end === -1 ? bytes.length : end);
  };
  const root = (): RootPage => JSON.parse(lineOf(''));
  const globals = (): GlobalPage => JSON.parse(lineOf('-'));
  return {
    root: once(root),
    globals: once(globals),
    values: () => JSON.parse(lineOf('?')),
    group: (name) => JSON.parse(lineOf(name)),
    command: (words) => JSON.parse(lineOf(words)),
  };
}
