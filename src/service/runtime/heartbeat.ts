import type { Clock } from './time.ts';

/** When the loops of this process last made progress, or found nothing to do. */
export interface Heartbeat {
  /** Records that a loop is alive. */
  beat: (loop: LoopName) => void;
  /** Records that a loop was stopped: no further beat is expected. */
  end: (loop: LoopName) => void;
  /** The loop whose last beat is the longest ago; null if no loop runs. */
  silence: () => Silence | null;
}

export interface Silence {
  loop: LoopName;
  silent_ms: number;
}

export type LoopName = 'tasks' | 'webhooks';

export function createHeartbeat(clock: Clock): Heartbeat {
  const beats = new Map<LoopName, number>();
  return {
    beat: (loop) => {
      beats.set(loop, clock.now());
    },
    end: (loop) => {
      beats.delete(loop);
    },
    silence: () => {
      let longest: Silence | null = null;
      for (const [loop, at] of beats) {
        const silent_ms = clock.now() - at;
        if (longest === null || silent_ms > longest.silent_ms) longest = { loop, silent_ms };
      }
      return longest;
    },
  };
}
