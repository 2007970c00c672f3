import { createReadStream } from 'node:fs';
import type { Client } from '../../../../client/client.ts';
import type { BatchCounts } from '../../../../contract/batches.ts';
import { exits } from '../../../errors/codes.ts';
import { reportOf } from '../../../errors/error-report.ts';
import { BadOutcome, Failure, Interrupted } from '../../../kit/errors/failure.ts';
import { type Invocation, invocation, phrase, type Text } from '../../../kit/result/message.ts';
import { type Column, document, type Result, record } from '../../../kit/result/result.ts';
import { partsText } from '../../../nouns/batch.ts';
import type { Context } from '../../../session/command.ts';
import { type CheckedFile, changedFile, chunksIn } from './check-file.ts';
import { createCsvFile, failedCells, failedHeader, recordsIn, removeFile } from './csv.ts';
import { hasMade, type Journal, type JournalState, rowsOf, totalsOf } from './journal.ts';
import { counted, countOf, meterOn, paceText } from './progress-text.ts';
import { collectIds, isWholeRefusal, sendChunks } from './send-chunks.ts';
import { createTally, type ImportFiles, importLine, type Source } from './source.ts';

interface Transfer {
  journal: Journal;
  source: Source;
  files: ImportFiles;
  concurrency: number;
  /** Undoes the start of a new import; null for a resumed one. */
  undo: (() => void) | null;
}

/** Sends the remaining rows, writes the result files, and returns the summary. */
export async function transfer(context: Context, { journal, ...parts }: Transfer): Promise<Imported> {
  const { source, files } = parts;
  const { state } = journal;
  try {
    if (!state.isFinished) await sendRest(context, { journal, ...parts });
    else if (!context.output.json) context.note('This import was already finished. Its result:');
    await keepResults(context, journal, parts);
    return importedOf(journal, source, files);
  } finally {
    journal.close();
  }
}

async function keepResults(
  context: Context,
  journal: Journal,
  { source, files }: Pick<Transfer, 'source' | 'files'>,
): Promise<void> {
  const { state } = journal;
  try {
    await writeResults(journal, files);
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
async function writeResults(journal: Journal, { ok, failed }: ImportFiles): Promise<void> {
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

/** The dependencies of every pass over the file. */
interface Stages {
  journal: Journal;
  source: Source;
  client: Client;
  concurrency: number;
}

/** A pass over the file and its progress. */
interface Stage {
  work: typeof sendChunks;
  before: number;
  text(done: number): string;
}

/** Sends the rows that are not sent yet. */
function send(context: Context, stages: Stages): Promise<void> {
  const { state } = stages.journal;
  const total = state.header.file.rows;
  const [before, started_at, { columns }] = [rowsOf(state), context.now(), context.host.stderr];
  const text = (done: number) => paceText(done, { before, total, started_at, columns }, context.now());
  return stage(context, stages, { work: sendChunks, before, text });
}

/** Gets the IDs of the orders that auto dispatch accepted. */
function collect(context: Context, stages: Stages): Promise<void> {
  const { state } = stages.journal;
  const { made, failed } = totalsOf(state);
  const total = state.header.file.rows;
  const text = (done: number) =>
    `Sent ${countOf(total, 'row')}; ids of the orders: ${counted(done)} of ${counted(total)}`;
  return stage(context, stages, { work: collectIds, before: made + failed, text });
}

async function stage(
  context: Context,
  { journal, source, ...parts }: Stages,
  { work, before, text }: Stage,
): Promise<void> {
  const { header } = journal.state;
  const meter = await meterOn(context, { total: header.file.rows, before, text });
  const { signal } = context;
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
    const now = () => context.now();
    const chunks = chunksIn(source, header, tally);
    await work(chunks, { ...parts, journal, signal, settled, now, turn: turning(context) });
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

function importedOf(journal: Journal, source: Source, files: ImportFiles): Imported {
  return {
    summary: summaryOf(journal, source, files),
    ...{ source, isAuto: journal.state.header.settings !== null },
  };
}

function summaryOf({ state }: Journal, source: Source, files: ImportFiles): Summary {
  const { made, failed } = totalsOf(state);
  const ids = [...state.settled].sort(([a], [b]) => a - b).flatMap(([, { batch_id }]) => batch_id ?? []);
  return {
    object: 'import',
    file: source.name,
    rows: state.header.file.rows,
    made,
    failed,
    mode: state.header.place.mode,
    batch_ids: ids,
    ok_file: files.ok,
    failed_file: failed === 0 ? null : files.failed,
    journal_file: files.journal,
  };
}

/** Shows the summary. */
export function summaryShown({ output }: Pick<Context, 'output'>, summary: Summary): Result {
  return output.json ? document(summary) : record(summary, summaryColumns);
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
    ...{ code: 'batch_not_dispatched', ...details },
  });
}

/** The command that imports the failed rows. Their file is CSV for every source format. */
function failedLine({ name, typed }: Source): Invocation {
  const { format: _, ...others } = typed;
  return importLine({ name: `${name}.failed.csv`, typed: others });
}

/** The result of --validate-only. A file whose import was started before has no next command: that may be over. */
export function validationResult(
  source: Source,
  { rows, sums, left_out, repeated }: CheckedFile,
  { isStarted }: { isStarted: boolean },
): Result {
  const reasons = [...left_out].map(([reason, orders]) => ({ reason, orders }));
  const lines = repeated.map(({ what, first, again }) => ({ line: again, same_as: first, what }));
  const found = {
    ...({ object: 'import_check', file: source.name, rows } as const),
    ...{ ...sums, left_out: reasons, repeated: lines },
  };
  const columns: readonly Column<typeof found>[] = [
    { field: 'file', header: 'File', kind: 'text' },
    { field: 'rows', header: 'Rows', kind: 'count' },
    { field: 'tip', header: 'Tips in all', kind: 'money' },
    { field: 'order_value', header: 'Value in all', kind: 'money' },
  ];
  const left = 'The service still looks at saved places and times.';
  return record(found, columns, {
    notes: [`Every row can be sent. ${left}`, ...(isStarted ? [] : [phrase`Next: ${importLine(source)}`])],
  });
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
