import type { Flags } from '../command.ts';
import { UsageError } from '../failures/failure.ts';
import { globalFlags } from './globals.ts';
import { dashed } from './input.ts';

/**
 * Throws UsageError where the value of a flag would be the flag that follows it, as when a variable without quotes is
 * empty: `--ref $REF --dry-run` must not do the real thing under the reference `--dry-run`.
 */
export function refuseEatenFlags(tokens: readonly string[], flags: Flags): void {
  const takesValue = namesOf({ ...globalFlags, ...flags });
  for (let index = 0; index < tokens.length && tokens[index] !== '--'; index += 1) {
    const token = tokens[index] ?? '';
    if (!takesNext(token, takesValue)) continue;
    index += 1;
    const next = tokens[index];
    if (next !== undefined && isFlag(next, takesValue)) throw needsValue(token, next);
  }
}

/** Each flag as it is typed, and whether its value may be the next word. */
function namesOf(flags: Flags): Map<string, boolean> {
  const names = Object.entries(flags).flatMap(([name, flag]) => {
    const takesValue = flag.kind !== 'switch' && !flag.bare;
    const longs = [dashed(name), ...flag.aliases].map((long): [string, boolean] => [`--${long}`, takesValue]);
    const short: [string, boolean][] = flag.short === null ? [] : [[`-${flag.short}`, takesValue]];
    const denied: [string, boolean][] = flag.negatable ? [[`--no-${dashed(name)}`, false]] : [];
    return [...longs, ...short, ...denied];
  });
  return new Map([['--help', false], ['-h', false], ...names]);
}

/** The last letter of several may take it: `-qo json`. What one takes before that stands behind it. */
function takesNext(token: string, takesValue: ReadonlyMap<string, boolean>): boolean {
  if (token.startsWith('--') || token.length < 3) return takesValue.get(token) === true;
  const letters = /^-([a-z]+)$/i.exec(token)?.[1] ?? '';
  const first = [...letters].findIndex((letter) => takesValue.get(`-${letter}`) !== false);
  return first === letters.length - 1 && takesValue.get(`-${letters[first]}`) === true;
}

/** Exactly a flag, with its value or without: a text that only begins with a dash is a value. */
function isFlag(word: string, known: ReadonlyMap<string, boolean>): boolean {
  return word === '--' || known.has(/^(--?[\w-]+)(?:=.*)?$/s.exec(word)?.[1] ?? '');
}

function needsValue(flag: string, next: string): UsageError {
  return new UsageError(`${flag} needs a value.`, {
    code: 'missing_value',
    hint: `The next word, ${next}, is a flag. Were it the value, it would be ${joined(flag, next)}.`,
  });
}

function joined(flag: string, value: string): string {
  return flag.startsWith('--') ? `${flag}=${value}` : `${flag}${value}`;
}
