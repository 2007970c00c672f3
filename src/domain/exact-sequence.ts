import { earlierOf, legOf, type SequenceModel } from './sequence-model.ts';

/**
 * The shortest of all sequences, by dynamic programming over the sets of visited places (Held and Karp):
 * time and memory grow as n^2 * 2^n. Among equals the one nearest to the given order.
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

/** For each set of visited places, then each last one: the shortest way through all the others. */
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

/** Whether a place was not visited yet, and all were that must come before it. */
function isOpen(model: SequenceModel, place: number, visited: number): boolean {
  if ((visited & (1 << place)) !== 0) return false;
  return earlierOf(model, place).every((other) => (visited & (1 << other)) !== 0);
}
