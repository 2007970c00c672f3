import { hasGrown, isOver, type LogEnd, seenEnd } from '../../storage/event-order.ts';
import { latestPosition } from '../../storage/events.ts';
import { patiently } from '../runtime/background-owner.ts';
import { createSignal } from '../runtime/change-listeners.ts';
import type { EventWatermark, ServiceContext } from '../runtime/context.ts';
import { createBell } from '../runtime/wakeup.ts';

type HeadContext = Pick<ServiceContext, 'storage' | 'timers' | 'onFault' | 'told'>;

/** Between two looks, however much happens. */
const least_ms = 20;
/** The longest wait before looking again: other processes may write events to the same database. */
const look_ms = 500;

/** One look serves all streams. `before` comes before each. */
export function createWatermark(service: HeadContext, before: () => Promise<void>): EventWatermark {
  const { timers, onFault, told } = service;
  const bell = createBell(timers);
  const moved = createSignal();
  const reading = service.storage.engine === 'postgres' ? settledEnd(service) : latestEnd(service);
  const listeners = new Set<() => void>();
  let position: number | null = null;
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    const stopHearing = told.listen(bell.ring);
    while (listeners.size > 0) {
      const rest = new Promise<void>((resolve) => timers.after(least_ms, resolve));
      const wait_ms = await pass();
      await bell.heard(wait_ms);
      await rest;
    }
    stopHearing();
    isRunning = false;
  }

  /** One look; gives how long the next can wait. */
  async function pass(): Promise<number> {
    try {
      await before();
      const end = await reading();
      if (end.position !== position) {
        position = end.position;
        moved.ring();
      }
      return end.isSettled ? look_ms : least_ms;
    } catch (fault) {
      // Where nobody listens any more, the storage may be closed.
      if (listeners.size > 0) onFault?.(fault, null);
      return look_ms;
    }
  }

  return {
    position: () => position,
    listen: (hear) => {
      const stopHearing = moved.listen(hear);
      listeners.add(hear);
      bell.ring();
      if (!isRunning) void run();
      return () => {
        stopHearing();
        listeners.delete(hear);
        bell.ring();
      };
    },
    settled: async () => {
      const { storage } = service;
      if (storage.engine !== 'postgres') return;
      const end = await storage.run(seenEnd);
      await patiently(service, () => storage.run((db) => isOver(db, end)));
    },
  };
}

/** Where reading can go on to, and whether that is all that is there. */
interface End {
  position: number;
  isSettled: boolean;
}

/** Of a file, where one writes at a time. */
function latestEnd({ storage }: HeadContext): () => Promise<End> {
  return async () => ({ position: await storage.run(latestPosition), isSettled: true });
}

/** Where many write side by side. */
function settledEnd({ storage }: HeadContext): () => Promise<End> {
  let settled = 0;
  let seen: LogEnd | null = null;
  return async () => {
    if (seen === null && (await storage.run((db) => hasGrown(db, settled))))
      seen = await storage.run(seenEnd);
    const next = seen;
    if (next === null) return { position: settled, isSettled: true };
    if (!(await storage.run((db) => isOver(db, next)))) return { position: settled, isSettled: false };
    settled = next.position;
    seen = null;
    return { position: settled, isSettled: true };
  };
}
