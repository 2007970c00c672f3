import { alignedRows, type Cell } from '../../kit/output/rows.ts';
import { oneLine } from '../../kit/output/sanitize.ts';
import type { CellValue, Show } from '../../kit/result/result.ts';
import { problemKinds, type ShownProblem } from './problem.ts';
import type { Problems } from './problems.ts';

/** Formats the problems for people: their counts, then each with its next command. */
export function problemsText({ items, counts }: Problems, show: Show): string {
  if (items.length === 0) return 'Nothing needs attention.';
  const parts = problemKinds.filter((kind) => counts[kind] > 0).map((kind) => `${counts[kind]} ${kind}`);
  const head = `${items.length} ${items.length === 1 ? 'needs' : 'need'} attention: ${parts.join(', ')}`;
  const rows = items.flatMap((item) => problemRows(item, show));
  return [show.strong(head), '', ...alignedRows(rows, { room: show.room, indent: 0 })].join('\n');
}

function problemRows(
  { kind, id, external_order_ref, what, since, next }: ShownProblem,
  show: Show,
): Cell[][] {
  const ref = external_order_ref ? ` (${external_order_ref})` : '';
  const time = since === null ? '' : `, since ${show.time(since)}`;
  return [
    [{ text: kind, paint: show.warning }, { text: oneLine(`${id}${ref} ${what}${time}`) }],
    [{ text: '' }, { text: oneLine(next.command), isWhole: true, paint: show.strong }],
  ];
}

/** The rows for programs that read lines. */
export function problemsRows({ items }: Problems): CellValue[][] {
  return items.map(({ kind, id, external_order_ref, what, since, next }) => [
    ...[kind, id, external_order_ref, what, since, next.command],
  ]);
}
