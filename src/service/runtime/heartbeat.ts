import type { Clock } from './time.ts';

/** When the loops of this process last made progress, or found nothing to do. */
export interface Heartbeat {
  /** Records that a loop is alive. */
  beat: (loop: LoopName) => void;
  /** The heartbeat of one loop. */
  of: (loop: LoopName) => Pulse;
  /** A loop without a beat for too long, with its silence; null if all are alive. */
  stalled: () => { loop: LoopName; silent_ms: number } | null;
}

export interface Pulse {
  beat: () => void;
  /** Records that the loop was stopped: no further beat is expected. */
  end: () => void;
}

export type LoopName = 'tasks' | 'webhooks';

/** Longer than a failed poll and the one after it. */
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
