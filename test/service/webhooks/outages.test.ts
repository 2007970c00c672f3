import { expect, test } from 'vitest';
import { surviveOutages } from './outages.ts';

test('endpoints that recover within 75 hours get every event, each delivery in order', async () => {
  const { told, attempts, disabled } = await surviveOutages({
    endpoints: 40,
    deliveries: 2,
    seed: 'outages',
  });
  expect(told).toBeGreaterThan(15);
  expect(attempts).toBeGreaterThan(25 * told * 1.2);
  expect(disabled).toBeGreaterThan(0);
}, 60_000);
