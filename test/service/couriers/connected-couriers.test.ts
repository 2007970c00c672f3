import { expect, onTestFinished, test } from 'vitest';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import { portsTo } from '../../fakes/courier-ports.ts';
import { fakeHttp } from '../../fakes/fake-http.ts';
import { exampleKey, exampleSecret, startExample } from '../../fakes/http-courier/example.ts';
import { deliveryOf, moneyOf } from '../delivery-runs.ts';
import { type Fixture, orderRequest, start } from '../fixture.ts';
import { dispatchConnected, dispatchedByDoorDash, startConnected, startDoorDash } from './connected-shop.ts';

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

test('an order whose time was changed after its first quotes is booked for the new time', async () => {
  const evening = new Date(start + 6 * 3_600_000).toISOString();
  const { quote, booked } = await dispatchedByDoorDash(evening);
  expect(quote.pickup_eta).toBe(evening);
  expect(booked).toMatchObject({ status: 'created', request: { pickup_time: evening } });
});

const phones = { pickup_phone_number: '+13125557701', dropoff_phone_number: '+13125557702' };
const toAnn = orderRequest({
  ...phones,
  external_order_ref: 'A-17',
  dropoff_name: 'Ann Lee',
  dropoff_notes: 'Ring twice',
});
const toBea = { dropoff_name: 'Bea Lee', dropoff_notes: 'Call' };

test('places alone are quoted, whoever is there', async () => {
  const { client, fake } = await startDoorDash();
  const { pickup_address = '', dropoff_address } = toAnn;
  const body = { pickup_address, dropoff_address };
  expect((await client().deliveries.quote({ body })).data).toMatchObject([{ service: 'doordash-drive' }]);
  expect(Object.values(fake.lastBody())).not.toContain('');
});

/** Ways to have a delivery to Bea booked with a quote for one to Ann. */
const others: [how: string, book: (fixture: Fixture, stored: Delivery) => Promise<Delivery>][] = [
  [
    'that was edited',
    async (fixture, { id }) => {
      const client = fixture.client();
      await fixture.pass(60_000);
      await client.deliveries.edit({ params: { deliveryid: id }, body: toBea });
      return (await client.deliveries.initiate({ params: { deliveryid: id }, body: {} })).data;
    },
  ],
  [
    'with the quote of another one',
    async (fixture, { quote_id }) => {
      const body = { ...toAnn, ...toBea, quote_id, initiate: true };
      return (await fixture.client().deliveries.create({ body })).data;
    },
  ],
];

test.each(others)('a delivery %s is booked with its own recipient and reference', async (_, book) => {
  const { latest, ...fixture } = await startDoorDash();
  const stored = (await fixture.client().deliveries.create({ body: toAnn })).data;
  expect(stored).toMatchObject({ status: 'request', service: 'doordash-drive' });
  const booked = {
    status: 'delivery_created',
    service: 'doordash-drive',
    payment_amount: stored.payment_amount,
  };
  expect(await book(fixture, stored)).toMatchObject(booked);
  const request = {
    pickup_reference_tag: 'A-17',
    dropoff_contact_given_name: 'Bea',
    dropoff_instructions: 'Call',
  };
  expect(latest()[1]).toMatchObject({ status: 'created', request });
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
      await expect.poll(() => received).toHaveLength(count + 1);
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
