import { alignedRows, type Cell } from '../../kit/output/rows.ts';
import { oneLine, wrapped } from '../../kit/output/sanitize.ts';
import type { CellValue, Show } from '../../kit/result/result.ts';
import { problemKinds, type ShownProblem } from './problem.ts';
import type { Problems } from './problems.ts';

/** Formats the problems for people: their counts, then each with its next command. */
export function problemsText(problems: Problems, show: Show): string {
  const { items } = problems;
  if (items.length === 0) return countsText(problems);
  const rows = items.flatMap((item) => problemRows(item, show));
  const counts = countsText(problems);
  const head = show.strong(show.room === null ? counts : wrapped(counts, show.room));
  return [head, '', ...alignedRows(rows, { room: show.room, indent: 0 })].join('\n');
}

/** `2 need attention: 1 failed, 1 late` */
export function countsText({ items, counts }: Problems): string {
  if (items.length === 0) return 'Nothing needs attention.';
  const parts = problemKinds.filter((kind) => counts[kind] > 0).map((kind) => `${counts[kind]} ${kind}`);
  return `${items.length} ${items.length === 1 ? 'needs' : 'need'} attention: ${parts.join(', ')}`;
}

/** `dlv_1 (#1042) failed: the courier had an accident, since 10:04` */
export function problemRow(problem: ShownProblem, show: Show): string {
  const { id, external_order_ref, what, since, zone } = problem;
  const { time, clock } = show.inZone(zone);
  const ref = external_order_ref ? ` (${external_order_ref})` : '';
  const moved = problem.moved?.(clock) ?? null;
  const when = moved ?? (since === null ? null : `since ${time(since)}`);
  return oneLine(`${id}${ref} ${what}${when === null ? '' : `, ${when}`}`);
}

function problemRows(problem: ShownProblem, show: Show): Cell[][] {
  const { kind, next } = problem;
  return [
    [{ text: kind, paint: show.warning }, { text: problemRow(problem, show) }],
    [{ text: '' }, { text: oneLine(next.command), isWhole: true, paint: show.strong }],
  ];
}

/** The rows for programs that read lines. */
export function problemsRows({ items }: Problems): CellValue[][] {
  return items.map(({ kind, id, external_order_ref, what, since, next }) => [
    ...[kind, id, external_order_ref, what, since, next.command],
  ]);
}
