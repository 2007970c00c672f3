import { type Flag, list } from '../../kit/args/flags.ts';

/** A flag that is repeated or comma-separated. */
export function wordsFlag(
  options: Parameters<typeof list>[0],
  read: (word: string) => string,
): Flag<string[]> {
  const words = (texts: readonly string[]) => texts.flatMap((each) => each.split(/[\s,]+/)).filter(Boolean);
  return { ...list(options), read: (texts) => words(texts).map(read) };
}
