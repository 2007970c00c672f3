import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { portsTo } from '../../fakes/courier-ports.ts';
import { fakeHttp } from '../../fakes/fake-http.ts';
import { exampleKey, exampleSecret, startExample } from '../../fakes/http-courier/example.ts';
import { deliveryOf, moneyOf } from '../delivery-runs.ts';
import type { Fixture } from '../fixture.ts';
import { dispatchConnected, startConnected } from './connected-couriers.ts';

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

/** Lets the courier of the latest booking say what happens. */
async function simulate(event: string) {
  const count = received.length;
  const [booking] = await fixture.storage.run((db) =>
    db.selectFrom('courier_bookings').selectAll().orderBy('updated_at', 'desc').execute(),
  );
  const answer = await portsTo({ [url]: courier.url }).http({
    method: 'POST',
    url: `${url}/deliveries/${booking?.key}/simulate`,
    headers: { authorization: `Bearer ${exampleKey}` },
    body: JSON.stringify({ event }),
  });
  expect(answer.status).toBe(200);
  await vi.waitFor(() => expect(received).toHaveLength(count + 1));
}

test('a courier with a server of its own delivers a route, by its events', async () => {
  const { quote, id } = await dispatchConnected(fixture);
  expect(quote).toMatchObject({ provider: 'http', pickup_time: quote?.pickup_eta });
  for (const event of ['PICKUP_ONGOING', 'ARRIVED_AT_MERCHANT', 'ORDER_PICKED', 'DELIVERY_ONGOING']) {
    await simulate(event);
  }
  expect(await deliveryOf(fixture, id)).toMatchObject({ status: 'enroute_dropoff', courier_name: 'Sam Lee' });
  await simulate('ARRIVED_AT_CUSTOMER');
  await simulate('ORDER_DELIVERED');
  expect((await deliveryOf(fixture, id)).status).toBe('delivered');
  expect(new Set(received)).toEqual(new Set([200]));
});

test('the charges are the prices of the courier, of a return and of a cancellation after the driver left', async () => {
  const client = fixture.client();
  const totals: Record<string, number> = {};
  for (const end of ['returned', 'canceled']) {
    const { quote, id } = await dispatchConnected(fixture);
    expect(quote?.cost_of_delivery).toBe(700);
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
    totals[end] = (await moneyOf(client, { id })).sum;
  }
  expect(totals).toEqual({ returned: 700 + 200 + 700, canceled: 300 });
});
