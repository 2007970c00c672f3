/**
 * Receives the body of a response that does not end, such as a stream of events. It is read no faster than its reader takes
 * it, and given up when the server falls silent, because a lost connection does not report itself.
 */
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { silence_ms, type WireStream } from '../contract/operation.ts';
import { Unreachable } from './errors.ts';

/** Calls `expired` after this many milliseconds, unless the returned function is called first. */
export type Timer = (ms: number, expired: () => void) => () => void;

/** The number of unread bytes at which the connection is paused. */
const max_unread_bytes = 65_536;

/** Receives the bytes of a stream and decodes them to text. `errorForReaders` makes the error that readers receive. */
export function receiveStream(
  control: Dispatcher.DispatchController,
  timer: Timer,
  errorForReaders: (error: Error) => Error,
) {
  const decoder = new TextDecoder();
  let isOver = false;
  let fault: Error | null = null;
  let stopSilenceTimer = () => {};

  /** Starts the time limit for silence. A paused connection has none, as its reader causes the silence. */
  const restartSilenceTimer = () => {
    stopSilenceTimer();
    stopSilenceTimer = timer(silence_ms, () => {
      const lost = new Unreachable(`The stream was silent for ${silence_ms / 1000} s.`);
      end(lost);
      control.abort(lost);
    });
  };
  const resume = () => {
    if (isOver || !control.paused) return;
    restartSilenceTimer();
    control.resume();
  };
  const unread = new Readable({ highWaterMark: max_unread_bytes, read: resume });
  /** Ends the stream, with an error unless it was closed properly. */
  const end = (error: Error | null) => {
    stopSilenceTimer();
    if (isOver) return;
    isOver = true;
    fault = error === null ? null : errorForReaders(error);
    unread.push(null);
  };
  const close = () => {
    if (isOver) return;
    end(null);
    control.abort(new Unreachable('The stream was closed.'));
  };
  async function* chunks(): AsyncGenerator<string> {
    try {
      for await (const chunk of unread) yield decoder.decode(chunk, { stream: true });
      if (fault !== null) throw fault;
    } finally {
      close();
    }
  }
  restartSilenceTimer();
  /** Receives bytes. */
  const take = (chunk: Buffer) => {
    if (isOver) return;
    stopSilenceTimer();
    if (unread.push(chunk)) restartSilenceTimer();
    else control.pause();
  };
  const stream: WireStream = { chunks: chunks(), close };
  return { stream, end, take };
}
