import { expect, onTestFinished, test, vi } from 'vitest';
import type { CourierSettings } from '../../../src/providers/courier.ts';
import { courierProviders } from '../../../src/providers/directory.ts';
import { createCourierBookings } from '../../../src/service/runtime/system.ts';
import { portsTo } from '../../fakes/courier-ports.ts';
import { doorDashDrive } from '../../fakes/doordash-drive/server.ts';
import { fakeHttp } from '../../fakes/fake-http.ts';
import { exampleKey, exampleSecret, startExample } from '../../fakes/http-courier/example.ts';
import { deliveryOf, moneyOf } from '../delivery-runs.ts';
import { draftRoute, type Fixture, orderRequest, start, startFixture } from '../fixture.ts';

/** A service whose account has connected a courier in test mode; the requests to couriers go to fakes. */
async function startConnected(name: string, settings: CourierSettings, origins: Record<string, string>) {
  const { http } = portsTo(origins);
  const fixture = await startFixture({
    parts: { courier_http: () => http },
    providersOf: ({ connections, storage, clock, wall }) =>
      courierProviders({
        settings: connections.settings,
        bookings: createCourierBookings(storage, clock),
        http: () => http,
        now: wall.now,
      }),
  });
  const { data } = await fixture.client().couriers.connect({ params: { name }, body: { settings } });
  return { fixture, push_path: new URL(data.push_url ?? '').pathname };
}

/** Quotes and dispatches a new route. */
async function dispatchConnected(fixture: Fixture) {
  const client = fixture.client();
  const phones = { pickup_phone_number: '+13125557701', dropoff_phone_number: '+13125557702' };
  const { id: route_id } = await draftRoute(client, [orderRequest({ ...phones, tip: 200 })]);
  const params = { route_id };
  await client.quotes.request({ params });
  // The courier answers over a real connection, which no tick waits for.
  const quotes = await vi.waitFor(async () => {
    await fixture.pass(0);
    const { data } = await client.quotes.list({ params });
    if (data.status === 'PENDING') throw new Error('the courier has not answered');
    return data;
  });
  const quote = quotes.data?.[0];
  if (quote === undefined) throw new Error(`The courier gave no quote: ${JSON.stringify(quotes)}`);
  const { data } = await client.dispatches.create({ params, body: { quote_id: quote.id } });
  return { quote, id: data.deliveries[0]?.id ?? '' };
}

/** A delivery by DoorDash, and what it is told about it. */
async function dispatchedByDoorDash() {
  let calls = 0;
  // Tokens are dated by the wall clock of the service, which stands still: each call is a little later.
  const fake = await doorDashDrive({ now: () => start + 20 * calls++ });
  onTestFinished(fake.close);
  const authorization = 'Basic c2VjcmV0';
  const settings = { ...fake.credentials, environment: 'sandbox', webhook_authorization: authorization };
  const origins = { 'https://openapi.doordash.com': fake.url };
  const { fixture, push_path } = await startConnected('doordash-drive', settings, origins);
  const { quote, id } = await dispatchConnected(fixture);
  const [[id_there = ''] = []] = fake.deliveries.list();
  const step = async (...statuses: Parameters<typeof fake.step>[1][]) => {
    for (const status of statuses) {
      const body = (await fake.step(id_there, status)) ?? '';
      const headers = { authorization, 'x-api-key': '' };
      expect((await fixture.send('POST', push_path, { body, headers })).status).toBe(200);
    }
  };
  return { fixture, quote, id, booked: fake.deliveries.get(id_there), step };
}

test('a route is quoted, booked and delivered, by events of DoorDash', async () => {
  const { fixture, quote, id, booked, step } = await dispatchedByDoorDash();
  expect(quote).toMatchObject({ provider: 'doordash-drive', cost_of_delivery: 975 });
  expect(booked).toMatchObject({ status: 'created', request: { tip: 200 } });
  await step('confirmed', 'arrived_at_pickup', 'picked_up', 'arrived_at_dropoff');
  const moving = { status: 'arrived_at_dropoff', courier_name: 'John D.' };
  expect(await deliveryOf(fixture, id)).toMatchObject(moving);
  await step('delivered');
  expect((await deliveryOf(fixture, id)).status).toBe('delivered');
});

test('the way back of a parcel is charged when DoorDash adds it to its fee', async () => {
  const { fixture, id, step } = await dispatchedByDoorDash();
  await step('confirmed', 'picked_up', 'enroute_to_return', 'returned');
  const kinds = ['adjustment', 'delivery', 'tip'];
  expect(await moneyOf(fixture.client(), { id })).toEqual({ sum: 975 + 200 + 585, kinds });
});

/** The courier of the guide, whose events are posted to the service. */
async function startHttpCourier() {
  const url = 'https://courier.example';
  const received: number[] = [];
  let deliver = async (_request: Parameters<Parameters<typeof fakeHttp>[0]>[0]) => 503;
  const gateway = await fakeHttp(async (request) => {
    const status = await deliver(request);
    received.push(status);
    return { status };
  });
  onTestFinished(gateway.close);
  const courier = await startExample(undefined, { CALLBACK_URL: gateway.url });
  onTestFinished(courier.close);
  const settings = { url, api_key: exampleKey, webhook_secret: exampleSecret };
  const { fixture, push_path } = await startConnected('http', settings, { [url]: courier.url });
  deliver = async ({ method, body, headers }) => {
    const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return (await fixture.send(method, push_path, { body, headers: { ...plain, 'x-api-key': '' } })).status;
  };
  /** Lets the courier of the latest booking say what happens. */
  const simulate = async (...events: string[]) => {
    const [booking] = await fixture.storage.run((db) =>
      db.selectFrom('courier_bookings').selectAll().orderBy('updated_at', 'desc').execute(),
    );
    for (const event of events) {
      const count = received.length;
      const answer = await portsTo({ [url]: courier.url }).http({
        method: 'POST',
        url: `${url}/deliveries/${booking?.key}/simulate`,
        headers: { authorization: `Bearer ${exampleKey}` },
        body: JSON.stringify({ event }),
      });
      expect(answer.status).toBe(200);
      await vi.waitFor(() => expect(received).toHaveLength(count + 1));
    }
  };
  return { fixture, received, simulate };
}

test('a courier with a server of its own delivers a route, by its events', async () => {
  const { fixture, received, simulate } = await startHttpCourier();
  const { quote, id } = await dispatchConnected(fixture);
  expect(quote).toMatchObject({ provider: 'http', pickup_time: quote.pickup_eta });
  await simulate('PICKUP_ONGOING', 'ARRIVED_AT_MERCHANT', 'ORDER_PICKED', 'DELIVERY_ONGOING');
  const moving = { status: 'enroute_dropoff', courier_name: 'Sam Lee' };
  expect(await deliveryOf(fixture, id)).toMatchObject(moving);
  await simulate('ARRIVED_AT_CUSTOMER', 'ORDER_DELIVERED');
  expect((await deliveryOf(fixture, id)).status).toBe('delivered');
  expect(new Set(received)).toEqual(new Set([200]));
});

test('the charges are the prices of the courier, of a return and of a cancellation after the driver left', async () => {
  const { fixture, simulate } = await startHttpCourier();
  const client = fixture.client();
  const returned = ['ARRIVED_AT_MERCHANT', 'ORDER_PICKED', 'RETURNING_TO_MERCHANT', 'RETURNED_TO_MERCHANT'];
  const totals: Record<string, number> = {};
  for (const end of ['returned', 'canceled']) {
    const { quote, id } = await dispatchConnected(fixture);
    expect(quote.cost_of_delivery).toBe(700);
    await simulate('PICKUP_ONGOING');
    if (end === 'canceled') await client.deliveries.cancel({ params: { deliveryid: id }, body: {} });
    else await simulate(...returned);
    await fixture.pass(2 * 3_600_000);
    totals[end] = (await moneyOf(client, { id })).sum;
  }
  expect(totals).toEqual({ returned: 700 + 200 + 700, canceled: 300 });
});
