import type { Clock } from './time.ts';

/** When the loops of this process last got something done, or found nothing to do. */
export interface Heartbeat {
  /** Notes that a loop works. */
  beat: (loop: LoopName) => void;
  /** The heartbeat of one loop. */
  of: (loop: LoopName) => Pulse;
  /** A loop without a beat for too long, and since when; null where all of them work. */
  stalled: () => { loop: LoopName; silent_ms: number } | null;
}

export interface Pulse {
  beat: () => void;
  /** Notes that the loop was stopped: nobody waits for its next beat. */
  end: () => void;
}

export type LoopName = 'tasks' | 'webhooks';

/** Longer than a failed round and the one after it. */
const max_silence_ms = 60_000;

export function createHeartbeat(clock: Clock): Heartbeat {
  const beats = new Map<LoopName, number>();
  const beat = (loop: LoopName) => {
    beats.set(loop, clock.now());
  };
  return {
    beat,
    of: (loop) => ({
      beat: () => beat(loop),
      end: () => {
        beats.delete(loop);
      },
    }),
    stalled: () => {
      for (const [loop, at] of beats) {
        const silent_ms = clock.now() - at;
        if (silent_ms > max_silence_ms) return { loop, silent_ms };
      }
      return null;
    },
  };
}
