import { expect, test } from 'vitest';
import {
  drawnScenario,
  magicScenario,
  parseSimulation,
  scenarioNames,
  scenarios,
} from '../../src/domain/scenarios.ts';

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

test('a fictional phone number selects a scenario in any area code; others select none', () => {
  expect(magicScenario('13125550106')).toBe('no_driver');
  expect(magicScenario('12125550106')).toBe('no_driver');
  for (const phone of ['13125550142', '13125551106', '443125550106', '1312555010', '131255501066']) {
    expect(magicScenario(phone), phone).toBeNull();
  }
});

test('a header names a scenario and optionally a provider; unknown names are reported with the known ones', () => {
  const providers = ['swiftly', 'flaky_co'];
  expect(parseSimulation('no_driver; provider=flaky_co', providers)).toEqual({
    scenario: 'no_driver',
    provider: 'flaky_co',
  });
  expect(parseSimulation('nothing', providers)).toMatchObject({ unknown: 'nothing' });
  expect(parseSimulation('no_driver; provider=nobody', providers)).toMatchObject({ unknown: 'nobody' });
  expect(parseSimulation('no_driver; speed=2', providers)).toMatchObject({ unknown: 'speed' });
});

test('chaos selects every other scenario equally often and never itself', () => {
  const others = scenarioNames.filter((name) => name !== 'chaos');
  const draws = others.flatMap((_, place) =>
    [0.001, 0.5, 0.999].map((within) => drawnScenario((place + within) / others.length)),
  );
  expect(draws).toEqual(others.flatMap((name) => [name, name, name]));
});
