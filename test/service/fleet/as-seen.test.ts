import { expect, test } from 'vitest';
import { engines } from '../../databases.ts';
import { deliveryOf } from '../delivery-runs.ts';
import { type Fixture, orderMade, orderRequest, startFixture } from '../fixture.ts';
import { dispatchToFleet, type Phone, phone, underWay } from './fleet.ts';

/** A delivery of Ana's, whom two dispatchers see it with, and two other drivers. */
async function seenByTwo(location: string) {
  const fixture = await startFixture({ location });
  const [ana, sam, bo] = [
    await phone(fixture, 'Ana'),
    await phone(fixture, 'Sam'),
    await phone(fixture, 'Bo'),
  ];
  const { deliveries } = await dispatchToFleet(fixture, { driver_id: ana.id });
  const [{ id = '', status = '' } = {}] = deliveries;
  return { fixture, id, sam, bo, seen: { from_driver_id: ana.id, if_status: status } };
}

type Scene = Awaited<ReturnType<typeof seenByTwo>>;
type Action = (scene: Scene) => { path: string; body: object };

const giveTo =
  (driver: 'sam' | 'bo'): Action =>
  ({ id, seen, [driver]: { id: driver_id } }) => ({
    path: `/v2/drivers/${driver_id}/assignments`,
    body: { delivery_id: id, ...seen },
  });
const report =
  (status: string): Action =>
  ({ id, seen }) => ({ path: `/v2/deliveries/${id}/reports`, body: { status, note: 'by phone', ...seen } });
const cancel: Action = ({ id, seen }) => ({ path: `/v1/delivery/${id}/cancel`, body: seen });

/** What two dispatchers do to the same delivery at the same moment. */
const atOnce: Readonly<Record<string, readonly [Action, Action]>> = {
  'give it to two drivers': [giveTo('sam'), giveTo('bo')],
  'give it away and cancel it': [giveTo('sam'), cancel],
  'cancel it twice': [cancel, cancel],
  'report it as picked up and cancel it': [report('pickup_complete'), cancel],
  'report it as picked up and give it away': [report('pickup_complete'), giveTo('sam')],
  'report two things': [report('pickup_complete'), report('failed')],
  'report the same': [report('pickup_complete'), report('pickup_complete')],
};

for (const [engine, locationOf] of Object.entries(engines)) {
  test.each(Object.entries(atOnce))(
    `of two dispatchers who %s, one is refused (${engine})`,
    async (_, both) => {
      const scene = await seenByTwo(await locationOf());
      const answers = await Promise.all(
        both.map((action) => {
          const { path, body } = action(scene);
          return scene.fixture.send('POST', path, { body });
        }),
      );
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      const refused = JSON.parse(answers.find(({ status }) => status === 409)?.body ?? '');
      expect(refused).toMatchObject({
        code: 'record_changed',
        message: expect.stringMatching(/: look again\.$/),
      });
    },
  );
}

test.each([
  ['retry', {}, 'failed'],
  ['dispute', { reason: 'Cold' }, 'delivered'],
])('to %s it is refused if the status is no longer the one that was seen', async (verb, more, status) => {
  const { fixture, id } = await underWay();
  const path = `/v1/delivery/${id}/${verb}`;
  const post = async (to: string, body: object) =>
    JSON.parse((await fixture.send('POST', to, { body })).body);
  for (const each of ['pickup_complete', status])
    await post(`/v2/deliveries/${id}/reports`, { status: each, note: 'by phone' });
  const seen = { ...more, if_status: 'arrived_at_dropoff' };
  expect(await post(path, seen)).toMatchObject({ code: 'record_changed', related_ids: [id] });
  expect((await post(path, { ...more, if_status: status })).code).toBeUndefined();
});

const nobody = 'none';

/** What is sent after Ana's delivery was given to Sam, and the sentence with which it is refused. */
const refusals: Readonly<Record<string, (ids: { ana: string; sam: string }) => [object, string | null]>> = {
  'nothing seen': () => [{}, null],
  'the driver as it is': ({ sam }) => [{ from_driver_id: sam }, null],
  'driver and status as they are': ({ sam }) => [{ from_driver_id: sam, if_status: 'driver_assigned' }, null],
  'the driver before': ({ ana }) => [{ from_driver_id: ana }, 'is with Sam, not with Ana: look again.'],
  'no driver': () => [{ from_driver_id: nobody }, 'is with Sam, not with no driver: look again.'],
  'a driver who is unknown': () => [{ from_driver_id: 'drv_1' }, 'is with Sam, not with drv_1: look again.'],
  'another status': () => [
    { if_status: 'enroute_pickup' },
    'is driver_assigned, not enroute_pickup: look again.',
  ],
};

test.each(Object.entries(refusals))(
  '%s: a change is made or refused with what is there now',
  async (_, sent) => {
    const { fixture, ana, id } = await underWay();
    const sam = await phone(fixture, 'Sam');
    const client = fixture.client();
    await client.drivers.assign({ params: { driver_id: sam.id }, body: { delivery_id: id } });
    const [body, refusal] = sent({ ana: ana.id, sam: sam.id });
    const paths = [`/v2/deliveries/${id}/unlock`, `/v1/delivery/${id}/notes`, `/v1/delivery/${id}/cancel`];
    for (const path of paths) {
      const note = path.endsWith('/notes') ? { text: 'called' } : {};
      const answer = JSON.parse((await fixture.send('POST', path, { body: { ...note, ...body } })).body);
      if (refusal === null) expect(answer.code).not.toBe('record_changed');
      else
        expect(answer).toMatchObject({
          code: 'record_changed',
          message: `Delivery ${id} ${refusal}`,
          related_ids: 'from_driver_id' in body ? [id, sam.id] : [id],
        });
    }
    expect((await deliveryOf(fixture, id)).status).toBe(
      refusal === null ? 'customer_canceled' : 'driver_assigned',
    );
  },
);

test('of the drivers of another account only the id is known', async () => {
  const { fixture, id } = await underWay();
  const live = await phone(fixture, 'Lee', { key: fixture.keys.live, duty: false });
  const cancel = fixture.client().deliveries.cancel({
    params: { deliveryid: id },
    body: { from_driver_id: live.id },
  });
  await expect(cancel).rejects.toMatchObject({
    message: `Delivery ${id} is with Ana, not with ${live.id}: look again.`,
  });
});

async function scheduled(fixture: Fixture) {
  const pickup_at = new Date(fixture.now() + 3 * 3_600_000).toISOString();
  const { deliveries } = await dispatchToFleet(fixture, { requests: [orderRequest({ pickup_at })] });
  return deliveries[0]?.id ?? '';
}

test('a scheduled delivery is with the driver who gets it later, for who gives it away', async () => {
  const fixture = await startFixture();
  const [ana, sam] = [await phone(fixture, 'Ana'), await phone(fixture, 'Sam')];
  const id = await scheduled(fixture);
  const give = ({ id: driver_id }: Phone, from_driver_id: string) =>
    fixture.client().drivers.assign({ params: { driver_id }, body: { delivery_id: id, from_driver_id } });
  await give(ana, nobody);
  await expect(give(sam, nobody)).rejects.toMatchObject({
    code: 'record_changed',
    related_ids: [id, ana.id],
  });
  await give(sam, ana.id);
  const cancel = { params: { deliveryid: id }, body: { from_driver_id: nobody } };
  expect((await fixture.client().deliveries.cancel(cancel)).data.status).toBe('customer_canceled');
});

test('a failure that was tried again is not closed by who did not see it', async () => {
  const { fixture, id } = await underWay();
  const client = fixture.client();
  const params = { deliveryid: id };
  await client.deliveries.report({ params, body: { status: 'failed', note: 'van broke down' } });
  const close = { text: 'refunded', tags: ['closed'], if_status: 'failed' as const };
  const retried = (await client.deliveries.retry({ params, body: {} })).data;
  await expect(client.deliveries.note({ params, body: close })).rejects.toMatchObject({
    code: 'record_changed',
    message: `Delivery ${id} was tried again as ${retried.id}: look again.`,
    related_ids: [id, retried.id],
  });
});

test('an order is canceled only in the status in which it was seen', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const { data } = await orderMade(client.orders.create({ body: { orders: [orderRequest()] } }));
  const params = { order_id: data.id };
  await client.routes.create({ body: { order_ids: [data.id] } });
  await expect(client.orders.cancel({ params, body: { if_status: 'open' } })).rejects.toMatchObject({
    code: 'record_changed',
    message: `Order ${data.id} is routed, not open: look again.`,
  });
  await expect(client.orders.cancel({ params, body: { if_status: 'routed' } })).rejects.toMatchObject({
    code: 'order_not_open',
  });
  const other = await orderMade(client.orders.create({ body: { orders: [orderRequest()] } }));
  const open = { params: { order_id: other.data.id }, body: { if_status: 'open' as const } };
  expect((await client.orders.cancel(open)).data.status).toBe('canceled');
});
