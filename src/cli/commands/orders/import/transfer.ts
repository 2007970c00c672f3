import { exits } from '../../../errors/codes.ts';
import { reportOf } from '../../../errors/error-report.ts';
import { Failure, Interrupted } from '../../../kit/errors/failure.ts';
import { phrase, type Text } from '../../../kit/result/message.ts';
import type { Context } from '../../../session/command.ts';
import { changedFile, chunksIn, collectIds, isWholeRefusal, sendChunks } from './chunks.ts';
import { createCsvFile, failedCells, failedHeader, type ImportFiles, removeFile } from './files.ts';
import { type Imported, importedOf } from './import-result.ts';
import { hasMade, type Journal, type JournalState, rowsOf, settledChunks, totalsOf } from './journal.ts';
import { counted, countOf, meterOn, paceText } from './progress-text.ts';
import { createTally, importLine, type Source } from './source.ts';

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
