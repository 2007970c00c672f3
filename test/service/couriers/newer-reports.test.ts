import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { exampleKey, exampleSecret, startExample } from '../../fakes/http-courier/example.ts';
import { statusPush } from '../../fakes/uber-direct/webhooks.ts';
import { oneOf } from '../../in-part.ts';
import { deliveryOf } from '../delivery-runs.ts';
import { type Fixture, start } from '../fixture.ts';
import { dispatchConnected, dispatchedByDoorDash, startConnected } from './connected-shop.ts';
import { booked, dispatchOne, drive, startShop } from './uber-direct-shop.ts';

/** A report as couriers can make it. Times in minutes: `at` within the last hour, `eta` from now. */
interface Said {
  at: number;
  /** `confirmed` is a status of DoorDash only. */
  status: 'confirmed' | 'to_pickup' | 'picked_up' | 'to_dropoff' | 'delivered';
  driver?: 'Ann' | 'Bob';
  eta?: number;
  position?: readonly [lat: number, lng: number];
  photo?: string;
}

/** A dispatched delivery whose courier says what the test has it say. */
interface Told {
  fixture: Fixture;
  id: string;
  say: (said: Said) => Promise<void>;
}

const minute = 60_000;
const phones = { Ann: '+13125557811', Bob: '+13125557822' };
const iso = (minutes: number) => new Date(start + minutes * minute).toISOString();
const placeOf = ({ position: [lat, lng] = [41.88, -87.63] }: Said) => ({ lat, lng });

async function doorDash(): Promise<Told> {
  const { fixture, id, id_there: external_delivery_id, send } = await dispatchedByDoorDash();
  const events = {
    confirmed: 'DASHER_CONFIRMED',
    to_pickup: 'dasher_enroute_to_pickup',
    picked_up: 'DASHER_PICKED_UP',
    to_dropoff: 'dasher_enroute_to_dropoff',
    delivered: 'DASHER_DROPPED_OFF',
  };
  const say = (said: Said) => {
    const { at, status, driver, eta = 30, photo } = said;
    const dasher = driver && { dasher_name: driver, dasher_pickup_phone_number: phones[driver] };
    return send({
      ...{ external_delivery_id, event_name: events[status], created_at: iso(at - 60), ...dasher },
      ...{ dropoff_time_estimated: iso(eta), dasher_location: placeOf(said) },
      ...(photo !== undefined && { dropoff_verification_image_url: photo }),
    });
  };
  return { fixture, id, say };
}

async function uberDirect(): Promise<Told> {
  const shop = await startShop();
  const { state, webhook } = shop.uber;
  const { send } = webhook;
  // Nothing is reported yet.
  webhook.send = null;
  const { delivery } = await dispatchOne(shop);
  const there = booked(shop);
  const statuses = {
    confirmed: 'pickup',
    to_pickup: 'pickup',
    picked_up: 'pickup_complete',
    to_dropoff: 'dropoff',
    delivered: 'delivered',
  } as const;
  const say = async (said: Said) => {
    const { at, status, driver, eta = 30, photo = '' } = said;
    const person = { vehicle_type: 'car', img_href: '', location: placeOf(said) };
    const courier = driver === undefined ? null : { ...person, name: driver, phone_number: phones[driver] };
    const changes = { courier, updated: start + (at - 60) * minute, dropoff_eta: start + eta * minute };
    const proof = { ...there.proof, picture_url: photo };
    const request = { ...there.request, deliverable_action: 'deliverable_action_leave_at_door' };
    const changed = { ...there, ...changes, status: statuses[status], proof, request };
    expect(await send?.(statusPush(state, changed))).toBe(200);
  };
  return { fixture: shop.fixture, id: delivery.id, say };
}

async function httpCourier(): Promise<Told> {
  const url = 'https://courier.example';
  const courier = await startExample();
  onTestFinished(courier.close);
  const settings = { url, api_key: exampleKey, webhook_secret: exampleSecret };
  const { fixture, push_path } = await startConnected('http', settings, { [url]: courier.url });
  const { id } = await dispatchConnected(fixture);
  const [booking] = await fixture.storage.run((db) =>
    db.selectFrom('courier_bookings').selectAll().execute(),
  );
  const types = {
    confirmed: 'PICKUP_ONGOING',
    to_pickup: 'PICKUP_ONGOING',
    picked_up: 'ORDER_PICKED',
    to_dropoff: 'DELIVERY_ONGOING',
    delivered: 'ORDER_DELIVERED',
  };
  const events: Record<string, string>[] = [];
  const say = async (said: Said) => {
    const { at, status, driver, eta = 30, photo } = said;
    const isNew = events.every(({ type }) => type !== types[status]);
    if (isNew) events.push({ id: `e${events.length}`, type: types[status], datetime: iso(at - 60) });
    const { lat: latitude, lng: longitude } = placeOf(said);
    const body = JSON.stringify({
      ...{ orderId: booking?.key, deliveryId: booking?.reference, liveMode: false, events },
      ...{ eta: { deliveryEtaDatetime: iso(eta) } },
      ...(driver !== undefined && { deliveryPerson: { name: driver, phone: phones[driver] } }),
      geoLocalization: { latitude, longitude, datetime: iso(at - 60) },
      proofs: photo === undefined ? [] : [{ type: 'PHOTO', url: photo }],
    });
    const now = new Date();
    const headers = {
      ...{ 'webhook-id': `msg_${events.length}`, 'webhook-timestamp': String(Math.floor(+now / 1000)) },
      ...{ 'webhook-signature': new Webhook(exampleSecret).sign(`msg_${events.length}`, now, body) },
      'x-api-key': '',
    };
    expect((await fixture.send('POST', push_path, { body, headers })).status).toBe(200);
  };
  return { fixture, id, say };
}

const couriers = { 'doordash-drive': doorDash, 'uber-direct': uberDirect, http: httpCourier };

const ann = { at: 1, status: 'to_pickup', driver: 'Ann' } as const;
const carrying = { at: 8, status: 'to_dropoff', driver: 'Ann' } as const;

type Row = readonly [name: string, said: readonly Said[], seen: object, events: number];

/** What the record has after reports, and the number of events of the last one: what each courier says in its own way. */
const cases: readonly Row[] = [
  ['a status that is new', [ann], { driver: 'Ann', eta: 30, lat: 41.88 }, 1],
  ['another driver in the same status', [ann, { ...ann, at: 2, driver: 'Bob' }], { driver: 'Bob' }, 1],
  ['a later estimate in the same status', [ann, { ...ann, at: 2, eta: 90 }], { driver: 'Ann', eta: 90 }, 1],
  [
    'an estimate that goes back to what it was',
    [ann, { ...ann, at: 2, eta: 90 }, { ...ann, at: 3 }],
    { eta: 30 },
    1,
  ],
  ['the same once more', [ann, { ...ann, at: 2 }], { driver: 'Ann', eta: 30, lat: 41.88 }, 0],
  ['a new position alone', [ann, { ...ann, at: 2, position: [41.9, -87.64] }], { lat: 41.9 }, 0],
  [
    'a report of the driver before that comes late',
    [ann, { ...ann, at: 4, driver: 'Bob', eta: 60 }, { ...ann, at: 2, position: [41.9, -87.64] }],
    { driver: 'Bob', eta: 60, lat: 41.88 },
    0,
  ],
  [
    'another driver by a status that is passed',
    [ann, { at: 2, status: 'confirmed', driver: 'Bob', eta: 60 }],
    { driver: 'Bob', eta: 60 },
    1,
  ],
  [
    'a photo that comes after the end, with another driver and estimate',
    [
      ann,
      { at: 9, status: 'delivered', driver: 'Ann' },
      { at: 10, status: 'delivered', driver: 'Bob', eta: 90, photo: 'https://pictures.example/1.jpg' },
    ],
    { driver: 'Ann', eta: 30, photos: 1 },
    1,
  ],
];

/** The same for rules that know no courier. */
const rules: readonly Row[] = [
  [
    'another driver on the way',
    [carrying, { ...carrying, at: 9, driver: 'Bob', eta: 70 }],
    { driver: 'Bob', eta: 70 },
    1,
  ],
  ['a position in the sea', [ann, { ...ann, at: 2, position: [0, 0] }], { lat: 41.88 }, 0],
  [
    'a position with latitude and longitude swapped',
    [ann, { ...ann, at: 2, position: [-87.63, 41.88] }],
    { lat: 41.88 },
    0,
  ],
  ['a position far from both stops', [ann, { ...ann, at: 2, position: [40.7, -74] }], { lat: 41.88 }, 0],
];

for (const [place, [courier, startCourier]] of Object.entries(couriers).entries()) {
  test.each(courier === 'http' ? [...cases, ...rules] : cases.filter(oneOf(2, place)))(
    `${courier} reports %s`,
    async (_, said, seen, events) => {
      const { fixture, id, say } = await startCourier();
      const count = async () => {
        const { data } = await fixture
          .client()
          .events.list({ query: { delivery_id: id, type: 'delivery.updated' } });
        return data.data.length;
      };
      const last = said.at(-1) ?? ann;
      for (const each of said.slice(0, -1)) await say(each);
      const before = await count();
      await say(last);
      const { courier_name, courier_phone_number, ...delivery } = await deliveryOf(fixture, id);
      expect({
        driver: courier_name,
        eta: (Date.parse(delivery.dropoffs[0]?.dropoff_eta ?? '') - start) / minute,
        lat: delivery.courier_location_lat,
        photos: delivery.proof_of_delivery.length,
      }).toMatchObject(seen);
      const name = courier_name === 'Bob' ? 'Bob' : 'Ann';
      expect(courier_phone_number).toBe(phones[name].slice(1));
      if (said.length > 1) expect(await count()).toBe(before + events);
    },
  );
}

test('a journey back that Uber cancels fails the delivery, and its route is over', async () => {
  const shop = await startShop();
  const { delivery } = await dispatchOne(shop);
  const { id } = booked(shop);
  await drive(shop, id, 5);
  const back = await shop.uber.sendBack(id, 'CUSTOMER_UNAVAILABLE');
  await shop.uber.cancel(back, 'COURIER_LOST');
  await shop.fixture.pass(30 * minute);
  const failed = await deliveryOf(shop.fixture, delivery.id);
  expect(failed).toMatchObject({
    ...{ status: 'failed', failure_reason: 'return_not_completed' },
    failure_message: 'Uber Direct: courier lost',
  });
  const client = shop.fixture.client();
  const route = await client.routes.get({ params: { route_id: failed.route_id ?? '' } });
  expect(route.data.status).toBe('completed');
  await client.couriers.remove({ params: { name: 'uber-direct' }, query: {} });
});
