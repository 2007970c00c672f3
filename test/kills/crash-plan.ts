import { type CrashPoint, crashPoints } from '../../src/service/runtime/crash-points.ts';

/** How a process is killed: by itself at a crash point, or after a delay. */
export type Crash = { at: CrashPoint; passage: number } | { after_ms: number };

/** Random numbers in [0, 1), repeatable by seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    // mulberry32, public domain.
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const step_point: CrashPoint = 'clock.between_steps';

/** Crash points passed once for each batch. */
export const creation_points: readonly CrashPoint[] = ['batch.before_commit', 'batch.after_commit'];

/** Crash points passed for each order. */
export const order_points = crashPoints.filter(
  (point) => !creation_points.includes(point) && point !== step_point && !isOfWebhooks(point),
);

/** Crash points of webhooks have their own test: there are no endpoints here. */
export function isOfWebhooks(point: CrashPoint): boolean {
  return point.startsWith('webhook.');
}

/** The same, with more weight on clock advances. */
export const advance_points: readonly CrashPoint[] = [step_point, ...order_points, step_point];

/** Crash points and delays in turn; `most` is the maximum number of passages before the crash. */
export function nextCrash(
  number: number,
  { points, most }: { points: readonly CrashPoint[]; most: number },
  chance: () => number,
): Crash {
  const at = points[Math.floor(number / 2) % points.length];
  if (number % 2 === 0 || at === undefined) return { after_ms: 60 + chance() * 600 };
  if (creation_points.includes(at)) return { at, passage: 1 };
  // Each order takes many steps.
  return { at, passage: 1 + Math.floor(chance() * (at === step_point ? 3 * most : most)) };
}

export function crashText(death: Crash): string | null {
  return 'at' in death ? `${death.at}:${death.passage}` : null;
}
