import { exactSequence } from './exact-sequence.ts';
import { improvedSequence } from './sequence-improvement.ts';
import { earlierOf, legOf, type SequenceModel, sequenceLength } from './sequence-model.ts';

const MOST_EXACT_PLACES = 8;

/**
 * The order of places with the shortest way that keeps precedence: the very shortest up to eight places,
 * above that the better of two good ones, never longer than the given order. The given order must itself
 * keep precedence; it wins where lengths are equal.
 */
export function shortestSequence(model: SequenceModel): number[] {
  if (model.legs.length <= MOST_EXACT_PLACES) return exactSequence(model);
  const given = improvedSequence(
    model,
    model.legs.map((_, place) => place),
  );
  const other = improvedSequence(model, nearestNeighbours(model));
  return sequenceLength(model, other) < sequenceLength(model, given) ? other : given;
}

/** From the first place on, always the nearest of those that may come next. */
function nearestNeighbours(model: SequenceModel): number[] {
  const sequence: number[] = [];
  const left = new Set(model.legs.keys());
  while (left.size > 0) {
    const open = [...left].filter((place) => earlierOf(model, place).every((other) => !left.has(other)));
    const next = nearest(model, sequence.at(-1), open);
    if (next === undefined) break;
    sequence.push(next);
    left.delete(next);
  }
  return sequence;
}

function nearest(model: SequenceModel, from: number | undefined, places: readonly number[]) {
  return places.reduce<number | undefined>(
    (best, place) =>
      best === undefined || legOf(model, from, place) < legOf(model, from, best) ? place : best,
    undefined,
  );
}
