import { expect, test } from 'vitest';
import { surviveOutages } from '../service/webhooks/outages.ts';

test('a thousand endpoints that recover within 75 hours miss nothing and get each delivery in order', async () => {
  const survived = await surviveOutages({ endpoints: 1_000, deliveries: 3, seed: 'a thousand' });
  console.log(survived);
  expect(survived.disabled).toBeGreaterThan(100);
});
