import type { Flags } from '../command.ts';
import type { Flag } from './flags.ts';
import { dashed } from './input.ts';

/** The texts of each flag, in the order of the line. */
export type Texts = Map<string, string[]>;

export interface Tokens {
  path: readonly string[];
  tokens: readonly string[];
  flags: Flags;
}

export interface Taken {
  words: string[];
  help: boolean;
}

interface Named {
  name: string;
  flag: Flag<unknown>;
  isDenied: boolean;
}

/**
 * The words of a plain line, and fills in the texts of its flags: each flag by its whole name, a value behind it that
 * does not begin with a dash, or behind `=`. Null, and nothing filled in, for every other line, right or wrong: it is
 * Commander's, which takes a plain one apart just so.
 */
export function plainWords({ tokens, flags }: Tokens, given: Texts): string[] | null {
  const words: string[] = [];
  const found: [name: string, text: string][] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const token = tokens[index] ?? '';
    if (!token.startsWith('-')) {
      words.push(token);
      continue;
    }
    const named = namedBy(token, flags);
    if (named === undefined) return null;
    const takesNext = !named.isDenied && named.flag.kind !== 'switch' && !token.includes('=');
    if (takesNext) index += 1;
    const text = takesNext ? tokens[index] : textIn(token, named);
    if (text === undefined || (takesNext && text.startsWith('-'))) return null;
    found.push([named.name, text]);
  }
  for (const [name, text] of found) given.set(name, [...(given.get(name) ?? []), text]);
  return words;
}

/** The flag that a token names, where it can do so alone: `-o`, `--output`, `--output=json`, not `-ojson`. */
function namedBy(token: string, flags: Flags): Named | undefined {
  const end = token.indexOf('=');
  const typed = end === -1 ? token : token.slice(0, end);
  for (const [name, flag] of Object.entries(flags)) {
    if (flag.bare && end === -1) continue;
    const long = dashed(name);
    const isShort = end === -1 && flag.short !== null && typed === `-${flag.short}`;
    if (isShort || typed === `--${long}`) return { name, flag, isDenied: false };
    if (flag.aliases.some((alias) => typed === `--${alias}`)) return { name, flag, isDenied: false };
    if (flag.negatable && typed === `--no-${long}`) return { name, flag, isDenied: true };
  }
  return undefined;
}

/** What a token says that no word belongs to: a switch, or a value behind `=`. */
function textIn(token: string, { flag, isDenied }: Named): string | undefined {
  const end = token.indexOf('=');
  if (flag.kind === 'switch' || isDenied) return end === -1 ? String(!isDenied) : undefined;
  return token.slice(end + 1);
}
