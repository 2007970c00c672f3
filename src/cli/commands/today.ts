import type { Client } from '../../client/client.ts';
import { Unsupported } from '../../client/errors.ts';
import { records } from '../../client/pages.ts';
import { max_ahead_ms } from '../../domain/order-rules.ts';
import { availableSteps } from '../errors/error-codes.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { wrapped } from '../kit/output/terminal-lines.ts';
import { invocation, phrase, type StepObject, type Text } from '../kit/result/message.ts';
import {
  type CellValue,
  drawingResult,
  type Formatters,
  isForPeople,
  type StreamLine,
  type StreamResult,
  streamFormats,
} from '../kit/result/result.ts';
import { pauseEndText } from '../nouns/store-pause.ts';
import { type Context, defineCommand } from '../session/command.ts';
import { instantOf, pastInstantOf } from '../session/service-times.ts';
import { momentFlag, readMoment } from '../session/time-arguments.ts';
import { type Watched, watchChanges } from '../waiting/service-waiting.ts';
import { checkWaiting, type Waiting, waitingOf, watchFlags } from '../waiting/waiting-flags.ts';
import {
  type ProblemLine,
  problemLines,
  referencesOf,
  shortArgs,
  shortCommand,
} from './today/problem-lines.ts';
import {
  activeProblems,
  type CheckResult,
  disputeProblems,
  driverProblems,
  endedProblems,
  orderProblems,
  type Problem,
  type ProblemKind,
  problemKinds,
  providerProblems,
  type Times,
  unverifiedProblems,
  waitingProblems,
  webhookProblems,
} from './today/problems.ts';

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
    ...watchFlags('interrupted, as problems appear and are solved'),
  },
  examples: [
    { command: 'waybill today', summary: 'Show what needs attention' },
    { command: 'waybill today --since 8:00', summary: 'Leave out what ended before this morning' },
    { command: 'waybill today --json=counts', summary: 'Print the counts for a status board' },
    { command: 'waybill today --watch', summary: 'Keep it live during a shift' },
  ],
  effect: 'read',
  formats: streamFormats,
  calls: [
    'deliveries.list',
    'deliveries.listDetailed',
    'orders.get',
    'orders.list',
    'batches.get',
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
  ],
  answers: ({ one, object, listOf, orNull, lines }) => {
    const problem = {
      kind: 'one of the counts',
      id: 'string',
      external_order_ref: orNull('string'),
      what: 'string',
      since: orNull('time'),
      next: object({
        command: 'string',
        args: listOf('string'),
        when: 'string',
        'placeholders?': listOf('string'),
      }),
    };
    const problems = object({
      object: '"problems"',
      counts: object(Object.fromEntries(problemKinds.map((kind) => [kind, 'integer']))),
      items: listOf(object(problem)),
      unchecked: listOf(checks.join(' | ')),
      incomplete: listOf(checks.join(' | ')),
      paused_stores: listOf(object({ id: 'string', name: 'string', paused_until: 'time' })),
    });
    const type = '"problem.current" | "problem.added" | "problem.solved"';
    return [one(problems), lines(object({ type, ...problem }), 'with --watch')];
  },
  errors: ['still_pending', 'unknown_field'],
  related: ['deliveries list', 'deliveries explain', 'doctor'],
  async run(context, { flags }) {
    checkWaiting(context, { watch: flags.watch });
    const { fields } = context.output;
    if (flags.watch && fields !== null)
      (await import('../help/command-facts.ts')).checkLineFields(today, fields);
    const collect = async () => {
      const ended_after = await pastInstantOf(context, flags.since ?? readMoment('1d'));
      const unchanged_since = await instantOf(context, readMoment('20m'), 'ago');
      // Deliveries that ended in the period may be older: they can be scheduled 30 days ahead.
      const created_after = new Date(Date.parse(ended_after) - max_ahead_ms).toISOString();
      return collectProblems(context, { ended_after, created_after, unchanged_since });
    };
    if (flags.watch) return watchProblems(context, collect, waitingOf(flags));
    const problems = await collect();
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
      notes: notesOf(problems),
      draw: (show) => problemsText(problems, lines, show),
    });
  },
});

/** A check, as one or more requests of the service. */
const checks = [
  'waiting_orders',
  'deliveries',
  'drivers',
  'orders',
  'disputes',
  'webhooks',
  'providers',
] as const;
type Check = (typeof checks)[number];

/** Everything that needs attention. */
interface Problems {
  object: 'problems';
  counts: Record<ProblemKind, number>;
  /** Worst first, then the oldest first. */
  items: ShownProblem[];
  /** The checks that the service does not support. */
  unchecked: Check[];
  /** The checks that left out older records. */
  incomplete: Check[];
  /** The stores from which nothing is dispatched: on purpose, so that they are no problems. */
  paused_stores: PausedStore[];
}

interface PausedStore {
  id: string;
  name: string;
  paused_until: string;
  address: string;
}

/** A problem whose command uses the same account as this run. */
type ShownProblem = Omit<Problem, 'next'> & { next: StepObject; step: Problem['next'] };

/** Collects what needs attention. */
async function collectProblems(context: Context, times: Times): Promise<Problems> {
  const client = await context.client();
  const runs: readonly (readonly [Check, () => Promise<CheckResult>])[] = [
    ['waiting_orders', () => waitingProblems(client, context.serviceNow)],
    ['deliveries', () => endedProblems(client, times, context.serviceNow)],
    ['deliveries', () => activeProblems(client, context.serviceNow)],
    ['drivers', () => driverProblems(client)],
    ['drivers', () => unverifiedProblems(client, times)],
    ['orders', () => orderProblems(client, times, context.serviceNow)],
    ['disputes', () => disputeProblems(client)],
    ['webhooks', () => webhookProblems(client)],
    ['providers', () => providerProblems(client)],
  ];
  const problems: Problem[] = [];
  const unchecked: Check[] = [];
  const incomplete: Check[] = [];
  for (const [check, run] of runs) {
    const found = await run().catch(nullIfUnsupported);
    const left = found === null ? unchecked : found.isCut ? incomplete : null;
    if (left?.includes(check) === false) left.push(check);
    problems.push(...(found?.problems ?? []));
  }
  const worst = problems.sort(byUrgency).filter(isWorstOfRecord);
  const items = worst.map((each) => {
    const step = availableStep(context, each);
    return { ...each, step, next: context.stepObject(step) };
  });
  const paused_stores = await pausedStores(client, context.serviceNow());
  return { object: 'problems', counts: countsOf(items), items, unchecked, incomplete, paused_stores };
}

async function pausedStores(client: Client, now: number): Promise<PausedStore[]> {
  const found: PausedStore[] = [];
  try {
    for await (const { id, name, paused_until, address } of records(client.stores.list, {}))
      if (paused_until && Date.parse(paused_until) > now) found.push({ id, name, paused_until, address });
  } catch (error) {
    nullIfUnsupported(error);
  }
  return found;
}

/** `Loop Pizza is paused until 21:00 CST. Resume it: waybill stores resume 'Loop Pizza'` */
function pausedText({ name, paused_until, address }: PausedStore): Text {
  return phrase`${name} is paused${pauseEndText(paused_until, address)}. Resume it: ${invocation('stores resume', [name])}`;
}

/** The next step, or `deliveries explain` if the service is not known to support it. */
function availableStep({ has }: Context, { id, next }: Problem): Problem['next'] {
  const look = { ...invocation('deliveries explain', [id]), when: 'see its history' };
  return availableSteps([next], has)[0] ?? look;
}

function nullIfUnsupported(error: unknown): null {
  if (error instanceof Unsupported) return null;
  throw error;
}

function byUrgency(left: Problem, right: Problem): number {
  const kinds = problemKinds.indexOf(left.kind) - problemKinds.indexOf(right.kind);
  return kinds === 0 ? timeOf(left) - timeOf(right) : kinds;
}

/** True for the worst problem of a record. */
function isWorstOfRecord({ id }: Problem, index: number, sorted: readonly Problem[]): boolean {
  return sorted.findIndex((each) => each.id === id) === index;
}

function timeOf({ since }: Problem): number {
  return since === null ? 0 : Date.parse(since);
}

function countsOf(items: readonly ShownProblem[]): Record<ProblemKind, number> {
  const counts = {
    waiting: 0,
    off_duty: 0,
    locked: 0,
    failed: 0,
    canceled: 0,
    unfulfilled: 0,
    unsent: 0,
    returned: 0,
    late: 0,
    stuck: 0,
    unverified: 0,
    disputed: 0,
    webhook: 0,
    provider: 0,
  };
  for (const { kind } of items) counts[kind] += 1;
  return counts;
}

function notesOf({ unchecked, incomplete, paused_stores }: Problems): Text[] {
  const missing = `Not checked, as this service does not support it: ${namesOf(unchecked)}.`;
  const cut = `Only the newest records were checked of: ${namesOf(incomplete)}.`;
  return [
    ...(unchecked.length === 0 ? [] : [missing]),
    ...(incomplete.length === 0 ? [] : [cut]),
    ...paused_stores.map(pausedText),
  ];
}

function namesOf(names: readonly Check[]): string {
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
