import { records } from '../../client/pages.ts';
import type { BatchCounts, BatchSummary } from '../../contract/batches.ts';
import { outcomes } from '../../contract/vocabulary.ts';
import { patienceFor } from '../batches/awaiting.ts';
import { toldOfBatches } from '../batches/batch-waitable.ts';
import { countsText, partsText } from '../batches/counts.ts';
import type { BatchGoal } from '../batches/goals.ts';
import { lookAtBatch } from '../batches/look.ts';
import type { Context } from '../context.ts';
import { BadOutcome, StillPending } from '../failures/failure.ts';
import type { Invocation } from '../kit/output/invocation.ts';
import { invocation } from '../kit/output/invocation.ts';
import { phrase } from '../kit/output/message.ts';
import type { Remarks } from '../kit/polling/hints.ts';
import { looksOf } from '../kit/polling/waitable.ts';
import { durationText } from '../line/flags.ts';
import type { Result } from '../result.ts';
import { awaited, goingOn } from '../waiting/wait.ts';

/** How the batches of an import are waited for. */
export interface ImportWait {
  fail_on: BatchGoal['fail_on'];
  /** Without it, as long as their tries can take. */
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
  /** The command that waits on. */
  again: Invocation;
  /** The answer where it is not settled, with the counts so far. */
  shown(counts: BatchCounts): Result | undefined;
}

/**
 * Waits until every batch of an import is complete, and gives what became of the orders. Exit 9 at once where an order
 * ended as `fail_on` says, 8 when time ran out; the service goes on in any case.
 */
export async function awaitBatches(
  context: Context,
  ids: readonly [string, ...string[]],
  wait: ImportWait,
): Promise<BatchCounts> {
  const look = lookerAt(context, ids);
  const { settings } = await lookAtBatch(context, ids[0]);
  const { timeout_ms = patienceFor(settings), interval_ms, fail_on, again } = wait;
  const answerOf = (seen: Seen) => {
    const answer = wait.shown(totalOf(seen).counts);
    return answer === undefined ? {} : { answer };
  };
  const first = await look();
  const looks = (remarks: Remarks) => {
    const told = { ...toldOfBatches, isAbout: isAnyOf(ids) };
    const standing = (seen: Seen) =>
      phrase`Auto dispatch goes on: ${countsText(totalOf(seen))}. Wait on with: ${again}`;
    const isSame = (before: Seen, after: Seen) => JSON.stringify(before) === JSON.stringify(after);
    const subject = { first, look, told, standing, isSame, test_mode: isTest(first), idle: () => null };
    return looksOf(context, subject, { timeout_ms, interval_ms, remarks });
  };
  const { last, isSettled, remarks } = await awaited<Seen>(context, {
    ...{ first, looks, text: (seen) => countsText(totalOf(seen)) },
    isSettled: (seen) => {
      for (const batch of seen) checkLost(batch, fail_on, answerOf(seen));
      return seen.every(({ status }) => status === 'complete');
    },
  });
  if (isSettled) return totalOf(last).counts;
  const message = `Time ran out after ${durationText(timeout_ms)}: ${countsText(totalOf(last))}.`;
  throw new StillPending(message, { ...goingOn(remarks, [again]), ...answerOf(last) });
}

type Seen = readonly BatchSummary[];

/** Looks at those that are under way in one list, and at each of the others once. */
function lookerAt(context: Context, ids: readonly string[]): () => Promise<Seen> {
  const complete = new Map<string, BatchSummary>();
  return async () => {
    const client = await context.client();
    const query = { status: 'processing', limit: 100 } as const;
    const open = new Map<string, BatchSummary>();
    for await (const batch of records(client.batches.list, query)) open.set(batch.batch_id, batch);
    const seen: BatchSummary[] = [];
    for (const id of ids) seen.push(complete.get(id) ?? open.get(id) ?? (await settled(id)));
    return seen;
  };
  async function settled(id: string): Promise<BatchSummary> {
    const { orders: _, ...batch } = await lookAtBatch(context, id);
    if (batch.status === 'complete') complete.set(id, batch);
    return batch;
  }
}

function isAnyOf(ids: readonly string[]): (data: Readonly<Record<string, unknown>>) => boolean {
  const known = new Set<unknown>(ids);
  return ({ batch_id }) => known.has(batch_id);
}

function isTest([first]: Seen): boolean {
  return first?.test_mode ?? true;
}

function checkLost(batch: BatchSummary, fail_on: BatchGoal['fail_on'], details: { answer?: Result }): void {
  const lost = fail_on.find((name) => batch.counts[name] > 0);
  if (lost === undefined) return;
  throw new BadOutcome(
    `In ${batch.batch_id} there is an order that is ${lost}: ${partsText(batch.counts)}.`,
    {
      code: `order_${lost}`,
      hint: 'The other orders go on.',
      next: [{ ...invocation('batches get', [batch.batch_id]), when: 'see what became of each' }],
      ...details,
    },
  );
}

function totalOf(seen: Seen): { order_count: number; counts: BatchCounts } {
  const counts = { pending: 0, dispatched: 0, unfulfilled: 0, failed: 0, canceled: 0 };
  for (const batch of seen) for (const name of outcomes) counts[name] += batch.counts[name];
  return { order_count: Object.values(counts).reduce((sum, count) => sum + count, 0), counts };
}
