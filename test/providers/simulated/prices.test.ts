import { expect, test } from 'vitest';
import { totalTenths } from '../../../src/domain/stops.ts';
import { simulatedProviders } from '../../../src/providers/directory.ts';
import { costOfDelivery } from '../../../src/providers/simulated/pricing.ts';
import { memoryRecords } from './memory-records.ts';
import { names, ordersFrom, quoteRequest, tomorrow } from './requests.ts';

/** From, to, tenths of a mile by road, and each provider's cost in cents; null if it declines. */
const table: [string, string[], number, (number | null)[]][] = [
  ['60611', ['60606'], 19, [799, 659, 599, 2499, 899, 699]],
  ['94105', ['94103'], 21, [799, 689, 599, 2499, 899, 699]],
  ['10001', ['11201'], 51, [1112, null, 833, 2968, 916, 1000]],
  ['78701', ['78758'], 109, [null, null, 1326, 4070, 1322, 1638]],
  ['60611', ['60611'], 3, [799, 649, 599, 2499, 899, 699]],
  ['60611', ['60606', '60614', '60657'], 72, [1874, null, 1361, 4567, 1363, 1731]],
];

test.each(table)('%s to %j: %i tenths cost %j', async (from, to, tenths, costs) => {
  const request = quoteRequest(ordersFrom(from, ...to));
  expect(totalTenths(request.stops)).toBe(tenths);
  const providers = simulatedProviders(memoryRecords());
  expect(providers.map(({ name }) => name)).toEqual(names);
  for (const [index, provider] of providers.entries()) {
    const pickup_at = provider.name === 'nightowl' ? tomorrow : null;
    const answer = await provider.quote({ ...request, pickup_at });
    if (answer.kind === 'quoted')
      expect([provider.name, answer.cost_of_delivery]).toEqual([provider.name, costs[index]]);
    else expect([answer.code, costs[index]]).toEqual(['too_far', null]);
  }
});

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
