import { once } from '../kit/once.ts';

/** What completion knows of the command tree: prepared by the build, so that a key press loads no command. */

/** Where the values of a flag or a positional come from. */
export type ValueSource =
  | 'order'
  | 'route'
  | 'quote'
  | 'delivery_quote'
  | 'delivery'
  | 'batch'
  | 'event'
  | 'webhook_endpoint'
  | 'store'
  | 'key'
  | 'reference'
  | 'provider'
  | 'scenario'
  | 'profile'
  | 'command'
  | 'file'
  /** `dlv_1:delivered` */
  | 'delivery_status';

/** A word, and what is said beside it; null for nothing. */
export interface Candidate {
  value: string;
  about: string | null;
}

export interface Values {
  sources: readonly ValueSource[];
  choices: readonly string[];
  /** Takes several, commas between. */
  many: boolean;
}

export interface FlagPage {
  /** As typed, with dashes; the first is its name, the others are aliases. */
  names: readonly string[];
  short: string | null;
  /** `--no-…`, where there is one. */
  denial: string | null;
  /** Whether `denial` is what it is there for: the flag is on anyway. */
  isOn: boolean;
  summary: string;
  /** `maybe`: a value comes only after `=`. */
  takes: 'nothing' | 'maybe' | 'value';
  repeats: boolean;
  values: Values;
}

export interface PlacePage {
  values: Values;
  /** The words that it can be, by the word before it. */
  after?: Readonly<Record<string, readonly string[]>>;
  variadic: boolean;
}

export interface WordPage {
  name: string;
  aliases: readonly string[];
  summary: string;
}

/** Under no words at all: groups, then commands of one word. */
export interface RootPage {
  groups: readonly WordPage[];
  commands: readonly WordPage[];
}

/** Under a dash: every global flag, as far as all commands take it alike. */
export interface GlobalPage {
  flags: readonly FlagPage[];
}

/** Under a question mark: values that are the same everywhere. */
export interface ValuePage {
  /** Of deliveries. */
  statuses: readonly string[];
  providers: readonly Candidate[];
  scenarios: readonly Candidate[];
  topics: readonly Candidate[];
}

/** Under the name of a group. */
export interface GroupPage {
  commands: readonly WordPage[];
}

/** Under the words of a command. */
export interface CommandPage {
  /** Its own flags, and global ones that it takes in a way of its own. */
  flags: readonly FlagPage[];
  /** The names of the other global flags that it takes. */
  globals: readonly string[];
  places: readonly PlacePage[];
}

/** All pages as one text: a line for each, its words before a tab, so that no more is parsed than is asked for. */
export function bookText(pages: Readonly<Record<string, object>>): string {
  return Object.entries(pages)
    .map(([words, page]) => `\n${words}\t${JSON.stringify(page)}`)
    .join('');
}

/** Reads pages out of the text of all. */
export interface Book {
  root(): RootPage;
  globals(): GlobalPage;
  values(): ValuePage;
  group(name: string): GroupPage;
  command(words: string): CommandPage;
}

/** Throws where the text is no book. */
export function bookOf(bytes: Buffer): Book {
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
