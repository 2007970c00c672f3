import { hasGrown, isOver, type LogEnd, latestPosition, visibleEnd } from '../../storage/events.ts';
import type { EventPage, EventWatermark, ServiceContext } from '../runtime/context.ts';
import { pause, pollUntil } from '../runtime/time.ts';
import { createChangeListeners, createWakeup } from '../runtime/wakeup.ts';

type WatermarkContext = Pick<ServiceContext, 'storage' | 'timers' | 'onFault' | 'changes'>;

/** The minimum wait between two polls, however much happens. */
const min_poll_interval_ms = 20;
/** The maximum wait between two polls: other processes may write events to the same database. */
const poll_interval_ms = 500;

/** How long a page is kept for the streams that read it a little later. */
const page_kept_ms = 250;

/** One poll serves all streams. `before` is called before each poll. */
export function createWatermark(service: WatermarkContext, before: () => Promise<void>): EventWatermark {
  const { timers, onFault, changes } = service;
  const wakeup = createWakeup(timers);
  const moved = createChangeListeners();
  const reading = service.storage.engine === 'postgres' ? settledEnd(service) : latestEnd(service);
  const listeners = new Set<() => void>();
  const pages = new Map<string, Promise<EventPage>>();
  let position: number | null = null;
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    const unsubscribe = changes.subscribe(wakeup.notify);
    while (listeners.size > 0) {
      const rest = pause(timers, min_poll_interval_ms);
      const wait_ms = await poll();
      await wakeup.wait(wait_ms);
      await rest;
    }
    unsubscribe();
    isRunning = false;
  }

  /** Polls once; resolves with the maximum wait before the next poll. */
  async function poll(): Promise<number> {
    try {
      await before();
      const end = await reading();
      if (end.position !== position) {
        position = end.position;
        moved.notify();
      }
      return end.isSettled ? poll_interval_ms : min_poll_interval_ms;
    } catch (fault) {
      // Without listeners the storage may already be closed.
      if (listeners.size > 0) onFault?.(fault, null);
      return poll_interval_ms;
    }
  }

  return {
    position: () => position,
    listen: (onMove) => {
      const unsubscribe = moved.subscribe(onMove);
      listeners.add(onMove);
      wakeup.notify();
      if (!isRunning) void run();
      return () => {
        unsubscribe();
        listeners.delete(onMove);
        wakeup.notify();
      };
    },
    settled: async () => {
      const { storage } = service;
      if (storage.engine !== 'postgres') return;
      const end = await storage.run(visibleEnd);
      await pollUntil(service, () => storage.run((db) => isOver(db, end)));
    },
    page: (key, read) => {
      const known = pages.get(key);
      if (known !== undefined) return known;
      const page = read();
      pages.set(key, page);
      timers.after(page_kept_ms, () => pages.delete(key));
      return page;
    },
  };
}

/** The position up to which the log can be read, and whether that is its end. */
interface End {
  position: number;
  isSettled: boolean;
}

/** For a database file, which has one writer at a time. */
function latestEnd({ storage }: WatermarkContext): () => Promise<End> {
  return async () => ({ position: await storage.run(latestPosition), isSettled: true });
}

/** For a database with concurrent writers. */
function settledEnd({ storage }: WatermarkContext): () => Promise<End> {
  let settled = 0;
  let seen: LogEnd | null = null;
  return async () => {
    if (seen === null && (await storage.run((db) => hasGrown(db, settled))))
      seen = await storage.run(visibleEnd);
    const next = seen;
    if (next === null) return { position: settled, isSettled: true };
    if (!(await storage.run((db) => isOver(db, next)))) return { position: settled, isSettled: false };
    settled = next.position;
    seen = null;
    return { position: settled, isSettled: true };
  };
}
