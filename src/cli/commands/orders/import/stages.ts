import type { Client } from '../../../../client/client.ts';
import { phrase, type Text } from '../../../kit/result/message.ts';
import type { Context } from '../../../session/command.ts';
import { collectIds } from './batch-ids.ts';
import { changedFile, chunksIn } from './check-file.ts';
import type { Journal } from './journal.ts';
import { type JournalState, rowsOf, totalsOf } from './journal-state.ts';
import { counted, countOf, meterOn, paceText } from './progress-text.ts';
import { sendChunks } from './send-chunks.ts';
import { createTally, importLine, type Source } from './source.ts';

/** The dependencies of every pass over the file. */
export interface Stages {
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
export function send(context: Context, stages: Stages): Promise<void> {
  const { state } = stages.journal;
  const total = state.header.file.rows;
  const [before, started_at, { columns }] = [rowsOf(state), context.now(), context.host.stderr];
  const text = (done: number) => paceText(done, { before, total, started_at, columns }, context.now());
  return stage(context, stages, { work: sendChunks, before, text });
}

/** Gets the IDs of the orders that auto dispatch accepted. */
export function collect(context: Context, stages: Stages): Promise<void> {
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
export function settledText(state: JournalState): string {
  return `${counted(rowsOf(state))} of ${countOf(state.header.file.rows, 'row')} are settled`;
}
