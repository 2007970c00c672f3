import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WireStream } from '../../contract/operation.ts';
import type { Timers } from '../runtime/time.ts';

/** A time limit for the client, and the timers that measure it. */
export interface Deadline {
  timers: Timers;
  timeout_ms: number;
}

/** A body as text, in base64 if it is binary data. */
interface TextBody {
  text: string;
  encoding?: BufferEncoding | undefined;
}

/** The number of characters written to a connection at a time: whole groups of base64. */
export const piece_length = 16 * 1024;

/** Sends a short text with the headers. Its connection is closed if the client does not read it in time. */
export function sendPiece(
  { text, encoding = 'utf8' }: TextBody,
  response: ServerResponse,
  { timers, timeout_ms }: Deadline,
): void {
  response.end(text, encoding);
  // The system has usually taken all of it by now, and the client cannot delay anything.
  if (response.destroyed || !response.socket?.writableLength) return;
  response.once(
    'close',
    timers.after(timeout_ms, () => response.destroy()),
  );
}

/**
 * Sends a text in pieces as fast as the client reads it: a client that does not read costs one piece of memory. Its
 * connection is closed if it does not finish in time.
 */
export async function sendText(
  { text, encoding = 'utf8' }: TextBody,
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
    if (!response.write(piece, encoding)) await awaitDrain(response);
    from = to;
    // Large responses yield to other work between their pieces.
    if (from < text.length) await timers.turn();
  }
}

/** A surrogate pair is one character and stays in one piece. */
function endOfPiece(text: string, from: number): number {
  const to = Math.min(from + piece_length, text.length);
  const last = text.charCodeAt(to - 1);
  return to < text.length && last >= 0xd800 && last <= 0xdbff ? to + 1 : to;
}

/**
 * Sends a stream as fast as the client reads it, until it ends or the client disconnects. HEAD skips it. A client
 * that does not read for too long is disconnected; so is any client when the stream ends.
 */
export async function sendStream(
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
      await awaitDrain(response);
      cancel();
    }
  } finally {
    stream.close();
    response.end();
  }
}

/** Settles when the client has read the written data, or has disconnected. */
async function awaitDrain(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve);
  response.once('close', resolve);
  await promise;
  response.off('drain', resolve);
  response.off('close', resolve);
}
