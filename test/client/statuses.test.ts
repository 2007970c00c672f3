import { expect, test } from 'vitest';
import { isRefusal } from '../../src/client/errors.ts';
import { deliveryStatuses } from '../../src/contract/vocabulary.ts';
import { json, scripted } from './fakes.ts';

async function statusRead(status: string) {
  const { client } = scripted([json(200, { id: '8', status, status_history: [{ status }] })]);
  const { data } = await client.deliveries.get({ params: { deliveryid: '8' } });
  expect(data.status_history).toMatchObject([{ status: data.status }]);
  return data.status;
}

test('every status is read in upper case, with hyphens and with blanks', async () => {
  for (const status of deliveryStatuses)
    for (const text of [status.toUpperCase(), status.replaceAll('_', '-'), ` ${status.replaceAll('_', ' ')}`])
      expect([text, await statusRead(text)]).toEqual([text, status]);
});

test.each([
  ['attempting reroute', 'attempting_reroute'],
  ['In-Transit', 'in_transit'],
  ['open', 'open'],
])('the status %s is read as %s', async (text, status) => {
  expect(await statusRead(text)).toBe(status);
});

test('the statuses of orders, routes and lists are read likewise', async () => {
  const { client } = scripted([
    json(200, { id: '1', status: 'OPEN' }),
    json(200, { id: '2', status: 'Draft' }),
    json(200, { deliveries: [{ id: '3', status: 'DELIVERED' }] }),
  ]);
  expect((await client.orders.get({ params: { order_id: '1' } })).data).toMatchObject({ status: 'open' });
  expect((await client.routes.get({ params: { route_id: '2' } })).data).toMatchObject({ status: 'draft' });
  expect((await client.deliveries.list()).data.data).toMatchObject([{ status: 'delivered' }]);
});

test('a service that reports its time is read as it is', async () => {
  const headers = { 'x-service-time': '2026-03-02T10:00:00.000Z' };
  const { client } = scripted([json(200, { id: '8', status: 'In-Transit' }, headers)]);
  expect((await client.deliveries.get({ params: { deliveryid: '8' } })).data.status).toBe('In-Transit');
});

test('a dispatch answered with its delivery, whatever the spelling of its status, leads to that delivery', async () => {
  const delivery = { id: '8', status: 'DELIVERY CREATED', quote_id: '7' };
  const { client, sent } = scripted([json(200, delivery), json(200, delivery)]);
  const { data } = await client.dispatches.create({ params: { route_id: '2' }, body: { quote_id: '6' } });
  expect(data.deliveries).toMatchObject([{ id: '8', status: 'delivery_created' }]);
  expect(sent.map(({ path }) => path)).toEqual(['/v2/routes/2/dispatch', '/v1/delivery/8']);
});

test('a filter by status that the service does not understand is applied here', async () => {
  const all = json(200, [
    { id: 1, status: 'DELIVERED' },
    { id: 2, status: 'IN TRANSIT' },
  ]);
  const { client, sent } = scripted([json(200, []), all, json(200, []), all, json(200, []), json(200, [])]);
  const idsOf = async (status: 'delivered' | 'in_transit') =>
    (await client.deliveries.list({ query: { status: [status] } })).data.data.map(({ id }) => id);
  expect(await idsOf('delivered')).toEqual(['1']);
  expect(await idsOf('in_transit')).toEqual(['2']);
  expect(await idsOf('delivered')).toEqual([]);
  expect(sent.map(({ path }) => path)).toEqual(
    [1, 2, 3].flatMap((_, index) => [
      `/v1/deliveries?status=${index === 1 ? 'in_transit' : 'delivered'}`,
      '/v1/deliveries',
    ]),
  );
});

test('a dispatch in the other mode is not taken for one of the profile, whichever record answers it', async () => {
  const delivery = { id: 8, status: 'delivery_created', test_mode: false };
  const { client } = scripted([json(200, delivery)], { testMode: true });
  const input = { params: { route_id: '2' }, body: { quote_id: '6' } };
  const error: unknown = await client.dispatches.create(input).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'ModeMismatch', written: ['2'] });
  // It was done: nothing may be dispatched again, or canceled as if it had been refused.
  expect(isRefusal(error)).toBe(false);
});
