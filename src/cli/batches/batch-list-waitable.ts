import type { BatchSummary } from '../../contract/batches.ts';
import type { BatchStatus } from '../../contract/vocabulary.ts';
import type { Context } from '../context.ts';
import { invocation } from '../kit/output/invocation.ts';
import { alignedRows } from '../output/rows.ts';
import type { Show, StreamLine, StreamResult } from '../result.ts';
import { watchList } from '../waiting/list-waitable.ts';
import type { Waiting } from '../waiting/waiting-flags.ts';
import { toldOfBatches } from './batch-waitable.ts';
import { countsText } from './counts.ts';
import { lookAtBatch } from './look.ts';

/** Which batches are followed: the newest. */
export interface Listed {
  status: BatchStatus | undefined;
  limit: number;
}

/** The batches of a list as they change, until none of them is processing: exit 8 when time ran out before. */
export function watchBatches(context: Context, listed: Listed, waiting: Waiting): StreamResult {
  const { status } = listed;
  const parts = {
    list: async () => {
      const client = await context.client();
      return (await client.batches.list({ query: { ...listed } })).data.data;
    },
    look: async (id: string) => {
      const { orders: _, ...summary } = await lookAtBatch(context, id);
      return summary;
    },
    idOf: ({ batch_id }: BatchSummary) => batch_id,
    isOpen: (batch: BatchSummary) => batch.status === 'processing',
    isKept: (batch: BatchSummary) => status === undefined || batch.status === status,
    isSame: (before: BatchSummary, after: BatchSummary) => JSON.stringify(before) === JSON.stringify(after),
    ...{
      lineOf,
      told: toldOfBatches,
      command: invocation('batches list'),
      filters: { status },
      left: 'processing',
    },
  };
  return watchList(context, parts, waiting);
}

function lineOf(before: BatchSummary | null, batch: BatchSummary): StreamLine {
  const { batch_id, status, order_count, counts } = batch;
  const changed = status === 'complete' ? 'batch.completed' : 'batch.updated';
  return {
    data: { type: before === null ? 'batch.current' : changed, ...batch },
    line: (show) => lineText(batch, show),
    rows: [['batch', batch_id, status, order_count, ...Object.values(counts)]],
  };
}

/** As wide as the longest status, so that lines that come one by one stand below each other. */
const statusWidth = 'processing'.length;

function lineText(batch: BatchSummary, show: Show): string {
  const cells = [
    { text: show.clock(new Date(show.now).toISOString()), paint: show.dim },
    { text: batch.batch_id },
    { text: batch.status, paint: show.status, width: statusWidth },
    { text: countsText(batch) },
  ];
  return alignedRows([cells], { room: show.room, indent: 0 }).join('\n');
}
