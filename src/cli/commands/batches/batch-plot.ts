import type { Batch } from '../../../contract/batches.ts';
import type { Outcome } from '../../../contract/vocabulary.ts';
import { shareColumns } from '../../kit/output/bars.ts';
import type { Ink } from '../../kit/result/result.ts';
import { countedParts } from './counts.ts';

/** Each outcome has a character of its own: colour tells nothing that it does not. */
export const outcomeSigns: Readonly<Record<Ink, Readonly<Record<Outcome, string>>>> = {
  blocks: { dispatched: '█', unfulfilled: '▒', failed: '×', canceled: '–', pending: '·' },
  ascii: { dispatched: '#', unfulfilled: 'u', failed: 'x', canceled: '-', pending: '.' },
};

/** Longer lines tell no more; on shorter ones the parts cannot be told apart. */
const [mostRoom, leastRoom] = [60, 10];

/** What became of the orders of a batch, in proportion, on a line of at most `room` columns; null where that is too few. */
export function batchPlot({ counts }: Pick<Batch, 'counts'>, room: number, ink: Ink | null): string | null {
  const parts = countedParts(counts);
  if (ink === null || room < leastRoom || parts.length === 0) return null;
  const lengths = shareColumns(
    Math.min(room, mostRoom),
    parts.map(({ count }) => count),
  );
  return parts.map(({ name }, index) => outcomeSigns[ink][name].repeat(lengths[index] ?? 0)).join('');
}
