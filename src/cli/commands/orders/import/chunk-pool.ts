import pLimit from 'p-limit';
import type { Client } from '../../../../client/client.ts';
import type { Chunk } from './chunks.ts';
import type { Journal } from './journal.ts';
import { isWholeRefusal } from './refused-rows.ts';

/** What sending needs beside the chunks. */
export interface Sending {
  client: Pick<Client, 'orders' | 'batches'>;
  journal: Journal;
  /** Requests under way at most. */
  concurrency: number;
  /** Wall time, milliseconds since the epoch. */
  now(): number;
  /** Lets what waits elsewhere in the process have its turn; a service in this process may leave none. */
  turn(): Promise<void>;
  /** Aborted when nothing more is to be sent. */
  signal: AbortSignal;
  /** Hears of every row that was made, taken, or failed, or whose id is known. */
  settled(rows: number): void;
}

export interface Tools extends Sending {
  /** Waits for its turn; null where nothing more is to be sent, or it went wrong. */
  request<T>(send: () => Promise<T>): Promise<T | null>;
}

/**
 * Works on the chunks that are not settled, several requests at once. Ends early where the signal aborts; rejects once
 * all that was under way has ended: with a refusal of all only where nothing else went wrong.
 */
export async function eachChunk(
  chunks: AsyncIterable<Chunk>,
  sending: Sending,
  work: (chunk: Chunk, tools: Tools) => Promise<void>,
): Promise<void> {
  const { journal, concurrency } = sending;
  const failures: unknown[] = [];
  const isStopped = () => failures.length > 0 || sending.signal.aborted;
  const tools = toolsOf(sending, isStopped, failures);
  const open = new Set<Promise<void>>();
  try {
    for await (const chunk of chunks) {
      if (journal.state.settled.has(chunk.number)) continue;
      while (open.size >= concurrency) await Promise.race(open);
      if (isStopped()) break;
      const done = work(chunk, tools).catch((error: unknown) => void failures.push(error));
      open.add(done);
      void done.then(() => open.delete(done));
    }
  } catch (error) {
    failures.push(error);
  }
  await Promise.all(open);
  if (failures.length > 0) throw failures.find((error) => !isWholeRefusal(error)) ?? failures[0];
}

function toolsOf(sending: Sending, isStopped: () => boolean, failures: unknown[]): Tools {
  const limit = pLimit(sending.concurrency);
  const request = <T>(send: () => Promise<T>): Promise<T | null> =>
    limit(async () => {
      try {
        await sending.turn();
        return isStopped() ? null : await send();
      } catch (error) {
        failures.push(error);
        return null;
      }
    });
  return { ...sending, request };
}
