import { expect, test } from 'vitest';
import { orderMade, startFixture } from '../fixture.ts';

const order = {
  pickup_address: '43 E Ohio St, Chicago, IL 60611',
  pickup_name: 'Grill',
  pickup_phone_number: '+13125550101',
  dropoff_address: '233 S Wacker Dr, Chicago, IL 60606',
  dropoff_name: 'Joe Diner',
  dropoff_phone_number: '+13125550142',
  items: [{ name: 'Soup', quantity: 2 }],
};

test('a live round completes at once, with a reason for each courier that quotes unasked', async () => {
  const fixture = await startFixture();
  const client = fixture.client(fixture.keys.live);
  const made = await orderMade(client.orders.create({ body: { orders: [order] } }));
  const { data: route } = await client.routes.create({ body: { order_ids: [made.data.id] } });
  const params = { route_id: route.id };
  await client.quotes.request({ params });
  const { data: quotes } = await client.quotes.list({ params });
  expect(quotes).toMatchObject({ status: 'COMPLETE', data: [] });
  const named = quotes.reasons?.map(({ provider }) => provider);
  expect(named).toContain('poolride');
  expect(named).not.toContain('flaky_co');
});
