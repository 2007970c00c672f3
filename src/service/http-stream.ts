import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WireStream } from '../contract/wire.ts';

/**
 * Sends a stream as fast as the client takes it, until it ends or the client leaves. HEAD asks for nothing of it. Of a
 * client that takes nothing, the rest is given up when the stream ends.
 */
export async function pour(
  stream: WireStream,
  { method }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.once('close', stream.close);
  stream.ended?.then(() => {
    if (response.writableNeedDrain) response.destroy();
  });
  try {
    if (method === 'HEAD' || response.destroyed) return;
    for await (const chunk of stream.chunks) {
      if (response.destroyed) return;
      if (!response.write(chunk)) await drained(response);
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
