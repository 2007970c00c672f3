/** A batch as it is shown: its columns, its counts, and its drawing for people. */
import type {
  AcceptedBatch,
  Batch,
  BatchCounts,
  BatchOrder,
  BatchSettings,
  BatchSummary,
  Try,
} from '../../contract/batches.ts';
import { type Outcome, outcomes } from '../../contract/vocabulary.ts';
import { alignedRows, besideOrBelow, type Cell } from '../kit/output/aligned-rows.ts';
import { shareColumns } from '../kit/output/bars.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { displayWidth, wrapped } from '../kit/output/terminal-lines.ts';
import {
  type CellValue,
  type Column,
  type DrawingResult,
  drawingResult,
  type Formatters,
  type PlotCharset,
  wide,
} from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import { secondsText } from '../session/typed-lengths.ts';
import { isEndOfId } from './find-order.ts';

export async function getBatch(context: Pick<Context, 'client'>, batch_id: string): Promise<Batch> {
  const client = await context.client();
  return (await client.batches.get({ params: { batch_id } })).data;
}

/** The batch with an ID, or with its end, as lists shorten it; exit 5 if there is none. */
export async function findGivenBatch(context: Pick<Context, 'client'>, text: string): Promise<Batch> {
  return getBatch(context, await findBatchId(context, text));
}

async function findBatchId(context: Pick<Context, 'client'>, text: string): Promise<string> {
  if (!isEndOfId(text)) return text;
  const client = await context.client();
  const { data } = await client.batches.list({ query: { limit: 100 } });
  const found = data.data.filter(({ batch_id }) => batch_id.endsWith(text.toUpperCase()));
  return found.length === 1 ? (found[0]?.batch_id ?? text) : text;
}

export const acceptedFields: readonly Column<AcceptedBatch>[] = [
  { field: 'batch_id', header: 'ID', kind: 'id' },
  { field: 'status', header: 'Status', kind: 'status' },
  { field: 'order_count', header: 'Orders', kind: 'count' },
];

/** Columns of batches. People see the outcome of the orders as text, programs see each count. */
export const batchColumns: readonly Column<BatchSummary>[] = [
  ...acceptedFields.map((column) =>
    column.field === 'batch_id' ? { ...column, isFoundByEnd: true as const } : column,
  ),
  {
    field: 'counts',
    header: 'Result',
    kind: 'text',
    prose: true,
    only: 'people',
    value: ({ counts }) => takenText(counts),
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

/** The counts in a list, which is read long after: what a courier took may have been delivered or failed since. */
function takenText(counts: BatchCounts): string {
  return outcomeCounts(counts)
    .map(({ name, count }) => `${count} ${name === 'dispatched' ? 'taken by couriers' : name}`)
    .join(', ');
}

type BatchProgress = Pick<Batch, 'order_count' | 'counts'>;

/** The progress of a batch: `214 of 300: 208 dispatched, 4 unfulfilled, 2 failed, 86 pending`. */
export function batchProgressText(
  { order_count, counts }: BatchProgress,
  signOf?: (name: Outcome) => string,
): string {
  return `${order_count - counts.pending} of ${order_count}: ${outcomeCountsText(counts, signOf)}`;
}

/** The counts that are not zero, pending last; `signOf` returns the prefix of each. */
export function outcomeCountsText(counts: BatchCounts, signOf = (_: Outcome) => ''): string {
  return outcomeCounts(counts)
    .map(({ name, count }) => `${signOf(name)}${count} ${name}`)
    .join(', ');
}

/** Counts the orders by outcome; leaves out zeros and puts pending last. */
export function outcomeCounts(counts: BatchCounts): { name: Outcome; count: number }[] {
  const [first, ...ends] = outcomes;
  return [...ends, first].flatMap((name) => (counts[name] > 0 ? [{ name, count: counts[name] }] : []));
}

/** True if the order has ended without a dispatch. */
export function isLost({ status }: Pick<BatchOrder, 'status'>): boolean {
  return status !== 'pending' && status !== 'dispatched';
}

/** Formats a batch for people: its outcome and its orders. In brief, a large batch lists lost orders only. */
export function batchDrawing(
  batch: Batch,
  { brief = false, zone = null, ...ending }: BriefEnding = {},
): DrawingResult {
  return drawingResult({
    data: batch,
    id: batch.batch_id,
    rows: batchRows(batch),
    ...ending,
    draw: (show) => batchText(batch, show.inZone(zone), brief),
  });
}

type BriefEnding = Pick<DrawingResult, 'notes' | 'exit'> & {
  brief?: boolean;
  /** The zone of its times; null for the reader's own. */
  zone?: string | null;
};

/** Batches with more orders list only those that are not dispatched. */
export const max_listed_orders = 20;

function batchText(batch: Batch, show: Formatters, brief: boolean): string {
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

function headLines(batch: Batch, show: Formatters): string[] {
  const { batch_id, status, settings, test_mode, created_at, completed_at } = batch;
  const ended = completed_at === null ? '' : `, complete ${show.time(completed_at)}`;
  const { plotCharset } = show;
  const plot = batchPlot(batch, (show.room ?? 0) - widestLabel, plotCharset);
  const signOf =
    plot === null || plotCharset === null
      ? undefined
      : (name: Outcome) => `${outcomeSigns[plotCharset][name]} `;
  const facts: [string, string][] = [
    ['Orders', batchProgressText(batch, signOf)],
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

/** The width of the longest label at the top, with the space after it. */
const widestLabel = 'Chooses  '.length;

function choosingText({ quote_preference, providers, max_cost }: BatchSettings, show: Formatters): string {
  const most = max_cost === null ? '' : `, no more than ${show.money(max_cost)} for an order`;
  const names = providers === null ? '' : `, of ${providers.join(', ')}`;
  return `the ${quote_preference}${most}${names}`;
}

function triesText({ retry_window, retry_interval }: BatchSettings): string {
  if (retry_window < retry_interval) return 'one for each order';
  return `every ${secondsText(retry_interval)} for ${secondsText(retry_window)}`;
}

/** Lists the orders, each with its outcome beside it, or below it if the terminal is narrow. */
export function orderLines(orders: readonly BatchOrder[], show: Formatters): string[] {
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

/** On a narrower terminal the outcome is printed on a line of its own, below the order ID. */
const min_outcome_width = 40;

/** The cells of an order's line: ID, reference, status and details. */
function orderCells(order: BatchOrder, show: Formatters): Cell[] {
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
function orderWords(order: BatchOrder, show: Pick<Formatters, 'clock'>): string {
  const { status, attempts, next_attempt_at, delivery_id, reason } = order;
  if (status === 'dispatched') return `${delivery_id ?? ''}${attempts > 1 ? `, at try ${attempts}` : ''}`;
  const why = (when: string) => [when, reason].filter((part) => part !== '').join(': ');
  const tries = `${attempts} ${attempts === 1 ? 'try' : 'tries'}`;
  if (status !== 'pending') return why(attempts === 0 ? '' : `after ${tries}`);
  if (next_attempt_at === null) return why(attempts === 0 ? '' : `try ${attempts} is under way`);
  if (attempts === 0) return why(`first try ${show.clock(next_attempt_at)}`);
  return why(`next try ${show.clock(next_attempt_at)} after ${tries}`);
}

/** `and 17 more times until 14:20`; empty for an attempt that was not repeated. */
export function repeatsText({ repeats, last_at }: Try, show: Pick<Formatters, 'clock'>): string {
  if (last_at === null || !(repeats > 0)) return '';
  return `and ${repeats === 1 ? 'once more at' : `${repeats} more times until`} ${show.clock(last_at)}`;
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
export function orderRow(order: BatchOrder): CellValue[] {
  const { order_id, external_order_ref, status, attempts, next_attempt_at, delivery_id, reason } = order;
  return ['order', order_id, status, external_order_ref, attempts, next_attempt_at, delivery_id, reason];
}

/** Each outcome has its own character, so that the bar is readable without color. */
const outcomeSigns: Readonly<Record<PlotCharset, Readonly<Record<Outcome, string>>>> = {
  blocks: { dispatched: '█', unfulfilled: '▒', failed: '×', canceled: '–', pending: '·' },
  ascii: { dispatched: '#', unfulfilled: 'u', failed: 'x', canceled: '-', pending: '.' },
};

/** Longer lines show no more; on shorter ones the parts cannot be distinguished. */
const max_plot_columns = 60;
const min_plot_columns = 10;

/**
 * Draws the outcomes of a batch as a proportional bar of at most `room` columns; returns null if that is too narrow.
 */
export function batchPlot(
  { counts }: Pick<Batch, 'counts'>,
  room: number,
  plotCharset: PlotCharset | null,
): string | null {
  const parts = outcomeCounts(counts);
  if (plotCharset === null || room < min_plot_columns || parts.length === 0) return null;
  const lengths = shareColumns(
    Math.min(room, max_plot_columns),
    parts.map(({ count }) => count),
  );
  return parts.map(({ name }, index) => outcomeSigns[plotCharset][name].repeat(lengths[index] ?? 0)).join('');
}
