import { fstatSync, write, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { Failure } from '../errors/failure.ts';
import { PipeClosed, type Sink } from '../host/host.ts';
import { codeOf, reasonOf } from './file-errors.ts';
import { timer } from './timers.ts';

interface Terminal extends Writable {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

/** One of the process's own streams: its number, and the stream itself, which is costly to make. */
export interface Descriptor {
  number: 1 | 2;
  open: () => Terminal;
  /** Takes note of what is written to a terminal. */
  record?: (text: string) => void;
}

/** A sink that tells when all that was written has left the process. */
export interface ProcessSink extends Sink {
  settled(): Promise<void>;
}

/**
 * A stream of the process as a sink. A file or a pipe is written to directly, as the stream would be no better and
 * making it costs a tenth of a short command; a terminal, and a pipe whose reader is slow, get the stream.
 */
export function sinkOf({ number, open, record }: Descriptor): ProcessSink {
  const isPlain = isFileOrPipe(number);
  let stream: StreamSink | null = null;
  const waiting = new Set<Promise<void>>();
  const opened = () => {
    stream ??= streamSink(open());
    return stream;
  };
  return {
    get isTerminal() {
      return !isPlain && opened().isTerminal;
    },
    get columns() {
      return isPlain ? null : opened().columns;
    },
    get rows() {
      return isPlain ? null : opened().rows;
    },
    write: async (text) => {
      if (!isPlain) record?.(text);
      const rest = isPlain && stream === null ? writtenAtOnce(number, Buffer.from(text)) : text;
      if (rest.length === 0) return;
      const writing = opened().write(rest);
      waiting.add(writing);
      await writing.finally(() => waiting.delete(writing));
    },
    settled: async () => {
      await Promise.allSettled(waiting);
    },
  };
}

/** How long to wait for a pipe that is full and does not make anybody wait. */
const full_pipe_ms = 50;

/** Writes on a thread of Node's pool, where a terminal or pipe that is not read makes nobody else wait. */
export async function writeInBackground(number: number, text: string): Promise<void> {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    const { error, count } = await writeOnce(number, rest);
    if (error !== null && codeOf(error) !== 'EAGAIN') throw closed(error);
    if (error !== null) await pause(full_pipe_ms);
    rest = rest.subarray(count);
  }
}

function writeOnce(number: number, bytes: Buffer): Promise<{ error: Error | null; count: number }> {
  return new Promise((resolve) => {
    write(number, bytes, (error, count) => resolve({ error, count: error === null ? count : 0 }));
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => timer(milliseconds, resolve));
}

function isFileOrPipe(number: number): boolean {
  try {
    const kind = fstatSync(number);
    return process.platform !== 'win32' && (kind.isFile() || kind.isFIFO() || kind.isSocket());
  } catch {
    return false;
  }
}

/** Writes what can be written without waiting, and gives the rest. Throws PipeClosed. */
function writtenAtOnce(number: number, bytes: Buffer): Buffer {
  let rest = bytes;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(number, rest));
    return rest;
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return rest;
    throw closed(error);
  }
}

interface StreamSink {
  isTerminal: boolean;
  readonly columns: number | null;
  readonly rows: number | null;
  write(chunk: string | Buffer): Promise<void>;
}

/** Waits while the reader is slow, and says when it has gone. */
function streamSink(stream: Terminal): StreamSink {
  let gone: Error | null = null;
  stream.on('error', (error: Error) => {
    gone = closed(error);
  });
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return widthOf(stream);
    },
    get rows() {
      return stream.isTTY === true ? stream.rows || null : null;
    },
    write: (chunk) => written(stream, chunk, () => gone),
  };
}

/** Characters in a line; null where there is no terminal, or one that nobody has measured, which says 0. */
export function widthOf({ isTTY, columns }: Pick<Terminal, 'isTTY' | 'columns'>): number | null {
  return isTTY === true ? columns || null : null;
}

function written(stream: Terminal, chunk: string | Buffer, gone: () => Error | null): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const before = gone();
  if (before !== null) reject(before);
  else stream.write(chunk, (error) => (error ? reject(gone() ?? closed(error)) : resolve()));
  return promise;
}

function closed(error: unknown): Error {
  const code = codeOf(error);
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return new PipeClosed();
  return new Failure(1, 'output_failed', `The answer cannot be written: ${reasonOf(error)}.`, {
    cause: error,
  });
}

/** All of stdin as text. */
export async function textOf(stream: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
