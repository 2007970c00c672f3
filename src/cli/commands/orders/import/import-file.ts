import { existsSync } from 'node:fs';
import { records } from '../../../../client/pages.ts';
import type { BatchCounts, BatchSummary } from '../../../../contract/batches.ts';
import { outcomes } from '../../../../contract/vocabulary.ts';
import type { Gazetteer } from '../../../../domain/locate-address.ts';
import { BadOutcome, Failure, type FailureDetails } from '../../../kit/errors/failure.ts';
import { invocation, phrase } from '../../../kit/result/message.ts';
import type { Result } from '../../../kit/result/result.ts';
import { type FileLock, takeLock } from '../../../kit/system/files.ts';
import {
  type BatchTarget,
  batchEvents,
  batchTimeout,
  countsText,
  getBatch,
  partsText,
} from '../../../nouns/batch.ts';
import type { Context } from '../../../session/command.ts';
import { type Awaitable, waitFor } from '../../../waiting/service-waiting.ts';
import { checkFile, createPlaceWarnings, noteIgnored } from './check-file.ts';
import {
  destinationOf,
  type ImportRequest,
  type ImportWait,
  removeOldFaults,
  startedOrResumed,
} from './resume.ts';
import { filesOf, type ImportFiles, importLine, type Source, unwritable } from './source.ts';
import { type Imported, importResult, type Summary, summaryShown, validationResult } from './transfer.ts';

/** Imports a file of orders or resumes an import. */
export async function importOrders(context: Context, request: ImportRequest): Promise<Result> {
  const { source } = request;
  const files = filesOf(source.path);
  if (request.validateOnly) {
    const gazetteer = await gazetteerOf(context);
    const addresses = createPlaceWarnings(context);
    const { onOrder } = addresses;
    const checked = await checkFile(context, source, { files, now: null, gazetteer, onOrder });
    noteIgnored(context, checked);
    removeOldFaults(files);
    await addresses.warn();
    return validationResult(source, checked, { isStarted: existsSync(files.journal) });
  }
  // Connects before the file is checked: its times are compared with the service's.
  const client = await context.client();
  checkRepeatable(context);
  const account = await client.account.get();
  const destination = destinationOf(context, account.data);
  const now = account.service_time ?? context.now();
  const run = () =>
    startedOrResumed(context, request, { files, destination, now, tip_limit: account.data.tip_limit });
  // A dry run changes nothing on this machine either.
  const imported = await (context.globals.dryRun ? run() : locked(context, source, files, run));
  return importResult(context, await waitForDispatches(context, imported, request));
}

/** An interrupted import repeats requests: without idempotency keys, orders would be created twice. */
function checkRepeatable(context: Context): void {
  if (context.has('idempotency')) return;
  const create = invocation('orders create', ['--file', 'FILE', '--auto']);
  throw new Failure(6, 'not_supported', 'This service has no idempotency keys, which an import needs.', {
    hint: phrase`Up to 300 orders can be sent in one request: \`${create}\`.`,
    next: [{ ...create, when: 'send up to 300 orders in one request' }],
  });
}

/**
 * The tables of ZIP codes and cities by which a waybill service checks addresses, for `--validate-only`, which sends
 * nothing. Null for another service, recognized by its missing account information: it has rules of its own.
 */
async function gazetteerOf(context: Context): Promise<Gazetteer | null> {
  if (!context.has('account')) return null;
  const { readGazetteer } = await import('../../../../service/runtime/gazetteer.ts');
  return readGazetteer();
}

/** Waits until every batch is complete, if requested. */
async function waitForDispatches(
  context: Context,
  imported: Imported,
  { wait }: ImportRequest,
): Promise<Imported> {
  const { summary, source } = imported;
  const [first, ...others] = summary.batch_ids;
  if (wait === null || first === undefined) return imported;
  const withCounts = (counts: Summary['counts']) => ({ ...summary, ...(counts && { counts }) });
  const counts = await waitForBatches(context, [first, ...others], {
    ...wait,
    again: importLine(source, { resume: true }),
    answer: (so_far) => summaryShown(context, withCounts(so_far)),
  });
  return { ...imported, summary: withCounts(counts) };
}

/** Runs the import under its lock; an interruption waits for it, but not for long. */
async function locked<T>(
  context: Context,
  { name }: Source,
  files: ImportFiles,
  work: () => Promise<T>,
): Promise<T> {
  const lock = lockFile(files.lock, name);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  context.onStop(() => Promise.race([ended, briefly(context)]));
  try {
    return await work();
  } finally {
    lock.release();
    resolve();
  }
}

const grace_ms = 5_000;

function briefly({ host }: Context): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  host.timer(grace_ms, resolve);
  return promise;
}

/** Takes the lock of a file; exit 6 if another process has it. */
export function lockFile(path: string, name: string): FileLock {
  return takeLock(path, {
    busy: (holder) => busy(holder, name),
    unusable: (cause) => unwritable(path, cause),
  });
}

function busy(id: number | null, name: string): Failure {
  const who = id === null ? 'another process' : `process ${id}`;
  return new Failure(6, 'import_running', `${name} is being imported by ${who}.`, {
    hint: 'Wait until that has ended: nothing was sent by this one.',
  });
}

/**
 * Waits until every batch of an import is complete and returns the outcomes. Exit 9 as soon as an order ends with a
 * `fail_on` status, 8 after the timeout; the service continues in any case.
 */
async function waitForBatches(
  context: Context,
  ids: readonly [string, ...string[]],
  { fail_on, timeout_ms, interval_ms, again, answer }: ImportWait,
): Promise<BatchCounts> {
  const { settings } = await getBatch(context, ids[0]);
  const poll = createBatchesPoll(context, ids);
  const first = await poll();
  const waitable: Awaitable<Seen> = {
    ...{ first, poll, test_mode: first[0]?.test_mode ?? true },
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
    ...{ timeout_ms: timeout_ms ?? batchTimeout(settings), interval_ms, again: () => [again] },
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
