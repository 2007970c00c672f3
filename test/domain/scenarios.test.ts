import { expect, test } from 'vitest';
import { scenarios } from '../../src/domain/scenarios.ts';

test('each scenario phone number has one scenario', () => {
  const numbers = Object.values(scenarios).map(({ number }) => number);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.every((number) => /^\d\d$/.test(number))).toBe(true);
});

test('every scenario with a number is listed in order', () => {
  const numbers = Object.values(scenarios).map(({ number }) => Number(number));
  const gaps = [15, 23, 27, 35, 37];
  expect(numbers).toEqual(Array.from({ length: 40 }, (_, number) => number).filter((n) => !gaps.includes(n)));
});
