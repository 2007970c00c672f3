import { earlierOf, legOf, type SequenceModel } from './sequence-model.ts';

/**
 * Finds the shortest sequence by dynamic programming over the sets of visited places (Held and Karp), in O(n^2 * 2^n)
 * time and memory. Ties are resolved in favor of the given order.
 */
export function exactSequence(model: SequenceModel): number[] {
  const places = model.legs.map((_, place) => place);
  const rest = remainders(model, places);
  const sequence: number[] = [];
  let visited = 0;
  while (sequence.length < places.length) {
    const next = nearest(model, rest, sequence.at(-1), visited);
    sequence.push(next);
    visited |= 1 << next;
  }
  return sequence;
}

/** For each set of visited places and each last place: the length of the shortest path through the remaining ones. */
function remainders(model: SequenceModel, places: readonly number[]): number[][] {
  const all = (1 << places.length) - 1;
  const rest: number[][] = [];
  rest[all] = places.map(() => 0);
  for (let visited = all - 1; visited > 0; visited--) {
    rest[visited] = places.map((last) => shortestRest(model, rest, last, visited));
  }
  return rest;
}

function shortestRest(model: SequenceModel, rest: number[][], last: number | undefined, visited: number) {
  let shortest = Number.POSITIVE_INFINITY;
  for (let next = 0; next < model.legs.length; next++) {
    if (!isOpen(model, next, visited)) continue;
    shortest = Math.min(shortest, wayOver(model, rest, last, visited, next));
  }
  return shortest;
}

function nearest(model: SequenceModel, rest: number[][], last: number | undefined, visited: number) {
  const shortest = shortestRest(model, rest, last, visited);
  return model.legs.findIndex(
    (_, next) => isOpen(model, next, visited) && wayOver(model, rest, last, visited, next) === shortest,
  );
}

function wayOver(
  model: SequenceModel,
  rest: number[][],
  last: number | undefined,
  visited: number,
  next: number,
) {
  return legOf(model, last, next) + (rest[visited | (1 << next)]?.[next] ?? Number.POSITIVE_INFINITY);
}

/** Whether a place is unvisited and all its predecessors are visited. */
function isOpen(model: SequenceModel, place: number, visited: number): boolean {
  if ((visited & (1 << place)) !== 0) return false;
  return earlierOf(model, place).every((other) => (visited & (1 << other)) !== 0);
}
