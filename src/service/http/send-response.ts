import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WireResponse, WireStream } from '../../contract/operation.ts';
import type { HttpLimits } from '../../domain/service-limits.ts';
import type { Timers } from '../runtime/time.ts';
import { isIncomplete } from './request-body.ts';

export interface SendingTools {
  timers: Timers;
  limits: HttpLimits;
  /** Whether each connection is closed after its next response. */
  isStopping: () => boolean;
  /** Discards the rest of an unread body. */
  discardBody: (message: IncomingMessage) => Promise<void>;
}

/** Sends a whole response or a stream. */
export async function sendResponse(
  message: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, encoding, stream }: WireResponse,
  { timers, limits, isStopping, discardBody }: SendingTools,
): Promise<void> {
  const deadline = { timers, timeout_ms: limits.response_timeout_ms };
  const isUnread = isIncomplete(message);
  response.writeHead(status, {
    ...headers,
    ...(stream === undefined ? { 'content-length': Buffer.byteLength(body, encoding) } : {}),
    // The unread rest of a body would be parsed as the next request; and a stopping server ends its streams, but would
    // wait for their connections.
    ...(isUnread || stream !== undefined || isStopping() ? { connection: 'close' } : {}),
  });
  if (stream !== undefined) return sendStream(stream, message, response, deadline);
  const text = message.method === 'HEAD' ? '' : body;
  if (!isUnread && text.length <= piece_length) return sendPiece({ text, encoding }, response, deadline);
  await sendText({ text, encoding }, response, deadline);
  // Closing immediately would discard the response of a client that is still sending.
  if (isUnread) await discardBody(message);
  response.end();
}

/** A time limit for the client, and the timers that measure it. */
interface Deadline {
  timers: Timers;
  timeout_ms: number;
}

/** A body as text, in base64 if it is binary data. */
interface TextBody {
  text: string;
  encoding?: BufferEncoding | undefined;
}

/** The number of characters written to a connection at a time: whole groups of base64. */
const piece_length = 16 * 1024;

/** Sends a short text with the headers. Its connection is closed if the client does not read it in time. */
function sendPiece(
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
async function sendText(
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
async function sendStream(
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
