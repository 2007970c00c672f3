/** `today`: what needs attention, once or as it changes. */
import { switchFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { wrapped } from '../kit/output/terminal-lines.ts';
import { invocation, phrase, type Text, timePart } from '../kit/result/message.ts';
import {
  type CellValue,
  drawingResult,
  type Formatters,
  isForPeople,
  type StreamLine,
  type StreamResult,
  streamFormats,
} from '../kit/result/result.ts';
import { stepShape } from '../kit/result/shape.ts';
import {
  collectProblems,
  type Problems,
  problemChecks,
  type ShownProblem,
} from '../nouns/collect-problems.ts';
import { findStoreId, storeFlag } from '../nouns/find-by-name.ts';
import { problemKinds } from '../nouns/problems.ts';
import { pausedText } from '../nouns/store-pause.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { shownZone } from '../session/list-view.ts';
import { readPastInstant } from '../session/service-times.ts';
import { momentFlag, readMoment } from '../session/time-arguments.ts';
import { type Watched, watchChanges } from '../waiting/service-waiting.ts';
import { checkWaiting, toWaiting, type Waiting, watchFlags } from '../waiting/waiting-flags.ts';
import { type ProblemLine, problemLines, withShortCommands } from './today/problem-lines.ts';

export const today = defineCommand({
  name: 'today',
  aliases: ['problems'],
  summary: 'Show what needs attention, worst first, each with its next command',
  description: [
    'Orders that wait for another attempt of auto dispatch, parcels with a driver who went off duty, handovers that',
    'wrong PINs have locked, late deliveries, those whose next report is overdue by 10 min, failed ones, those canceled by',
    'the courier, orders that no courier took or nobody dispatched in time, returns, handovers without a proof that was',
    'asked for, open disputes, webhook endpoints that receive nothing, and simulated providers that are down. A delivery',
    'that was tried again is left out. With --json: counts, items, and the checks that are unchecked at this service or',
    'incomplete. With --watch --json each line is a problem with a type: problem.current first, then problem.added and',
    'problem.solved.',
  ].join('\n'),
  flags: {
    since: momentFlag({
      isPast: true,
      summary: 'Since when deliveries and orders may have ended (default: 1d)',
    }),
    store: storeFlag('Only orders and deliveries that are picked up at this store: its name, or ID'),
    exitCode: switchFlag({
      summary: 'Exit with 9 if anything needs attention, as a script in CI wants it',
      aliases: ['fail', 'check', 'exit-status', 'set-exit-code'],
    }),
    ...watchFlags('interrupted, as problems appear and are solved'),
  },
  examples: [
    { command: 'waybill today', summary: 'Show what needs attention' },
    { command: 'waybill today --since 8:00', summary: 'Leave out what ended before this morning' },
    { command: 'waybill today --json=counts', summary: 'Print the counts for a status board' },
    { command: 'waybill today --exit-code', summary: 'Fail a CI step while anything needs attention' },
    { command: 'waybill today --watch', summary: 'Keep it live during a shift' },
  ],
  meantByWord: (word) =>
    word === 'late' || word === 'stuck'
      ? invocation('deliveries list', [], { [word]: true })
      : invocation('deliveries list', [], { search: word, period: 'today' }),
  effect: 'read',
  formats: streamFormats,
  calls: [
    'deliveries.list',
    'deliveries.get',
    'deliveries.listDetailed',
    'orders.get',
    'orders.list',
    'batches.get',
    'quotes.list',
    'routes.get',
    'disputes.list',
    'webhooks.list',
    'webhooks.attempts',
    'account.get',
    'sandbox.provider',
    'waitingOrders.list',
    'tries.list',
    'drivers.list',
    'notes.list',
    'deliveries.getDetailed',
    'stores.list',
    'stores.get',
    'charges.list',
  ],
  answers: ({ one, object, listOf, orNull, lines }) => {
    const problem = {
      kind: 'one of the counts',
      id: 'string',
      external_order_ref: orNull('string'),
      service: orNull('string'),
      what: 'string',
      since: orNull('time'),
      next: stepShape,
    };
    const problems = object({
      object: '"problems"',
      counts: object(Object.fromEntries(problemKinds.map((kind) => [kind, 'integer']))),
      items: listOf(object(problem)),
      unchecked: listOf(problemChecks.join(' | ')),
      incomplete: listOf(problemChecks.join(' | ')),
      paused_stores: listOf(
        object({ id: 'string', name: 'string', paused_until: 'time', waiting_orders: 'integer' }),
      ),
    });
    const type = '"problem.current" | "problem.added" | "problem.solved"';
    return [one(problems), lines(object({ type, ...problem }), 'with --watch')];
  },
  exits: { 9: 'with --exit-code: something needs attention' },
  errors: ['still_pending', 'unknown_field'],
  related: ['deliveries list', 'deliveries explain', 'doctor'],
  async run(context, { flags }) {
    checkWaiting(context, { watch: flags.watch });
    if (flags.watch && flags.exitCode) throw new UsageError('--exit-code cannot be combined with --watch.');
    const { fields } = context.output;
    if (flags.watch && fields !== null)
      (await import('../help/command-facts.ts')).checkLineFields(today, fields);
    const store = flags.store && (await findStoreId(context, flags.store));
    const collect = () => collectProblems(context, flags.since, store);
    if (flags.watch) return watchProblems(context, collect, toWaiting(flags));
    const problems = await collect();
    const ended_after = await readPastInstant(context, flags.since ?? readMoment('1d'), { store });
    const { format } = context.output;
    const lines = await withShortCommands(context, problems.items);
    const data = {
      ...problems,
      items: problems.items.map(problemData),
      paused_stores: problems.paused_stores.map(({ address: _, ...store }) => store),
    };
    return drawingResult({
      data,
      id: '',
      rows: problemsRows(problems),
      ...(flags.exitCode && problems.items.length > 0 ? { exit: 9 } : {}),
      notes: [
        ...(format === 'tsv' && problems.items.length === 0 ? [countsText(problems)] : []),
        ...notesOf(problems),
        ...(isForPeople(format) && lines.length > 0 ? [await windowText(context, ended_after)] : []),
      ],
      draw: (show) => problemsText(problems, lines, show),
    });
  },
});

function notesOf({ unchecked, incomplete, paused_stores }: Problems): Text[] {
  const missing = `Not checked, as this service does not support it: ${namesOf(unchecked)}.`;
  const cut = `Only the newest records were checked of: ${namesOf(incomplete)}.`;
  return [
    ...(unchecked.length === 0 ? [] : [missing]),
    ...(incomplete.length === 0 ? [] : [cut]),
    ...paused_stores.map((store) => pausedText(store, store.waiting_orders)),
  ];
}

/** Says from when on deliveries that have ended are listed. */
async function windowText(context: Context, ended_after: string): Promise<Text> {
  const zone = await shownZone(context);
  const more = invocation('today', context.typedWords(['since', 'exitCode']), { since: '7d' });
  return phrase`Of those that have ended, the ones since ${timePart(ended_after, 'none', zone)}. Earlier ones: ${more}`;
}

function namesOf(names: Problems['unchecked']): string {
  return names.map((check) => check.replaceAll('_', ' ')).join(', ');
}

/** Streams the problems, then each that appears or is solved, until it is interrupted or times out. */
async function watchProblems(
  context: Context,
  collect: () => Promise<Problems>,
  waiting: Waiting,
): Promise<StreamResult> {
  const first = await collect();
  const seen = invocation('today', context.typedWords(['watch', 'interval', 'timeout']));
  const waitable: Watched<Problems> = {
    first,
    poll: collect,
    events: null,
    test_mode: (await context.mode()) === 'test',
    isUnchanged: (before, seen) => changesBetween(before, seen).length === 0,
    reached: () => false,
    failed: () => null,
    interruptionText: () => phrase`Watching changes nothing. See them again: ${seen}`,
    status: countsText,
    live: countsText,
    describeChange: (before, seen) => changesBetween(before, seen).map(lineOf),
  };
  const again = [invocation('today', context.typedWords())];
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
  const line = (show: Formatters) =>
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

/** The problem as programs get it, whose time is in UTC. */
function problemData({ kind, id, external_order_ref, service, what, since, next }: ShownProblem) {
  return { kind, id, external_order_ref, service: service || null, what, since, next };
}

/** Formats the problems for people: their counts, then each with its next command. */
function problemsText(problems: Problems, lines: readonly ProblemLine[], show: Formatters): string {
  const counts = countsText(problems);
  if (lines.length === 0) return counts;
  const head = show.strong(show.room === null ? counts : wrapped(counts, show.room));
  return [head, '', ...problemLines(lines, show)].join('\n');
}

/** `4 need attention: 1 late, 1 will be late, 2 going back` */
function countsText({ items }: Problems): string {
  if (items.length === 0) return 'Nothing needs attention.';
  const counted = Map.groupBy(items, ({ kind, isAhead }) =>
    kind === 'returning' ? 'going back' : kind === 'late' && isAhead ? 'will be late' : kind,
  );
  const parts = [...counted].map(([name, { length }]) => `${length} ${name}`);
  return `${items.length} ${items.length === 1 ? 'needs' : 'need'} attention: ${parts.join(', ')}`;
}

/** `dlv_1 (#1042) failed: the courier had an accident, since 10:04` */
function problemRow(problem: ShownProblem, show: Formatters): string {
  const { id, external_order_ref, since, zone } = problem;
  const { time, clock } = show.inZone(zone);
  const ref = external_order_ref ? ` (${external_order_ref})` : '';
  const times = problem.timesText?.(clock) ?? null;
  const what = problem.whatText?.(clock) ?? problem.what;
  const when = times ?? (since === null ? null : `since ${time(since)}`);
  return oneLine(`${id}${ref} ${what}${when === null ? '' : `, ${when}`}`);
}

/** The rows for programs that read lines. */
function problemsRows({ items }: Problems): CellValue[][] {
  return items.map(({ kind, id, external_order_ref, what, since, next }) => [
    ...[kind, id, external_order_ref, what, since, next.command],
  ]);
}
