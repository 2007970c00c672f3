import { expect, test } from 'vitest';
import { deliveryOf } from '../delivery-runs.ts';
import { type Fixture, orderRequest, start, startFixture } from '../fixture.ts';
import { dispatchToFleet, type Phone, phone, stopsOn, underWay } from './fleet.ts';

const minute = 60_000;

/** The second lies on the way to the first. */
const addresses = [
  '5801 S Ellis Ave, Chicago, IL 60637',
  '233 S Wacker Dr, Chicago, IL 60606',
  '1060 W Addison St, Chicago, IL 60613',
];

const shop = { pickup_latitude: 41.894742, pickup_longitude: -87.615073 };

/** A driver with a delivery from a shop whose place is known to each address, dispatched one by one. */
async function threeDeliveries() {
  const fixture = await startFixture();
  const ana = await phone(fixture, 'Ana');
  await ana.at(41.8947, -87.6229);
  const ids: string[] = [];
  for (const dropoff_address of addresses) {
    const { deliveries } = await dispatchToFleet(fixture, {
      requests: [orderRequest({ ...shop, dropoff_address })],
      driver_id: ana.id,
    });
    ids.push(deliveries[0]?.id ?? '');
  }
  return { fixture, ana, ids };
}

/** The expected dropoffs in the order in which the driver's page shows the stops. */
async function etasInOrder(fixture: Fixture, ana: Phone): Promise<number[]> {
  const stops = (await stopsOn(ana)).filter(({ kind }) => kind === 'dropoff');
  return Promise.all(stops.flatMap(({ ids }) => ids).map((id) => etaOf(fixture, id)));
}

async function etaOf(fixture: Fixture, deliveryid: string): Promise<number> {
  const { dropoffs } = await deliveryOf(fixture, deliveryid);
  return Date.parse(dropoffs[0]?.dropoff_eta ?? '');
}

/** The ETAs that the events of a delivery announced, oldest first. */
async function announced(fixture: Fixture, delivery_id: string): Promise<number[]> {
  const { data } = await fixture.client().events.list({ query: { delivery_id, limit: 100 } });
  return data.data
    .map(({ data: event }) => Date.parse(JSON.parse(JSON.stringify(event)).dropoffs?.[0]?.dropoff_eta ?? ''))
    .filter((at) => !Number.isNaN(at))
    .toReversed();
}

test('the expected times of a driver are in the order of the stops after each new one', async () => {
  const { fixture, ana } = await threeDeliveries();
  const etas = await etasInOrder(fixture, ana);
  expect(etas).toHaveLength(3);
  expect(etas).toEqual(etas.toSorted((left, right) => left - right));
});

test('a driver who waits at the shop moves the times of all recipients, which an event announces', async () => {
  const { fixture, ana, ids } = await threeDeliveries();
  const before = await Promise.all(ids.map((id) => etaOf(fixture, id)));
  const events = await Promise.all(ids.map((id) => announced(fixture, id)));
  await fixture.pass(20 * minute);
  await ana.tap({ kind: 'arrive_pickup', delivery_ids: ids.slice(0, 1) });
  const after = await Promise.all(ids.map((id) => etaOf(fixture, id)));
  for (const [index, id] of ids.entries()) {
    expect((after[index] ?? 0) - (before[index] ?? 0)).toBeGreaterThan(15 * minute);
    const now = await announced(fixture, id);
    expect(now.length).toBeGreaterThan(events[index]?.length ?? 0);
    expect(Math.abs((now.at(-1) ?? 0) - (after[index] ?? 0))).toBeLessThan(5 * minute);
  }
});

test('a small move changes the delivery without an event, and small moves add up to one', async () => {
  const { fixture, ana, ids } = await threeDeliveries();
  const [first = '', , last = ''] = ids;
  const [eta, events] = [await etaOf(fixture, last), (await announced(fixture, last)).length];
  await fixture.pass(4 * minute);
  await ana.tap({ kind: 'start_pickup', delivery_ids: [first] });
  expect((await etaOf(fixture, last)) - eta).toBe(4 * minute);
  expect(await announced(fixture, last)).toHaveLength(events);
  await fixture.pass(4 * minute);
  await ana.tap({ kind: 'arrive_pickup', delivery_ids: [first] });
  // The way to the shop is no longer ahead.
  expect((await etaOf(fixture, last)) - eta).toBeGreaterThan(5 * minute);
  expect(await announced(fixture, last)).toHaveLength(events + 1);
});

test('a position far from the plan moves the times, one as planned does not', async () => {
  const { fixture, ana, ids } = await threeDeliveries();
  const [first = ''] = ids;
  const eta = await etaOf(fixture, first);
  await fixture.pass(minute);
  await ana.at(41.8947, -87.623);
  expect(await etaOf(fixture, first)).toBe(eta);
  await fixture.pass(minute);
  await ana.at(41.75, -87.9);
  expect((await etaOf(fixture, first)) - eta).toBeGreaterThan(30 * minute);
});

test('who waits for an agreed pickup expects what follows after it', async () => {
  const pickup_at = new Date(start + 40 * minute).toISOString();
  const { fixture, id } = await underWay({ requests: [orderRequest({ pickup_at })] });
  expect((await deliveryOf(fixture, id)).pickup_eta).toBe(pickup_at);
  expect(await etaOf(fixture, id)).toBeGreaterThan(Date.parse(pickup_at));
});

test('without taps and positions the times of all recipients move once the next stop is late', async () => {
  const { fixture, ana, ids } = await threeDeliveries();
  await ana.tap({ kind: 'start_pickup', delivery_ids: ids.slice(0, 1) });
  const before = await etasInOrder(fixture, ana);
  const events = await Promise.all(ids.map((id) => announced(fixture, id)));
  await fixture.pass(30 * minute);
  const after = await etasInOrder(fixture, ana);
  for (const [index, eta] of after.entries()) {
    // The wait doubles, so that the last estimate is up to half as old as the silence.
    expect(eta - (before[index] ?? 0)).toBeGreaterThan(12 * minute);
  }
  expect(after).toEqual(after.toSorted((left, right) => left - right));
  for (const [index, id] of ids.entries())
    expect((await announced(fixture, id)).length).toBeGreaterThan(events[index]?.length ?? 0);
});

test('the promise stays, so that such a delivery is late', async () => {
  const { fixture, id } = await underWay();
  const details = async () =>
    (await fixture.client().deliveries.getDetailed({ params: { deliveryid: id } })).data.details;
  const { is_late, promised_at } = await details();
  expect(is_late).toBe(false);
  await fixture.pass(60 * minute);
  expect(await details()).toMatchObject({ is_late: true, promised_at });
});

test('a driver who is never heard of again is estimated for some hours, and no longer', async () => {
  const { fixture } = await threeDeliveries();
  const checks = () =>
    fixture.storage.read((db) =>
      db.selectFrom('tasks').select('due_at').where('kind', '=', 'fleet.check').execute(),
    );
  expect(await checks()).toHaveLength(1);
  await fixture.pass(24 * 60 * minute);
  expect(await checks()).toEqual([]);
});

test('a driver who waits at the shop with taps only is not thought to be elsewhere', async () => {
  const { fixture, ana, ids } = await threeDeliveries();
  await ana.at(41.7, -87.6);
  await fixture.pass(minute);
  await ana.tap({ kind: 'arrive_pickup', delivery_ids: ids });
  const at = fixture.now();
  await fixture.pass(3 * minute);
  const [first = 0] = await etasInOrder(fixture, ana);
  // Four minutes at the shop, seven miles, and not the 13 miles to the shop from where the phone was.
  expect(first - at).toBeLessThan(40 * minute);
});

test('a quote counts the offers that wait for an answer', async () => {
  const quoted = async (isOffered: boolean) => {
    const fixture = await startFixture();
    const ana = await phone(fixture, 'Ana');
    await ana.at(41.8947, -87.6229);
    const [far, onTheWay] = addresses.map((dropoff_address) => orderRequest({ dropoff_address }));
    if (far === undefined || onTheWay === undefined) throw new Error('no address');
    if (isOffered) await dispatchToFleet(fixture, { requests: [onTheWay] });
    const now = fixture.now();
    const { quote } = await dispatchToFleet(fixture, { requests: [far] });
    return Date.parse(quote.dropoff_eta) - now;
  };
  expect((await quoted(true)) - (await quoted(false))).toBeGreaterThanOrEqual(4 * minute);
});

// Without a geocoder all addresses of a ZIP code have one position: none of them is zero minutes away.
test.each([
  ['the shop’s own ZIP code', '401 E Ontario St, Chicago, IL 60611', 5],
  ['a larger one in the country', '12 Main St, Absarokee, MT 59001', 25],
])('a recipient in %s is expected after the size of it', async (_, dropoff_address, least) => {
  const pickup_address = dropoff_address.replace(/^[^,]*/, '43 E Ohio St');
  for (const hasPosition of [false, true]) {
    const { fixture, ana, id } = await underWay({
      requests: [orderRequest({ pickup_address, dropoff_address })],
    });
    const promised_at = (await deliveryOf(fixture, id)).dropoffs[0]?.dropoff_eta ?? '';
    expect(Date.parse(promised_at) - fixture.now()).toBeGreaterThanOrEqual((least + 4) * minute);
    for (const kind of ['start_pickup', 'arrive_pickup', 'pick_up'] as const) {
      await fixture.pass(minute);
      if (hasPosition) await ana.at(41.8925, -87.6282);
      await ana.tap({ kind, delivery_ids: [id] });
    }
    expect((await etaOf(fixture, id)) - fixture.now()).toBeGreaterThanOrEqual(least * minute);
  }
});

test('neighbors of one ZIP code are driven to in the order in which they ordered, each after a way', async () => {
  const streets = ['401 E Ontario St', '30 E Huron St', '230 E Delaware Pl'];
  const requests = streets.map((street) => orderRequest({ dropoff_address: `${street}, Chicago, IL 60611` }));
  const { fixture, ana, ids } = await underWay({ requests });
  const stops = (await stopsOn(ana)).filter(({ kind }) => kind === 'dropoff');
  expect(stops.flatMap((stop) => stop.ids)).toEqual(ids);
  const etas = await etasInOrder(fixture, ana);
  for (const [index, eta] of etas.slice(1).entries()) expect(eta - (etas[index] ?? 0)).toBe(9 * minute);
});

test('after the service was down a recipient is told once, and of a time that is ahead', async () => {
  const fixture = await startFixture();
  const { live: key } = fixture.keys;
  const client = fixture.client(key);
  const sam = await phone(fixture, 'Sam', { key });
  await dispatchToFleet(fixture, { key, driver_id: sam.id });
  const updates = async () => (await client.events.list({ query: { type: 'delivery.updated' } })).data.data;
  const before = await updates();
  await fixture.pass(3 * 60 * minute);
  expect((await updates()).length - before.length).toBe(1);
  const [delivery] = (await client.deliveries.list()).data.data;
  expect(Date.parse(delivery?.dropoffs[0]?.dropoff_eta ?? '')).toBeGreaterThan(fixture.now());
});
