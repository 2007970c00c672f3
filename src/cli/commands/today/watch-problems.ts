import { oneLine } from '../../kit/output/sanitize.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import type { Show, StreamLine, StreamResult } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { type Watched, watchChanges } from '../../waiting/service-waiting.ts';
import type { Waiting } from '../../waiting/waiting-flags.ts';
import { problemData, type ShownProblem } from './problem.ts';
import type { Problems } from './problems.ts';
import { countsText, problemRow } from './problems-text.ts';

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
