import type { Writable } from 'node:stream';
import { PipeClosed, type Sink } from '../host.ts';

interface Terminal extends Writable {
  isTTY?: boolean;
  columns?: number;
}

/** A stream of the process as a sink: waits while its reader is slow, and says when the reader has gone. */
export function sinkOf(stream: Terminal): Sink {
  let gone: Error | null = null;
  stream.on('error', (error: Error & { code?: string }) => {
    gone = error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' ? new PipeClosed() : error;
  });
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return stream.isTTY === true ? (stream.columns ?? null) : null;
    },
    write: (text) => written(stream, text, () => gone),
  };
}

function written(stream: Terminal, text: string, gone: () => Error | null): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const before = gone();
  if (before !== null) reject(before);
  else stream.write(text, (error) => (error ? reject(gone() ?? closed(error)) : resolve()));
  return promise;
}

function closed(error: Error): Error {
  return 'code' in error && error.code === 'EPIPE' ? new PipeClosed() : error;
}

/** All of stdin as text. */
export async function textOf(stream: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
