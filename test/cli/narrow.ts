import { displayWidth } from '../../src/cli/kit/output/width.ts';

/** Columns of the narrowest terminal that anything is made for. */
export const narrow = 40;

/** A word that is never cut, alone; or a command, which is copied whole. */
const whole = /^\s*(?:\S+|`?(?:\$ |waybill |WAYBILL_\w+=).*)$/;

/** The lines that are wider than such a terminal, and need not be. */
export function tooWide(text: string): string[] {
  return text.split('\n').filter((line) => displayWidth(line) > narrow && !whole.test(line));
}
