/**
 * The candidates that complete a word of a command line, and the index of commands from which they come.
 *
 * In `waybill deliveries get dlv_` `readLine` finds the command, and its page in the index says that the next word is of
 * `{ sources: ['delivery', 'reference'] }`. `completionOf` gets the latest deliveries and offers the IDs that begin so.
 */
import { once } from '../kit/once.ts';
import type { PositionalKind } from '../session/command.ts';

/** A record of the service, or a profile. */
export interface KnownRecord {
  /** `delivery`, `order`, `provider`, ... */
  kind: string;
  id: string;
  /** Its status or another short description: `delivered`, `swiftly 8.50`; may be empty. */
  status: string;
  /** The merchant's reference; for a quote, its route. May be empty. */
  reference: string;
}

/** The records that a line needs. */
export interface RecordQuery {
  kinds: readonly string[];
  /** The statuses that fit; empty: all. */
  statuses: readonly string[];
  /** The values of the line's flags, by name. */
  flags: Readonly<Record<string, string>>;
  /** The words of the line that are neither flags nor commands. */
  words: readonly string[];
}

/** Lists the records of a kind, newest first; `statuses` are those that fit. */
type ListRecords = (kind: string, statuses: readonly string[]) => readonly KnownRecord[];

/** Candidates at the cursor: words, or file names, which the shell lists. */
export interface Completion {
  kind: 'values' | 'files';
  candidates: readonly Candidate[];
}

/** A longer list is not useful. */
const max_candidates = 200;

/** Completes the last word; the others precede it. Asks the service only if the word can be of one of its records. */
export async function completionOf(
  words: readonly string[],
  index: CompletionIndex,
  ask: (query: RecordQuery) => Promise<readonly KnownRecord[]>,
): Promise<Completion> {
  const current = words.at(-1) ?? '';
  const line = readLine(words.slice(0, -1), index);
  if (line === null) return noCompletion;
  // Without records first, to find out which kinds the word may be of.
  const kinds = new Set<string>();
  const statuses = new Set<string>();
  const fixed = matchingCandidates(line, current, {
    index,
    records: (kind, fitting) => {
      kinds.add(kind);
      for (const status of fitting) statuses.add(status);
      return [];
    },
  });
  if (kinds.size === 0) return fixed;
  const flags = Object.fromEntries(line.flagTexts);
  const found = await ask({ kinds: [...kinds], statuses: [...statuses], flags, words: line.words });
  const records: ListRecords = (kind, fitting) =>
    found.filter(
      (record) => record.kind === kind && (fitting.length === 0 || fitting.includes(record.status)),
    );
  return matchingCandidates(line, current, { index, records });
}

function matchingCandidates(line: TypedLine, current: string, data: CompletionData): Completion {
  const { kind, candidates } = possibleCandidates(line, current, data);
  const found = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const { value } = candidate;
    if (value.startsWith(current) && !found.has(value)) found.set(value, candidate);
  }
  return { kind, candidates: [...found.values()].slice(0, max_candidates) };
}

const noCompletion: Completion = { kind: 'values', candidates: [] };

interface CompletionData {
  index: CompletionIndex;
  records: ListRecords;
}

/** All candidates for a flag's value, a flag or a word; what was typed of it narrows them later. */
function possibleCandidates(line: TypedLine, current: string, data: CompletionData): Completion {
  const { pendingFlag, flags, isAfterDashes } = line;
  if (pendingFlag !== null) return valuesOf(pendingFlag.values, { line, current, prefix: '' }, data);
  const name = isAfterDashes ? undefined : /^(--[^=]+)=/.exec(current)?.[1];
  if (name !== undefined) {
    const flag = findFlag(flags(), name);
    if (flag === undefined || flag.takes === 'nothing') return noCompletion;
    return valuesOf(flag.values, { line, current, prefix: `${name}=` }, data);
  }
  if (!isAfterDashes && current.startsWith('-')) return valueCompletion(flagCandidates(line, current));
  return wordCandidates(line, current, data);
}

function valueCompletion(candidates: readonly Candidate[]): Completion {
  return { kind: 'values', candidates };
}

/** Candidates for a word: commands, or values of the next positional, or flags if there is none. */
function wordCandidates(line: TypedLine, current: string, data: CompletionData): Completion {
  const { group, command, isAfterDashes } = line;
  if (command === null) {
    if (isAfterDashes) return noCompletion;
    const { groups, commands } = data.index.root();
    return valueCompletion(
      commandCandidates(group === null ? [...groups, ...commands] : data.index.group(group.name).commands),
    );
  }
  const last = command.positionals.at(-1);
  const positional = command.positionals[line.words.length] ?? (last?.variadic === true ? last : undefined);
  if (positional !== undefined) {
    const choices = new Map(Object.entries(positional.after ?? {})).get(line.words.at(-1) ?? '');
    const values = choices === undefined ? positional.values : { ...positional.values, choices };
    return valuesOf(values, { line, current, prefix: '' }, data);
  }
  return valueCompletion(isAfterDashes || current !== '' ? [] : flagCandidates(line, current));
}

function commandCandidates(pages: readonly WordPage[]): Candidate[] {
  return pages.map(({ name, summary }) => ({ value: name, description: summary }));
}

/** Flags that are not given yet or can be repeated; aliases only when they are being typed. */
function flagCandidates({ flags, givenFlags }: TypedLine, current: string): Candidate[] {
  return flags()
    .filter((flag) => flag.repeats || !givenFlags.has(flag))
    .flatMap((flag) => flagNameCandidates(flag, current));
}

function flagNameCandidates(
  { names: [name = '', ...aliases], short, negation, isOnByDefault, summary }: FlagPage,
  current: string,
) {
  const denied = negation === null ? [] : [{ value: negation, description: `Not: ${summary}` }];
  const long = [{ value: name, description: summary }];
  const all = isOnByDefault ? denied : [...long, ...denied];
  if (current === short) return [{ value: short, description: summary }];
  if (all.some(({ value }) => value.startsWith(current))) return all;
  return [...long, ...aliases.map((value) => ({ value, description: summary }))];
}

interface CompletedWord {
  line: TypedLine;
  current: string;
  /** The part of the word before the value: `--status=`. */
  prefix: string;
}

function valuesOf(values: Values, completed: CompletedWord, data: CompletionData): Completion {
  const { sources, choices, isList } = values;
  if (sources.includes('file')) return { kind: 'files', candidates: [] };
  const { line, current } = completed;
  const typed = current.slice(completed.prefix.length);
  const before = isList ? typed.slice(0, typed.lastIndexOf(',') + 1) : '';
  const taken = before.split(',');
  const listed = [
    ...choices.map((value) => ({ value, description: null })),
    ...sources.flatMap((source) => valuesFrom(source, values, { ...completed, current: typed }, data)),
  ].filter(({ value }) => !taken.includes(value) && !line.words.includes(value));
  return valueCompletion(
    listed.map(({ value, description }) => ({ value: completed.prefix + before + value, description })),
  );
}

/** The candidates of one of the sources of a word. */
function valuesFrom(
  source: ValueSource,
  { sources, statuses = [] }: Values,
  { line, current, prefix }: CompletedWord,
  { index, records }: CompletionData,
): Candidate[] {
  if (source === 'courier') return [...index.values().couriers];
  if (source === 'scenario') return [...index.values().scenarios];
  if (source === 'command') return helpCandidates(line, index);
  if (source === 'provider') return [...index.values().providers, ...index.values().couriers];
  // An ID is described by its reference; the reference itself is only a candidate while it is being typed.
  const isWord = prefix === '' && line.pendingFlag === null;
  if (source === 'reference')
    return isWord && current === '' ? [] : referenceCandidates(sources, statuses, records);
  if (source === 'delivery_status') return statusCandidates(current, { index, records });
  return idCandidates(records(source, statuses));
}

/** Completes a delivery and its target status: statuses once the delivery is known. */
function statusCandidates(current: string, { index, records }: CompletionData): Candidate[] {
  const deliveries = [
    ...idCandidates(records('delivery', [])),
    ...referenceCandidates(['delivery'], [], records),
  ]
    .map(({ value, description }) => ({ value: `${value}:`, description }))
    .filter(({ value }) => value.startsWith(current) || current.startsWith(value));
  const [only, ...others] = new Set(deliveries.map(({ value }) => value));
  if (only === undefined || others.length > 0) return deliveries;
  return index.values().statuses.map((status) => ({ value: only + status, description: null }));
}

/** Completes `help` within a group; at the start, everything with a help page. */
function helpCandidates({ words: [first, second] }: TypedLine, index: CompletionIndex): Candidate[] {
  const { groups, commands } = index.root();
  if (first === undefined) return [...commandCandidates([...groups, ...commands]), ...index.values().topics];
  const group = groups.find(({ name, aliases }) => name === first || aliases.includes(first));
  return group === undefined || second !== undefined
    ? []
    : commandCandidates(index.group(group.name).commands);
}

function idCandidates(records: readonly KnownRecord[]): Candidate[] {
  return records.map(({ id, status, reference }) => ({
    value: id,
    description: [status, reference].filter((part) => part !== '').join(', '),
  }));
}

/** With the order's status for an order, else with the delivery's. */
function referenceCandidates(
  sources: readonly ValueSource[],
  statuses: readonly string[],
  records: ListRecords,
): Candidate[] {
  const kinds = sources[0] === 'order' ? ['order', 'delivery'] : ['delivery', 'order'];
  return kinds.flatMap((kind) =>
    records(kind, statuses)
      .filter(({ reference }) => reference !== '')
      .map(({ id, status, reference }) => ({
        value: reference,
        description: [status, id].filter(Boolean).join(', '),
      })),
  );
}

/** The parsed part of a line, before the word under the cursor. */
interface TypedLine {
  /** The group, if its command is not given yet. */
  group: WordPage | null;
  command: CommandPage | null;
  /** `help`, `orders get`; empty at the start. */
  path: string;
  /** The flags allowed here, loaded on demand. */
  flags: Flags;
  pendingFlag: FlagPage | null;
  givenFlags: ReadonlySet<FlagPage>;
  /** The texts of flags with a value, by name. */
  flagTexts: ReadonlyMap<string, string>;
  /** The words that are neither flags nor commands. */
  words: readonly string[];
  /** True after `--`. */
  isAfterDashes: boolean;
}

type Flags = () => readonly FlagPage[];

/** Parses a line like the program does; null for an unknown command. */
function readLine(tokens: readonly string[], index: CompletionIndex): TypedLine | null {
  const root = index.root();
  const flags = () => index.globals().flags;
  const scan = scanTokens(tokens, flags);
  const start = { group: null, command: null, path: '', flags, ...scan };
  const [first, second] = scan.word_indexes;
  const word = first === undefined ? undefined : tokens[first];
  if (first === undefined || word === undefined) return start;
  const command = findPage(root.commands, word);
  if (command !== undefined) return commandLine(command.name, tokens.toSpliced(first, 1), index);
  const group = findPage(root.groups, word);
  if (group === undefined) return null;
  const verb = second === undefined ? undefined : tokens[second];
  if (second === undefined || verb === undefined) return { ...start, group, path: group.name, words: [] };
  const found = findPage(index.group(group.name).commands, verb);
  if (found === undefined) return null;
  const rest = tokens.toSpliced(second, 1).toSpliced(first, 1);
  return commandLine(`${group.name} ${found.name}`, rest, index);
}

function commandLine(path: string, tokens: readonly string[], index: CompletionIndex): TypedLine {
  const command = index.command(path);
  const flags = once(() => {
    const globals = index.globals().flags.filter(({ names: [name = ''] }) => command.globals.includes(name));
    return [...command.flags, ...globals];
  });
  return { group: null, command, path, flags, ...scanTokens(tokens, flags) };
}

function findPage(pages: readonly WordPage[], word: string): WordPage | undefined {
  return pages.find(({ name }) => name === word) ?? pages.find(({ aliases }) => aliases.includes(word));
}

/** Finds a flag by any of its names. */
function findFlag(flags: readonly FlagPage[], token: string): FlagPage | undefined {
  return flags.find(
    ({ names, short, negation }) => names.includes(token) || short === token || negation === token,
  );
}

type Scan = Pick<TypedLine, 'pendingFlag' | 'givenFlags' | 'flagTexts' | 'words' | 'isAfterDashes'> & {
  /** The indexes of the words before `--`. */
  word_indexes: readonly number[];
};

function scanTokens(tokens: readonly string[], flags: Flags): Scan {
  const word_indexes: number[] = [];
  const givenFlags = new Set<FlagPage>();
  const flagTexts = new Map<string, string>();
  let pendingFlag: FlagPage | null = null;
  const end = endOf(tokens, flags);
  for (const [index, token] of tokens.slice(0, end).entries()) {
    if (pendingFlag !== null) {
      flagTexts.set(pendingFlag.names[0] ?? '', token);
      pendingFlag = null;
    } else if (!token.startsWith('-') || token === '-') word_indexes.push(index);
    else {
      const { flag, text, takesNext } = flagIn(token, flags);
      if (flag !== undefined) givenFlags.add(flag);
      if (flag !== undefined && text !== null) flagTexts.set(flag.names[0] ?? '', text);
      pendingFlag = takesNext ? (flag ?? null) : null;
    }
  }
  const rest = tokens.slice(end + 1);
  const words = [...word_indexes.map((at) => tokens[at] ?? ''), ...rest];
  return { word_indexes, givenFlags, flagTexts, pendingFlag, words, isAfterDashes: end < tokens.length };
}

/** The index of `--`, unless it is a flag's value; without it, the length of the line. */
function endOf(tokens: readonly string[], flags: Flags): number {
  const end = tokens.findIndex(
    (token, index) => token === '--' && !flagIn(tokens[index - 1] ?? '', flags).takesNext,
  );
  return end === -1 ? tokens.length : end;
}

interface TypedFlag {
  flag: FlagPage | undefined;
  /** The value after it, or null. */
  text: string | null;
  /** True if the next word is its value. */
  takesNext: boolean;
}

/** The last of several short flags may take the next word: `-qo json`. */
function flagIn(token: string, flags: Flags): TypedFlag {
  const long = /^(--[^=]+)(?:=(.*))?$/s.exec(token);
  if (long !== null) {
    const flag = findFlag(flags(), long[1] ?? '');
    const takesNext = long[2] === undefined && flag?.takes === 'value' && flag.negation !== token;
    return { flag, text: long[2] ?? null, takesNext };
  }
  const letters = /^-([a-z]+)$/i.exec(token)?.[1] ?? '';
  const pages = [...letters].map((letter) => findFlag(flags(), `-${letter}`));
  const first = pages.findIndex((page) => page === undefined || page.takes === 'value');
  const flag = pages[first === -1 ? pages.length - 1 : first];
  const isLast = first !== -1 && first === letters.length - 1;
  return { flag, text: null, takesNext: isLast && flag !== undefined };
}

/** Reads single pages from the text. */
interface CompletionIndex {
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

/**
 * Formats the pages as text. Each is a line of its path, a tab and its JSON, so that only the requested pages are
 * parsed.
 */
export function indexText(pages: Readonly<Record<string, object>>): string {
  return Object.entries(pages)
    .map(([words, page]) => `\n${words}\t${JSON.stringify(page)}`)
    .join('');
}

/** The root page, under the empty path: groups, then single commands. */
export interface RootPage {
  groups: readonly WordPage[];
  commands: readonly WordPage[];
}

export interface WordPage {
  name: string;
  aliases: readonly string[];
  summary: string;
}

interface GroupPage {
  commands: readonly WordPage[];
}

export interface CommandPage {
  /** Its own flags, and global ones that it declares differently. */
  flags: readonly FlagPage[];
  /** The names of the other global flags that it takes. */
  globals: readonly string[];
  positionals: readonly PositionalPage[];
}

/** The page of global flags, under a dash. */
export interface GlobalPage {
  flags: readonly FlagPage[];
}

export interface FlagPage {
  /** The flag as typed, with dashes; the first one is its name, the others are aliases. */
  names: readonly string[];
  short: string | null;
  /** `--no-…`, if it exists. */
  negation: string | null;
  /** True if the negation is the useful form, as the flag is on by default. */
  isOnByDefault: boolean;
  summary: string;
  /** `maybe`: an optional value after `=`. */
  takes: 'nothing' | 'maybe' | 'value';
  repeats: boolean;
  values: Values;
}

export interface PositionalPage {
  values: Values;
  /** The possible words, by the word before. */
  after?: Readonly<Record<string, readonly string[]>>;
  variadic: boolean;
}

export interface Values {
  sources: readonly ValueSource[];
  choices: readonly string[];
  /** Takes a comma-separated list. */
  isList: boolean;
  /** The statuses of the IDs that are offered; absent: all. */
  statuses?: readonly string[];
}

export type ValueSource =
  | Exclude<PositionalKind, 'text'>
  | 'reference'
  | 'command'
  /** `dlv_1:delivered` */
  | 'delivery_status';

/** The page of values that are the same everywhere, under a question mark. */
export interface ValuePage {
  statuses: readonly string[];
  providers: readonly Candidate[];
  /** The couriers that can be connected. */
  couriers: readonly Candidate[];
  scenarios: readonly Candidate[];
  topics: readonly Candidate[];
}

/** A word with its description; null without one. */
export interface Candidate {
  value: string;
  description: string | null;
}
