/** Orders that a file seems to have twice: with the same recipient and items, or with the same reference. */
import { createHash } from 'node:crypto';
import { normalizeReference } from '../../../../domain/references.ts';
import { formatNumber } from './progress.ts';
import { type Row, type RowFault, toRecipient } from './reading/group-rows.ts';

/** Two lines with the same order, even if their references differ, or with the same reference. */
export interface Repeated {
  what: 'order' | 'reference';
  first: number;
  again: number;
}

/** A line that seems to repeat an earlier order, in JSON. */
export interface RepeatedLine {
  line: number;
  same_as: number;
  what: Repeated['what'];
}

export function repeatedLines(repeated: readonly Repeated[]): RepeatedLine[] {
  return repeated.map(({ what, first, again }) => ({ line: again, same_as: first, what }));
}

/** How many lines seem to repeat an earlier order; empty if none does, or if that is not known. */
export const repeatedColumn = {
  field: 'repeated',
  header: 'Seem repeated',
  kind: 'count' as const,
  value: ({ repeated }: { repeated?: readonly RepeatedLine[] }) => repeated?.length || null,
};

/** The orders that a file seems to have twice, as found so far. */
export interface RepeatedOrders {
  /** The first line of each recipient with their items, by a hash. */
  firstLines: Map<string, number>;
  /** The first line of each reference and a hash of its recipient, by the hash of the reference. */
  references: Map<string, { line: number; recipient: string }>;
  repeated: Repeated[];
}

/** Notes the same items for the same person at the same address. */
export function noteRepeated({ fields, line }: Row, { firstLines, repeated }: RepeatedOrders): void {
  const { dropoff_name, dropoff_phone_number, dropoff_address, items, items_description } = fields;
  const content = [dropoff_name, dropoff_phone_number, dropoff_address, items ?? items_description];
  const hash = hashOf(JSON.stringify(content).toLowerCase());
  const first = firstLines.get(hash);
  if (first === undefined) firstLines.set(hash, line);
  else repeated.push({ what: 'order', first, again: line });
}

/** Notes the reference of an order. Returns the fault if another line has it, or notes that if it is allowed. */
export function noteReference(
  { fields, line }: Row,
  found: RepeatedOrders,
  hasUniqueRefs: boolean,
): RowFault[] {
  const { external_order_ref: ref } = fields;
  if (typeof ref !== 'string') return [];
  const hash = hashOf(normalizeReference(ref));
  const recipient = hashOf(JSON.stringify(toRecipient(fields)));
  const first = found.references.get(hash);
  if (first === undefined) {
    found.references.set(hash, { line, recipient });
    return [];
  }
  if (!hasUniqueRefs) {
    found.repeated.push({ what: 'reference', first: first.line, again: line });
    return [];
  }
  const isSame = first.recipient === recipient;
  const advice = isSame
    ? 'put all rows of an order next to each other, as one order'
    : 'for another recipient: each order needs a reference of its own';
  const message = `is also that of line ${first.line}: ${advice}`;
  return [{ path: 'external_order_ref', message }];
}

function hashOf(text: string): string {
  return createHash('sha1').update(text).digest('base64');
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
  const rest = others.length > max_named ? ` and ${formatNumber(others.length - max_named)} more` : '';
  const isOne = others.length === 1;
  return `; line${isOne ? '' : 's'} ${named.join(', ')}${rest} also repeat${isOne ? 's' : ''} an earlier one`;
}
