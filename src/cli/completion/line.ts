import { once } from '../kit/once.ts';
import type { CommandPage, CompletionIndex, FlagPage, WordPage } from './completion-index.ts';

type Flags = () => readonly FlagPage[];

/** The parsed part of a line, before the word under the cursor. */
export interface Line {
  /** The group, if its command is not given yet. */
  group: WordPage | null;
  command: CommandPage | null;
  /** `help`, `orders get`; empty at the start. */
  path: string;
  /** The flags allowed here, loaded on demand. */
  flags: Flags;
  /** The flag whose value is under the cursor. */
  pending: FlagPage | null;
  given: ReadonlySet<FlagPage>;
  /** The texts of flags with a value, by name. */
  texts: ReadonlyMap<string, string>;
  /** The words that are neither flags nor commands. */
  words: readonly string[];
  /** True after `--`. */
  isOver: boolean;
}

/** Parses a line like the program does; null for an unknown command. */
export function readLine(tokens: readonly string[], index: CompletionIndex): Line | null {
  const root = index.root();
  const flags = () => index.globals().flags;
  const scan = scanned(tokens, flags);
  const start = { group: null, command: null, path: '', flags, ...scan };
  const [first, second] = scan.places;
  const word = first === undefined ? undefined : tokens[first];
  if (first === undefined || word === undefined) return start;
  const command = named(root.commands, word);
  if (command !== undefined) return ofCommand(command.name, tokens.toSpliced(first, 1), index);
  const group = named(root.groups, word);
  if (group === undefined) return null;
  const verb = second === undefined ? undefined : tokens[second];
  if (second === undefined || verb === undefined) return { ...start, group, path: group.name, words: [] };
  const found = named(index.group(group.name).commands, verb);
  if (found === undefined) return null;
  const rest = tokens.toSpliced(second, 1).toSpliced(first, 1);
  return ofCommand(`${group.name} ${found.name}`, rest, index);
}

function ofCommand(path: string, tokens: readonly string[], index: CompletionIndex): Line {
  const command = index.command(path);
  const flags = once(() => {
    const globals = index.globals().flags.filter(({ names: [name = ''] }) => command.globals.includes(name));
    return [...command.flags, ...globals];
  });
  return { group: null, command, path, flags, ...scanned(tokens, flags) };
}

function named(pages: readonly WordPage[], word: string): WordPage | undefined {
  return pages.find(({ name }) => name === word) ?? pages.find(({ aliases }) => aliases.includes(word));
}

/** Finds a flag by any of its names. */
export function flagNamed(flags: readonly FlagPage[], token: string): FlagPage | undefined {
  return flags.find(
    ({ names, short, denial }) => names.includes(token) || short === token || denial === token,
  );
}

type Scan = Pick<Line, 'pending' | 'given' | 'texts' | 'words' | 'isOver'> & {
  /** The indexes of the words before `--`. */
  places: readonly number[];
};

function scanned(tokens: readonly string[], flags: Flags): Scan {
  const places: number[] = [];
  const given = new Set<FlagPage>();
  const texts = new Map<string, string>();
  let pending: FlagPage | null = null;
  const end = endOf(tokens, flags);
  for (const [index, token] of tokens.slice(0, end).entries()) {
    if (pending !== null) {
      texts.set(pending.names[0] ?? '', token);
      pending = null;
    } else if (!token.startsWith('-') || token === '-') places.push(index);
    else {
      const { flag, text, takesNext } = flagIn(token, flags);
      if (flag !== undefined) given.add(flag);
      if (flag !== undefined && text !== null) texts.set(flag.names[0] ?? '', text);
      pending = takesNext ? (flag ?? null) : null;
    }
  }
  const rest = tokens.slice(end + 1);
  const words = [...places.map((place) => tokens[place] ?? ''), ...rest];
  return { places, given, texts, pending, words, isOver: end < tokens.length };
}

/** The index of `--`, unless it is a flag's value; without it, the length of the line. */
function endOf(tokens: readonly string[], flags: Flags): number {
  const end = tokens.findIndex(
    (token, index) => token === '--' && !flagIn(tokens[index - 1] ?? '', flags).takesNext,
  );
  return end === -1 ? tokens.length : end;
}

interface Typed {
  flag: FlagPage | undefined;
  /** The value after it, or null. */
  text: string | null;
  /** True if the next word is its value. */
  takesNext: boolean;
}

/** The last of several short flags may take the next word: `-qo json`. */
function flagIn(token: string, flags: Flags): Typed {
  const long = /^(--[^=]+)(?:=(.*))?$/s.exec(token);
  if (long !== null) {
    const flag = flagNamed(flags(), long[1] ?? '');
    const takesNext = long[2] === undefined && flag?.takes === 'value' && flag.denial !== token;
    return { flag, text: long[2] ?? null, takesNext };
  }
  const letters = /^-([a-z]+)$/i.exec(token)?.[1] ?? '';
  const pages = [...letters].map((letter) => flagNamed(flags(), `-${letter}`));
  const first = pages.findIndex((page) => page === undefined || page.takes === 'value');
  const flag = pages[first === -1 ? pages.length - 1 : first];
  const isLast = first !== -1 && first === letters.length - 1;
  return { flag, text: null, takesNext: isLast && flag !== undefined };
}
