import { records } from '../../../../client/pages.ts';
import type { BatchCounts, BatchSummary } from '../../../../contract/batches.ts';
import { outcomes } from '../../../../contract/vocabulary.ts';
import { BadOutcome, type FailureDetails } from '../../../kit/errors/failure.ts';
import { type Invocation, invocation, phrase } from '../../../kit/result/message.ts';
import type { Result } from '../../../kit/result/result.ts';
import { countsText, getBatch, partsText } from '../../../nouns/batch.ts';
import { type BatchTarget, batchEvents, batchTimeout } from '../../../nouns/batch-waiting.ts';
import type { Context } from '../../../session/command.ts';
import { type Awaitable, waitFor } from '../../../waiting/service-waiting.ts';

/** The options of the wait for an import's batches. */
export interface ImportWait {
  fail_on: BatchTarget['fail_on'];
  /** By default, as long as the attempts can take. */
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
  /** The command that resumes the wait. */
  again: Invocation;
  /** The result with the counts so far. */
  answer(counts: BatchCounts): Result;
}

/**
 * Waits until every batch of an import is complete and returns the outcomes. Exit 9 as soon as an order ends with a
 * `fail_on` status, 8 after the timeout; the service continues in any case.
 */
export async function waitForBatches(
  context: Context,
  ids: readonly [string, ...string[]],
  { fail_on, timeout_ms, interval_ms, again, answer }: ImportWait,
): Promise<BatchCounts> {
  const { settings } = await getBatch(context, ids[0]);
  const poll = createBatchesPoll(context, ids);
  const first = await poll();
  const waitable: Awaitable<Seen> = {
    first,
    poll,
    test_mode: first[0]?.test_mode ?? true,
    events: { ...batchEvents, isAbout: isAnyOf(ids) },
    isUnchanged: (before, seen) => JSON.stringify(before) === JSON.stringify(seen),
    reached: (seen) => seen.every(({ status }) => status === 'complete'),
    failed: (seen, details) => {
      const [lost] = seen.flatMap((batch) => lostIn(batch, fail_on, details) ?? []);
      return lost ?? null;
    },
    interruptionText: (seen) =>
      phrase`Auto dispatch continues: ${countsText(totalOf(seen))}. Resume waiting: ${again}`,
    status: (seen) => countsText(totalOf(seen)),
    progress: (seen) => countsText(totalOf(seen)),
    answer: (seen) => answer(totalOf(seen).counts),
  };
  const last = await waitFor(context, waitable, {
    timeout_ms: timeout_ms ?? batchTimeout(settings),
    interval_ms,
    again: () => [again],
  });
  return totalOf(last).counts;
}

type Seen = readonly BatchSummary[];

/** Polls the processing batches in one list, and gets each of the others once it is complete. */
function createBatchesPoll(context: Context, ids: readonly string[]): () => Promise<Seen> {
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
    const { orders: _, ...batch } = await getBatch(context, id);
    if (batch.status === 'complete') complete.set(id, batch);
    return batch;
  }
}

function isAnyOf(ids: readonly string[]): (data: Readonly<Record<string, unknown>>) => boolean {
  const known = new Set<unknown>(ids);
  return ({ batch_id }) => known.has(batch_id);
}

function lostIn(
  batch: BatchSummary,
  fail_on: BatchTarget['fail_on'],
  details: FailureDetails,
): BadOutcome | null {
  const lost = fail_on.find((name) => batch.counts[name] > 0);
  if (lost === undefined) return null;
  return new BadOutcome(
    `In ${batch.batch_id} there is an order that is ${lost}: ${partsText(batch.counts)}.`,
    {
      code: `order_${lost}`,
      hint: 'The other orders go on.',
      next: [{ ...invocation('batches get', [batch.batch_id]), when: 'see the outcome of each order' }],
      ...details,
    },
  );
}

function totalOf(seen: Seen): { order_count: number; counts: BatchCounts } {
  const counts = { pending: 0, dispatched: 0, unfulfilled: 0, failed: 0, canceled: 0 };
  for (const batch of seen) for (const name of outcomes) counts[name] += batch.counts[name];
  return { order_count: Object.values(counts).reduce((sum, count) => sum + count, 0), counts };
}
