import type { WireStream } from '../contract/wire.ts';
import { Unreachable } from './errors.ts';

/** A stream received over the network. */
export interface Incoming {
  stream: WireStream;
  /** Receives bytes. */
  take(chunk: Buffer): void;
  /** Ends the stream, with an error unless it was closed properly. */
  end(error: Error | null): void;
}

/** The connection's flow control. */
interface Control {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

interface Tools {
  /** Calls `expired` after this many milliseconds, unless the returned function is called first. */
  timer(ms: number, expired: () => void): () => void;
  /** Converts a network error to the error that readers receive. */
  unreachable(error: Error): Error;
}

/** The service sends something every 15 s; three times as long without a byte means that the connection is lost. */
const silence_ms = 45_000;
/** The maximum number of unread characters; beyond it the connection is paused. */
const most = 65_536;

/** Decodes the received bytes to text, with back-pressure. */
export function incoming(control: Control, { timer, unreachable }: Tools): Incoming {
  const decoder = new TextDecoder();
  let waiting = '';
  let isOver = false;
  let isPaused = false;
  let fault: Error | null = null;
  let wake = () => {};

  const end = (error: Error | null) => {
    silence.stop();
    if (!isOver && error !== null) fault = unreachable(error);
    isOver = true;
    wake();
  };
  const silence = silenceWatch(timer, (lost) => giveUp(lost, lost));
  const giveUp = (reason: Unreachable, error: Error | null) => {
    if (isOver) return;
    end(error);
    control.abort(reason);
  };
  const close = () => giveUp(new Unreachable('The stream was closed.'), null);
  const taken = (): string => {
    const text = waiting;
    waiting = '';
    const goesOn = isPaused && !isOver;
    isPaused = false;
    if (goesOn) silence.start();
    // More data may arrive before this returns.
    if (goesOn) control.resume();
    return text;
  };

  async function* chunks(): AsyncGenerator<string> {
    try {
      for (;;) {
        const text = taken();
        if (text !== '') yield text;
        else if (fault !== null) throw fault;
        else if (isOver) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      close();
    }
  }

  silence.start();
  const take = (chunk: Buffer) => {
    if (isOver) return;
    waiting += decoder.decode(chunk, { stream: true });
    wake();
    silence.start();
    if (waiting.length < most) return;
    isPaused = true;
    silence.stop();
    control.pause();
  };
  return { stream: { chunks: chunks(), close }, end, take };
}

/** Calls `lost` if `start` is not followed by another `start` or a `stop` in time. */
function silenceWatch(timer: Tools['timer'], lost: (reason: Unreachable) => void) {
  let cancel = () => {};
  const stop = () => {
    cancel();
    cancel = () => {};
  };
  const start = () => {
    stop();
    cancel = timer(silence_ms, () => {
      cancel = () => {};
      lost(new Unreachable(`The stream was silent for ${silence_ms / 1000} s.`));
    });
  };
  return { start, stop };
}
