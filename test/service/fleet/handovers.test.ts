import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Driver } from '../../../src/contract/drivers.ts';
import { type Fixture, orderRequest, startFixture } from '../fixture.ts';
import { dispatchToFleet, type Phone, phone, stopsOn } from './fleet.ts';

/** Two drivers, and deliveries of one route that the first has picked up. */
async function pickedUp({ count = 1, ask_pin = false } = {}) {
  const fixture = await startFixture();
  const fleet = { per_delivery: 400, per_mile: 0, ask_pin };
  await fixture.client().account.update({ body: { fleet } });
  const sam = await phone(fixture, 'Sam');
  const ana = await phone(fixture, 'Ana');
  const requests = Array.from({ length: count }, (_, index) =>
    orderRequest({ external_order_ref: `#${index}`, dropoff_unit: `Apt ${index}` }),
  );
  const { deliveries } = await dispatchToFleet(fixture, { requests, driver_id: sam.id });
  const ids = deliveries.map(({ id }) => id);
  await sam.tap({ kind: 'pick_up', delivery_ids: ids });
  const [id = ''] = ids;
  return { fixture, sam, ana, ids, id };
}

const deliveryOf = async (fixture: Fixture, deliveryid: string) =>
  (await fixture.client().deliveries.get({ params: { deliveryid } })).data;

const assign = async (fixture: Fixture, { id: driver_id }: Phone, delivery_id: string) =>
  (await fixture.client().drivers.assign({ params: { driver_id }, body: { delivery_id } })).data;

const report = async (
  fixture: Fixture,
  deliveryid: string,
  body: Parameters<ReturnType<Fixture['client']>['deliveries']['report']>[0]['body'],
) => (await fixture.client().deliveries.report({ params: { deliveryid }, body })).data;

const driverOf = async (fixture: Fixture, { id: driver_id }: Phone): Promise<Driver> =>
  (await fixture.client().drivers.get({ params: { driver_id } })).data;

const audited = async (fixture: Fixture, record_id: string) =>
  (await fixture.client().audit.list({ query: { record_id } })).data.data.map(({ operation }) => operation);

/** The stops on a driver's page: `pickup dlv_1`. */
async function stopsOf(driver: Phone): Promise<string[]> {
  const stops = await stopsOn(driver);
  return stops.flatMap(({ kind, ids }) => ids.map((id) => `${kind} ${id}`)).toSorted();
}

test('after the pickup a delivery is handed to another driver: only the driver changes', async () => {
  const { fixture, sam, ana, id } = await pickedUp({ ask_pin: true });
  await sam.tap({ kind: 'start_dropoff', delivery_ids: [id] }, { kind: 'duty', on: false });
  const before = await deliveryOf(fixture, id);
  const charges = async () =>
    (await fixture.client().charges.list({ query: { delivery_id: id } })).data.data.length;
  expect([before.status, await charges()]).toEqual(['enroute_dropoff', 1]);
  const { updated_at, courier_name, dropoffs, ...after } = await assign(fixture, ana, id);
  expect(courier_name).toBe('Ana');
  expect(after).toEqual({
    ...Object.fromEntries(
      Object.entries(before).filter(([key]) => !['updated_at', 'courier_name', 'dropoffs'].includes(key)),
    ),
  });
  expect(await charges()).toBe(1);
  expect([await stopsOf(sam), await stopsOf(ana)]).toEqual([[], [`dropoff ${id}`]]);
  expect(await ana.page()).toContain('data-step="1"');
  const events = await fixture.client().events.list({ query: { delivery_id: id, limit: 1 } });
  expect(events.data.data[0]).toMatchObject({
    type: 'delivery.updated',
    data: { id, status: 'enroute_dropoff', courier_name: 'Ana' },
  });
  const [entry] = (
    await fixture.client().audit.list({ query: { record_id: id, operation: 'AssignDelivery' } })
  ).data.data;
  expect(entry).toMatchObject({ operation: 'AssignDelivery', record_id: id, detail: ana.id });
  expect(await sam.tap({ kind: 'deliver', delivery_ids: [id], pin: before.handover_pin ?? '' })).toEqual([
    'ignored',
  ]);
  expect(await ana.tap({ kind: 'deliver', delivery_ids: [id], pin: 'none' })).toEqual(['refused']);
  expect(await ana.tap({ kind: 'deliver', delivery_ids: [id], pin: before.handover_pin ?? '' })).toEqual([
    'done',
  ]);
  expect(await deliveryOf(fixture, id)).toMatchObject({ status: 'delivered', courier_name: 'Ana' });
});

test('of a route that is begun each parcel keeps its state: what waits is picked up, what goes back is returned', async () => {
  const fixture = await startFixture();
  const [sam, ana] = [await phone(fixture, 'Sam'), await phone(fixture, 'Ana')];
  const requests = [
    orderRequest({ external_order_ref: '#1' }),
    orderRequest({ external_order_ref: '#2' }),
    orderRequest({ external_order_ref: '#3', pickup_address: '5801 S Ellis Ave, Chicago, IL 60637' }),
  ];
  const { deliveries } = await dispatchToFleet(fixture, { requests, driver_id: sam.id });
  const idOf = (ref: string) => deliveries.find((each) => each.external_order_ref === ref)?.id ?? '';
  const [refused, carried, waiting] = [idOf('#1'), idOf('#2'), idOf('#3')];
  await sam.tap({ kind: 'pick_up', delivery_ids: [refused, carried] });
  await sam.tap({ kind: 'fail', delivery_ids: [refused], failure_reason: 'recipient_refused' });
  await assign(fixture, ana, carried);
  expect(await stopsOf(sam)).toEqual([]);
  expect(await stopsOf(ana)).toEqual(
    [`return ${refused}`, `dropoff ${carried}`, `pickup ${waiting}`, `dropoff ${waiting}`].toSorted(),
  );
  const statuses = await Promise.all(
    [refused, carried, waiting].map(async (id) => (await deliveryOf(fixture, id)).status),
  );
  expect(statuses).toEqual(['enroute_to_return', 'pickup_complete', 'driver_assigned']);
  expect(await ana.tap({ kind: 'return', delivery_ids: [refused] })).toEqual(['done']);
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
        const drivers = [await phone(fixture, 'Sam'), await phone(fixture, 'Ana')];
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
  const { fixture, sam, ids } = await pickedUp({ count: 2, ask_pin: true });
  const [handed = '', refused = ''] = ids;
  await sam.tap({ kind: 'duty', on: false });
  expect(
    await report(fixture, handed, { status: 'delivered', note: 'Sam called from the door' }),
  ).toMatchObject({
    ...{ status: 'delivered', courier_name: 'Sam', proof_of_delivery: [] },
  });
  const back = {
    status: 'enroute_to_return',
    failure_reason: 'recipient_refused',
    note: 'It was cold',
  } as const;
  expect(await report(fixture, refused, back)).toMatchObject({
    ...{ status: 'enroute_to_return', failure_reason: 'recipient_refused', failure_message: 'It was cold' },
  });
  expect(await stopsOf(sam)).toEqual([`return ${refused}`]);
  await fixture.pass(1_000);
  expect(await report(fixture, refused, { status: 'returned', note: 'Back in the kitchen' })).toMatchObject({
    status: 'returned',
  });
  expect(await audited(fixture, refused)).toEqual(['ReportDelivery', 'ReportDelivery', 'SendTaps']);
  const { data } = await fixture.client().deliveries.notes({ params: { deliveryid: refused }, query: {} });
  expect(data.data.map(({ text, tags }) => [text, ...tags])).toEqual([
    ['Back in the kitchen', 'report', 'returned'],
    ['It was cold', 'report', 'enroute_to_return'],
  ]);
  await fixture.client().drivers.delete({ params: { driver_id: sam.id } });
});

test('a report passes the steps between, and repeats and steps back are refused', async () => {
  const { fixture, id } = await pickedUp();
  const { status_history } = await report(fixture, id, { status: 'returned', note: 'Nobody was there' });
  expect(status_history.map(({ status }) => status).slice(-3)).toEqual([
    ...['pickup_complete', 'enroute_to_return', 'returned'],
  ]);
  for (const status of ['returned', 'pickup_complete'] as const) {
    const again = report(fixture, id, { status, note: 'Once more' });
    await expect(again).rejects.toMatchObject({ code: 'delivery_not_reportable' });
  }
});

test('only a delivery of an own driver can be reported', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const { data } = await client.deliveries.create({ body: { ...orderRequest(), initiate: true } });
  const refused = { code: 'delivery_not_reportable' };
  await expect(report(fixture, data.id, { status: 'delivered', note: 'Came' })).rejects.toMatchObject(
    refused,
  );
  await phone(fixture, 'Sam');
  const { deliveries } = await dispatchToFleet(fixture);
  const offered = report(fixture, deliveries[0]?.id ?? '', { status: 'delivered', note: 'Came' });
  await expect(offered).rejects.toMatchObject(refused);
});

test('a driver with parcels is not removed, and the answer names them', async () => {
  const { fixture, sam, ids } = await pickedUp({ count: 2 });
  const removal = fixture.client().drivers.delete({ params: { driver_id: sam.id } });
  await expect(removal).rejects.toMatchObject({
    ...{ code: 'driver_has_stops', message: 'Sam still has 2 deliveries.' },
    related_ids: expect.arrayContaining(ids),
  });
  expect(await driverOf(fixture, sam)).toMatchObject({ stops_left: 2 });
});
