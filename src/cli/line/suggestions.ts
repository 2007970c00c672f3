import { nearNames } from '../../domain/near-names.ts';

/** `Did you mean …?`, or nothing. */
export function didYouMean(word: string, names: readonly string[]): string | undefined {
  const found = nearNames(word, names);
  return found.length === 0 ? undefined : `Did you mean ${found.join(' or ')}?`;
}
