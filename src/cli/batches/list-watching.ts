import type { BatchSummary } from '../../contract/batches.ts';
import type { BatchStatus } from '../../contract/vocabulary.ts';
import type { Context } from '../context.ts';
import { StillPending } from '../failures/failure.ts';
import { looksOf } from '../following/looks.ts';
import { remarksFor } from '../following/remarks.ts';
import { commandLine } from '../line/command-line.ts';
import { durationText } from '../line/flags.ts';
import { alignedRows } from '../output/rows.ts';
import type { Show, StreamLine, StreamResult } from '../result.ts';
import { countsText } from './counts.ts';
import { toldOfBatches } from './following.ts';
import { lookAtBatch } from './look.ts';

/** Which batches are followed: the newest. */
export interface Listed {
  status: BatchStatus | undefined;
  limit: number;
}

/** The batches of a list as they change, until none of them is processing: exit 8 when time ran out before. */
export function watchBatches(context: Context, listed: Listed, timeout_ms: number | undefined): StreamResult {
  return { kind: 'stream', lines: lines(context, listed, timeout_ms) };
}

async function* lines(
  context: Context,
  listed: Listed,
  timeout_ms: number | undefined,
): AsyncGenerator<StreamLine> {
  const known = new Map<string, BatchSummary>();
  const remarks = remarksFor(context, { note: context.note, isEndless: timeout_ms === undefined });
  const first = await batchesNow(context, listed, known);
  const subject = {
    first,
    test_mode: first[0]?.test_mode ?? true,
    look: () => batchesNow(context, listed, known),
    told: toldOfBatches,
    standing: standingText,
    isSame: (before: BatchSummary[], after: BatchSummary[]) =>
      JSON.stringify(before) === JSON.stringify(after),
    idle: () => null,
  };
  for await (const batches of looksOf(context, subject, { timeout_ms, remarks })) {
    for (const batch of batches.toReversed()) {
      const before = known.get(batch.batch_id) ?? null;
      if (JSON.stringify(before) !== JSON.stringify(batch)) yield lineOf(before, batch);
      known.set(batch.batch_id, batch);
    }
    if (processing(batches).length === 0) return;
  }
  const left = processing([...known.values()]);
  const goOn = { command: commandLine(['batches', 'list'], { watch: true }), when: 'go on waiting' };
  const { next, ...hint } = remarks.details();
  const ids = left.map(({ batch_id }) => batch_id).join(', ');
  const verb = left.length === 1 ? 'is' : 'are';
  const message = `Time ran out after ${durationText(timeout_ms ?? 0)}: ${ids} ${verb} still processing.`;
  throw new StillPending(message, { ...hint, next: [...next, goOn] });
}

function processing(batches: readonly BatchSummary[]): BatchSummary[] {
  return batches.filter(({ status }) => status === 'processing');
}

function standingText(): string {
  const command = commandLine(['batches', 'list'], { status: 'processing' });
  return `Nothing is changed by watching. What is still processing is told by: ${command}`;
}

/** The list, and those that were processing and have left it since: a filter does not hide how they ended. */
async function batchesNow(
  context: Context,
  listed: Listed,
  known: ReadonlyMap<string, BatchSummary>,
): Promise<BatchSummary[]> {
  const client = await context.client();
  const { data } = (await client.batches.list({ query: { ...listed } })).data;
  const ids = new Set(data.map(({ batch_id }) => batch_id));
  const gone = processing([...known.values()]).filter(({ batch_id }) => !ids.has(batch_id));
  const ended: BatchSummary[] = [];
  for (const { batch_id } of gone) {
    const { orders: _, ...summary } = await lookAtBatch(context, batch_id);
    ended.push(summary);
  }
  return [...data, ...ended];
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
