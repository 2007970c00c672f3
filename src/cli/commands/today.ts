import { ifSupported } from '../../client/errors.ts';
import { switchFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { displayWidth, padded, shortId, truncatedToWidth, wrapped } from '../kit/output/terminal-lines.ts';
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
import { type Problem, problemKinds } from '../nouns/problems.ts';
import { pausedText } from '../nouns/store-pause.ts';
import { shortcuts } from '../records.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { shownZone } from '../session/listing.ts';
import { readPastInstant } from '../session/service-times.ts';
import { momentFlag, readMoment } from '../session/time-arguments.ts';
import { type Watched, watchChanges } from '../waiting/service-waiting.ts';
import { checkWaiting, toWaiting, type Waiting, watchFlags } from '../waiting/waiting-flags.ts';

export const today = defineCommand({
  name: 'today',
  aliases: ['problems'],
  summary: 'Show what needs attention, worst first, each with its next command',
  description: [
    'Orders that wait for another attempt of auto dispatch, parcels with a driver who went off duty, handovers that',
    'wrong PINs have locked, failed deliveries, those canceled by the courier, orders that no courier took or nobody',
    'dispatched in time, returns, late ones, deliveries whose next report is overdue by 10 min, handovers without a proof',
    'that was asked for, open disputes, webhook endpoints that receive nothing, and simulated providers that are down. A delivery that was tried again is left out. With',
    '--json: counts, items, and the checks that are unchecked at this service or incomplete. With --watch --json each',
    'line is a problem with a type: problem.current first, then problem.added and problem.solved.',
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
    'charges.list',
  ],
  answers: ({ one, object, listOf, orNull, lines }) => {
    const problem = {
      kind: 'one of the counts',
      id: 'string',
      external_order_ref: orNull('string'),
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
    const ended_after = await readPastInstant(context, flags.since ?? readMoment('1d'));
    const { format } = context.output;
    const references = isForPeople(format) ? await referencesOf(context, problems.items) : new Set<string>();
    const lines = problems.items.map((problem) => {
      const args = shortArgs(problem, references);
      const command = shortCommand(problem.step.command);
      return { problem, command: oneLine(context.commandText({ ...problem.step, command, args })) };
    });
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
        ...(isForPeople(format) && lines.length > 0
          ? [windowText(ended_after, await shownZone(context))]
          : []),
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
function windowText(ended_after: string, zone: string | null): Text {
  const more = invocation('today', [], { since: '7d' });
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
  const waitable: Watched<Problems> = {
    first,
    poll: collect,
    events: null,
    test_mode: (await context.mode()) === 'test',
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
function problemData({ zone: _, timesText: __, who: ___, step: ____, ...problem }: ShownProblem) {
  return problem;
}

/** Formats the problems for people: their counts, then each with its next command. */
function problemsText(problems: Problems, lines: readonly ProblemLine[], show: Formatters): string {
  const counts = countsText(problems);
  if (lines.length === 0) return counts;
  const head = show.strong(show.room === null ? counts : wrapped(counts, show.room));
  return [head, '', ...problemLines(lines, show)].join('\n');
}

/** `2 need attention: 1 failed, 1 late` */
function countsText({ items, counts }: Problems): string {
  if (items.length === 0) return 'Nothing needs attention.';
  const parts = problemKinds.filter((kind) => counts[kind] > 0).map((kind) => `${counts[kind]} ${kind}`);
  return `${items.length} ${items.length === 1 ? 'needs' : 'need'} attention: ${parts.join(', ')}`;
}

/** `dlv_1 (#1042) failed: the courier had an accident, since 10:04` */
function problemRow(problem: ShownProblem, show: Formatters): string {
  const { id, external_order_ref, what, since, zone } = problem;
  const { time, clock } = show.inZone(zone);
  const ref = external_order_ref ? ` (${external_order_ref})` : '';
  const times = problem.timesText?.(clock) ?? null;
  const when = times ?? (since === null ? null : `since ${time(since)}`);
  return oneLine(`${id}${ref} ${what}${when === null ? '' : `, ${when}`}`);
}

/** The rows for programs that read lines. */
function problemsRows({ items }: Problems): CellValue[][] {
  return items.map(({ kind, id, external_order_ref, what, since, next }) => [
    ...[kind, id, external_order_ref, what, since, next.command],
  ]);
}

/** Problems in a terminal: one line each, with a command that is short and works when it is pasted. */

/** A longer reference would save no room compared to the end of an ID. */
const max_reference = 20;

/** The references that identify one order each, so that a command may name them in place of an ID. */
export async function referencesOf(
  context: Context,
  items: readonly Pick<Problem, 'external_order_ref'>[],
): Promise<ReadonlySet<string>> {
  const client = await context.client();
  const typed = new Set(items.flatMap(({ external_order_ref }) => external_order_ref ?? []));
  const found = new Set<string>();
  for (const external_order_ref of typed) {
    // Look-ups would read these as an ID, a flag or a phone number.
    if (external_order_ref.length > max_reference || !/^[^\s_-][^\s_]*$/.test(external_order_ref)) continue;
    if (/^\+?\d{7,}$/.test(external_order_ref)) continue;
    const listed = client.orders.list({ query: { external_order_ref, limit: 2 } });
    const orders = await ifSupported(
      listed.then(({ data }) => data.data),
      [],
    );
    if (orders.length === 1) found.add(external_order_ref);
  }
  return found;
}

/** The arguments of its next command with its reference, or with the end of an ID that is only looked up. */
export function shortArgs(
  {
    id,
    external_order_ref: ref,
    step,
  }: Pick<Problem, 'id' | 'external_order_ref'> & { step: Problem['next'] },
  references: ReadonlySet<string>,
): string[] {
  const isNamed = ref !== null && references.has(ref);
  const isLookUp = step.command === 'deliveries explain';
  const name = isNamed ? ref : isLookUp ? shortId(id) : id;
  return step.args.map((arg) => (arg === id ? name : arg));
}

/** The shorter name of a command, if it has one: `retry` for `deliveries retry`. */
export function shortCommand(command: string): string {
  const [noun, verb = ''] = command.split(' ');
  return noun === 'deliveries' && Object.hasOwn(shortcuts, verb) ? verb : command;
}

/** A problem, and its next command as it is printed. */
export interface ProblemLine {
  problem: Omit<Problem, 'next'>;
  command: string;
}

const gap = '  ';
const min_name = 8;

/**
 * A line for each problem: what it is, the reference, whom it concerns, since when, the next command, and why, which
 * stands on a line of its own without room for it. Names are shortened first, and so is such a reason.
 */
export function problemLines(lines: readonly ProblemLine[], show: Formatters): string[] {
  const { room } = show;
  const whole = lines.map(({ problem, command }) => {
    const { kind, id, external_order_ref: ref, who = '', what, since, zone, timesText } = problem;
    const { clock } = show.inZone(zone);
    const when = timesText?.(clock) ?? (since === null ? '' : `since ${clock(since)}`);
    return {
      kind,
      label: oneLine(ref || shortId(id)),
      who: oneLine(who),
      when,
      what: oneLine(what),
      command,
    };
  });
  const space = room ?? Number.POSITIVE_INFINITY;
  const hasWhy = widthOf(whole, [...columns, 'what', 'command']) <= space;
  const all = hasWhy
    ? whole
    : whole.map((each) => ({ ...each, when: each.when.replace(/^promised /, 'due ') }));
  const widest = (key: keyof Texts) => widthOf(all, [key]);
  const left = space - widthOf(all, ['kind', 'label', 'when']) - 2 * gap.length;
  const fitting = all.map(({ command }) => displayWidth(command)).filter((width) => width <= left - min_name);
  const name = Math.min(widest('who'), Math.max(min_name, left - Math.max(0, ...fitting)));
  return all.flatMap(({ kind, label, who, when, what, command }) => {
    const cells = [
      show.warning(kind) + ' '.repeat(widest('kind') - displayWidth(kind)),
      padded(label, widest('label')),
      padded(truncatedToWidth(who, name), name),
    ];
    const isAligned = name + displayWidth(command) <= left;
    const times = isAligned ? padded(when, widest('when')) : when;
    const head = [...cells, times, ...(hasWhy ? [padded(what, widest('what'))] : [])].join(gap);
    const isBeside = isAligned || name + displayWidth(command) + displayWidth(when) - widest('when') <= left;
    const why = hasWhy ? [] : [`${gap}${show.dim(truncatedToWidth(what, space - gap.length))}`];
    return isBeside
      ? [`${head}${gap}${show.strong(command)}`, ...why]
      : [head.trimEnd(), ...why, `${gap}${show.strong(command)}`];
  });
}

type Texts = Record<'kind' | 'label' | 'who' | 'when' | 'what' | 'command', string>;
const columns = ['kind', 'label', 'who', 'when'] as const;

/** The width of columns side by side. */
function widthOf(all: readonly Texts[], keys: readonly (keyof Texts)[]): number {
  const widths = keys.map((key) => Math.max(...all.map((each) => displayWidth(each[key]))));
  return widths.reduce((sum, width) => sum + width + gap.length, -gap.length);
}
