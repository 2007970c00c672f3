import { createReadStream } from 'node:fs';
import { records } from '../../../../client/pages.ts';
import type { BatchCounts, BatchSummary } from '../../../../contract/batches.ts';
import { outcomes } from '../../../../contract/vocabulary.ts';
import { exits } from '../../../errors/error-codes.ts';
import { reportOf } from '../../../errors/error-report.ts';
import { BadOutcome, Failure, type FailureDetails, Interrupted } from '../../../kit/errors/failure.ts';
import { type Invocation, invocation, phrase, type Text } from '../../../kit/result/message.ts';
import { type Column, documentResult, type Result, recordResult } from '../../../kit/result/result.ts';
import { countsText, getBatch, partsText } from '../../../nouns/batch.ts';
import { type BatchTarget, batchEvents, batchTimeout } from '../../../nouns/batch-waiting.ts';
import type { Context } from '../../../session/command.ts';
import { type Awaitable, waitFor } from '../../../waiting/service-waiting.ts';
import { changedFile, chunksIn, collectIds, isWholeRefusal, sendChunks } from './chunks.ts';
import {
  createCsvFile,
  createTally,
  failedCells,
  failedHeader,
  type ImportFiles,
  importLine,
  removeFile,
  type Source,
} from './files.ts';
import { hasMade, type Journal, type JournalState, rowsOf, settledChunks, totalsOf } from './journal.ts';
import { counted, countOf, meterOn, paceText } from './progress-text.ts';
import { recordsIn } from './reading/open-table.ts';

/** An import once it has a journal: its rows are sent, its result is written, its batches are waited for. */

interface Transfer {
  journal: Journal;
  source: Source;
  concurrency: number;
  /** Undoes the start of a new import; null for a resumed one. */
  undo: (() => void) | null;
}

/** Sends the remaining rows, writes the result files, and returns the summary. */
export async function transfer(context: Context, parts: Transfer): Promise<Imported> {
  const { journal, source } = parts;
  if (!journal.state.isFinished) await sendRest(context, parts);
  else if (!context.output.json) context.note('This import was already finished. Its result:');
  await keepResults(context, journal, source);
  return importedOf(journal.state, source);
}

async function keepResults(context: Context, journal: Journal, source: Source): Promise<void> {
  const { state } = journal;
  try {
    await writeResults(journal, source.files);
    if (state.isFinished) return;
    journal.append({ type: 'finished', ...totalsOf(state), at: context.now() });
    await journal.keep();
  } catch (error) {
    throw stoppedFailure(error, state, source);
  }
}

/** Sends everything, then gets the IDs that auto dispatch does not respond with. Stops on an interruption. */
async function sendRest(context: Context, parts: Transfer): Promise<void> {
  const { signal } = context;
  const { source, undo } = parts;
  const { state } = parts.journal;
  try {
    await send(context, parts);
    if (!signal.aborted && state.open.size > 0) await collect(context, parts);
  } catch (error) {
    if (undo !== null && isWholeRefusal(error) && !hasMade(state)) {
      undo();
      throw error;
    }
    if (!signal.aborted) throw stoppedFailure(error, state, source);
  }
  if (signal.aborted && (state.open.size > 0 || rowsOf(state) < state.header.file.rows))
    throw new Interrupted();
}

/** Explains why the import stopped, with the command that resumes it. */
function stoppedFailure(error: unknown, state: JournalState, source: Source): Failure {
  const { exit, code, message, hint } = reportOf(error);
  const known = exits.find((each) => each.code === exit)?.code ?? 1;
  return new Failure(known, code, phrase`${message}\n${settledText(state)}.`, {
    ...(hint === null ? {} : { hint }),
    next: [{ ...importLine(source, { resume: true }), when: 'go on, nothing is made twice' }],
    cause: error,
  });
}

/** Writes the outcome of every row in file order, as recorded in the journal. */
async function writeResults(journal: Journal, { ok, failed }: ImportFiles): Promise<void> {
  const { state } = journal;
  const { columns } = state.header.file;
  const made = createCsvFile(ok, ['line', 'external_order_ref', 'order_id', 'batch_id']);
  const others = totalsOf(state).failed === 0 ? null : createCsvFile(failed, failedHeader(columns));
  for (const { span } of settledChunks(state)) {
    const done = journal.read(span);
    await made.write(...done.made.map(({ line, ref, order_id }) => [line, ref, order_id, done.batch_id]));
    await others?.write(...done.failed.map((row) => failedCells(columns, row)));
  }
  await made.keep();
  if (others === null) removeFile(failed);
  else await others.keep();
}

/** Sends the rows that are not sent yet. */
function send(context: Context, parts: Transfer): Promise<void> {
  const { state } = parts.journal;
  const total = state.header.file.rows;
  const [before, started_at, { columns }] = [rowsOf(state), context.now(), context.host.stderr];
  const text = (done: number) => paceText(done, { before, total, started_at, columns }, context.now());
  return runPass(context, parts, { work: sendChunks, before, text });
}

/** Gets the IDs of the orders that auto dispatch accepted. */
function collect(context: Context, parts: Transfer): Promise<void> {
  const { state } = parts.journal;
  const { made, failed } = totalsOf(state);
  const total = state.header.file.rows;
  const text = (done: number) =>
    `Sent ${countOf(total, 'row')}; ids of the orders: ${counted(done)} of ${counted(total)}`;
  return runPass(context, parts, { work: collectIds, before: made + failed, text });
}

/** A pass over the file and its progress. */
interface Pass {
  work: typeof sendChunks;
  /** The rows that were done before. */
  before: number;
  text(done: number): string;
}

async function runPass(
  context: Context,
  { journal, source, concurrency }: Transfer,
  { work, before, text }: Pass,
): Promise<void> {
  const { signal, now } = context;
  const { header } = journal.state;
  const client = await context.client();
  const meter = await meterOn(context, { total: header.file.rows, before, text });
  const stopping = () => {
    meter.stop();
    context.warn('Stopping: waiting a few seconds for requests in progress.');
  };
  const settled = (rows: number) => {
    context.setInterruptionText(interruptionText(journal.state, source));
    meter.step(rows);
  };
  settled(0);
  signal.addEventListener('abort', stopping, { once: true });
  try {
    const tally = createTally();
    const chunks = chunksIn(source, header, tally);
    await work(chunks, { client, journal, concurrency, now, turn: turning(context), signal, settled });
    if (!signal.aborted && tally.sha256() !== header.file.sha256) throw changedFile('it ends in another way');
  } finally {
    signal.removeEventListener('abort', stopping);
    meter.stop();
  }
}

/** The longest time without handling signals. */
const deaf_ms = 50;

/**
 * The embedded service responds without returning to the event loop: signals and the progress bar would have to wait.
 */
function turning({ host }: Context): () => Promise<void> {
  let turned_at = host.now();
  return async () => {
    if (host.now() - turned_at < deaf_ms) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    host.timer(0, resolve);
    await promise;
    turned_at = host.now();
  };
}

function interruptionText(state: JournalState, source: Source): Text {
  const [done, total] = [rowsOf(state), state.header.file.rows];
  const line = importLine(source, { resume: true });
  if (done === total)
    return phrase`All ${countOf(total, 'row')} are settled. See their outcome with: ${line}`;
  return phrase`${settledText(state)}; others may be in progress. Continue with: ${line}`;
}

/** `3 of 5 rows are settled` */
function settledText(state: JournalState): string {
  return `${counted(rowsOf(state))} of ${countOf(state.header.file.rows, 'row')} are settled`;
}

/** The result of an import. */
interface Summary {
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

function importedOf(state: JournalState, source: Source): Imported {
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
  return output.json ? documentResult(summary) : recordResult(summary, summaryColumns);
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
