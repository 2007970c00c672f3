import { shareColumns } from '../../kit/output/bars.ts';
import { displayWidth } from '../../kit/output/width.ts';
import type { Ink, Show } from '../../kit/result/result.ts';
import type { TimelineStep } from './timeline.ts';

/** A timeline on one line, and the mark on it of each step; a step that was not reported has none of its own. */
export interface TimelinePlot {
  line: string;
  marks: string[];
}

/** As many steps as there are marks. */
const marks = '123456789abcdefghijklmnopqrstuvwxyz';
/** Longer lines tell no more; on shorter ones the parts cannot be told apart. */
const [mostRoom, leastSpace] = [76, 12];
const indent = 2;

const signs: Readonly<Record<Ink, { way: string; skipped: string; now: string }>> = {
  blocks: { way: '━', skipped: '·', now: '▶ now' },
  ascii: { way: '-', skipped: '.', now: '> now' },
};

/**
 * The timeline in proportion: a mark where each status came, a dot for each that was passed over, and between them
 * how long it stayed. What is under way ends with now. Null where there is no room, or there are no parts.
 */
export function timelinePlot(
  timeline: readonly TimelineStep[],
  { ink, room, dim, strong }: Pick<Show, 'ink' | 'room' | 'dim' | 'strong'>,
): TimelinePlot | null {
  const came = timeline.filter(({ skipped }) => !skipped);
  const seconds = came.map(({ lasted_seconds }) => lasted_seconds ?? 0);
  const isOpen = came.at(-1)?.lasted_seconds != null;
  if (ink === null || room === null || came.length > marks.length || seconds.every((each) => each === 0))
    return null;
  const { way, skipped, now } = signs[ink];
  const end = isOpen ? now : '';
  const space = Math.min(room - indent, mostRoom) - timeline.length - displayWidth(end);
  if (space < Math.max(leastSpace, came.length)) return null;
  const lengths = shareColumns(space, seconds);
  const given = marksOf(timeline);
  let place = -1;
  const parts = timeline.map((step, index) => {
    if (step.skipped) return dim(skipped);
    place += 1;
    return strong(given[index] ?? '') + way.repeat(lengths[place] ?? 0);
  });
  return { line: `${' '.repeat(indent)}${parts.join('')}${strong(end)}`, marks: given };
}

function marksOf(timeline: readonly TimelineStep[]): string[] {
  let count = 0;
  return timeline.map(({ skipped }) => {
    if (skipped) return '';
    count += 1;
    return marks[count - 1] ?? '';
  });
}
