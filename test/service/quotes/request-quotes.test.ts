import { expect, test } from 'vitest';
import { simulatedProviders } from '../../../src/providers/directory.ts';
import { askableProviders } from '../../../src/service/quotes/quote-rounds.ts';
import { memoryRecords } from '../../providers/simulated/memory-records.ts';
import { orderMade, orderRequest, startFixture } from '../fixture.ts';
import { askedRoute } from '../route-runs.ts';

const completed = { type: 'route_quotes.completed' } as const;

test('a live round completes at once, with a reason for each courier that quotes unasked', async () => {
  const fixture = await startFixture();
  const client = fixture.client(fixture.keys.live);
  const params = await askedRoute(client);
  const { data: quotes } = await client.quotes.list({ params });
  expect(quotes).toMatchObject({ status: 'COMPLETE', data: [] });
  const named = quotes.reasons?.map(({ provider }) => provider);
  expect(named).toContain('poolride');
  expect(named).not.toContain('flaky_co');
  expect((await client.events.list({ query: completed })).data.data).toHaveLength(1);
});

test.each([
  [null, null, ['swiftly', 'haulvan']],
  [null, 'flaky_co', ['swiftly', 'haulvan', 'flaky_co']],
  [['flaky_co'], null, ['flaky_co']],
  [['haulvan'], 'flaky_co', ['haulvan']],
] as const)('of the named %j, with the simulated %s, %j can be asked', (named, simulated, expected) => {
  const names: readonly string[] = ['swiftly', 'haulvan', 'flaky_co'];
  const known = simulatedProviders(memoryRecords()).filter(({ name }) => names.includes(name));
  const askable = askableProviders(known, { providers: named, simulated });
  expect(askable.map(({ name }) => name).toSorted()).toEqual(expected.toSorted());
});

test('a round asks the provider of a simulation, none that is down, and nobody once it is replaced', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  await client.sandbox.updateProvider({ params: { name: 'swiftly' }, body: { state: 'down' } });
  const headers = { 'x-simulation': 'happy_path; provider=flaky_co' };
  const { data: order } = await orderMade(
    client.orders.create({ body: { orders: [orderRequest()] }, headers }),
  );
  const { id: route_id } = (await client.routes.create({ body: { order_ids: [order.id] } })).data;
  const params = { route_id };
  await client.quotes.request({ params });
  await client.quotes.request({ params });
  await fixture.pass(10_000);
  const { data: quotes } = await client.quotes.list({ params });
  expect(quotes.data).toContainEqual(expect.objectContaining({ provider: 'flaky_co' }));
  expect(quotes.reasons).toContainEqual(expect.objectContaining({ provider: 'swiftly', code: 'no_answer' }));
  expect((await client.events.list({ query: completed })).data.data).toHaveLength(1);
});
