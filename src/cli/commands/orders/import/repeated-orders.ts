import { createHash } from 'node:crypto';
import { counted } from './progress-text.ts';
import type { Row } from './source.ts';

/** Two lines with the same order, even if their references differ, or with the same reference. */
export interface Repeated {
  what: 'order' | 'reference';
  first: number;
  again: number;
}

/** The orders that a file seems to have twice, as found so far. */
export interface RepeatedOrders {
  /** The first line of each recipient with their items, and of each reference, by a hash. */
  firstLines: Map<string, number>;
  repeated: Repeated[];
}

/** Notes the same items for the same person at the same address, and another order with the same reference. */
export function noteRepeated({ fields, line }: Row, { firstLines, repeated }: RepeatedOrders): void {
  const { dropoff_name, dropoff_phone_number, dropoff_address, items, items_description } = fields;
  const content = [dropoff_name, dropoff_phone_number, dropoff_address, items ?? items_description];
  const sameOrder = firstLineOf(JSON.stringify(content).toLowerCase(), line, firstLines);
  const { external_order_ref: ref } = fields;
  const sameRef = ref === undefined ? null : firstLineOf(JSON.stringify(ref), line, firstLines);
  if (sameOrder !== null) repeated.push({ what: 'order', first: sameOrder, again: line });
  if (sameRef !== null) repeated.push({ what: 'reference', first: sameRef, again: line });
}

/** The line that had the text before; null if this is the first. */
function firstLineOf(text: string, line: number, firstLines: Map<string, number>): number | null {
  const hash = createHash('sha1').update(text).digest('base64');
  const first = firstLines.get(hash);
  if (first === undefined) firstLines.set(hash, line);
  return first ?? null;
}

/** The number of lines that a note names. */
const max_named = 5;

/** `Lines 5 and 9 have the same reference. Is that order there twice?`; null if no line repeats another. */
export function repeatedText(repeated: readonly Repeated[], what: Repeated['what']): string | null {
  const [pair, ...others] = repeated.filter((each) => each.what === what);
  if (pair === undefined) return null;
  const same = what === 'order' ? 'recipient, address and items' : 'reference';
  return `Lines ${pair.first} and ${pair.again} have the same ${same}${othersText(others)}. Is that order there twice?`;
}

/** `; lines 7, 9 and 12 more also repeat an earlier one`; empty without others. */
function othersText(others: readonly Repeated[]): string {
  if (others.length === 0) return '';
  const named = others.slice(0, max_named).map(({ again }) => again);
  const rest = others.length > max_named ? ` and ${counted(others.length - max_named)} more` : '';
  const isOne = others.length === 1;
  return `; line${isOne ? '' : 's'} ${named.join(', ')}${rest} also repeat${isOne ? 's' : ''} an earlier one`;
}
