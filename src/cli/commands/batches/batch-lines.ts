import type { Batch, BatchOrder, BatchSummary } from '../../../contract/batches.ts';
import { outcomes } from '../../../contract/vocabulary.ts';
import { alignedRows } from '../../kit/output/rows.ts';
import type { CellValue, Show, StreamLine } from '../../kit/result/result.ts';
import { max_listed_orders, orderLines, orderRow } from './batch-text.ts';
import { countsText, isLost } from './counts.ts';

/** Formats the changes of a batch as a line. */
export function batchLine(before: Batch | null, batch: Batch): readonly StreamLine[] {
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
export function summaryLine(before: BatchSummary | null, batch: BatchSummary): StreamLine {
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
