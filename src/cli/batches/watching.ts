import type { Batch, BatchOrder } from '../../contract/batches.ts';
import type { Context } from '../context.ts';
import type { Invocation } from '../kit/output/invocation.ts';
import { remarksFor } from '../kit/polling/hints.ts';
import { alignedRows } from '../output/rows.ts';
import type { CellValue, Show, StreamLine, StreamResult } from '../result.ts';
import { goingOn } from '../waiting/wait.ts';
import type { Waiting } from '../waiting/waiting-flags.ts';
import { ranOut } from './awaiting.ts';
import { fewOrders, orderLines, orderRow } from './batch-text.ts';
import { batchLooks } from './batch-waitable.ts';
import { countsText, endingOf, isLost } from './counts.ts';
import { type BatchGoal, isReached, lostEarly, lostOrder } from './goals.ts';

/** How a batch is watched. */
export interface Watching {
  goal: BatchGoal;
  waiting: Waiting;
  /** The command that goes on. */
  again: Invocation;
  /** Whether it matters that all of it is dispatched; not where somebody has just canceled it. */
  isJudged: boolean;
}

/**
 * A batch as it changes, until it is complete, or has an order at which watching is given up: exit 9 there and where
 * none was dispatched, 10 where some were not, 8 when time ran out.
 */
export function watchBatch(context: Context, first: Batch, watching: Watching): StreamResult {
  return { kind: 'stream', lines: lines(context, first, watching) };
}

async function* lines(
  context: Context,
  first: Batch,
  { goal, waiting, again, isJudged }: Watching,
): AsyncGenerator<StreamLine> {
  let before: Batch | null = null;
  const remarks = remarksFor(context, { note: context.note, isEndless: waiting.timeout_ms === undefined });
  for await (const batch of batchLooks(context, first, { ...waiting, remarks })) {
    const isTold = before === null ? !waiting.changesOnly : JSON.stringify(before) !== JSON.stringify(batch);
    if (isTold) yield lineOf(before, batch);
    before = batch;
    const lost = lostOrder(batch, goal);
    if (lost !== undefined) throw lostEarly(lost, {});
    if (isReached(batch, goal)) break;
  }
  const last = before ?? first;
  if (!isReached(last, goal)) throw ranOut(last, waiting.timeout_ms ?? 0, goingOn(remarks, [again]));
  const ending = isJudged && last.status === 'complete' ? endingOf(last) : null;
  if (ending !== null) throw ending;
}

function lineOf(before: Batch | null, batch: Batch): StreamLine {
  const changed = changedOrders(before, batch);
  return {
    data: { type: typeOf(before, batch), ...batch },
    line: (show) => lookText(before, batch, changed, show),
    rows: [...changed.map(orderRow), countsRow(batch)],
  };
}

function typeOf(before: Batch | null, { status }: Batch): string {
  if (before === null) return 'batch.current';
  return status === 'complete' ? 'batch.completed' : 'batch.updated';
}

/** The orders of which there is something new to say; at the first look, those that were tried. */
function changedOrders(before: Batch | null, { orders }: Batch): BatchOrder[] {
  const known = new Map((before?.orders ?? []).map((order) => [order.order_id, JSON.stringify(order)]));
  return orders.filter((order) =>
    before === null ? order.attempts > 0 : known.get(order.order_id) !== JSON.stringify(order),
  );
}

function lookText(
  before: Batch | null,
  batch: Batch,
  changed: readonly BatchOrder[],
  show: Show,
): string | null {
  const known = new Map((before?.orders ?? []).map((order) => [order.order_id, order]));
  const told = changed.filter((order) => isTold(known.get(order.order_id) ?? null, order, batch));
  const isCounted = before === null || countsText(before) !== countsText(batch);
  if (told.length === 0 && !isCounted) return null;
  const time = { text: show.clock(new Date(show.now).toISOString()), paint: show.dim };
  const counts = alignedRows([[time, { text: countsText(batch) }]], { room: show.room, indent: 0 });
  return [...counts, ...orderLines(told, show)].join('\n');
}

/** What is lost is told; of few orders also what is dispatched, and why another is not yet, where that is new. */
function isTold(before: BatchOrder | null, order: BatchOrder, { order_count }: Batch): boolean {
  if (isLost(order)) return before?.status !== order.status;
  if (order_count > fewOrders) return false;
  if (order.status === 'dispatched') return before?.status !== order.status;
  return order.next_attempt_at !== null && order.reason !== '' && order.reason !== before?.reason;
}

function countsRow({ batch_id, status, order_count, counts }: Batch): CellValue[] {
  return ['batch', batch_id, status, order_count, ...Object.values(counts)];
}
