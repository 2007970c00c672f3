import { alignedRows, type Cell } from '../../kit/output/rows.ts';
import { oneLine, wrapped } from '../../kit/output/sanitize.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import type { CellValue, Show, StreamLine, StreamResult } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { type Watched, watchChanges } from '../../waiting/service-waiting.ts';
import type { Waiting } from '../../waiting/waiting-flags.ts';
import { problemData, problemKinds, type ShownProblem } from './problem.ts';
import type { Problems } from './problems.ts';

/** Streams the problems, then each that appears or is solved, until it is interrupted or times out. */
export async function watchProblems(
  context: Context,
  collect: () => Promise<Problems>,
  waiting: Waiting,
): Promise<StreamResult> {
  const first = await collect();
  const waitable: Watched<Problems> = {
    ...{ first, poll: collect, events: null, test_mode: (await context.mode()) === 'test' },
    isUnchanged: (before, seen) => changesBetween(before, seen).length === 0,
    reached: () => false,
    failed: () => null,
    interruptionText: () => phrase`Watching changes nothing. See them again: ${invocation('today')}`,
    status: countsText,
    live: countsText,
    describeChange: (before, seen) => changesBetween(before, seen).map(lineOf),
  };
  const again = [invocation('today', [], { watch: true })];
  return watchChanges(context, waitable, { ...waiting, again: () => again });
}

type ChangeType = 'problem.current' | 'problem.added' | 'problem.solved';

interface Change {
  type: ChangeType;
  item: ShownProblem;
}

/** The current problems first, then those that appear or are solved. A longer delay alone is not a change. */
function changesBetween(before: Problems | null, seen: Problems): Change[] {
  if (before === null) return seen.items.map((item) => ({ type: 'problem.current', item }));
  const isIn = ({ items }: Problems, { kind, id }: ShownProblem) =>
    items.some((each) => each.kind === kind && each.id === id);
  const added = seen.items.filter((item) => !isIn(before, item));
  const solved = before.items.filter((item) => !isIn(seen, item));
  return [
    ...solved.map((item): Change => ({ type: 'problem.solved', item })),
    ...added.map((item): Change => ({ type: 'problem.added', item })),
  ];
}

function lineOf({ type, item }: Change): StreamLine {
  const { kind, id, next } = item;
  const line = (show: Show) =>
    type === 'problem.solved'
      ? show.dim(oneLine(`solved: ${kind} ${id}`))
      : `${show.warning(kind)} ${problemRow(item, show)}\n  ${show.strong(oneLine(next.command))}`;
  const { external_order_ref, what, since } = item;
  return {
    data: { type, ...problemData(item) },
    line,
    rows: [[type, kind, id, external_order_ref, what, since, next.command]],
  };
}

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
function countsText({ items, counts }: Problems): string {
  if (items.length === 0) return 'Nothing needs attention.';
  const parts = problemKinds.filter((kind) => counts[kind] > 0).map((kind) => `${counts[kind]} ${kind}`);
  return `${items.length} ${items.length === 1 ? 'needs' : 'need'} attention: ${parts.join(', ')}`;
}

/** `dlv_1 (#1042) failed: the courier had an accident, since 10:04` */
function problemRow(problem: ShownProblem, show: Show): string {
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
