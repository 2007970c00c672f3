import type { Option } from 'commander';
import { isTypedSo } from './flag-option.ts';

/** A flag whose value would be the next flag. */
export interface FlagAsValue {
  /** Its index in the tokens. */
  index: number;
  flag: string;
  value: string;
}

/**
 * Finds a flag whose value would be the following flag, as with an unquoted empty variable: `--ref $REF --dry-run` must
 * not create an order with the reference `--dry-run`.
 */
export function findFlagAsValue(
  tokens: readonly string[],
  options: readonly Option[],
  isProgramFlag: (name: string) => boolean,
): FlagAsValue | null {
  for (let index = 0; index < tokens.length && tokens[index] !== '--'; index += 1) {
    const flag = tokens[index] ?? '';
    if (!takesNext(flag, options)) continue;
    const value = tokens[index + 1];
    if (value !== undefined && isFlag(value, options, isProgramFlag)) return { index, flag, value };
    index += 1;
  }
  return null;
}

/** The last of several short flags may take a value: `-qo json`. An earlier one takes the rest of the token. */
function takesNext(token: string, options: readonly Option[]): boolean {
  const takesValue = (name: string) => options.some((option) => isTypedSo(option, name) && option.required);
  if (token.startsWith('--') || token.length < 3) return takesValue(token);
  const letters = /^-([a-z]+)$/i.exec(token)?.[1] ?? '';
  const isSwitch = (letter: string) =>
    options.some((option) => isTypedSo(option, `-${letter}`) && option.isBoolean());
  const first = [...letters].findIndex((letter) => !isSwitch(letter));
  return first !== -1 && first === letters.length - 1 && takesValue(`-${letters[first]}`);
}

/** True for an existing flag, with or without a value: other text that starts with a dash is a value. */
function isFlag(word: string, options: readonly Option[], isProgramFlag: (name: string) => boolean): boolean {
  if (word === '--' || word === '--help' || word === '-h') return true;
  const name = /^(--?[\w-]+)(?:=.*)?$/s.exec(word)?.[1] ?? '';
  return options.some((option) => isTypedSo(option, name)) || isProgramFlag(name);
}
