import { describe, expect, test } from 'vitest';
import { engines } from '../databases.ts';
import { startedDelivery } from './delivery-runs.ts';
import { orderRequest, startFixture } from './fixture.ts';

interface Told {
  code: string;
  details?: { path: string; message: string }[];
}

async function refusalFor(body: unknown, path = '/v2/orders/create'): Promise<Told & { status: number }> {
  const fixture = await startFixture();
  const answer = await fixture.send('POST', path, { body });
  expect(fixture.faults).toEqual([]);
  const error: Told = JSON.parse(answer.body);
  return { ...error, status: answer.status };
}

describe('hostile requests are refused with a structured error', () => {
  test('control characters in ids', async () => {
    expect(await refusalFor({ order_ids: ['a\u0000'] }, '/v2/routes')).toMatchObject({
      code: 'invalid_request',
    });
    const fixture = await startFixture();
    expect((await fixture.send('GET', '/v2/orders/%00')).status).toBe(404);
    expect((await fixture.send('GET', '/v2/orders?batch_id=%00')).status).toBe(400);
  });

  test('an array where no body is defined', async () => {
    expect(await refusalFor('[1]', '/v2/routes/rte_1/quotes')).toMatchObject({ status: 400 });
  });

  test('an id of any length is reported as not found', async () => {
    const fixture = await startFixture();
    const long = 'x'.repeat(500);
    for (const path of [`/v2/routes/${long}`, `/v2/orders/${long}?expand=delivery`, `/v1/delivery/${long}`]) {
      expect((await fixture.send('GET', path)).status, path).toBe(404);
    }
    expect(await refusalFor({ order_ids: [long] }, '/v2/routes')).toMatchObject({ code: 'record_not_found' });
  });

  test('a cursor of another list is refused', async () => {
    const fixture = await startFixture();
    const cursor = btoa(`rte_${'0'.repeat(26)}`).replaceAll('=', '');
    expect((await fixture.send('GET', `/v2/routes?cursor=${cursor}`)).status).toBe(200);
    expect((await fixture.send('GET', `/v2/orders?cursor=${cursor}`)).status).toBe(400);
  });

  test('a name of spaces only is refused', async () => {
    expect(await refusalFor({ orders: [orderRequest({ pickup_name: '  ' })] })).toMatchObject({
      details: [{ path: 'orders[0].pickup_name' }],
    });
  });

  test('a leap second is read as the end of its minute', async () => {
    const fixture = await startFixture();
    const body = { orders: [orderRequest({ pickup_at: '2026-03-02T23:59:60Z' })] };
    const made = await fixture.send('POST', '/v2/orders/create', { body });
    expect(JSON.parse(made.body)).toMatchObject({ pickup_at: '2026-03-02T23:59:59.999Z' });
  });

  test.each([
    ['PUT', '/v2/routes', 'POST, GET'],
    ['GET', '/v2/orders/create', 'POST'],
    ['DELETE', '/orders/create', 'POST'],
    ['POST', '/v2/events/stream', 'GET'],
    ['POST', '/v2/routes/rte_1', 'GET, DELETE'],
  ])('%s %s gets the methods of its path', async (method, path, allow) => {
    const fixture = await startFixture();
    const answer = await fixture.send(method, path);
    expect([answer.status, answer.headers.allow]).toEqual([405, allow]);
  });

  test.each([
    ['POST', '/v2/routes/'],
    ['GET', '/v2/routes/'],
    ['GET', '/v2/orders/'],
    ['GET', '/v2/routes//quotes'],
    ['GET', '/v1/delivery/'],
  ])('%s %s with an empty id is not a path', async (method, path) => {
    const fixture = await startFixture();
    const answer = await fixture.send(method, path);
    expect([answer.status, JSON.parse(answer.body).code]).toEqual([404, 'not_found']);
  });
});

test.each(['sqlite', 'postgres'] as const)(
  'on %s, an e-mail address in capitals is that of one customer',
  async (engine) => {
    const fixture = await startFixture({ location: await engines[engine]() });
    const client = fixture.client();
    for (const dropoff_email of ['JOSÉ@cafe.example', 'josé@CAFE.example'])
      await startedDelivery(client, 'happy_path', { dropoff_email });
    const created_after = new Date(fixture.now() - 60_000).toISOString();
    const { data } = (await client.reports.get({ query: { created_after, by: ['customer'] } })).data;
    expect(data.map((row) => [row.customer_contact, row.orders])).toEqual([['josé@cafe.example', 2]]);
  },
);
