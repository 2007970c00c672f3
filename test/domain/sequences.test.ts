import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  improvedSequence,
  keepsPrecedence,
  type SequenceModel,
  sequenceLength,
  shortestSequence,
} from '../../src/domain/shortest-sequence.ts';

/** Points in a plane; each place of the second half must follow its counterpart in the first. */
function model(points: readonly (readonly [number, number])[]): SequenceModel {
  const half = points.length / 2;
  return {
    legs: points.map(([x, y]) => points.map(([u, v]) => Math.round(Math.hypot(x - u, y - v)))),
    earlier: points.map((_, place) => (place < half ? [] : [place - half])),
  };
}

function models(pairs: number): fc.Arbitrary<SequenceModel> {
  const point = fc.tuple(fc.integer({ min: 0, max: 99 }), fc.integer({ min: 0, max: 99 }));
  return fc.array(point, { minLength: 2 * pairs, maxLength: 2 * pairs }).map(model);
}

const given = ({ legs }: SequenceModel) => [...legs.keys()];

test('a stop follows those that must precede it, even if it is as near and listed earlier', () => {
  const legs = Array.from({ length: 3 }, () => [3, 3, 3]);
  expect(shortestSequence({ legs, earlier: [[1], [], []] })).toEqual([1, 0, 2]);
  expect(shortestSequence({ legs, earlier: [[], [], []] })).toEqual([0, 1, 2]);
  expect(shortestSequence({ legs: [], earlier: [] })).toEqual([]);
});

test('an improved sequence visits every place once, keeps precedence and is never longer', () => {
  fc.assert(
    fc.property(models(9), (places) => {
      const improved = improvedSequence(places, given(places));
      expect([...improved].sort((a, b) => a - b)).toEqual(given(places));
      expect(keepsPrecedence(places, improved)).toBe(true);
      expect(sequenceLength(places, improved)).toBeLessThanOrEqual(sequenceLength(places, given(places)));
    }),
  );
});

test('the better of two starting sequences is used', () => {
  let saved = 0;
  fc.assert(
    fc.property(models(9), (places) => {
      const one = sequenceLength(places, improvedSequence(places, given(places)));
      const best = sequenceLength(places, shortestSequence(places));
      expect(best).toBeLessThanOrEqual(one);
      saved += one - best;
    }),
    { seed: 1 },
  );
  expect(saved).toBeGreaterThan(0);
});
