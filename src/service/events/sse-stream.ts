import type { WireStream } from '../../contract/operation.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { createWakeup } from '../runtime/wakeup.ts';
import { createYielder } from '../runtime/yield-to-event-loop.ts';

/** The source of a stream. */
export interface StreamSource {
  /** Sent immediately, so that the client knows that the stream is open. */
  opening: string;
  /** Calls `onMore` when there may be more to send, until the returned function is called. */
  listen: (onMore: () => void) => () => void;
  /** The next chunk to send; empty if there is nothing to send now. */
  next: () => Promise<string>;
  /** Checked at each heartbeat, and each second while there is something to send; false ends the stream. */
  mayContinue: () => Promise<boolean>;
}

type StreamContext = Pick<ServiceContext, 'timers' | 'monotonic' | 'streams' | 'onFault'>;

/** The maximum silence on a stream, in real time. */
const heartbeat_ms = 15_000;
/** How often permission is checked while there is something to send. */
const permission_check_ms = 1_000;
/** Longer than any wait for a heartbeat. */
const max_wait_ms = 2 * heartbeat_ms;
const heartbeat = ': nothing new\n\n';

/**
 * A stream that is open until it is closed, may not continue, or the service stops. The next page is read once the
 * previous one was consumed, so a slow reader costs no memory.
 */
export function openStream(
  service: StreamContext,
  { opening, listen, next, mayContinue }: StreamSource,
): WireStream {
  const { timers, streams } = service;
  const wakeup = createWakeup(timers);
  const yieldToEventLoop = createYielder(service);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const silence = createSpan(timers, heartbeat_ms, wakeup.notify);
  const trust = createSpan(timers, permission_check_ms);
  let isOver = false;
  let unsubscribe = () => {};
  let forget = () => {};
  const close = () => {
    isOver = true;
    forget();
    silence.stop();
    trust.stop();
    unsubscribe();
    wakeup.notify();
    resolve();
  };
  const begin = () => {
    unsubscribe = listen(wakeup.notify);
    silence.begin();
    trust.begin();
  };

  async function* chunks(): AsyncGenerator<string> {
    if (!isOver) begin();
    try {
      if (!isOver) yield opening;
      while (!isOver) {
        // A reader in this process never waits for I/O: without this nothing else would run, not even the heartbeat.
        await yieldToEventLoop();
        const text = await next();
        const isDoubted = text !== '' && trust.isOver();
        if (!isOver && isDoubted) {
          if (!(await mayContinue())) return;
          trust.begin();
        }
        if (!isOver && text !== '') yield text;
        if (!isOver && text === '') await wakeup.wait(max_wait_ms);
        if (isOver || !silence.isOver()) continue;
        if (!(await mayContinue())) return;
        silence.begin();
        yield heartbeat;
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

/** A restartable timer in real time; calls back when it expires. */
function createSpan(timers: StreamContext['timers'], ms: number, over = () => {}) {
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
