import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import type { Event } from '../../../src/contract/events.ts';
import type { Scenario } from '../../../src/domain/scenarios.ts';
import { renewLocationSubscription } from '../../../src/service/events/location-subscriptions.ts';
import { readSetting } from '../../../src/storage/settings.ts';
import { nextDue } from '../../storage/read-rows.ts';
import { dispatchOne, reportOf, startScripted } from '../couriers/scripted-courier.ts';
import { again, deliveryQuotes, startedDelivery } from '../delivery-runs.ts';
import { type Fixture, orderRequest, startClient, startFixture } from '../fixture.ts';
import { dispatchToFleet, phone } from '../fleet/fleet.ts';
import { insertEndpoint } from '../webhooks/received-events.ts';

const minute = 60_000;
const type = 'delivery.location_updated';
const nowhere = 'https://nowhere.example/hook';

async function eventsOf(
  client: Client,
  query: { type?: typeof type; delivery_id?: string } = {},
  limit = 100,
) {
  const { data } = await client.events.list({ query: { ...query, limit } });
  return data.data.toReversed();
}

/** Passes time until the next task is executed; false if there is none. */
async function passToNext(fixture: Fixture): Promise<boolean> {
  const due_at = await fixture.storage.run((db) =>
    nextDue(db, { test_mode: 1, now: Number.MAX_SAFE_INTEGER }),
  );
  if (due_at !== undefined) await fixture.pass(Math.max(0, due_at.due_at - fixture.now()));
  return due_at !== undefined;
}

async function planned(fixture: Fixture): Promise<number> {
  const rows = await fixture.storage.run((db) =>
    db.selectFrom('tasks').select('id').where('kind', '=', 'location.tell').execute(),
  );
  return rows.length;
}

/** A delivery executed minute by minute, with all published positions. */
async function followed(scenario: Scenario, hours = 2): Promise<{ fixture: Fixture; updates: Event[] }> {
  const fixture = await startFixture();
  await insertEndpoint(fixture, nowhere, { events: JSON.stringify(['*', type]) });
  await startedDelivery(fixture.client(), scenario);
  await fixture.pass(hours * 60 * minute);
  return { fixture, updates: await eventsOf(fixture.client(), { type }) };
}

const at = ({ created_at }: { created_at: string }) => Date.parse(created_at);

/** A new delivery by a given courier. */
async function by(client: Client, provider: string): Promise<Delivery> {
  const order = orderRequest({ external_order_ref: 'order 7' });
  const quotes = await deliveryQuotes(client);
  const quote_id = quotes.find(({ service }) => service === provider)?.id ?? '';
  return (await client.deliveries.create({ body: { ...order, quote_id, initiate: true } })).data;
}

/** A new delivery whose driver is on the way to the pickup. */
async function startedDrive(client: Client) {
  const { id } = await startedDelivery(client, 'happy_path');
  await client.sandbox.step({ params: { delivery_id: id }, body: { status: 'enroute_pickup' } });
  return id;
}

// One reports its arrivals, the other does not.
test.each([
  ['swiftly', ['enroute_pickup', 'arrived_at_pickup', 'pickup_complete', 'arrived_at_dropoff']],
  ['poolride', ['enroute_pickup', 'dropoff_complete']],
] as const)(
  'a named subscription gets the position for each minute of a drive (%s)',
  async (provider, turns) => {
    const { fixture, client } = await startClient();
    await insertEndpoint(fixture, nowhere, { events: JSON.stringify([type]) });
    const delivery = await by(client, provider);
    const ids = { delivery_id: delivery.id, external_order_ref: 'order 7' };
    const seen: unknown[] = [];
    while (await passToNext(fixture)) {
      const [event] = await eventsOf(client, { type }, 1);
      if (event === undefined || at(event) !== fixture.now()) continue;
      expect(event).toMatchObject({ type, sequence: null, test_mode: true });
      const { courier_location_lat, courier_location_lng } = await again(client, delivery);
      expect(event.data).toEqual({
        ...ids,
        ...{ courier_location_lat, courier_location_lng, recorded_at: event.created_at },
      });
      seen.push(event);
    }
    const updates = await eventsOf(client, { type });
    expect(updates).toEqual(seen);
    expect(new Set(updates.map(({ data }) => JSON.stringify(data))).size).toBeGreaterThan(10);
    const { status_history } = await again(client, delivery);
    const times = turns.map((turn) => at(status_history.find(({ status }) => status === turn) ?? delivery));
    const minutes = times.flatMap((from, index) => {
      const length = index % 2 === 0 ? Math.ceil(((times[index + 1] ?? from) - from) / minute) : 0;
      return Array.from({ length }, (_, nth) => from + nth * minute);
    });
    expect(updates.map(at)).toEqual(minutes);
    expect(await planned(fixture)).toBe(0);
  },
);

/** A drive whose driver says every few seconds where it is. */
const drives: [
  who: string,
  start: () => Promise<{ fixture: Fixture; move: (lat: number) => Promise<unknown> }>,
][] = [
  [
    'an own driver',
    async () => {
      const fixture = await startFixture();
      const ana = await phone(fixture, 'Ana');
      const { deliveries } = await dispatchToFleet(fixture, { driver_id: ana.id });
      await insertEndpoint(fixture, nowhere, { events: JSON.stringify([type]) });
      await ana.tap({ kind: 'start_pickup', delivery_ids: deliveries.map(({ id }) => id) });
      return { fixture, move: (lat) => ana.at(lat, -87.63) };
    },
  ],
  [
    'a courier that was connected',
    async () => {
      const courier = await startScripted();
      const { fixture, push } = courier;
      const { key } = await dispatchOne(courier);
      await insertEndpoint(fixture, nowhere, { events: JSON.stringify([type]) });
      const driver = { name: 'Sam', image: null, phone: null, vehicle_type: null, vehicle: null };
      await push([reportOf(key, 'enroute_pickup', { driver })]);
      const move = (lat: number) =>
        push([
          reportOf(key, null, {
            ...{ id: `${lat}`, occurred_at: fixture.now(), position: { lat, lng: -87.63 } },
          }),
        ]);
      return { fixture, move };
    },
  ],
];

test.each(drives)('where %s is, is published each minute, however often it is said', async (_, drive) => {
  const { fixture, move } = await drive();
  for (let passed = 0; passed < 30; passed += 1) {
    await move(41.88 + passed / 10_000);
    await fixture.pass(minute / 6);
  }
  const updates = await eventsOf(fixture.client(), { type });
  const first = updates[0] === undefined ? 0 : at(updates[0]);
  expect(updates.map((event) => (at(event) - first) / minute)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(new Set(updates.map(({ data }) => JSON.stringify({ ...data, recorded_at: '' }))).size).toBe(6);
  await fixture.pass(10 * minute);
  expect(await eventsOf(fixture.client(), { type })).toEqual(updates);
  expect(await planned(fixture)).toBe(0);
});

test('positions are not in the ordinary log and leave no gap in the delivery’s event numbers', async () => {
  const { fixture } = await followed('happy_path');
  const all = await eventsOf(fixture.client());
  expect(all.map((event) => event.type)).not.toContain(type);
  const numbered = all.flatMap(({ sequence }) => sequence ?? []);
  expect(numbered).toEqual(numbered.map((_, index) => index + 1));
  const [first] = all.filter(({ sequence }) => sequence === 1);
  const delivery_id = String(first?.data !== undefined && 'id' in first.data ? first.data.id : '');
  expect((await eventsOf(fixture.client(), { delivery_id })).map((event) => event.type)).not.toContain(type);
  expect((await eventsOf(fixture.client(), { delivery_id, type })).length).toBeGreaterThan(5);
});

test.each([
  ['nobody', null],
  ['an endpoint for everything that is told unasked', { events: '["*"]' }],
  ['one that is disabled', { events: JSON.stringify([type]), status: 'disabled' }],
  ['one of the other mode', { events: JSON.stringify([type]), test_mode: 0 }],
] as const)('%s asks for positions: none are published or scheduled', async (_, changes) => {
  const fixture = await startFixture();
  if (changes !== null) await insertEndpoint(fixture, nowhere, changes);
  await startedDelivery(fixture.client(), 'happy_path');
  for (let passed = 0; passed < 90; passed += 1) {
    await fixture.pass(minute);
    expect(await planned(fixture)).toBe(0);
  }
  expect(await eventsOf(fixture.client(), { type })).toEqual([]);
  await startedDrive(fixture.client());
  expect(await planned(fixture)).toBe(0);
});

test('the way back is published too; unchanged or missing positions are not repeated', async () => {
  const { fixture, updates } = await followed('customer_refused');
  const [last] = (await fixture.client().deliveries.list()).data.data;
  const returning = last?.status_history.find(({ status }) => status === 'enroute_to_return');
  expect(last?.status).toBe('returned');
  expect(updates.filter((event) => at(event) > at(returning ?? event)).length).toBeGreaterThan(3);
  expect((await followed('no_location')).updates).toEqual([]);
  const stale = (await followed('stale_location')).updates;
  expect(stale.length).toBeLessThanOrEqual(3);
  expect(new Set(stale.map(({ data }) => JSON.stringify({ ...data, recorded_at: '' }))).size).toBe(1);
  const stuck = await followed('return_stuck', 30);
  expect(stuck.updates.length).toBeLessThan(60);
  expect(await planned(stuck.fixture)).toBe(0);
});

test('positions end with the delivery', async () => {
  const { fixture, client } = await startClient();
  await insertEndpoint(fixture, nowhere, { events: JSON.stringify([type]) });
  for (const status of ['canceled', 'delivered'] as const) {
    const id = await startedDrive(client);
    expect(await planned(fixture)).toBe(1);
    if (status === 'canceled') await client.deliveries.cancel({ params: { deliveryid: id }, body: {} });
    else await client.sandbox.step({ params: { delivery_id: id }, body: { status } });
    expect(await planned(fixture)).toBe(0);
  }
});

test('a subscriber gets positions from the next report on, while the subscription is renewed', async () => {
  const fixture = await startFixture();
  const account_id = (await fixture.client().account.get()).data.account_id;
  const scope = { account_id, test_mode: 1 } as const;
  const key = `followed ${type} ${account_id} 1`;
  await startedDelivery(fixture.client(), 'happy_path');
  await fixture.pass(6 * minute);
  await renewLocationSubscription(fixture.config, scope);
  for (let passed = 0; passed < 12; passed += 1) {
    fixture.passWall(20_000);
    await renewLocationSubscription(fixture.config, scope);
    await fixture.pass(minute);
  }
  const updates = await eventsOf(fixture.client(), { type });
  expect(updates.length).toBeGreaterThan(2);
  // An expired subscription is removed, and its task ends.
  fixture.passWall(80_000);
  await fixture.pass(60 * minute);
  expect(await eventsOf(fixture.client(), { type })).toEqual(updates);
  expect(await planned(fixture)).toBe(0);
  expect(await fixture.storage.run((db) => readSetting(db, key))).toBeNull();
});

test('an open stream that names the type subscribes to positions; other streams do not', async () => {
  const { fixture, client } = await startClient();
  const moving = async () => {
    await startedDrive(client);
    return planned(fixture);
  };
  const all = await fixture.send('GET', '/v2/events/stream');
  expect(await moving()).toBe(0);
  const { stream } = await fixture.send('GET', `/v2/events/stream?types=delivery.updated,${type}`);
  expect(await moving()).toBe(1);
  all.stream?.close();
  stream?.close();
});
