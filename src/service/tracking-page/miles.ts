import type { Texts } from './texts/page-texts.ts';

/** `1.4 miles`, as the crow flies. */
export function miles(distance: number, texts: Pick<Texts, 'miles' | 'one_mile' | 'under_a_tenth'>): string {
  if (distance < 0.1) return texts.under_a_tenth;
  const shown = distance < 9.95 ? distance.toFixed(1) : String(Math.round(distance));
  return shown === '1.0' ? texts.one_mile : texts.miles(shown.replace(/\.0$/, ''));
}
