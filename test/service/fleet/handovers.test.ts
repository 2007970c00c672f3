import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deliveryOf } from '../delivery-runs.ts';
import { type Fixture, orderRequest, startClient, startFixture } from '../fixture.ts';
import { dispatchToFleet, neighbors, type Phone, phone, statusesNow, stopsOn, underWay } from './fleet.ts';

/** Two drivers, and deliveries of one route that the first has picked up. */
async function pickedUp({ count = 1, ask_pin = false } = {}) {
  const route = await underWay({ requests: neighbors(count), per_delivery: 400, ask_pin });
  await route.ana.tap({ kind: 'pick_up', delivery_ids: route.ids });
  return { ...route, sam: await phone(route.fixture, 'Sam') };
}

const assign = async (fixture: Fixture, { id: driver_id }: Phone, delivery_id: string) =>
  (await fixture.client().drivers.assign({ params: { driver_id }, body: { delivery_id } })).data;

const report = async (
  fixture: Fixture,
  deliveryid: string,
  body: Parameters<ReturnType<Fixture['client']>['deliveries']['report']>[0]['body'],
) => (await fixture.client().deliveries.report({ params: { deliveryid }, body })).data;

const audited = async (fixture: Fixture, record_id: string) =>
  (await fixture.client().audit.list({ query: { record_id } })).data.data.map(({ operation }) => operation);

/** The stops on a driver's page: `pickup dlv_1`. */
async function stopsOf(driver: Phone): Promise<string[]> {
  const stops = await stopsOn(driver);
  return stops.flatMap(({ kind, ids }) => ids.map((id) => `${kind} ${id}`)).toSorted();
}

test('after the pickup a delivery is handed to another driver: only the driver changes', async () => {
  const { fixture, ana, sam, id } = await pickedUp({ ask_pin: true });
  await ana.tap({ kind: 'start_dropoff', delivery_ids: [id] }, { kind: 'duty', on: false });
  const before = await deliveryOf(fixture, id);
  const charges = async () =>
    (await fixture.client().charges.list({ query: { delivery_id: id } })).data.data.length;
  expect([before.status, await charges()]).toEqual(['enroute_dropoff', 1]);
  expect(await assign(fixture, sam, id)).toEqual({
    ...{ ...before, courier_name: 'Sam', updated_at: expect.any(String), dropoffs: expect.any(Array) },
  });
  expect(await charges()).toBe(1);
  expect([await stopsOf(ana), await stopsOf(sam)]).toEqual([[], [`dropoff ${id}`]]);
  expect(await sam.page()).toContain(' data-step="1"');
  const events = await fixture.client().events.list({ query: { delivery_id: id, limit: 1 } });
  expect(events.data.data[0]).toMatchObject({
    type: 'delivery.updated',
    data: { id, status: 'enroute_dropoff', courier_name: 'Sam' },
  });
  const [entry] = (
    await fixture.client().audit.list({ query: { record_id: id, operation: 'AssignDelivery' } })
  ).data.data;
  expect(entry).toMatchObject({ operation: 'AssignDelivery', record_id: id, detail: sam.id });
  const deliver = { kind: 'deliver' as const, delivery_ids: [id], pin: before.handover_pin ?? '' };
  expect(await ana.tap(deliver)).toEqual(['ignored']);
  expect(await sam.tap({ ...deliver, pin: 'none' }, deliver)).toEqual(['refused', 'done']);
  expect(await deliveryOf(fixture, id)).toMatchObject({ status: 'delivered', courier_name: 'Sam' });
});

test('of a route that is begun each parcel keeps its state: what waits is picked up, what goes back is returned', async () => {
  const elsewhere = orderRequest({ pickup_address: '5801 S Ellis Ave, Chicago, IL 60637' });
  const { fixture, ana, ids } = await underWay({ requests: [...neighbors(2), elsewhere] });
  const [refused = '', carried = '', waiting = ''] = ids;
  const sam = await phone(fixture, 'Sam');
  await ana.tap({ kind: 'pick_up', delivery_ids: [refused, carried] });
  await ana.tap({ kind: 'fail', delivery_ids: [refused], failure_reason: 'recipient_refused' });
  await assign(fixture, sam, carried);
  expect(await stopsOf(ana)).toEqual([]);
  expect(await stopsOf(sam)).toEqual(
    [`return ${refused}`, `dropoff ${carried}`, `pickup ${waiting}`, `dropoff ${waiting}`].toSorted(),
  );
  const statuses = await statusesNow(fixture, [refused, carried, waiting]);
  expect(statuses).toEqual(['enroute_to_return', 'pickup_complete', 'driver_assigned']);
  expect(await sam.tap({ kind: 'return', delivery_ids: [refused] })).toEqual(['done']);
  expect((await deliveryOf(fixture, refused)).status).toBe('returned');
});

test('whoever a delivery comes back to has each of its stops once, and those of other routes', async () => {
  const shops = ['43 E Ohio St, Chicago, IL 60611', '5801 S Ellis Ave, Chicago, IL 60637'];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.nat(1), { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 }),
      fc.array(fc.record({ route: fc.nat(2), to: fc.nat(1), picks: fc.boolean() }), { maxLength: 8 }),
      async (routes, moves) => {
        const fixture = await startFixture();
        const drivers = [await phone(fixture, 'Ana'), await phone(fixture, 'Sam')];
        const made: { ids: string[]; driver: number; is_begun: boolean }[] = [];
        for (const places of routes) {
          const requests = places.map((shop) => orderRequest({ pickup_address: shops[shop] ?? '' }));
          const driver_id = drivers[0]?.id ?? '';
          const { deliveries } = await dispatchToFleet(fixture, { requests, driver_id });
          made.push({ ids: deliveries.map(({ id }) => id), driver: 0, is_begun: false });
        }
        for (const { route, to, picks } of moves) {
          const moved = made[route % made.length];
          const driver = drivers[to];
          if (moved === undefined || driver === undefined) continue;
          await assign(fixture, driver, moved.ids[0] ?? '');
          moved.driver = to;
          if (picks) await driver.tap({ kind: 'pick_up', delivery_ids: moved.ids });
          moved.is_begun ||= picks;
          for (const [number, each] of drivers.entries()) {
            const expected = made
              .filter((other) => other.driver === number)
              .flatMap(({ ids, is_begun }) =>
                ids.flatMap((id) => [...(is_begun ? [] : [`pickup ${id}`]), `dropoff ${id}`]),
              );
            expect(await stopsOf(each)).toEqual(expected.toSorted());
          }
        }
      },
    ),
    { numRuns: 6, seed: 7 },
  );
});

test('a dispatcher reports for a driver whose phone is dead, with a note', async () => {
  const { fixture, ana, ids } = await pickedUp({ count: 2, ask_pin: true });
  const [handed = '', refused = ''] = ids;
  await ana.tap({ kind: 'duty', on: false });
  expect(
    await report(fixture, handed, { status: 'delivered', note: 'Ana called from the door' }),
  ).toMatchObject({
    ...{ status: 'delivered', courier_name: 'Ana', proof_of_delivery: [] },
  });
  const back = {
    status: 'enroute_to_return',
    failure_reason: 'recipient_refused',
    note: 'It was cold',
  } as const;
  expect(await report(fixture, refused, back)).toMatchObject({
    ...{ status: 'enroute_to_return', failure_reason: 'recipient_refused', failure_message: 'It was cold' },
  });
  expect(await stopsOf(ana)).toEqual([`return ${refused}`]);
  await fixture.pass(1_000);
  expect(await report(fixture, refused, { status: 'returned', note: 'Back in the kitchen' })).toMatchObject({
    ...{ status: 'returned', failure_reason: 'recipient_refused', failure_message: 'It was cold' },
  });
  expect(await audited(fixture, refused)).toEqual(['ReportDelivery', 'ReportDelivery', 'SendTaps']);
  const { data } = await fixture.client().deliveries.notes({ params: { deliveryid: refused }, query: {} });
  expect(data.data.map(({ text, tags }) => [text, ...tags])).toEqual([
    ['Back in the kitchen', 'report', 'returned'],
    ['It was cold', 'report', 'enroute_to_return'],
  ]);
  for (const [q, id] of [
    ['called from', handed],
    ['kitchen', refused],
  ] as const) {
    const found = (await fixture.client().deliveries.list({ query: { q } })).data.data;
    expect(found.map((each) => each.id)).toContain(id);
  }
  await fixture.client().drivers.delete({ params: { driver_id: ana.id } });
});

test('a report passes the steps between, and repeats and steps back are refused', async () => {
  const { fixture, id } = await pickedUp();
  const returned = await report(fixture, id, { status: 'returned', note: 'Nobody was there' });
  const { status_history, failure_message } = returned;
  expect(failure_message).toBe('Nobody was there');
  expect(status_history.map(({ status }) => status).slice(-3)).toEqual([
    ...['pickup_complete', 'enroute_to_return', 'returned'],
  ]);
  for (const status of ['returned', 'pickup_complete'] as const) {
    const again = report(fixture, id, { status, note: 'Once more' });
    await expect(again).rejects.toMatchObject({ code: 'delivery_not_reportable' });
  }
});

test('only a delivery of an own driver can be reported', async () => {
  const { fixture, client } = await startClient();
  const { data } = await client.deliveries.create({ body: { ...orderRequest(), initiate: true } });
  const refused = { code: 'delivery_not_reportable' };
  await expect(report(fixture, data.id, { status: 'delivered', note: 'Came' })).rejects.toMatchObject(
    refused,
  );
  await phone(fixture, 'Ana');
  const { deliveries } = await dispatchToFleet(fixture);
  const offered = report(fixture, deliveries[0]?.id ?? '', { status: 'delivered', note: 'Came' });
  await expect(offered).rejects.toMatchObject(refused);
});

test('a driver with parcels is not removed, and the answer names them', async () => {
  const { fixture, ana, ids } = await pickedUp({ count: 2 });
  const removal = fixture.client().drivers.delete({ params: { driver_id: ana.id } });
  await expect(removal).rejects.toMatchObject({
    ...{ code: 'driver_has_stops', message: 'Ana still has 2 deliveries.' },
    related_ids: expect.arrayContaining(ids),
  });
  const { data } = await fixture.client().drivers.get({ params: { driver_id: ana.id } });
  expect(data.stops_left).toBe(2);
});

test('the report counts a delivery for the driver who ended it, by name also after the driver was removed', async () => {
  const { fixture, ana, ids } = await pickedUp({ count: 2 });
  const [first = '', second = ''] = ids;
  const sam = await phone(fixture, 'Sam');
  await ana.tap({ kind: 'deliver', delivery_ids: [first] });
  await assign(fixture, sam, second);
  await sam.tap({ kind: 'deliver', delivery_ids: [second] });
  await fixture.client().drivers.delete({ params: { driver_id: ana.id } });
  const created_after = new Date(fixture.now() - 86_400_000).toISOString();
  const { data } = await fixture.client().reports.get({ query: { created_after, by: ['driver'] } });
  const counts = data.data.map(({ driver_name, delivered }) => [driver_name, delivered]);
  expect(counts.toSorted()).toEqual([
    ['Ana', 1],
    ['Sam', 1],
  ]);
});
