/** Finishes an import that has a journal: sends its rows, writes its result files, and shows its summary. */
import { createReadStream } from 'node:fs';
import { ApiError } from '../../../../client/errors.ts';
import type { BatchCounts } from '../../../../contract/batches.ts';
import type { OrderSettings } from '../../../../contract/orders.ts';
import { exits } from '../../../errors/error-codes.ts';
import { createErrorReport } from '../../../errors/error-report.ts';
import { BadOutcome, Failure, Interrupted } from '../../../kit/errors/failure.ts';
import { type Invocation, invocation, phrase, type Text } from '../../../kit/result/message.ts';
import { type Column, documentResult, type Result, recordResult } from '../../../kit/result/result.ts';
import { getBatch, outcomeCountsText } from '../../../nouns/batch.ts';
import { type BatchesWait, waitForBatches } from '../../../nouns/batch-waiting.ts';
import type { Context } from '../../../session/command.ts';
import type { AccountRecord } from './account.ts';
import {
  countSettledRows,
  hasMade,
  type Journal,
  type JournalState,
  rowsOf,
  settledChunks,
} from './journal.ts';
import { countText, createProgressMeter, formatNumber, paceText } from './progress.ts';
import { recordsIn } from './reading/csv-records.ts';
import {
  type createdAgainRecord,
  noneThere,
  type OrdersThere,
  orderIdsIn,
  readOrdersThere,
  shipSteps,
  statusCounts,
  thereAlreadyText,
  type Undispatched,
} from './references-in-use.ts';
import { type RepeatedLine, repeatedColumn } from './repeated-orders.ts';
import { createCsvFile, failedHeader, failedLines, removeFile } from './result-files.ts';
import {
  changedFile,
  chunksIn,
  collectIds,
  isWholeRefusal,
  sendChunks,
  uniqueRefPath,
} from './send-chunks.ts';
import { createTally, type ImportFiles, importLine, type Source } from './source.ts';

interface OpenImport {
  journal: Journal;
  source: Source;
  concurrency: number;
  /** Undoes the start of a new import; null for a resumed one. */
  undo: (() => void) | null;
}

/** Sends the remaining rows, writes the result files, and returns the summary. */
export async function finishImport(context: Context, parts: OpenImport): Promise<Imported> {
  const { journal, source } = parts;
  if (!journal.state.isFinished) await sendAndCollect(context, parts);
  else if (!context.output.json) context.note('This import was already finished. Its result:');
  await saveResults(context, journal, source);
  return importedOf(journal, source);
}

async function saveResults(context: Context, journal: Journal, source: Source): Promise<void> {
  const { state } = journal;
  try {
    await writeResults(journal, source.files);
    if (state.isFinished) return;
    journal.append({ type: 'finished', ...countSettledRows(state), at: context.now() });
    await journal.sync();
  } catch (error) {
    throw stoppedFailure(error, state, source);
  }
}

/** Sends everything, then gets the IDs that auto dispatch does not respond with. Stops on an interruption. */
async function sendAndCollect(context: Context, parts: OpenImport): Promise<void> {
  const { signal } = context;
  const { source, undo } = parts;
  const { state } = parts.journal;
  try {
    await sendRows(context, parts);
    if (!signal.aborted && state.open.size > 0) await collectOrderIds(context, parts);
  } catch (error) {
    if (undo !== null && isWholeRefusal(error) && !hasMade(state)) {
      undo();
      throw isUnknownField(error) ? noReferenceCheck() : error;
    }
    if (!signal.aborted) throw stoppedFailure(error, state, source);
  }
  if (signal.aborted && (state.open.size > 0 || rowsOf(state) < state.header.file.rows))
    throw new Interrupted();
}

function isUnknownField(error: unknown): boolean {
  return error instanceof ApiError && error.details.some(({ path }) => path === uniqueRefPath);
}

function noReferenceCheck(): Failure {
  const message = 'This service cannot refuse orders whose references are in use.';
  return new Failure(6, 'not_supported', message, {
    hint: 'Update the service. Nothing was created.',
  });
}

/** Explains why the import stopped, with the command that resumes it. */
function stoppedFailure(error: unknown, state: JournalState, source: Source): Failure {
  const { exit, code, message, hint } = createErrorReport(error);
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
  const others = countSettledRows(state).failed === 0 ? null : createCsvFile(failed, failedHeader(columns));
  for (const { span } of settledChunks(state)) {
    const done = journal.read(span);
    await made.write(...done.made.map(({ line, ref, order_id }) => [line, ref, order_id, done.batch_id]));
    await others?.write(...done.failed.flatMap((row) => failedLines(columns, row)));
  }
  await made.keep();
  if (others === null) removeFile(failed);
  else await others.keep();
}

/** Sends the rows that are not sent yet. */
function sendRows(context: Context, parts: OpenImport): Promise<void> {
  const { state } = parts.journal;
  const total = state.header.file.rows;
  const [before, started_at, { columns }] = [rowsOf(state), context.now(), context.host.stderr];
  const text = (done: number) => paceText(done, { before, total, started_at, columns }, context.now());
  return runPass(context, parts, { work: sendChunks, before, text });
}

/** Gets the IDs of the orders that auto dispatch accepted. */
function collectOrderIds(context: Context, parts: OpenImport): Promise<void> {
  const { state } = parts.journal;
  const { made, failed, there } = countSettledRows(state);
  const total = state.header.file.rows;
  const text = (done: number) =>
    `Sent ${countText(total, 'row')}; ids of the orders: ${formatNumber(done)} of ${formatNumber(total)}`;
  return runPass(context, parts, { work: collectIds, before: made + failed + there, text });
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
  { journal, source, concurrency }: OpenImport,
  { work, before, text }: Pass,
): Promise<void> {
  const { signal, now } = context;
  const { header } = journal.state;
  const client = await context.client();
  const meter = await createProgressMeter(context, { total: header.file.rows, before, text });
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
    await work(chunks, {
      client,
      journal,
      concurrency,
      now,
      yieldToEventLoop: createYield(context),
      signal,
      settled,
    });
    if (!signal.aborted && tally.sha256() !== header.file.sha256) throw changedFile('it ends in another way');
  } finally {
    signal.removeEventListener('abort', stopping);
    meter.stop();
  }
}

/** The longest time for which the event loop may be blocked. */
const max_blocked_ms = 50;

/**
 * The embedded service responds without returning to the event loop: signals and the progress bar would have to wait.
 */
function createYield({ host }: Context): () => Promise<void> {
  let yielded_at = host.now();
  return async () => {
    if (host.now() - yielded_at < max_blocked_ms) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    host.timer(0, resolve);
    await promise;
    yielded_at = host.now();
  };
}

function interruptionText(state: JournalState, source: Source): Text {
  const [done, total] = [rowsOf(state), state.header.file.rows];
  const line = importLine(source, { resume: true });
  if (done === total)
    return phrase`All ${countText(total, 'row')} are settled. See their outcome with: ${line}`;
  return phrase`${settledText(state)}; others may be in progress. Continue with: ${line}`;
}

/** `3 of 5 rows are settled` */
function settledText(state: JournalState): string {
  return `${formatNumber(rowsOf(state))} of ${countText(state.header.file.rows, 'row')} are settled`;
}

interface Summary {
  object: 'import';
  file: string;
  rows: number;
  made: number;
  /** Orders that were not created, as their references are in use for the same recipients. */
  there_already: number;
  failed: number;
  mode: 'test' | 'live';
  batch_ids: string[];
  /** The outcomes in the batches, if they were waited for. */
  counts?: BatchCounts;
  /**
   * The orders that were not dispatched, with what their last attempt said: of those made if they were waited for, and
   * with auto dispatch of those there already.
   */
  undispatched?: Undispatched[];
  /** Lines that seem to repeat an earlier order; absent if the import was resumed. */
  repeated?: RepeatedLine[];
  /** How many references are those of orders that ended badly, and rows like recent orders; absent if it was resumed. */
  created_again?: number | null;
  similar?: ReturnType<typeof createdAgainRecord>['similar'];
  /** The values that were changed; absent if the import was resumed. */
  read?: AccountRecord;
  ok_file: string;
  /** Null if no row failed. */
  failed_file: string | null;
  journal_file: string;
}

const summaryColumns: readonly Column<Summary>[] = [
  { field: 'file', header: 'File', kind: 'text' },
  { field: 'rows', header: 'Rows', kind: 'count' },
  { field: 'made', header: 'Created', kind: 'count' },
  { field: 'there_already', header: 'There already', kind: 'count' },
  { field: 'failed', header: 'Failed', kind: 'count' },
  repeatedColumn,
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
    value: ({ counts }) => (counts === undefined ? null : outcomeCountsText(counts)),
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
  /** Null: manual dispatch. */
  settings: OrderSettings | null;
  /** The orders that were there already, and what became of them with auto dispatch. */
  ids_there: readonly string[];
  there: OrdersThere;
  isAwaited: boolean;
  /** Says which orders were there already; empty if none was. */
  notes: string[];
}

function importedOf(journal: Journal, source: Source): Imported {
  const { state } = journal;
  const notes = thereAlreadyNotes(journal);
  const { settings } = state.header;
  const none = { ids_there: orderIdsIn(journal, 'there'), there: noneThere, isAwaited: false };
  return { summary: summaryOf(state, source), source, settings, ...none, notes };
}

/** `6 orders are there already, such as #1001 (ord_1).` */
function thereAlreadyNotes(journal: Journal): string[] {
  const count = countSettledRows(journal.state).there;
  const span = settledChunks(journal.state).find(({ there }) => there > 0)?.span;
  const [first] = span === undefined ? [] : (journal.read(span).there ?? []);
  return first === undefined ? [] : [thereAlreadyText(count, first)];
}

function summaryOf(state: JournalState, { name, files }: Source): Summary {
  const { made, failed, there: there_already } = countSettledRows(state);
  return {
    object: 'import',
    file: name,
    rows: state.header.file.rows,
    made,
    there_already,
    failed,
    mode: state.header.place.mode,
    batch_ids: settledChunks(state).flatMap(({ batch_id }) => batch_id ?? []),
    ok_file: files.ok,
    failed_file: failed === 0 ? null : files.failed,
    journal_file: files.journal,
  };
}

function showSummary({ output }: Pick<Context, 'output'>, summary: Summary): Result {
  return output.json ? documentResult(summary) : recordResult(summary, summaryColumns);
}

/** Waits until every batch is complete, if requested, and reads what became of the orders that were there already. */
export async function waitForDispatches(
  context: Context,
  imported: Imported,
  wait: BatchesWait | null,
): Promise<Imported> {
  const awaited = await waitForOwn(context, imported, wait);
  const { settings, ids_there, source } = awaited;
  if (settings === null || ids_there.length === 0) return awaited;
  let there = await readOrdersThere(context, ids_there);
  const withThere = (): Summary => {
    const all = [...(awaited.summary.undispatched ?? []), ...there.undispatched];
    return { ...awaited.summary, undispatched: all.slice(0, max_undispatched) };
  };
  const [first, ...others] = there.batch_ids;
  if (wait !== null && first !== undefined) {
    // Those batches may have orders that are not in this file: they do not fail the import.
    const target = { ...wait, fail_on: [] };
    await waitForBatches(context, [first, ...others], target, {
      again: importLine(source, { resume: true }),
      answer: () => showSummary(context, withThere()),
    });
    there = await readOrdersThere(context, ids_there);
  }
  return { ...awaited, there, summary: withThere() };
}

/** Waits until every batch of the import is complete, if requested. */
async function waitForOwn(context: Context, given: Imported, wait: BatchesWait | null): Promise<Imported> {
  const imported = { ...given, isAwaited: wait !== null };
  const { summary, source } = imported;
  const [first, ...others] = summary.batch_ids;
  if (wait === null || first === undefined) return imported;
  let counts: BatchCounts | undefined;
  const withOutcome = async (): Promise<Summary> => ({
    ...summary,
    ...(counts === undefined ? {} : { counts }),
    undispatched: await undispatchedIn(context, [first, ...others]),
  });
  try {
    counts = await waitForBatches(context, [first, ...others], wait, {
      again: importLine(source, { resume: true }),
      answer: (so_far) => {
        counts = so_far;
        return showSummary(context, { ...summary, counts: so_far });
      },
    });
  } catch (error) {
    if (!(error instanceof Failure) || !context.output.json || counts === undefined) throw error;
    const answer = showSummary(context, await withOutcome());
    throw new Failure(error.exit, error.code, error.text, { ...error.details, answer });
  }
  return { ...imported, summary: context.output.json ? await withOutcome() : { ...summary, counts } };
}

/** The most orders that a result lists, and the most batches that are read for it. */
const max_undispatched = 100;
const max_batches = 20;

/** The orders of the batches that have no delivery. */
async function undispatchedIn(context: Context, ids: readonly string[]): Promise<Undispatched[]> {
  const found: Undispatched[] = [];
  for (const id of ids.slice(0, max_batches)) {
    if (found.length >= max_undispatched) break;
    const { orders } = await getBatch(context, id);
    for (const { order_id, external_order_ref, status, attempts, reason } of orders)
      if (status !== 'dispatched') found.push({ order_id, external_order_ref, status, attempts, reason });
  }
  return found.slice(0, max_undispatched);
}

/**
 * The result of a finished import; Failure with exit 10 if some rows failed or some orders were not dispatched, and
 * with exit 9 if none was.
 */
export async function importResult(context: Context, imported: Imported): Promise<Result> {
  const { summary, source, settings, notes, there } = imported;
  if (!context.output.json) for (const note of [...notes, ...thereNotes(there)]) context.note(note);
  const [batch] = summary.batch_ids;
  const batches =
    summary.batch_ids.length === 1 && batch !== undefined
      ? invocation('batches get', [batch])
      : invocation('batches list');
  const list = settings !== null ? batches : invocation('orders list', [], { status: 'open' });
  const next = { ...list, when: 'see the created orders' };
  const shown = showSummary(context, summary);
  if (summary.failed === 0) {
    const undispatched = undispatchedOf(imported, shown);
    if (undispatched !== null) throw undispatched;
    const [step = list] = shipSteps(there.undispatched, settings);
    return { ...shown, notes: [phrase`Next: ${step}`] };
  }
  const what =
    summary.failed === 1
      ? 'One order was'
      : `${formatNumber(summary.failed)} of ${formatNumber(summary.rows)} orders were`;
  throw new Failure(10, 'rows_failed', `${what} not created.`, {
    answer: shown,
    why: (await firstReasons(summary.failed_file ?? '')).join('\n'),
    hint: `Correct ${summary.failed_file}, which has the reason of each row, and import that file.`,
    next: [{ ...importFailedRows(source), when: 'once it is corrected' }, next],
  });
}

/** `2 of those there already are not dispatched: 2 open.` */
function thereNotes({ undispatched }: OrdersThere): string[] {
  const count = undispatched.length;
  if (count === 0) return [];
  const what = `${formatNumber(count)} of those there already ${count === 1 ? 'is' : 'are'} not dispatched`;
  return [`${what}: ${statusCounts(undispatched)}.`];
}

/** After a wait for the batches: null if all orders were dispatched. */
function undispatchedOf({ summary, settings, there, isAwaited }: Imported, answer: Result): Failure | null {
  const { counts, batch_ids } = summary;
  const own = counts === undefined ? '' : outcomeCountsText({ ...counts, dispatched: 0, pending: 0 });
  const lost = [own, statusCounts(there.undispatched)].filter((part) => part !== '').join(', ');
  if (!isAwaited || lost === '') return null;
  const [batch = ''] = batch_ids;
  const line = batch_ids.length === 1 ? invocation('batches get', [batch]) : invocation('batches list');
  const outcome = own === '' ? [] : [{ ...line, when: 'see their outcome' }];
  const details = { answer, next: [...shipSteps(there.undispatched, settings), ...outcome] };
  if ((counts?.dispatched ?? 0) + there.dispatched > 0)
    return new Failure(10, 'batch_partly_dispatched', `Some orders were not dispatched: ${lost}.`, details);
  return new BadOutcome(`None of the orders was dispatched: ${lost}.`, {
    code: 'batch_not_dispatched',
    ...details,
  });
}

/** The command that imports the failed rows. Their file is CSV for every source format. */
function importFailedRows({ name, typed }: Source): Invocation {
  const { format: _, skipInvalid: __, ...others } = typed;
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
      else if (cells[names.indexOf('error')] !== '')
        found.push(`line ${cells[names.indexOf('line')]}, ${cells[names.indexOf('error')]}`);
      if (found.length === max_shown) break;
    }
  } catch {
    // The hint names the file.
  }
  return found;
}
