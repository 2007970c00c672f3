import type { ItemSize } from '../contract/vocabulary.ts';

/** The accepted spellings of each size, without case, spaces, hyphens and underscores. */
const sizes: Readonly<Record<string, ItemSize>> = {
  s: 'small',
  sm: 'small',
  small: 'small',
  m: 'medium',
  med: 'medium',
  medium: 'medium',
  l: 'large',
  lg: 'large',
  large: 'large',
  xl: 'extra_large',
  xlarge: 'extra_large',
  extralarge: 'extra_large',
};

/** The sizes themselves, from small to large. */
export const sizeNames: readonly ItemSize[] = [...new Set(Object.values(sizes))];

/** Parses a size in any case and with the usual synonyms; small by default, null if unknown. */
export function itemSize(text = 'small'): ItemSize | null {
  const key = text.toLowerCase().replace(/[\s_-]/g, '');
  return Object.hasOwn(sizes, key) ? (sizes[key] ?? null) : null;
}
