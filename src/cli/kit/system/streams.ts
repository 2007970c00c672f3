/** The streams of the process (`sinkOf`), its clock and its timers. */
import { fstatSync, readFileSync, readlinkSync, write, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { Failure, Interrupted } from '../errors/failure.ts';
import { PipeClosed, type Sink } from '../host/host.ts';
import { decodeUtf8, explainFileError, readErrorCode } from './files.ts';

interface Terminal extends Writable {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
}

/** A stream of the process: its file descriptor, and the stream, which is costly to create. */
interface ProcessStream {
  number: 1 | 2;
  open: () => Terminal;
}

/** A sink that reports when all output has left the process. */
interface ProcessSink extends Sink {
  settled(): Promise<void>;
}

/**
 * Wraps a stream of the process as a sink. Files and pipes are written to directly, as creating the stream takes a
 * tenth of a short command; a terminal, and a pipe with a slow reader, use the stream.
 */
export function sinkOf({ number, open }: ProcessStream): ProcessSink {
  const isDirect = isFileOrPipe(number);
  let stream: StreamSink | null = null;
  const pendingWrites = new Set<Promise<void>>();
  const opened = () => {
    stream ??= streamSink(open());
    return stream;
  };
  return {
    get isTerminal() {
      return !isDirect && opened().isTerminal;
    },
    get columns() {
      return isDirect ? null : opened().columns;
    },
    get rows() {
      return isDirect ? null : opened().rows;
    },
    get isClosed() {
      return !isDirect && wasClosed(number);
    },
    write: async (text) => {
      const rest = isDirect && stream === null ? writeWithoutWaiting(number, Buffer.from(text)) : text;
      if (rest.length === 0) return;
      const writing = opened().write(rest);
      pendingWrites.add(writing);
      await writing.finally(() => pendingWrites.delete(writing));
    },
    settled: async () => {
      await Promise.allSettled(pendingWrites);
    },
  };
}

/** How long to wait for a full non-blocking pipe. */
const full_pipe_ms = 50;

/** Writes on a thread of Node's pool, so that an unread terminal or pipe blocks nothing else. */
export async function writeInBackground(number: number, text: string): Promise<void> {
  for (let rest = Buffer.from(text); rest.length > 0; ) {
    const { error, count } = await writeOnce(number, rest);
    if (error !== null && readErrorCode(error) !== 'EAGAIN') throw writeError(error);
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

/**
 * Whether a stream was closed when the process started: Node opens /dev/null for reading and writing in its place. So do
 * programs that discard the output, while a shell opens /dev/null for writing only.
 */
function wasClosed(number: number): boolean {
  try {
    if (readlinkSync(`/proc/self/fd/${number}`) !== '/dev/null') return false;
    const flags = /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'utf8'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & 3) === 2;
  } catch {
    return false;
  }
}

/** Writes as much as possible without waiting and returns the rest. Throws PipeClosed. */
function writeWithoutWaiting(number: number, bytes: Buffer): Buffer {
  let rest = bytes;
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(number, rest));
    return rest;
  } catch (error) {
    if (readErrorCode(error) === 'EAGAIN') return rest;
    throw writeError(error);
  }
}

interface StreamSink {
  isTerminal: boolean;
  readonly columns: number | null;
  readonly rows: number | null;
  write(chunk: string | Buffer): Promise<void>;
}

/** A sink on a stream of Node, which waits for a slow reader and reports when it is gone. */
function streamSink(stream: Terminal): StreamSink {
  let gone: Error | null = null;
  stream.on('error', (error: Error) => {
    gone = writeError(error);
  });
  return {
    isTerminal: stream.isTTY === true,
    get columns() {
      return widthOf(stream);
    },
    get rows() {
      return stream.isTTY === true ? stream.rows || null : null;
    },
    write: (chunk) => writeToStream(stream, chunk, () => gone),
  };
}

/** The width in characters; null without a terminal, or if its size is unknown, which is reported as 0. */
export function widthOf({ isTTY, columns }: Pick<Terminal, 'isTTY' | 'columns'>): number | null {
  return isTTY === true ? columns || null : null;
}

function writeToStream(stream: Terminal, chunk: string | Buffer, gone: () => Error | null): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const before = gone();
  if (before !== null) reject(before);
  else stream.write(chunk, (error) => (error ? reject(gone() ?? writeError(error)) : resolve()));
  return promise;
}

function writeError(error: unknown): Error {
  const code = readErrorCode(error);
  if (code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED') return new PipeClosed();
  return new Failure(1, 'output_failed', `The answer cannot be written: ${explainFileError(error)}.`, {
    cause: error,
  });
}

/** All of a stream as text; UsageError if it is not UTF-8. */
export async function readStreamText(stream: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return decodeUtf8(Buffer.concat(chunks), 'stdin');
}

/** The wall clock, milliseconds since the epoch. */
export function now(): number {
  return Date.now();
}

/** A random number from 0 up to, but not including, 1. */
export function randomShare(): number {
  return Math.random();
}

/** The longest delay of a timer: a longer one would be over at once. */
const max_delay_ms = 2_147_483_647;

/** Calls back once, unless the returned function is called before. */
export function timer(milliseconds: number, expired: () => void): () => void {
  const handle = setTimeout(expired, Math.min(milliseconds, max_delay_ms));
  return () => clearTimeout(handle);
}

/** Calls back when the program first waits, unless the returned function is called before. */
export function atFirstWait(waiting: () => void): () => void {
  const handle = setImmediate(waiting);
  return () => clearImmediate(handle);
}

/** Resolves after the pending callbacks have run. */
export function afterPending(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits; rejects with Interrupted when the signal aborts. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => reject(new Interrupted());
  if (signal.aborted) stop();
  const cancel = timer(milliseconds, resolve);
  signal.addEventListener('abort', stop, { once: true });
  return promise.finally(() => {
    cancel();
    signal.removeEventListener('abort', stop);
  });
}
