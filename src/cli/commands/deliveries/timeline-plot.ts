import { displayWidth, shareColumns } from '../../kit/output/terminal-lines.ts';
import type { Formatters, PlotCharset } from '../../kit/result/result.ts';
import type { TimelineStep } from '../../nouns/explanation.ts';

/** A timeline on one line, with the mark of each step; a step that was not reported has no mark. */
interface TimelinePlot {
  line: string;
  marks: string[];
}

/** There are as many marks as steps. */
const marks = '123456789abcdefghijklmnopqrstuvwxyz';

/** A longer line adds no detail; on a shorter one the steps cannot be distinguished. */
const [max_width, min_width] = [76, 12];

const plot_indent = 2;

const signs: Readonly<Record<PlotCharset, { way: string; skipped: string; now: string }>> = {
  blocks: { way: '━', skipped: '·', now: '▶ now' },
  ascii: { way: '-', skipped: '.', now: '> now' },
};

/**
 * Draws the timeline to scale: a mark for each status, a dot for each that was skipped, with the durations between
 * them. A delivery under way ends at now. Returns null if there is no room or no step.
 */
export function timelinePlot(
  timeline: readonly TimelineStep[],
  { plotCharset, room, dim, strong }: Pick<Formatters, 'plotCharset' | 'room' | 'dim' | 'strong'>,
): TimelinePlot | null {
  const reported = timeline.filter((step) => !step.skipped);
  const seconds = reported.map(({ lasted_seconds }) => lasted_seconds ?? 0);
  const isOpen = reported.at(-1)?.lasted_seconds != null;
  if (
    plotCharset === null ||
    room === null ||
    reported.length > marks.length ||
    seconds.every((each) => each === 0)
  )
    return null;
  const { way, skipped, now } = signs[plotCharset];
  const end = isOpen ? now : '';
  const space = Math.min(room - plot_indent, max_width) - timeline.length - displayWidth(end);
  if (space < Math.max(min_width, reported.length)) return null;
  const lengths = shareColumns(space, seconds);
  const given = marksOf(timeline);
  let place = -1;
  const parts = timeline.map((step, index) => {
    if (step.skipped) return dim(skipped);
    place += 1;
    return strong(given[index] ?? '') + way.repeat(lengths[place] ?? 0);
  });
  return { line: `${' '.repeat(plot_indent)}${parts.join('')}${strong(end)}`, marks: given };
}

function marksOf(timeline: readonly TimelineStep[]): string[] {
  let count = 0;
  return timeline.map(({ skipped }) => {
    if (skipped) return '';
    count += 1;
    return marks[count - 1] ?? '';
  });
}
