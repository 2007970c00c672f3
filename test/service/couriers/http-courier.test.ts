import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { portsTo } from '../../fakes/courier-ports.ts';
import { fakeHttp } from '../../fakes/fake-http.ts';
import { exampleKey, exampleSecret, startExample } from '../../fakes/http-courier/example.ts';
import type { Fixture } from '../fixture.ts';
import { deliveryOf, dispatchRoute, startConnected, statusesOf } from './connected-couriers.ts';

const url = 'https://courier.example';

let courier: Awaited<ReturnType<typeof startExample>>;
let gateway: Awaited<ReturnType<typeof fakeHttp>>;
let fixture: Fixture;
let received: number[];

/** The courier of the guide, whose events are posted to the service. */
beforeEach(async () => {
  let push_path = '';
  received = [];
  gateway = await fakeHttp(async ({ method, body, headers }) => {
    const { status } = await fixture.send(method, push_path, {
      body,
      headers: { ...plain(headers), 'x-api-key': '' },
    });
    received.push(status);
    return { status };
  });
  courier = await startExample(undefined, { CALLBACK_URL: gateway.url });
  const settings = { url, api_key: exampleKey, webhook_secret: exampleSecret };
  ({ fixture, push_path } = await startConnected('http', settings, { [url]: courier.url }));
});
afterEach(async () => {
  await courier.close();
  await gateway.close();
});

function plain(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

/** Asks the courier about the booked delivery. */
async function ask(method: 'GET' | 'POST', verb: string, body?: string) {
  const bookings = await fixture.storage.run((db) =>
    db.selectFrom('courier_bookings').selectAll().orderBy('updated_at', 'desc').execute(),
  );
  const answer = await portsTo({ [url]: courier.url }).http({
    method,
    url: `${url}/deliveries/${bookings[0]?.key}${verb}`,
    headers: { authorization: `Bearer ${exampleKey}` },
    ...(body === undefined ? {} : { body }),
  });
  expect(answer.status).toBe(200);
  return answer;
}

async function simulate(event: string) {
  const count = received.length;
  await ask('POST', '/simulate', JSON.stringify({ event }));
  await vi.waitFor(() => expect(received).toHaveLength(count + 1));
}

test('a courier with a server of its own delivers a route, by its events', async () => {
  const { quote, deliveries } = await dispatchRoute(fixture);
  expect(quote).toMatchObject({ provider: 'http', pickup_time: quote?.pickup_eta });
  const id = deliveries[0]?.id ?? '';
  for (const event of ['PICKUP_ONGOING', 'ARRIVED_AT_MERCHANT', 'ORDER_PICKED', 'DELIVERY_ONGOING']) {
    await simulate(event);
  }
  expect(await deliveryOf(fixture, id)).toMatchObject({ status: 'enroute_dropoff', courier_name: 'Sam Lee' });
  await simulate('ARRIVED_AT_CUSTOMER');
  await simulate('ORDER_DELIVERED');
  expect((await statusesOf(fixture, id)).at(-1)).toBe('delivered');
  expect(new Set(received)).toEqual(new Set([200]));
});

test('the charges are the prices of the courier, of a return and of a cancellation after the driver left', async () => {
  const client = fixture.client();
  const totals: Record<string, number> = {};
  for (const end of ['returned', 'canceled']) {
    const { quote, deliveries } = await dispatchRoute(fixture);
    expect(quote?.cost_of_delivery).toBe(700);
    const id = deliveries[0]?.id ?? '';
    await simulate('PICKUP_ONGOING');
    if (end === 'canceled') await client.deliveries.cancel({ params: { deliveryid: id }, body: {} });
    else
      for (const event of [
        'ARRIVED_AT_MERCHANT',
        'ORDER_PICKED',
        'RETURNING_TO_MERCHANT',
        'RETURNED_TO_MERCHANT',
      ])
        await simulate(event);
    await fixture.pass(2 * 3_600_000);
    const { data } = await client.charges.list({ query: { delivery_id: id } });
    totals[end] = data.data.reduce((sum, { amount }) => sum + amount, 0);
  }
  expect(totals).toEqual({ returned: 700 + 200 + 700, canceled: 300 });
});
