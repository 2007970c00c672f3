import type {
  AcceptedBatch,
  Batch,
  BatchCounts,
  BatchOrder,
  BatchSettings,
  BatchSummary,
} from '../../contract/batches.ts';
import { type BatchStatus, batchStatuses, type Outcome, outcomes } from '../../contract/vocabulary.ts';
import { secondsText } from '../kit/args/time-arguments.ts';
import { BadOutcome, Failure, type FailureDetails } from '../kit/errors/failure.ts';
import { shareColumns } from '../kit/output/format.ts';
import { alignedRows, besideOrBelow, type Cell } from '../kit/output/rows.ts';
import { displayWidth, oneLine, wrapped } from '../kit/output/sanitize.ts';
import { invocation, type NextStep, phrase, type Text } from '../kit/result/message.ts';
import {
  type CellValue,
  type Column,
  type DrawingResult,
  drawing,
  type Ink,
  type Show,
  type StreamLine,
  type StreamResult,
  wide,
} from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import { type Answerable, type EventFilter, type Watched, watchList } from '../waiting/service-waiting.ts';
import { type NamedStatuses, presetStatuses, statusesFlag } from '../waiting/status-records.ts';
import { type Waiting, waitFlag } from '../waiting/waiting-flags.ts';

export async function getBatch(context: Pick<Context, 'client'>, batch_id: string): Promise<Batch> {
  const client = await context.client();
  return (await client.batches.get({ params: { batch_id } })).data;
}

/** Fields of the response that accepts a batch. */
export const acceptedFields: readonly Column<AcceptedBatch>[] = [
  { field: 'batch_id', header: 'ID', kind: 'id' },
  { field: 'status', header: 'Status', kind: 'status' },
  { field: 'order_count', header: 'Orders', kind: 'count' },
];

/** Columns of batches. People see the outcome of the orders as text, programs see each count. */
export const batchColumns: readonly Column<BatchSummary>[] = [
  ...acceptedFields,
  {
    field: 'counts',
    header: 'Result',
    kind: 'text',
    prose: true,
    only: 'people',
    value: ({ counts }) => partsText(counts),
  },
  ...outcomes.map(
    (name): Column<BatchSummary> => ({
      field: `counts.${name}`,
      header: name,
      kind: 'count',
      only: 'programs',
      value: ({ counts }) => counts[name],
    }),
  ),
  { field: 'created_at', header: 'Created', kind: 'time', spare: 1 },
  ...wide([
    { field: 'completed_at', header: 'Complete', kind: 'time' },
    {
      field: 'settings.quote_preference',
      header: 'Chooses',
      kind: 'text',
      value: ({ settings }) => settings.quote_preference,
    },
    {
      field: 'settings.max_cost',
      header: 'At most',
      kind: 'money',
      value: ({ settings }) => settings.max_cost,
    },
    {
      field: 'settings.providers',
      header: 'Providers',
      kind: 'text',
      value: ({ settings }) => settings.providers,
    },
    ...inSeconds('retry_window', 'Tries for'),
    ...inSeconds('retry_interval', 'Tries every'),
    { field: 'test_mode', header: 'Test mode', kind: 'text' },
  ]),
];

/** A duration: `30m` for people, 1800 for programs. */
function inSeconds(name: 'retry_window' | 'retry_interval', header: string): Column<BatchSummary>[] {
  const head = { field: `settings.${name}`, header };
  return [
    { ...head, kind: 'text', only: 'people', value: ({ settings }) => secondsText(settings[name]) },
    { ...head, kind: 'count', only: 'programs', value: ({ settings }) => settings[name] },
  ];
}

type Counted = Pick<Batch, 'order_count' | 'counts'>;

/** The progress of a batch: `214 of 300: 208 dispatched, 4 unfulfilled, 2 failed, 86 pending`. */
export function countsText({ order_count, counts }: Counted, signOf?: (name: Outcome) => string): string {
  return `${order_count - counts.pending} of ${order_count}: ${partsText(counts, signOf)}`;
}

/** The counts that are not zero, pending last; `signOf` returns the prefix of each. */
export function partsText(counts: BatchCounts, signOf = (_: Outcome) => ''): string {
  return countedParts(counts)
    .map(({ name, count }) => `${signOf(name)}${count} ${name}`)
    .join(', ');
}

/** Counts the orders by outcome; leaves out zeros and puts pending last. */
function countedParts(counts: BatchCounts): { name: Outcome; count: number }[] {
  const [first, ...ends] = outcomes;
  return [...ends, first].flatMap((name) => (counts[name] > 0 ? [{ name, count: counts[name] }] : []));
}

/** True if the order has ended without a dispatch. */
function isLost({ status }: Pick<BatchOrder, 'status'>): boolean {
  return status !== 'pending' && status !== 'dispatched';
}

/**
 * The failure of a complete batch: null if all orders were dispatched, exit 9 if none was, exit 10 if some were not.
 */
function endingOf(batch: Batch, details: FailureDetails = {}): Failure | null {
  const ended = countedParts({ ...batch.counts, pending: 0 });
  const total = ended.reduce((sum, { count }) => sum + count, 0);
  const missed = ended.filter(({ name }) => name !== 'dispatched').reduce((sum, { count }) => sum + count, 0);
  if (missed === 0) return null;
  const lost = partsText({ ...batch.counts, dispatched: 0, pending: 0 });
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
            ...invocation('orders tries', [first.order_id]),
            when: 'see who was asked, and why not',
          },
        ]),
  ];
}

/** Batches with more orders list only those that are not dispatched. */
const max_listed_orders = 20;

/** Formats a batch for people: its outcome and its orders. In brief, a large batch lists lost orders only. */
export function batchDrawing(batch: Batch, { brief = false, ...ending }: BriefEnding = {}): DrawingResult {
  const data = batch;
  return drawing({
    ...{ data, id: batch.batch_id, rows: batchRows(batch), ...ending },
    draw: (show) => batchText(batch, show, brief),
  });
}

type BriefEnding = Pick<DrawingResult, 'notes' | 'exit'> & { brief?: boolean };

function batchText(batch: Batch, show: Show, brief: boolean): string {
  const { orders } = batch;
  const listed = brief && orders.length > max_listed_orders ? orders.filter(isLost) : orders;
  const shown = brief ? listed.slice(0, max_listed_orders) : listed;
  const left = listed.length - shown.length;
  const title = listed.length < orders.length ? 'Not dispatched' : 'Orders';
  const lines = [
    ...orderLines(shown, show),
    ...(left === 0 ? [] : [show.dim(`  and ${left} more: waybill batches get ${batch.batch_id}`)]),
  ];
  const parts = [headLines(batch, show), ...(lines.length === 0 ? [] : [[show.strong(title), ...lines]])];
  return parts.map((part) => part.join('\n')).join('\n\n');
}

/** The width of the longest label at the top, with the space after it. */
const widestLabel = 'Chooses  '.length;

function headLines(batch: Batch, show: Show): string[] {
  const { batch_id, status, settings, test_mode, created_at, completed_at } = batch;
  const ended = completed_at === null ? '' : `, complete ${show.time(completed_at)}`;
  const { ink } = show;
  const plot = batchPlot(batch, (show.room ?? 0) - widestLabel, ink);
  const signOf = plot === null || ink === null ? undefined : (name: Outcome) => `${outcomeSigns[ink][name]} `;
  const facts: [string, string][] = [
    ['Orders', countsText(batch, signOf)],
    ...(plot === null ? [] : [['', plot] satisfies [string, string]]),
    ['Chooses', choosingText(settings, show)],
    ['Tries', triesText(settings)],
    ['Created', `${show.time(created_at)}${ended}, ${test_mode ? 'test mode' : 'live mode'}`],
  ];
  const rows = facts.map(([label, text]) => [{ text: label, paint: show.dim }, { text: oneLine(text) }]);
  return [
    ...besideOrBelow(
      { text: batch_id, paint: show.strong },
      { text: status, paint: show.status },
      { room: show.room },
    ),
    ...alignedRows(rows, { room: show.room, indent: 0 }),
  ];
}

function choosingText({ quote_preference, providers, max_cost }: BatchSettings, show: Show): string {
  const most = max_cost === null ? '' : `, no more than ${show.money(max_cost)} for an order`;
  const names = providers === null ? '' : `, of ${providers.join(', ')}`;
  return `the ${quote_preference}${most}${names}`;
}

function triesText({ retry_window, retry_interval }: BatchSettings): string {
  if (retry_window < retry_interval) return 'one for each order';
  return `every ${secondsText(retry_interval)} for ${secondsText(retry_window)}`;
}

/** On a narrower terminal the outcome is printed on a line of its own, below the order ID. */
const min_outcome_width = 40;

/** Lists the orders, each with its outcome beside it, or below it if the terminal is narrow. */
function orderLines(orders: readonly BatchOrder[], show: Show): string[] {
  const { room } = show;
  const rows = orders.map((order) => orderCells(order, show));
  const widest = (index: number) =>
    Math.max(0, ...rows.map((cells) => displayWidth(cells[index]?.text ?? '') + 2));
  const taken = 2 + widest(0) + widest(1) + widest(2);
  if (room === null || room - taken >= Math.min(min_outcome_width, widest(3))) return alignedRows(rows, show);
  return orders.flatMap((order) => {
    const { order_id, external_order_ref: ref, status } = order;
    const words = [ref, orderWords(order, show)].filter((part) => part !== '').join(', ');
    const lines = words === '' ? [] : wrapped(oneLine(words), Math.max(20, room - 6)).split('\n');
    const head = besideOrBelow({ text: order_id }, { text: status, paint: show.status }, { room, indent: 2 });
    return [...head, ...lines.map((line) => `      ${line}`)];
  });
}

/** The cells of an order's line: ID, reference, status and details. */
function orderCells(order: BatchOrder, show: Show): Cell[] {
  return [
    { text: order.order_id },
    { text: oneLine(order.external_order_ref) },
    { text: order.status, paint: show.status },
    { text: oneLine(orderWords(order, show)) },
  ];
}

/**
 * The outcome of an order as text, with its delivery, next try or reason: `dlv_1, at try 2`, `next try 10:05 (3 so
 * far): no quotes`, `after 7 tries: no quotes`.
 */
function orderWords(order: BatchOrder, show: Pick<Show, 'clock'>): string {
  const { status, attempts, next_attempt_at, delivery_id, reason } = order;
  if (status === 'dispatched') return `${delivery_id ?? ''}${attempts > 1 ? `, at try ${attempts}` : ''}`;
  const why = (when: string) => [when, reason].filter((part) => part !== '').join(': ');
  const tries = `${attempts} ${attempts === 1 ? 'try' : 'tries'}`;
  if (status !== 'pending') return why(attempts === 0 ? '' : `after ${tries}`);
  if (next_attempt_at === null) return why(attempts === 0 ? '' : `try ${attempts} is under way`);
  if (attempts === 0) return why(`first try ${show.clock(next_attempt_at)}`);
  return why(`next try ${show.clock(next_attempt_at)} after ${tries}`);
}

/** The rows for programs that read lines: the section, then its values. */
function batchRows(batch: Batch): CellValue[][] {
  const { batch_id, status, order_count, counts, orders } = batch;
  return [
    ['batch', batch_id, status, order_count],
    ...outcomes.map((name) => [name, counts[name]]),
    ...orders.map(orderRow),
  ];
}

/** The values of an order of a batch. */
function orderRow(order: BatchOrder): CellValue[] {
  const { order_id, external_order_ref, status, attempts, next_attempt_at, delivery_id, reason } = order;
  return ['order', order_id, status, external_order_ref, attempts, next_attempt_at, delivery_id, reason];
}

/** Each outcome has its own character, so that the bar is readable without color. */
const outcomeSigns: Readonly<Record<Ink, Readonly<Record<Outcome, string>>>> = {
  blocks: { dispatched: '█', unfulfilled: '▒', failed: '×', canceled: '–', pending: '·' },
  ascii: { dispatched: '#', unfulfilled: 'u', failed: 'x', canceled: '-', pending: '.' },
};

/** Longer lines show no more; on shorter ones the parts cannot be distinguished. */
const max_plot_columns = 60;
const min_plot_columns = 10;

/**
 * Draws the outcomes of a batch as a proportional bar of at most `room` columns; returns null if that is too narrow.
 */
export function batchPlot({ counts }: Pick<Batch, 'counts'>, room: number, ink: Ink | null): string | null {
  const parts = countedParts(counts);
  if (ink === null || room < min_plot_columns || parts.length === 0) return null;
  const lengths = shareColumns(
    Math.min(room, max_plot_columns),
    parts.map(({ count }) => count),
  );
  return parts.map(({ name }, index) => outcomeSigns[ink][name].repeat(lengths[index] ?? 0)).join('');
}

/** Formats the changes of a batch as a line. */
function batchLine(before: Batch | null, batch: Batch): readonly StreamLine[] {
  const changed = changedOrders(before, batch);
  if (before !== null && JSON.stringify(before) === JSON.stringify(batch)) return [];
  return [
    {
      data: { type: typeOf(before, batch), ...batch },
      line: (show) => changeText(before, batch, changed, show),
      rows: [...changed.map(orderRow), countsRow(batch)],
    },
  ];
}

/** Formats a batch of a watched list as a line. */
function summaryLine(before: BatchSummary | null, batch: BatchSummary): StreamLine {
  return {
    data: { type: typeOf(before, batch), ...batch },
    line: (show) => {
      const { batch_id, status } = batch;
      const id = [{ text: batch_id }, { text: status, paint: show.status, width: 'processing'.length }];
      return alignedRows([[now(show), ...id, { text: countsText(batch) }]], {
        room: show.room,
        indent: 0,
      }).join('\n');
    },
    rows: [countsRow(batch)],
  };
}

function typeOf(before: BatchSummary | null, { status }: BatchSummary): string {
  if (before === null) return 'batch.current';
  return status === 'complete' ? 'batch.completed' : 'batch.updated';
}

/** Returns the orders that changed since the last poll; on the first poll, those with an attempt. */
function changedOrders(before: Batch | null, { orders }: Batch): BatchOrder[] {
  const known = new Map((before?.orders ?? []).map((order) => [order.order_id, JSON.stringify(order)]));
  return orders.filter((order) =>
    before === null ? order.attempts > 0 : known.get(order.order_id) !== JSON.stringify(order),
  );
}

function changeText(
  before: Batch | null,
  batch: Batch,
  changed: readonly BatchOrder[],
  show: Show,
): string | null {
  const known = new Map((before?.orders ?? []).map((order) => [order.order_id, order]));
  const shown = changed.filter((order) => isShown(known.get(order.order_id) ?? null, order, batch));
  const isCounted = before === null || countsText(before) !== countsText(batch);
  if (shown.length === 0 && !isCounted) return null;
  const counts = alignedRows([[now(show), { text: countsText(batch) }]], { room: show.room, indent: 0 });
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

function now(show: Show) {
  return { text: show.clock(new Date(show.now).toISOString()), paint: show.dim };
}

function countsRow({ batch_id, status, order_count, counts }: BatchSummary): CellValue[] {
  return ['batch', batch_id, status, order_count, ...outcomes.map((name) => counts[name])];
}

/** The statuses that a wait for a batch ends at. */
export interface BatchTarget {
  until: readonly BatchStatus[];
  /** Outcomes of one order that end the wait for the whole batch. */
  fail_on: readonly Exclude<Outcome, 'pending' | 'dispatched'>[];
  /** False right after the batch was canceled: orders that are not dispatched are not failures then. */
  isJudged?: boolean;
}

/** The events about batches. */
export const batchEvents: EventFilter = {
  types: ['order.dispatched', 'order.unfulfilled', 'order.failed', 'order.canceled', 'batch.completed'],
  isAbout: ({ batch_id }) => typeof batch_id === 'string',
};

/** How a command ends that may wait for a batch. */
export const batchExits = {
  9: 'with --wait or --watch: no order was dispatched',
  10: 'with --wait or --watch: some orders were not dispatched',
} as const;
export const batchErrors = [
  ...['still_pending', 'order_STATUS', 'batch_not_dispatched', 'batch_partly_dispatched'],
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
  { until, fail_on, isJudged = true }: BatchTarget,
): Answerable<Batch> & Watched<Batch> {
  const { batch_id, test_mode } = first;
  return {
    ...{ first, test_mode, events: { ...batchEvents, batch_id }, describeChange: batchLine },
    poll: () => getBatch(context, batch_id),
    isUnchanged: (before, seen) => JSON.stringify(before) === JSON.stringify(seen),
    reached: ({ status }) => status === 'complete' || until.includes(status),
    failed: (batch, details) => {
      if (batch.status === 'complete') return isJudged ? endingOf(batch, details) : null;
      const lost = batch.orders.find((order) => fail_on.some((name) => name === order.status));
      return lost === undefined ? null : lostOrder(lost, details);
    },
    interruptionText: (batch) => interruptionText(context, batch_id, countsText(batch)),
    status: (batch) => countsText(batch),
    progress: (batch) => countsText(batch),
    answer: (batch) => batchDrawing(batch, { brief: true }),
    answersFailure: ({ status }) => status === 'complete' || context.output.json,
  };
}

/** The failure with exit 9 for an order that ended with a `fail_on` status; the other orders continue. */
function lostOrder({ order_id, status, reason }: BatchOrder, details: FailureDetails): BadOutcome {
  const why = reason === '' ? '' : `: ${reason.replace(/\.+$/, '')}`;
  return new BadOutcome(`${order_id} is ${status}${why}.`, {
    code: `order_${status}`,
    hint: 'The other orders of the batch go on.',
    next: [{ ...invocation('orders tries', [order_id]), when: 'see who was asked, and why not' }],
    ...details,
  });
}

/** The text for an interrupted wait for a batch. */
export function interruptionText({ settings }: Context, batch_id: string, counts: string | null): Text {
  const goesOn =
    settings.target.kind === 'embedded' ? 'continues whenever a command runs' : 'continues at the service';
  const stand = counts === null ? '' : ` ${counts}.`;
  const watch = invocation('batches get', [batch_id], { watch: true });
  return phrase`Auto dispatch of ${batch_id} ${goesOn}.${stand} Follow it with: ${watch}`;
}

/** Selects the newest batches to watch. */
interface ListedBatches {
  status: BatchStatus | undefined;
  limit: number;
}

/** Watches the batches of a list until all of them are complete. */
export function watchBatches(context: Context, query: ListedBatches, waiting: Waiting): StreamResult {
  const watched = {
    list: async () => (await (await context.client()).batches.list({ query })).data.data,
    get: async (id: string) => {
      const { orders: _, ...summary } = await getBatch(context, id);
      return summary;
    },
    idOf: ({ batch_id }: BatchSummary) => batch_id,
    isOpen: ({ status }: BatchSummary) => status === 'processing',
    isKept: ({ status }: BatchSummary) => query.status === undefined || status === query.status,
    isUnchanged: (before: BatchSummary, seen: BatchSummary) =>
      JSON.stringify(before) === JSON.stringify(seen),
    lineOf: summaryLine,
    ...{ events: batchEvents, command: invocation('batches list') },
    ...{ filters: { status: query.status }, open: 'processing' },
  };
  return watchList(context, watched, waiting);
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

export function batchTargetOf({ until, failOn }: TargetValues): BatchTarget {
  return { until: until?.statuses ?? ['complete'], fail_on: failOn?.statuses ?? [] };
}
