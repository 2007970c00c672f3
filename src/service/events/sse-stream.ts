import type { WireStream } from '../../contract/wire.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { createWakeup } from '../runtime/wakeup.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';

/** What flows, and for how long. */
export interface Flow {
  /** Goes out at once, so that the other side knows that it is open. */
  opening: string;
  /** Calls back when there may be more to tell, until what it gives is called. */
  listen: (hear: () => void) => () => void;
  /** What can be told next, no more than one page of it; empty: nothing now. */
  next: () => Promise<string>;
  /** Asked at each beat, and each second while there is something to tell; where it may not go on, it ends. */
  mayGoOn: () => Promise<boolean>;
}

type FlowContext = Pick<ServiceContext, 'timers' | 'monotonic' | 'streams' | 'onFault'>;

/** So often the other side hears something, in real time. */
const beat_ms = 15_000;
/** While there is something to tell, it is asked so often whether it may go on. */
const trust_ms = 1_000;
/** Longer than any wait for a beat. */
const longestWait_ms = 2 * beat_ms;
const beat = ': nothing new\n\n';

/**
 * A stream that goes on until it is closed, may not go on, or the service stops. Nothing is read before what was read
 * was taken, so a slow reader costs no memory.
 */
export function openFlow(service: FlowContext, { opening, listen, next, mayGoOn }: Flow): WireStream {
  const { timers, streams } = service;
  const wakeup = createWakeup(timers);
  const yieldToEventLoop = createYielder(service);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const silence = createSpan(timers, beat_ms, wakeup.notify);
  const trust = createSpan(timers, trust_ms);
  let isOver = false;
  let stopHearing = () => {};
  let forget = () => {};
  const close = () => {
    isOver = true;
    forget();
    silence.stop();
    trust.stop();
    stopHearing();
    wakeup.notify();
    resolve();
  };
  const begin = () => {
    stopHearing = listen(wakeup.notify);
    silence.begin();
    trust.begin();
  };

  async function* chunks(): AsyncGenerator<string> {
    if (!isOver) begin();
    try {
      if (!isOver) yield opening;
      while (!isOver) {
        // A reader in this process never makes anything wait: without this nothing else would run, the beat neither.
        await yieldToEventLoop();
        const text = await next();
        const isDoubted = text !== '' && trust.isOver();
        if (!isOver && isDoubted) {
          if (!(await mayGoOn())) return;
          trust.begin();
        }
        if (!isOver && text !== '') yield text;
        if (!isOver && text === '') await wakeup.wait(longestWait_ms);
        if (isOver || !silence.isOver()) continue;
        if (!(await mayGoOn())) return;
        silence.begin();
        yield beat;
      }
    } catch (fault) {
      if (!isOver) service.onFault?.(fault, null);
    } finally {
      close();
    }
  }

  forget = streams.add(close);
  return { chunks: chunks(), close, ended };
}

/** A span of real time that can begin anew; calls back when it is over. */
function createSpan(timers: FlowContext['timers'], ms: number, over = () => {}) {
  let isOver = false;
  let stop = () => {};
  return {
    isOver: () => isOver,
    stop: () => stop(),
    begin: () => {
      stop();
      isOver = false;
      stop = timers.after(ms, () => {
        isOver = true;
        over();
      });
    },
  };
}
