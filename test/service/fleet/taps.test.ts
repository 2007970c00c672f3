import { expect, test } from 'vitest';
import { changeAccountRow } from '../../../src/storage/accounts.ts';
import { assignmentsOfDrivers } from '../../../src/storage/drivers.ts';
import { deliveryOf } from '../delivery-runs.ts';
import { orderRequest, startFixture } from '../fixture.ts';
import { dispatchToFleet, jpeg, type Phone, phone, statusesNow, stopsOn, underWay } from './fleet.ts';

const iso = (at: number) => new Date(at).toISOString();

async function pickUp(ana: Phone, id: string): Promise<void> {
  await ana.tap({ kind: 'pick_up', delivery_ids: [id] });
}

test('taps of a phone that was offline are applied once and in order, at the times when they were made', async () => {
  const { fixture, ana, id } = await underWay();
  const from = fixture.now();
  await fixture.pass(600_000);
  const tap = (number: number, kind: 'start_pickup' | 'arrive_pickup' | 'pick_up') => ({
    ...{ id: `offline-${number}`, kind, at: iso(from + number * 60_000), delivery_ids: [id] },
  });
  const queue = [tap(1, 'start_pickup'), tap(2, 'arrive_pickup'), tap(3, 'pick_up')];
  expect(await ana.tap(...queue)).toEqual(['done', 'done', 'done']);
  const events = async () => (await fixture.client().events.list({ query: { delivery_id: id } })).data.data;
  const before = (await events()).length;
  expect(await ana.tap(...queue)).toEqual(['done', 'done', 'done']);
  expect(await events()).toHaveLength(before);
  const { status, status_history } = await deliveryOf(fixture, id);
  expect(status).toBe('pickup_complete');
  expect(status_history.map((each) => each.status).slice(-3)).toEqual([
    ...['enroute_pickup', 'arrived_at_pickup', 'pickup_complete'],
  ]);
  const reports = await fixture.storage.run((db) =>
    db.selectFrom('reports').select('occurred_at').where('status', '=', 'pickup_complete').execute(),
  );
  expect(reports).toEqual([{ occurred_at: from + 180_000 }]);
});

test('a phone whose clock is a day fast changes nothing about the times', async () => {
  const { fixture, ana, id } = await underWay();
  await fixture.pass(600_000);
  const day = 86_400_000;
  const answer = await fixture.send('POST', `/drive/${ana.token}/taps`, {
    body: {
      sent_at: iso(fixture.now() + day),
      taps: [{ id: 'fast', kind: 'start_pickup', at: iso(fixture.now() + day - 5_000), delivery_ids: [id] }],
    },
  });
  expect(answer.status).toBe(200);
  const [report] = await fixture.storage.run((db) =>
    db.selectFrom('reports').select('occurred_at').where('status', '=', 'enroute_pickup').execute(),
  );
  expect(report?.occurred_at).toBe(fixture.now() - 5_000);
});

test('two phones with one link cannot contradict each other: what is behind has no effect', async () => {
  const { ana, id } = await underWay();
  const delivery_ids = [id];
  expect(await ana.tap({ kind: 'pick_up', delivery_ids })).toEqual(['done']);
  expect(await ana.tap({ kind: 'start_pickup', delivery_ids }, { kind: 'pick_up', delivery_ids })).toEqual([
    ...['ignored', 'ignored'],
  ]);
});

test('a route with one shop is one pickup for all, and each recipient a stop', async () => {
  const { fixture, ana, ids } = await underWay({
    requests: [orderRequest(), orderRequest({ dropoff_address: '5801 S Ellis Ave, Chicago, IL 60637' })],
  });
  const page = await ana.page();
  expect(page).toContain('3 stops');
  expect(page.match(/ data-kind="pickup"/g)).toHaveLength(1);
  expect(page.match(/class="card stop waiting"/g)).toHaveLength(2);
  expect(await ana.tap({ kind: 'pick_up', delivery_ids: ids })).toEqual(['done']);
  expect(await ana.page()).not.toContain('stop waiting');
  const statuses = await statusesNow(fixture, ids);
  expect(statuses).toEqual(['pickup_complete', 'pickup_complete']);
  const { stops_left, stops } = (await fixture.client().drivers.get({ params: { driver_id: ana.id } })).data;
  expect(stops_left).toBe(2);
  const times = await Promise.all(
    ids.map(async (id) => (await deliveryOf(fixture, id)).dropoffs[0]?.dropoff_eta),
  );
  expect(stops).toEqual(
    ids.map((id, index) => ({
      ...{ kind: 'dropoff', delivery_ids: [id], expected_at: times[index] },
      ...{ address: expect.any(String), lat: expect.any(Number), lng: expect.any(Number) },
    })),
  );
});

test('what cannot be handed over goes back to the shop, with its reason', async () => {
  const { fixture, ana, id } = await underWay();
  await pickUp(ana, id);
  const failure = { kind: 'fail', failure_reason: 'recipient_refused', note: 'Too cold' } as const;
  expect(await ana.tap({ ...failure, delivery_ids: [id] })).toEqual(['done']);
  expect(await deliveryOf(fixture, id)).toMatchObject({
    ...{ status: 'enroute_to_return', failure_reason: 'recipient_refused', failure_message: 'Too cold' },
  });
  expect(await ana.page()).toMatch(
    /Bring back<\/small>43 E Ohio St<\/h2>\s*<p class="who"><b>Pizza &amp; Friends/,
  );
  expect(await ana.tap({ kind: 'return', delivery_ids: [id] })).toEqual(['done']);
  expect((await deliveryOf(fixture, id)).status).toBe('returned');
  expect(await ana.page()).toContain('0 stops');
});

test('a driver goes on to the next stop with what a tap completes, and a stop that is started comes first', async () => {
  const fixture = await startFixture();
  const ana = await phone(fixture, 'Ana');
  const buildings = ['233 S Wacker Dr, Chicago, IL 60606', '5801 S Ellis Ave, Chicago, IL 60637'];
  const requests = [0, 0, 1, 1].map((building) =>
    orderRequest({ dropoff_address: buildings[building] ?? '' }),
  );
  await dispatchToFleet(fixture, { requests });
  await ana.tap({ kind: 'accept', offer_id: (await ana.offer()) ?? '', goes_on: true });
  const [pickup, near, far] = (await stopsOn(ana)).map(({ ids }) => ids);
  expect(await statusesNow(fixture, pickup ?? [])).toEqual(Array(4).fill('enroute_pickup'));
  const [left = ''] = far ?? [];
  const taken = (pickup ?? []).filter((id) => id !== left);
  await ana.tap({ kind: 'pick_up', delivery_ids: taken, goes_on: true });
  // Who is in the car comes before the way back for the rest.
  expect(await statusesNow(fixture, near ?? [])).toEqual(Array(2).fill('enroute_dropoff'));
  const carried = taken.filter((id) => !near?.includes(id));
  expect((await stopsOn(ana)).map(({ ids }) => ids)).toEqual([near, carried, [left], [left]]);
  await ana.tap({ kind: 'pick_up', delivery_ids: [left], goes_on: true });
  expect(await statusesNow(fixture, far ?? [])).toEqual(Array(2).fill('pickup_complete'));
  await ana.tap({ kind: 'start_dropoff', delivery_ids: far ?? [] });
  expect((await stopsOn(ana)).map(({ ids }) => ids)).toEqual([[...carried, left], near]);
  for (const id of far ?? []) await ana.tap({ kind: 'deliver', delivery_ids: [id], goes_on: true });
  expect(await statusesNow(fixture, near ?? [])).toEqual(Array(2).fill('enroute_dropoff'));
});

test('a driver who accepts two routes of one shop in one tap picks them up together', async () => {
  const fixture = await startFixture();
  const ana = await phone(fixture, 'Ana');
  for (let routes = 0; routes < 2; routes += 1) await dispatchToFleet(fixture);
  const [, offers = ''] = /data-offers="([^"]*)"/.exec(await ana.page()) ?? [];
  const ids = offers.split(' ');
  expect(ids).toHaveLength(2);
  const accepts = ids.map((offer_id) => ({ kind: 'accept', offer_id, goes_on: true }) as const);
  expect(await ana.tap(...accepts)).toEqual(['done', 'done']);
  const [pickup, ...dropoffs] = await stopsOn(ana);
  expect([pickup?.kind, pickup?.ids.length]).toEqual(['pickup', 2]);
  expect(dropoffs.map(({ kind }) => kind)).not.toContain('pickup');
  await ana.tap({ kind: 'pick_up', delivery_ids: pickup?.ids ?? [], goes_on: true });
  for (const id of pickup?.ids ?? []) await ana.tap({ kind: 'deliver', delivery_ids: [id], goes_on: true });
  expect((await deliveryOf(fixture, pickup?.ids[1] ?? '')).status).toBe('delivered');
  // Assignments whose deliveries have ended are not read.
  expect(
    await fixture.storage.run((db) => assignmentsOfDrivers(db, [ana.id], ['offered', 'accepted'])),
  ).toEqual([]);
});

test('what goes back to the shop does so after the recipients who still wait', async () => {
  const requests = ['60606', '60637', '60647', '60657'].map((zip) =>
    orderRequest({ dropoff_address: `1 Main St, Chicago, IL ${zip}` }),
  );
  const { fixture, ana, ids } = await underWay({ requests });
  await ana.tap({ kind: 'pick_up', delivery_ids: ids });
  await ana.tap({ kind: 'fail', delivery_ids: ids.slice(0, 1) });
  const kinds = async () => [...(await ana.page()).matchAll(/ data-kind="(\w+)"/g)].map(([, kind]) => kind);
  expect(await kinds()).toEqual(['dropoff', 'dropoff', 'dropoff', 'return']);
  await dispatchToFleet(fixture, { driver_id: ana.id });
  expect((await kinds()).at(-1)).toBe('return');
});

test('what cannot be picked up has failed', async () => {
  const { fixture, ana, id } = await underWay();
  await ana.tap({ kind: 'arrive_pickup', delivery_ids: [id] });
  await ana.tap({ kind: 'fail', note: 'The kitchen is closed', delivery_ids: [id] });
  expect(await deliveryOf(fixture, id)).toMatchObject({
    ...{ status: 'failed', failure_reason: 'courier_failed', failure_message: 'The kitchen is closed' },
  });
});

test('photo and signature become proofs whose pictures can be opened, and only by their links', async () => {
  const { fixture, ana, id } = await underWay({ requests: [orderRequest({ request_signature: true })] });
  await pickUp(ana, id);
  const page = await ana.page();
  expect(page).toContain('data-photo="" data-signature="1" data-pin=""');
  const proof = { photo: jpeg, signature: jpeg, signed_by: 'Dana' };
  expect(await ana.tap({ kind: 'deliver', delivery_ids: [id], ...proof })).toEqual(['done']);
  const { proof_of_delivery, signature } = await deliveryOf(fixture, id);
  expect(proof_of_delivery).toMatchObject([
    { type: 'photo', url: expect.stringMatching(/\/proofs\/\w{22}$/) },
  ]);
  expect(signature).toMatchObject({ name: 'Dana', image_url: expect.stringMatching(/\/proofs\/\w{22}$/) });
  const open = (path: string) => fixture.send('GET', path, { headers: { 'x-api-key': '' } });
  const picture = await open(new URL(proof_of_delivery[0]?.url ?? '').pathname);
  expect(picture).toMatchObject({
    status: 200,
    encoding: 'base64',
    headers: { 'content-type': 'image/jpeg' },
  });
  expect(`data:image/jpeg;base64,${picture.body}`).toBe(jpeg);
  expect((await open('/proofs/none')).status).toBe(404);
});

test('a picture that is no JPEG is not stored', async () => {
  const { fixture, ana, id } = await underWay();
  await pickUp(ana, id);
  await ana.tap({ kind: 'deliver', delivery_ids: [id], photo: 'data:text/html;base64,PHNjcmlwdD4=' });
  expect((await deliveryOf(fixture, id)).proof_of_delivery).toEqual([]);
});

test('a position is shown in the list of drivers and on the delivery, without an event', async () => {
  const { fixture, ana, id } = await underWay();
  await ana.tap({ kind: 'start_pickup', delivery_ids: [id] });
  const events = async () =>
    (await fixture.client().events.list({ query: { delivery_id: id } })).data.data.length;
  const before = await events();
  await fixture.pass(30_000);
  await ana.at(41.88, -87.63);
  expect(await events()).toBe(before);
  const at = iso(fixture.now());
  const { location } = (await fixture.client().drivers.get({ params: { driver_id: ana.id } })).data;
  expect(location).toEqual({ lat: 41.88, lng: -87.63, recorded_at: at });
  const place = { courier_location_lat: 41.88, courier_location_lng: -87.63 };
  expect(await deliveryOf(fixture, id)).toMatchObject(place);
});

test('a canceled delivery is gone from the page, and a driver with stops cannot be removed', async () => {
  const { fixture, ana, id } = await underWay();
  const remove = () => fixture.client().drivers.delete({ params: { driver_id: ana.id } });
  await expect(remove()).rejects.toMatchObject({ code: 'driver_has_stops' });
  await fixture.client().deliveries.cancel({ params: { deliveryid: id }, body: {} });
  expect((await deliveryOf(fixture, id)).refunded_amount).toBe(0);
  expect(await ana.tap({ kind: 'pick_up', delivery_ids: [id] })).toEqual(['ignored']);
  expect(await ana.page()).toContain('0 stops');
  await remove();
});

test('after the pickup a cancellation is refused', async () => {
  const { fixture, ana, id } = await underWay();
  await pickUp(ana, id);
  const canceling = fixture.client().deliveries.cancel({ params: { deliveryid: id }, body: {} });
  await expect(canceling).rejects.toMatchObject({ code: 'delivery_not_cancelable' });
});

test('a driver sees and changes nothing of another driver', async () => {
  const { fixture, ana, id } = await underWay({ requests: [orderRequest({ dropoff_name: 'Quentin' })] });
  const bob = await phone(fixture, 'Bob');
  expect(await bob.page()).not.toContain('Quentin');
  expect(await ana.page()).toContain('Quentin');
  expect(await bob.tap({ kind: 'pick_up', delivery_ids: [id] })).toEqual(['ignored']);
  expect((await deliveryOf(fixture, id)).status).toBe('driver_assigned');
});

test('a new link replaces the old one, which shows a page that says so and takes no taps', async () => {
  const { fixture, ana } = await underWay();
  const { data } = await fixture.client().drivers.link({ params: { driver_id: ana.id } });
  const open = (path: string) => fixture.send('GET', path, { headers: { accept: 'text/html' } });
  const page = await open(`/drive/${ana.token}`);
  expect([page.status, page.body]).toEqual([404, expect.stringContaining('valid')]);
  await expect(ana.tap({ kind: 'duty', on: false })).rejects.toThrow('record_not_found');
  expect((await open(new URL(data.link ?? '').pathname)).body).toContain('Pizza &amp; Friends');
});

test('while the account is suspended its drivers see no stops and report nothing; an unknown link has no manifest', async () => {
  const { fixture, ana, id } = await underWay();
  const { account_id } = (await fixture.client().account.get()).data;
  const suspend = (at: number | null) =>
    fixture.storage.run((db) => changeAccountRow(db, account_id, { suspended_at: at }));
  const open = async (path: string) => {
    const { status, body } = await fixture.send('GET', path, { headers: { accept: 'text/html' } });
    return [status, body.includes('Pizza')];
  };
  await suspend(fixture.now());
  expect(await open(`/drive/${ana.token}`)).toEqual([403, false]);
  await expect(ana.tap({ kind: 'start_pickup', delivery_ids: [id] })).rejects.toThrow('account_suspended');
  await suspend(null);
  expect(await open(`/drive/${ana.token}`)).toEqual([200, true]);
  expect((await open(`/drive/${ana.token}/manifest`))[0]).toBe(200);
  expect((await open('/drive/unknown/manifest'))[0]).toBe(404);
});

test('a delivery of an own driver cannot be stepped like a simulated one', async () => {
  const { fixture, id } = await underWay();
  const { data } = (await fixture.client().sandbox.steps({ params: { delivery_id: id } })).data;
  expect(data).toEqual([]);
  const step = { params: { delivery_id: id }, body: { status: 'delivered' as const } };
  await expect(fixture.client().sandbox.step(step)).rejects.toMatchObject({ code: 'step_not_legal' });
});

test('a position that no driver of the delivery can have is not shown to its recipient', async () => {
  const { fixture, ana, id } = await underWay();
  await ana.tap({ kind: 'pick_up', delivery_ids: [id] });
  const shown = async () => {
    const { courier_location_lat: lat, courier_location_lng: lng } = await deliveryOf(fixture, id);
    return [lat, lng];
  };
  await ana.at(41.88, -87.63);
  for (const [lat, lng] of [
    [0, 0],
    [-87.63, 41.88],
    [40.71, -74.01],
  ] as const) {
    await fixture.pass(60_000);
    await ana.at(lat, lng);
    expect(await shown()).toEqual([41.88, -87.63]);
  }
  await fixture.pass(60_000);
  await ana.at(41.87, -87.64);
  expect(await shown()).toEqual([41.87, -87.64]);
});
