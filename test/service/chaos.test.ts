import { expect, test } from 'vitest';
import type { Delivery } from '../../src/contract/deliveries.ts';
import { scenarioNames } from '../../src/domain/scenarios.ts';
import { findQuote } from '../../src/storage/quotes.ts';
import { checkCourierRecords } from '../model/courier-records.ts';
import { check } from '../model/delivery-model.ts';
import { again, scenarioHeader, storedScenario } from './delivery-runs.ts';
import { batchMade, orderRequest, startClient } from './fixture.ts';

const others = scenarioNames.filter((name) => name !== 'chaos');

test('after random faults the histories are legal, the records match and the charges add up', async () => {
  const { fixture, client } = await startClient();
  await client.sandbox.updateSettings({ body: { default_scenario: 'chaos' } });
  const { account_id } = (await client.account.get()).data;
  const deliveries: Delivery[] = [];
  const fates: string[] = [];
  for (let number = 1; number <= 30; number += 1) {
    const body = { ...orderRequest({ tip: 100 }), initiate: number % 4 !== 0 };
    const { data } = await client.deliveries.create({ body, idempotencyKey: `chaos ${number}` });
    deliveries.push(data);
    fates.push(await storedScenario(fixture, data));
  }
  for (const hours of [0.1, 1, 30]) {
    await fixture.pass(hours * 60 * 60_000);
    for (const each of deliveries) {
      const delivery = await again(client, each);
      const charges = (await client.charges.list({ query: { delivery_id: each.id } })).data.data;
      const row = await fixture.storage.run((db) => findQuote(db, account_id, delivery.quote_id));
      const quote = row && { ...row, place: JSON.parse(row.record).place !== undefined };
      check(undefined, { delivery, charges, quote: quote ?? null });
    }
  }
  await checkCourierRecords(fixture.storage, deliveries);
  expect(fates).not.toContain('chaos');
  expect(new Set(fates).size).toBeGreaterThan(12);
});

test('a repeated request creates nothing; each order of a batch has its own random faults', async () => {
  const { fixture, client } = await startClient();
  const headers = scenarioHeader('chaos');
  const orders = Array.from({ length: 300 }, () => orderRequest());
  const settings = { mechanism: 'auto' } as const;
  const call = { body: { orders, settings }, headers, idempotencyKey: 'batch' };
  const batch = await batchMade(client.orders.create(call));
  expect(await batchMade(client.orders.create(call))).toEqual(batch);
  const rows = await fixture.storage.run((db) => db.selectFrom('orders').select('id').execute());
  const fates: string[] = [];
  for (const { id } of rows) fates.push(await storedScenario(fixture, { order_id: id }));
  expect(fates).toHaveLength(300);
  const met = others.map((name) => fates.filter((each) => each === name).length);
  expect(met.reduce((sum, count) => sum + count, 0)).toBe(300);
  // Each of 34 occurs 9 times in 300 on average.
  expect(met.filter((count) => count === 0)).toEqual([]);
  expect(Math.max(...met)).toBeLessThan(25);
});
