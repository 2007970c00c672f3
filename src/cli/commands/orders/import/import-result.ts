import { createReadStream } from 'node:fs';
import { records } from '../../../../client/pages.ts';
import type { BatchCounts, BatchSummary } from '../../../../contract/batches.ts';
import { outcomes } from '../../../../contract/vocabulary.ts';
import { BadOutcome, Failure, type FailureDetails } from '../../../kit/errors/failure.ts';
import { type Invocation, invocation, phrase } from '../../../kit/result/message.ts';
import { type Column, document, type Result, record } from '../../../kit/result/result.ts';
import { countsText, getBatch, partsText } from '../../../nouns/batch.ts';
import { type BatchTarget, batchEvents, batchTimeout } from '../../../nouns/batch-waiting.ts';
import type { Context } from '../../../session/command.ts';
import { type Awaitable, waitFor } from '../../../waiting/service-waiting.ts';
import { type JournalState, settledChunks, totalsOf } from './journal.ts';
import { counted } from './progress-text.ts';
import { recordsIn } from './reading/csv.ts';
import { importLine, type Source } from './source.ts';

/** What an import has made: its summary, the wait for the outcomes of its batches, and the answer at its end. */

/** The result of an import. */
export interface Summary {
  object: 'import';
  file: string;
  rows: number;
  made: number;
  failed: number;
  mode: 'test' | 'live';
  batch_ids: string[];
  /** The outcomes in the batches, if they were waited for. */
  counts?: BatchCounts;
  ok_file: string;
  /** Null if no row failed. */
  failed_file: string | null;
  journal_file: string;
}

const summaryColumns: readonly Column<Summary>[] = [
  { field: 'file', header: 'File', kind: 'text' },
  { field: 'rows', header: 'Rows', kind: 'count' },
  { field: 'made', header: 'Created', kind: 'count' },
  { field: 'failed', header: 'Failed', kind: 'count' },
  {
    field: 'batches',
    header: 'Batches',
    kind: 'count',
    value: ({ batch_ids }) => (batch_ids.length === 0 ? null : batch_ids.length),
  },
  {
    field: 'counts',
    header: 'Result',
    kind: 'text',
    value: ({ counts }) => (counts === undefined ? null : partsText(counts)),
  },
  { field: 'mode', header: 'Mode', kind: 'text' },
  { field: 'ok_file', header: 'Created orders', kind: 'text' },
  { field: 'failed_file', header: 'Failed rows', kind: 'text' },
  { field: 'journal_file', header: 'Journal', kind: 'text' },
];

/** The result of an import, and its source. */
export interface Imported {
  summary: Summary;
  source: Source;
  isAuto: boolean;
}

export function importedOf(state: JournalState, source: Source): Imported {
  return { summary: summaryOf(state, source), source, isAuto: state.header.settings !== null };
}

function summaryOf(state: JournalState, { name, files }: Source): Summary {
  const { made, failed } = totalsOf(state);
  return {
    object: 'import',
    file: name,
    rows: state.header.file.rows,
    made,
    failed,
    mode: state.header.place.mode,
    batch_ids: settledChunks(state).flatMap(({ batch_id }) => batch_id ?? []),
    ok_file: files.ok,
    failed_file: failed === 0 ? null : files.failed,
    journal_file: files.journal,
  };
}

/** Shows the summary. */
function summaryShown({ output }: Pick<Context, 'output'>, summary: Summary): Result {
  return output.json ? document(summary) : record(summary, summaryColumns);
}

/** How to wait for the batches of an import. */
export interface ImportWait {
  fail_on: BatchTarget['fail_on'];
  /** By default, as long as the attempts can take. */
  timeout_ms: number | undefined;
  interval_ms: number | undefined;
}

/** Waits until every batch is complete, if requested. */
export async function waitForDispatches(
  context: Context,
  imported: Imported,
  wait: ImportWait | null,
): Promise<Imported> {
  const { summary, source } = imported;
  const [first, ...others] = summary.batch_ids;
  if (wait === null || first === undefined) return imported;
  const withCounts = (counts: Summary['counts']) => ({ ...summary, ...(counts && { counts }) });
  const counts = await waitForBatches(context, [first, ...others], wait, {
    again: importLine(source, { resume: true }),
    answer: (so_far) => summaryShown(context, withCounts(so_far)),
  });
  return { ...imported, summary: withCounts(counts) };
}

/**
 * Waits until every batch of an import is complete and returns the outcomes. Exit 9 as soon as an order ends with a
 * `fail_on` status, 8 after the timeout; the service continues in any case. `again` resumes the wait, and `answer` is the
 * result with the counts so far.
 */
async function waitForBatches(
  context: Context,
  ids: readonly [string, ...string[]],
  { fail_on, timeout_ms, interval_ms }: ImportWait,
  { again, answer }: { again: Invocation; answer: (counts: BatchCounts) => Result },
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

/**
 * The result of a finished import; Failure with exit 10 if some rows failed or some orders were not dispatched, and
 * with exit 9 if none was.
 */
export async function importResult(context: Context, { summary, source, isAuto }: Imported): Promise<Result> {
  const list = isAuto ? invocation('batches list') : invocation('orders list', [], { status: 'open' });
  const next = { ...list, when: 'see the created orders' };
  const shown = summaryShown(context, summary);
  if (summary.failed === 0) {
    const undispatched = undispatchedOf(summary, shown);
    if (undispatched !== null) throw undispatched;
    return { ...shown, notes: [phrase`Next: ${list}`] };
  }
  const what =
    summary.failed === 1
      ? 'One order was'
      : `${counted(summary.failed)} of ${counted(summary.rows)} orders were`;
  throw new Failure(10, 'rows_failed', `${what} not created.`, {
    answer: shown,
    why: (await firstReasons(summary.failed_file ?? '')).join('\n'),
    hint: `Correct ${summary.failed_file}, which has the reason of each row, and import that file.`,
    next: [{ ...failedLine(source), when: 'once it is corrected' }, next],
  });
}

/** After a wait for the batches: null if all orders were dispatched. */
function undispatchedOf({ counts, batch_ids }: Summary, answer: Result): Failure | null {
  const lost = counts === undefined ? '' : partsText({ ...counts, dispatched: 0, pending: 0 });
  if (counts === undefined || lost === '') return null;
  const [batch = ''] = batch_ids;
  const line = batch_ids.length === 1 ? invocation('batches get', [batch]) : invocation('batches list');
  const details = { answer, next: [{ ...line, when: 'see their outcome' }] };
  if (counts.dispatched > 0)
    return new Failure(10, 'batch_partly_dispatched', `Some orders were not dispatched: ${lost}.`, details);
  return new BadOutcome(`None of the orders was dispatched: ${lost}.`, {
    code: 'batch_not_dispatched',
    ...details,
  });
}

/** The command that imports the failed rows. Their file is CSV for every source format. */
function failedLine({ name, typed }: Source): Invocation {
  const { format: _, ...others } = typed;
  return importLine({ name: `${name}.failed.csv`, typed: others });
}

const max_shown = 3;

/** The reasons of the first failed rows, with their lines: `line 2, dropoff_address: ...`. Empty if they are unreadable. */
async function firstReasons(failed_file: string): Promise<string[]> {
  const found: string[] = [];
  try {
    let names: readonly string[] | null = null;
    for await (const { cells } of recordsIn(createReadStream(failed_file, 'utf8'), failed_file)) {
      if (names === null) names = cells;
      else found.push(`line ${cells[names.indexOf('line')]}, ${cells[names.indexOf('error')]}`);
      if (found.length === max_shown) break;
    }
  } catch {
    // The hint names the file.
  }
  return found;
}
