import { expect, test } from 'vitest';
import { scenarios } from '../../src/domain/scenarios.ts';

test('the numbers of the magic phones are each of one scenario', () => {
  const numbers = Object.values(scenarios).map(({ number }) => number);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.every((number) => /^\d\d$/.test(number))).toBe(true);
});

test('every number that has a scenario has it, in order', () => {
  const numbers = Object.values(scenarios).map(({ number }) => Number(number));
  const gaps = [15, 23, 27, 35, 37];
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, number) => number).filter((n) => !gaps.includes(n)));
});
