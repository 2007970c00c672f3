import { type CrashPoint, crashPoints } from '../../src/service/runtime/crash-points.ts';

/** How a process is to die: by itself at a passage, or at a moment after its start. */
export type Death = { at: CrashPoint; passage: number } | { after_ms: number };

/** So long a process has to come to its passage; after that it is killed wherever it is. */
const lastMoment_ms = 1_500;

/** Numbers from 0 up to but not 1, the same for the same seed. */
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

const stepping: CrashPoint = 'clock.between_steps';

/** Passages that a process comes by once for each batch that is sent to it. */
export const creation: readonly CrashPoint[] = ['batch.before_commit', 'batch.after_commit'];

/** Passages that it comes by for each order. */
export const carrying = crashPoints.filter(
  (point) => !creation.includes(point) && point !== stepping && !isOfWebhooks(point),
);

/** Nobody hears of what is carried out here: the passages of sending have their own test. */
export function isOfWebhooks(point: CrashPoint): boolean {
  return point.startsWith('webhook.');
}

/** The same, and more often that of an advance of the clock. */
export const advancing: readonly CrashPoint[] = [stepping, ...carrying, stepping];

/** Passages and moments in turn; `most` is how often a process comes by a passage at most before it dies there. */
export function deathFor(
  number: number,
  { points, most }: { points: readonly CrashPoint[]; most: number },
  chance: () => number,
): Death {
  const at = points[Math.floor(number / 2) % points.length];
  if (number % 2 === 0 || at === undefined) return { after_ms: 60 + chance() * 600 };
  if (creation.includes(at)) return { at, passage: 1 };
  // For each order there are many steps.
  return { at, passage: 1 + Math.floor(chance() * (at === stepping ? 3 * most : most)) };
}

export function crashText(death: Death): string | null {
  return 'at' in death ? `${death.at}:${death.passage}` : null;
}

/** When to kill a process, counted from its start. */
export function momentOf(death: Death): number {
  return 'at' in death ? lastMoment_ms : death.after_ms;
}
