/** Finishes an import that has a journal: sends its rows and writes its result files. */
import { existsSync } from 'node:fs';
import { ApiError } from '../../../../client/errors.ts';
import { exits } from '../../../errors/error-codes.ts';
import { createErrorReport } from '../../../errors/error-report.ts';
import { Failure, Interrupted } from '../../../kit/errors/failure.ts';
import { phrase, type Text } from '../../../kit/result/message.ts';
import type { Context } from '../../../session/command.ts';
import { type Imported, importedOf } from './import-result.ts';
import {
  countSettledRows,
  hasMade,
  type Journal,
  type JournalState,
  rowsOf,
  settledChunks,
} from './journal.ts';
import { countText, createProgressMeter, formatNumber, paceText } from './progress.ts';
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
  const { isFinished } = journal.state;
  if (!isFinished) await sendAndCollect(context, parts);
  else if (!context.output.json)
    context.note('This import was already finished: nothing was made now. Its result:');
  await saveResults(context, journal, source);
  const imported = importedOf(journal, source);
  return isFinished ? madeBefore(imported) : imported;
}

/** The result of an import whose orders an earlier run has made. */
export function madeBefore(imported: Imported): Imported {
  const { made, there_already } = imported.summary;
  return { ...imported, summary: { ...imported.summary, made: 0, there_already: made + there_already } };
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

/**
 * Writes the outcome of every row in file order, as recorded in the journal. The files of a finished import stay as they
 * are: someone may be correcting the failed rows.
 */
async function writeResults(journal: Journal, { ok, failed }: ImportFiles): Promise<void> {
  const { state } = journal;
  const { columns } = state.header.file;
  const isKept = (path: string) => state.isFinished && existsSync(path);
  const hasFailed = countSettledRows(state).failed > 0;
  const made = isKept(ok) ? null : createCsvFile(ok, ['line', 'external_order_ref', 'order_id', 'batch_id']);
  const others = !hasFailed || isKept(failed) ? null : createCsvFile(failed, failedHeader(columns));
  for (const { span } of settledChunks(state)) {
    const done = journal.read(span);
    await made?.write(...done.made.map(({ line, ref, order_id }) => [line, ref, order_id, done.batch_id]));
    await others?.write(...done.failed.flatMap((row) => failedLines(columns, row)));
  }
  await made?.keep();
  if (!hasFailed) removeFile(failed);
  await others?.keep();
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
