import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WireStream } from '../../contract/wire.ts';
import type { Timers } from '../runtime/time.ts';

/** How long a client may take, and who measures it. */
export interface Deadline {
  timers: Timers;
  timeout_ms: number;
}

/** Characters that are handed to a connection at a time. */
const piece_length = 16 * 1024;

/**
 * Sends a text piece by piece as the client takes it: a client that does not read costs one piece of memory. Where it has
 * not taken all of it in time, its connection is closed.
 */
export async function sendText(
  text: string,
  response: ServerResponse,
  { timers, timeout_ms }: Deadline,
): Promise<void> {
  response.once(
    'close',
    timers.after(timeout_ms, () => response.destroy()),
  );
  for (let from = 0; from < text.length && !response.destroyed; ) {
    const to = endOfPiece(text, from);
    const piece = from === 0 && to === text.length ? text : text.slice(from, to);
    if (!response.write(piece)) await drained(response);
    from = to;
    // Answers to many clients at once leave time for others between their pieces.
    if (from < text.length) await timers.turn();
  }
}

/** A pair of surrogates is one character and stays in one piece. */
function endOfPiece(text: string, from: number): number {
  const to = Math.min(from + piece_length, text.length);
  const last = text.charCodeAt(to - 1);
  return to < text.length && last >= 0xd800 && last <= 0xdbff ? to + 1 : to;
}

/**
 * Sends a stream as fast as the client takes it, until it ends or the client leaves. HEAD asks for nothing of it. A
 * client that takes nothing for too long is cut off; when the stream ends, at once.
 */
export async function pour(
  stream: WireStream,
  { method }: IncomingMessage,
  response: ServerResponse,
  { timers, timeout_ms }: Deadline,
): Promise<void> {
  response.once('close', stream.close);
  stream.ended?.then(() => {
    if (response.writableNeedDrain) response.destroy();
  });
  try {
    if (method === 'HEAD' || response.destroyed) return;
    for await (const chunk of stream.chunks) {
      if (response.destroyed) return;
      if (response.write(chunk)) continue;
      const cancel = timers.after(timeout_ms, () => response.destroy());
      await drained(response);
      cancel();
    }
  } finally {
    stream.close();
    response.end();
  }
}

/** Settles when the client has taken what it was sent, or is gone. */
async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve);
  response.once('close', resolve);
  await promise;
  response.off('drain', resolve);
  response.off('close', resolve);
}
