import { exactSequence } from './exact-sequence.ts';
import { improvedSequence } from './sequence-improvement.ts';
import { earlierOf, legOf, type SequenceModel, sequenceLength } from './sequence-model.ts';

const MOST_EXACT_PLACES = 8;

/**
 * Returns the shortest order of places that keeps precedence: exact for up to eight places, above that the better of
 * two heuristics, never longer than the given order. The given order must keep precedence; it wins ties.
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

/** Starts at the first place and always continues with the nearest allowed one. */
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
