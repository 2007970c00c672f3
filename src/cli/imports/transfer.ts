import type { Client } from '../../client/client.ts';
import type { Context } from '../context.ts';
import { told } from '../failures/errors.ts';
import { exits } from '../failures/exit.ts';
import { Failure, Interrupted } from '../failures/failure.ts';
import type { Result } from '../result.ts';
import { changedFile, ordersIn } from './checking.ts';
import { type Chunk, chunksOf } from './chunks.ts';
import type { Journal } from './journal.ts';
import type { Header } from './journal-entries.ts';
import { type JournalState, totalsOf } from './journal-state.ts';
import { importLine, type Places } from './places.ts';
import { counted, meterOn, paceText } from './progress-text.ts';
import { writeResults } from './result-files.ts';
import { sendChunks } from './sending.ts';
import { createTally, type Source, type Tally } from './source.ts';
import { ended } from './summary.ts';
import { openTable } from './tables.ts';

export interface Transfer {
  journal: Journal;
  source: Source;
  places: Places;
  concurrency: number;
}

/** Sends what is left, writes what became of every row, and tells it. */
export async function transfer(context: Context, { journal, ...parts }: Transfer): Promise<Result> {
  const { source, places } = parts;
  try {
    if (!journal.state.isFinished) await sendRest(context, { journal, ...parts });
    else if (!context.output.json) context.note('It was finished before: this is what became of it.');
    await writeResults(journal, places);
    if (!journal.state.isFinished) {
      journal.append({ type: 'finished', ...totalsOf(journal.state), at: context.now() });
      await journal.keep();
    }
    return ended(context, journal, source, places);
  } finally {
    journal.close();
  }
}

/** Stops on an interruption, after what is under way, for which nobody waits long. */
async function sendRest(context: Context, { journal, source, concurrency }: Transfer): Promise<void> {
  const client = await context.client();
  const { header } = journal.state;
  const total = header.file.rows;
  const before = rowsOf(journal.state);
  const started_at = context.now();
  const text = (done: number) => paceText(done, { before, total, started_at }, context.now());
  const meter = await meterOn(context, { total, before, text });
  const { promise: sent, resolve } = Promise.withResolvers<void>();
  context.onStop(() => Promise.race([sent, briefly(context)]));
  let done = before;
  const settled = (rows: number) => {
    done += rows;
    context.standing(standingText(done, total, source));
    meter.step(rows);
  };
  settled(0);
  try {
    const tally = createTally();
    const { signal } = context;
    const chunks = chunksIn(source, header, tally);
    await sendChunks(chunks, { client, journal, concurrency, signal, now: () => context.now(), settled });
    if (!signal.aborted && tally.sha256() !== header.file.sha256) throw changedFile('it ends in another way');
  } catch (error) {
    if (!context.signal.aborted) throw stopped(error, rowsOf(journal.state), { source, total });
  } finally {
    meter.stop();
    resolve();
  }
  if (context.signal.aborted) throw new Interrupted();
}

const grace_ms = 5_000;

function briefly({ host }: Context): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  host.timer(grace_ms, resolve);
  return promise;
}

async function* chunksIn(source: Source, header: Header, tally: Tally): AsyncGenerator<Chunk> {
  const table = await openTable(source, tally);
  yield* chunksOf(ordersIn(table), header.limits);
}

/** How many rows are made or failed, those of chunks under way too. */
function rowsOf(state: JournalState): number {
  const { made, failed } = totalsOf(state);
  let rows = made + failed;
  for (const chunk of state.open.values()) rows += chunk.made.size + chunk.failed.size;
  return rows;
}

function standingText(done: number, total: number, source: Source): string {
  const line = importLine(source, { resume: true });
  return `${counted(done)} of ${counted(total)} rows are settled; others may be under way. Go on with: ${line}`;
}

interface Stopped {
  source: Source;
  total: number;
}

/** Why it stopped, with the way on. */
function stopped(error: unknown, done: number, { source, total }: Stopped): Failure {
  const { exit, code, message, hint } = told(error);
  const known = exits.find((each) => each.code === exit)?.code ?? 1;
  return new Failure(known, code, `${message}\n${counted(done)} of ${counted(total)} rows are settled.`, {
    ...(hint === null ? {} : { hint }),
    next: [{ command: importLine(source, { resume: true }), when: 'go on, nothing is made twice' }],
    cause: error,
  });
}

/** The first request that would be sent, which ends the command: nothing is. */
export async function showFirst(client: Client, source: Source, header: Header): Promise<never> {
  for await (const { rows } of chunksIn(source, header, createTally())) {
    const { settings } = header;
    const orders = rows.slice(0, settings === null ? 1 : undefined).map(({ order }) => order);
    await client.orders.create({ body: settings === null ? { orders } : { orders, settings } });
  }
  throw new Error('a dry run sent something');
}
