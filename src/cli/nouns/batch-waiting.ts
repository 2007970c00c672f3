/** Waiting for one batch or several. */
import { records } from '../../client/pages.ts';
import type { Batch, BatchCounts, BatchOrder, BatchSettings, BatchSummary } from '../../contract/batches.ts';
import { type BatchStatus, batchStatuses, type Outcome, outcomes } from '../../contract/vocabulary.ts';
import { BadOutcome, Failure, type FailureDetails } from '../kit/errors/failure.ts';
import { alignedRows } from '../kit/output/aligned-rows.ts';
import { type Invocation, invocation, type NextStep, phrase, type Text } from '../kit/result/message.ts';
import type { CellValue, Formatters, Result, StreamLine } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import {
  type Answerable,
  type Awaitable,
  type EventFilter,
  type Watched,
  waitFor,
} from '../waiting/service-waiting.ts';
import { type NamedStatuses, presetStatuses, statusesFlag } from '../waiting/status-targets.ts';
import { waitFlag } from '../waiting/waiting-flags.ts';
import {
  batchDrawing,
  batchProgressText,
  getBatch,
  isLost,
  max_listed_orders,
  orderLines,
  orderRow,
  outcomeCounts,
  outcomeCountsText,
} from './batch.ts';

/** The statuses that a wait for a batch ends at. */
export interface BatchTarget {
  until: readonly BatchStatus[];
  /** Outcomes of one order that end the wait for the whole batch. */
  fail_on: readonly Exclude<Outcome, 'pending' | 'dispatched'>[];
}

const batchEvents: EventFilter = {
  types: ['order.dispatched', 'order.unfulfilled', 'order.failed', 'order.canceled', 'batch.completed'],
  isAbout: ({ batch_id }) => typeof batch_id === 'string',
};

/** How a command ends that may wait for a batch. */
export const batchExits = {
  9: 'with --wait or --watch: no order was dispatched',
  10: 'with --wait or --watch: some orders were not dispatched',
} as const;
export const batchErrors = [
  'still_pending',
  'order_STATUS',
  'batch_not_dispatched',
  'batch_partly_dispatched',
] as const;

/** The last attempt starts at the end of the window; its couriers have answered by then. */
const last_attempt_ms = 900_000;

/** The default timeout of a wait for a batch. */
export function batchTimeout({ retry_window }: Pick<BatchSettings, 'retry_window'>): number {
  return retry_window * 1000 + last_attempt_ms;
}

/**
 * Waits until a batch is complete or has an earlier status. Fails with exit 9 or 10 if not all orders were dispatched,
 * and with exit 9 as soon as an order ends with a status of `fail_on`. People see the batch if it is complete, programs
 * always.
 */
export function batchWaitable(
  context: Context,
  first: Batch,
  { until, fail_on }: BatchTarget,
): Answerable<Batch> & Watched<Batch> {
  const { batch_id, test_mode } = first;
  return {
    first,
    test_mode,
    events: { ...batchEvents, batch_id },
    describeChange: batchLine,
    poll: () => getBatch(context, batch_id),
    isUnchanged: isSame,
    reached: ({ status }) => status === 'complete' || until.includes(status),
    failed: (batch, details) => {
      if (batch.status === 'complete') return endingOf(batch, details);
      const lost = batch.orders.find((order) => fail_on.some((name) => name === order.status));
      return lost === undefined ? null : lostOrder(lost, details);
    },
    interruptionText: (batch) => interruptedBatchText(context, batch_id, batchProgressText(batch)),
    status: (batch) => batchProgressText(batch),
    progress: (batch) => batchProgressText(batch),
    answer: (batch) => batchDrawing(batch, { brief: true }),
    answersFailure: ({ status }) => status === 'complete' || context.output.json,
  };
}

/**
 * The failure of a complete batch: null if all orders were dispatched, exit 9 if none was, exit 10 if some were not.
 */
function endingOf(batch: Batch, details: FailureDetails = {}): Failure | null {
  const ended = outcomeCounts({ ...batch.counts, pending: 0 });
  const total = ended.reduce((sum, { count }) => sum + count, 0);
  const missed = ended.filter(({ name }) => name !== 'dispatched').reduce((sum, { count }) => sum + count, 0);
  if (missed === 0) return null;
  const lost = outcomeCountsText({ ...batch.counts, dispatched: 0, pending: 0 });
  const more = { next: nextSteps(batch), ...details };
  if (missed < total) {
    const message = `${missed} of ${total} orders ${missed === 1 ? 'was' : 'were'} not dispatched: ${lost}.`;
    return new Failure(10, 'batch_partly_dispatched', message, more);
  }
  const subject = total === 1 ? 'The order was not' : `None of ${total} orders was`;
  return new BadOutcome(`${subject} dispatched: ${lost}.`, { code: 'batch_not_dispatched', ...more });
}

function nextSteps({ batch_id, orders }: Batch): NextStep[] {
  const [first] = orders.filter(isLost);
  return [
    { ...invocation('batches get', [batch_id]), when: 'see the outcome of each order' },
    ...(first === undefined
      ? []
      : [
          {
            ...invocation('orders attempts', [first.order_id]),
            when: 'see who was asked, and why not',
          },
        ]),
  ];
}

/** The failure with exit 9 for an order that ended with a `fail_on` status; the other orders continue. */
function lostOrder({ order_id, status, reason }: BatchOrder, details: FailureDetails): BadOutcome {
  const why = reason === '' ? '' : `: ${reason.replace(/\.+$/, '')}`;
  return new BadOutcome(`${order_id} is ${status}${why}.`, {
    code: `order_${status}`,
    hint: 'The other orders of the batch go on.',
    next: [{ ...invocation('orders attempts', [order_id]), when: 'see who was asked, and why not' }],
    ...details,
  });
}

/** How to wait until several batches are complete. */
export interface BatchesWait {
  fail_on: BatchTarget['fail_on'];
  /** By default, as long as the attempts can take. */
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
}

/**
 * Waits until every batch is complete and returns the outcomes. Exit 9 as soon as an order ends with a
 * `fail_on` status, 8 after the timeout; the service continues in any case. `again` resumes the wait, and `answer` is the
 * result with the counts so far.
 */
export async function waitForBatches(
  context: Context,
  ids: readonly [string, ...string[]],
  { fail_on, timeout_ms, interval_ms }: BatchesWait,
  { again, answer }: { again: Invocation; answer: (counts: BatchCounts) => Result },
): Promise<BatchCounts> {
  const { settings } = await getBatch(context, ids[0]);
  const poll = createBatchesPoll(context, ids);
  const first = await poll();
  const waitable: Awaitable<readonly BatchSummary[]> = {
    first,
    poll,
    test_mode: first[0]?.test_mode ?? true,
    events: { ...batchEvents, isAbout: isAnyOf(ids) },
    isUnchanged: (before, seen) => JSON.stringify(before) === JSON.stringify(seen),
    reached: (seen) => seen.every(({ status }) => status === 'complete'),
    failed: (seen, details) => {
      const [failure] = seen.flatMap((batch) => lostOrderIn(batch, fail_on, details) ?? []);
      return failure ?? null;
    },
    interruptionText: (seen) =>
      phrase`Auto dispatch continues: ${batchProgressText(totalOf(seen))}. Resume waiting: ${again}`,
    status: (seen) => batchProgressText(totalOf(seen)),
    progress: (seen) => batchProgressText(totalOf(seen)),
    answer: (seen) => answer(totalOf(seen).counts),
  };
  const last = await waitFor(context, waitable, {
    timeout_ms: timeout_ms ?? batchTimeout(settings),
    interval_ms,
    again: () => [again],
  });
  return totalOf(last).counts;
}

/** Polls the processing batches in one list, and gets each of the others once it is complete. */
function createBatchesPoll(context: Context, ids: readonly string[]): () => Promise<readonly BatchSummary[]> {
  const complete = new Map<string, BatchSummary>();
  return async () => {
    const client = await context.client();
    const query = { status: 'processing', limit: 100 } as const;
    const open = new Map<string, BatchSummary>();
    for await (const batch of records(client.batches.list, query)) open.set(batch.batch_id, batch);
    const seen: BatchSummary[] = [];
    for (const id of ids) seen.push(complete.get(id) ?? open.get(id) ?? (await fetchSummary(id)));
    return seen;
  };
  async function fetchSummary(id: string): Promise<BatchSummary> {
    const { orders: _, ...batch } = await getBatch(context, id);
    if (batch.status === 'complete') complete.set(id, batch);
    return batch;
  }
}

function isAnyOf(ids: readonly string[]): (data: Readonly<Record<string, unknown>>) => boolean {
  const batch_ids = new Set<unknown>(ids);
  return ({ batch_id }) => batch_ids.has(batch_id);
}

/** The failure with exit 9 if an order of the batch ended with a `fail_on` status; null if none did. */
function lostOrderIn(
  batch: BatchSummary,
  fail_on: BatchTarget['fail_on'],
  details: FailureDetails,
): BadOutcome | null {
  const lost = fail_on.find((name) => batch.counts[name] > 0);
  if (lost === undefined) return null;
  return new BadOutcome(
    `In ${batch.batch_id} there is an order that is ${lost}: ${outcomeCountsText(batch.counts)}.`,
    {
      code: `order_${lost}`,
      hint: 'The other orders go on.',
      next: [{ ...invocation('batches get', [batch.batch_id]), when: 'see the outcome of each order' }],
      ...details,
    },
  );
}

function totalOf(batches: readonly BatchSummary[]): { order_count: number; counts: BatchCounts } {
  const counts = { pending: 0, dispatched: 0, unfulfilled: 0, failed: 0, canceled: 0 };
  for (const batch of batches) for (const name of outcomes) counts[name] += batch.counts[name];
  return { order_count: Object.values(counts).reduce((sum, count) => sum + count, 0), counts };
}

export function interruptedBatchText({ settings }: Context, batch_id: string, counts: string | null): Text {
  const goesOn =
    settings.target.kind === 'embedded' ? 'continues whenever a command runs' : 'continues at the service';
  const stand = counts === null ? '' : ` ${counts}.`;
  const watch = invocation('batches get', [batch_id], { watch: true });
  return phrase`Auto dispatch of ${batch_id} ${goesOn}.${stand} Follow it with: ${watch}`;
}

function isSame(before: BatchSummary, seen: BatchSummary): boolean {
  return JSON.stringify(before) === JSON.stringify(seen);
}

/** Formats the changes of a batch as a line. */
function batchLine(before: Batch | null, batch: Batch): readonly StreamLine[] {
  if (before !== null && isSame(before, batch)) return [];
  const changed = changedOrders(before, batch);
  return [
    {
      data: { type: typeOf(before, batch), ...batch },
      line: (show) => changeText(before, batch, changed, show),
      rows: [...changed.map(orderRow), countsRow(batch)],
    },
  ];
}

function typeOf(before: BatchSummary | null, { status }: BatchSummary): string {
  if (before === null) return 'batch.current';
  return status === 'complete' ? 'batch.completed' : 'batch.updated';
}

/** Returns the orders that changed since the last poll; on the first poll, those with an attempt. */
function changedOrders(before: Batch | null, { orders }: Batch): BatchOrder[] {
  const textsBefore = new Map((before?.orders ?? []).map((order) => [order.order_id, JSON.stringify(order)]));
  return orders.filter((order) =>
    before === null ? order.attempts > 0 : textsBefore.get(order.order_id) !== JSON.stringify(order),
  );
}

function changeText(
  before: Batch | null,
  batch: Batch,
  changed: readonly BatchOrder[],
  show: Formatters,
): string | null {
  const ordersBefore = new Map((before?.orders ?? []).map((order) => [order.order_id, order]));
  const shown = changed.filter((order) => isShown(ordersBefore.get(order.order_id) ?? null, order, batch));
  const isCounted = before === null || batchProgressText(before) !== batchProgressText(batch);
  if (shown.length === 0 && !isCounted) return null;
  const counts = alignedRows([[now(show), { text: batchProgressText(batch) }]], {
    room: show.room,
    indent: 0,
  });
  return [...counts, ...orderLines(shown, show)].join('\n');
}

/**
 * Decides whether an order gets a line: always if it is lost; in small batches also if it was dispatched or its pending
 * reason changed.
 */
function isShown(before: BatchOrder | null, order: BatchOrder, { order_count }: Batch): boolean {
  if (isLost(order)) return before?.status !== order.status;
  if (order_count > max_listed_orders) return false;
  if (order.status === 'dispatched') return before?.status !== order.status;
  return order.next_attempt_at !== null && order.reason !== '' && order.reason !== before?.reason;
}

function now(show: Formatters) {
  return { text: show.clock(new Date(show.now).toISOString()), paint: show.dim };
}

function countsRow({ batch_id, status, order_count, counts }: BatchSummary): CellValue[] {
  return ['batch', batch_id, status, order_count, ...outcomes.map((name) => counts[name])];
}

/** For commands that respond with the completed batch. */
export const batchWaitFlag = waitFlag('Wait until the batch is complete; the exit code shows the result');

export const windowAndMore = 'the retry window plus 15m';
/** For commands that both wait and watch. */
export const eitherTimeout = `${windowAndMore} with --wait, no limit with --watch`;
export const batchEnd = 'the batch is complete';

/** Ends a wait for a batch before the batch is complete. */
export const batchFailOn = statusesFlag(
  { statuses: outcomes.filter((name) => name !== 'pending' && name !== 'dispatched') },
  { summary: 'Stop as soon as an order ends in one of these' },
);

export const batchTargetFlags = {
  until: presetStatuses({ statuses: batchStatuses }, { default: 'complete', summary: 'Status to wait for' }),
  failOn: batchFailOn,
};

interface TargetValues {
  until?: NamedStatuses<Batch['status']>;
  failOn: NamedStatuses<BatchTarget['fail_on'][number]> | null;
}

export function toBatchTarget({ until, failOn }: TargetValues): BatchTarget {
  return { until: until?.statuses ?? ['complete'], fail_on: failOn?.statuses ?? [] };
}
