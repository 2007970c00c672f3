import type { WireStream } from '../contract/wire.ts';
import { Unreachable } from './errors.ts';

/** A stream that comes over the network. */
export interface Incoming {
  stream: WireStream;
  /** Bytes that came. */
  take(chunk: Buffer): void;
  /** Nothing more comes; where that is no proper end, with the reason. */
  end(error: Error | null): void;
}

/** What the connection does for it. */
interface Control {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

interface Tools {
  /** Calls `expired` after so many milliseconds, unless what it returns is called before. */
  timer(ms: number, expired: () => void): () => void;
  /** What a fault of the network is to whoever reads. */
  unreachable(error: Error): Error;
}

/** The service says something each 15 s: after three times as long without a byte it is not there any more. */
const silence_ms = 45_000;
/** What came and was not taken yet, in characters; beyond that the other side waits. */
const most = 65_536;

/** Makes text of the bytes that come, as fast as it is taken. */
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
    // More may come before this returns.
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

/** Calls `lost` after a silence that began with the last `start`, unless it was stopped. */
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
