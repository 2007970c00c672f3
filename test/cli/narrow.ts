import { displayWidth } from '../../src/cli/kit/output/terminal-lines.ts';

/** The width of the narrowest supported terminal. */
export const narrow = 40;

/** A word that is never broken, on its own line; or a command, which must stay copyable. */
const whole = /^\s*(?:\S+|`?(?:\$ |waybill |WAYBILL_\w+=).*)$/;

/** The lines that are unnecessarily wider than such a terminal. */
export function tooWide(text: string): string[] {
  return text.split('\n').filter((line) => displayWidth(line) > narrow && !whole.test(line));
}
