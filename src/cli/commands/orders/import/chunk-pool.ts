import pLimit from 'p-limit';
import type { Client } from '../../../../client/client.ts';
import type { Chunk } from './chunks.ts';
import type { Journal } from './journal.ts';
import { isWholeRefusal } from './refused-rows.ts';

/** The dependencies of sending, besides the chunks. */
export interface Sending {
  client: Pick<Client, 'orders' | 'batches'>;
  journal: Journal;
  /** The limit of concurrent requests. */
  concurrency: number;
  /** Wall time, milliseconds since the epoch. */
  now(): number;
  /** Yields to the event loop, which a service in this process may otherwise block. */
  turn(): Promise<void>;
  /** Aborted to stop sending. */
  signal: AbortSignal;
  /** Called for every row that was created, accepted or failed, or whose ID is known. */
  settled(rows: number): void;
}

export interface Tools extends Sending {
  /** Sends a request when a slot is free; null if sending was stopped or has failed. */
  request<T>(send: () => Promise<T>): Promise<T | null>;
}

/**
 * Processes the unsettled chunks concurrently. Stops early if the signal aborts. Rejects after all work under way has
 * ended, with a refusal of the whole import only if there was no other error.
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
