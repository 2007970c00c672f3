import { expect, test } from 'vitest';
import { surviveOutages } from './outages.ts';

test('endpoints that recover within 75 hours get every event, each delivery in order', async () => {
  const endpoints = 20;
  const { event_count, attempts, disabled } = await surviveOutages({
    endpoints,
    deliveries: 2,
    seed: 'outages',
  });
  expect(event_count).toBeGreaterThan(10);
  expect(attempts).toBeGreaterThan(endpoints * event_count * 1.2);
  expect(disabled).toBeGreaterThan(0);
});
