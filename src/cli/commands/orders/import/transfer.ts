import { reportOf } from '../../../errors/error-report.ts';
import { exits } from '../../../errors/exit-codes.ts';
import { Failure, Interrupted } from '../../../kit/errors/failure.ts';
import { phrase } from '../../../kit/result/message.ts';
import type { Context } from '../../../session/command.ts';
import { createCsvFile, failedCells, failedHeader, removeFile } from './csv-files.ts';
import type { Journal } from './journal.ts';
import { hasMade, type JournalState, rowsOf, totalsOf } from './journal-state.ts';
import { isWholeRefusal } from './refused-rows.ts';
import { importLine, type Places, type Source } from './source.ts';
import { collect, send, settledText } from './stages.ts';
import { type Imported, importedOf } from './summary.ts';

export interface Transfer {
  journal: Journal;
  source: Source;
  places: Places;
  concurrency: number;
  /** Undoes the start of a new import; null for a resumed one. */
  undo: (() => void) | null;
}

/** Sends the remaining rows, writes the result files, and returns the summary. */
export async function transfer(context: Context, { journal, ...parts }: Transfer): Promise<Imported> {
  const { source, places } = parts;
  const { state } = journal;
  try {
    if (!state.isFinished) await sendRest(context, { journal, ...parts });
    else if (!context.output.json) context.note('This import was already finished. Its result:');
    await keepResults(context, journal, parts);
    return importedOf(journal, source, places);
  } finally {
    journal.close();
  }
}

async function keepResults(
  context: Context,
  journal: Journal,
  { source, places }: Pick<Transfer, 'source' | 'places'>,
): Promise<void> {
  const { state } = journal;
  try {
    await writeResults(journal, places);
    if (state.isFinished) return;
    journal.append({ type: 'finished', ...totalsOf(state), at: context.now() });
    await journal.keep();
  } catch (error) {
    throw stoppedFailure(error, state, source);
  }
}

/** Sends everything, then gets the IDs that auto dispatch does not respond with. Stops on an interruption. */
async function sendRest(context: Context, { journal, source, ...parts }: Transfer): Promise<void> {
  const client = await context.client();
  const { signal } = context;
  const { state } = journal;
  const stages = { journal, source, client, concurrency: parts.concurrency };
  try {
    await send(context, stages);
    if (!signal.aborted && state.open.size > 0) await collect(context, stages);
  } catch (error) {
    if (parts.undo !== null && isWholeRefusal(error) && !hasMade(state)) {
      parts.undo();
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
async function writeResults(journal: Journal, { ok, failed }: Places): Promise<void> {
  const { state } = journal;
  const { columns } = state.header.file;
  const made = createCsvFile(ok, ['line', 'external_order_ref', 'order_id', 'batch_id']);
  const others = totalsOf(state).failed === 0 ? null : createCsvFile(failed, failedHeader(columns));
  const numbers = [...state.settled.keys()].sort((a, b) => a - b);
  for (const number of numbers) {
    const chunk = state.settled.get(number);
    if (chunk === undefined) continue;
    const done = journal.read(chunk.span);
    await made.write(...done.made.map(({ line, ref, order_id }) => [line, ref, order_id, done.batch_id]));
    await others?.write(...done.failed.map((row) => failedCells(columns, row)));
  }
  await made.keep();
  if (others === null) removeFile(failed);
  else await others.keep();
}
