import { expect, test } from 'vitest';
import { costOfDelivery } from '../../src/providers/simulated/pricing.ts';

const tariff = { base: 599, per_mile: 125, minimum: 799, included_tenths: 10, extra_stop: 250 };

test.each([
  [3, 2, 799],
  [26, 2, 799],
  [27, 2, 812],
  [51, 2, 1112],
  [72, 4, 1874],
  [3, 5, 1549],
])('%i tenths with %i stops cost %i cents', (tenths, stops, cost) => {
  expect(costOfDelivery(tariff, tenths, stops)).toBe(cost);
});

test('half a cent rounds up', () => {
  expect(costOfDelivery({ ...tariff, base: 1000, per_mile: 125 }, 11, 2)).toBe(1013);
});
