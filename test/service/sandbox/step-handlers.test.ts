import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import { simulatedProviders } from '../../../src/providers/directory.ts';
import type { Provider } from '../../../src/providers/port.ts';
import { memoryRecords } from '../../providers/simulated/memory-records.ts';
import { reportsOfDelivery } from '../../storage/read-rows.ts';
import { again, moneyOf, runToEnd, startedDelivery, statusesOf } from '../delivery-runs.ts';
import { dispatchRoute, type Fixture, orderRequest, startClient, startFixture } from '../fixture.ts';
import { dispatchedOrder } from '../route-runs.ts';

const minute = 60_000;

/** The deliveries of a route carried by swiftly, one for each scenario. */
async function carried(fixture: Fixture, ...phones: string[]): Promise<Delivery[]> {
  const requests = phones.map((dropoff_phone_number) => orderRequest({ dropoff_phone_number }));
  return (await dispatchRoute(fixture, { requests, provider: 'swiftly' })).deliveries;
}

const carriedOne = (fixture: Fixture, dropoff_phone_number = '+13125550142') =>
  dispatchedOrder(fixture, orderRequest({ dropoff_phone_number }), 'swiftly');

async function stepTo(client: Client, { id }: Delivery, status: Delivery['status']): Promise<Delivery> {
  await client.sandbox.step({ params: { delivery_id: id }, body: { status } });
  return (await client.deliveries.get({ params: { deliveryid: id } })).data;
}

const positionOf = ({ courier_location_lat: lat, courier_location_lng: lng }: Delivery) => ({ lat, lng });
const when = (delivery: Delivery, status: Delivery['status']): number =>
  Date.parse(delivery.status_history.find((entry) => entry.status === status)?.created_at ?? '');

async function waiting(fixture: Fixture, { id }: Delivery): Promise<number> {
  const tasks = fixture.storage.run((db) =>
    db.selectFrom('tasks').select('id').where('subject', '=', id).execute(),
  );
  return (await tasks).length;
}

describe('after a step the courier continues from there', () => {
  test('stepped to pickup early: it continues to the dropoff at the reported time, with positions', async () => {
    const { fixture, client } = await startClient();
    const delivery = await carriedOne(fixture);
    await fixture.pass(3 * minute);
    const picked_up = await stepTo(client, delivery, 'pickup_complete');
    const [dropoff] = picked_up.dropoffs;
    const eta = Date.parse(dropoff?.dropoff_eta ?? '');
    expect(eta).toBeGreaterThan(fixture.now());
    const shop = positionOf(picked_up);
    await fixture.pass(minute);
    const underway = await again(client, delivery);
    expect(underway.status).toBe('enroute_dropoff');
    expect(positionOf(underway)).not.toEqual(shop);
    // The recipient has the parcel four minutes after the courier's arrival.
    await fixture.pass(eta - 4 * minute - fixture.now() - 1);
    const near = await again(client, delivery);
    expect(near).toMatchObject({ status: 'enroute_dropoff', dropoffs: picked_up.dropoffs });
    await fixture.pass(1);
    const there = await again(client, delivery);
    expect(there.status).toBe('arrived_at_dropoff');
    await fixture.pass(minute);
    expect(positionOf(await again(client, delivery))).toEqual(positionOf(there));
    const last = await runToEnd(fixture, client, delivery);
    expect(statusesOf(last)).toEqual([
      ...['delivery_created', 'driver_assigned', 'enroute_pickup', 'pickup_complete', 'enroute_dropoff'],
      ...['arrived_at_dropoff', 'dropoff_complete', 'delivered'],
    ]);
    expect([when(last, 'dropoff_complete'), when(last, 'delivered')]).toEqual([eta, eta + minute / 2]);
    expect(last.proof_of_delivery).toHaveLength(2);
    expect(await waiting(fixture, last)).toBe(0);
  });

  test('stepped to return: the parcel comes back, the return is charged and the route ends', async () => {
    const { fixture, client } = await startClient();
    const delivery = await carriedOne(fixture);
    await stepTo(client, delivery, 'pickup_complete');
    const back = await stepTo(client, delivery, 'enroute_to_return');
    const home = positionOf(back);
    await fixture.pass(2 * minute);
    expect(positionOf(await again(client, delivery))).not.toEqual(home);
    const last = await runToEnd(fixture, client, delivery);
    expect(statusesOf(last).slice(-2)).toEqual(['enroute_to_return', 'returned']);
    expect((await moneyOf(client, last)).kinds).toEqual(['delivery', 'return']);
    const { data } = await client.routes.get({ params: { route_id: delivery.route_id ?? '' } });
    expect(data.status).toBe('completed');
  });

  test('a late proof arrives after a step to delivered, and nothing after any other end', async () => {
    const { fixture, client } = await startClient();
    const late = await stepTo(client, await startedDelivery(client, 'proof_late'), 'delivered');
    expect([late.proof_of_delivery, await waiting(fixture, late)]).toEqual([[], 1]);
    const failed = await stepTo(client, await startedDelivery(client, 'proof_late'), 'failed');
    expect(failed.failure_reason).toBe('courier_failed');
    expect(await waiting(fixture, failed)).toBe(0);
    await fixture.pass(10 * minute);
    expect((await again(client, late)).proof_of_delivery).not.toEqual([]);
    expect(fixture.faults).toEqual([]);
  });

  test('other deliveries of the route keep their times', async () => {
    const { fixture, client } = await startClient();
    const [first, second] = await carried(fixture, '+13125550142', '+13125550143');
    if (first === undefined || second === undefined) throw new Error('no deliveries');
    const other = await startFixture();
    const [, ordinary] = await carried(other, '+13125550142', '+13125550143');
    if (ordinary === undefined) throw new Error('no delivery');
    await stepTo(client, first, 'arrived_at_dropoff');
    const history = async (given: Fixture, delivery: Delivery) =>
      (await runToEnd(given, given.client(), delivery)).status_history;
    expect(await history(fixture, second)).toEqual(await history(other, ordinary));
    expect((await again(client, first)).status).toBe('delivered');
  });
});

/** A delivery whose cancellation is refused after `meanwhile`, which its courier waits for before it responds. */
async function canceledWhile(
  start: (fixture: Fixture) => Promise<Delivery>,
  meanwhile: (fixture: Fixture, delivery: Delivery) => Promise<unknown>,
) {
  const providers = simulatedProviders(memoryRecords()).map(
    (provider): Provider => ({
      ...provider,
      cancel: async (request) => {
        const answer = await provider.cancel(request);
        await meanwhile(fixture, delivery);
        return answer;
      },
    }),
  );
  const fixture = await startFixture({ parts: { providers } });
  const delivery = await start(fixture);
  const client = fixture.client();
  const call = client.deliveries.cancel({ params: { deliveryid: delivery.id }, body: {} });
  await expect(call).rejects.toMatchObject({ code: 'delivery_not_cancelable' });
  return { fixture, delivery, crossed: await again(client, delivery) };
}

const raced = (fixture: Fixture) => startedDelivery(fixture.client(), 'cancel_race');

describe('a step to the pickup that crosses a cancellation', () => {
  test('stepped to pickup right after creation: there is a driver with a position, and the delivery arrives', async () => {
    const { fixture, client } = await startClient();
    const delivery = await startedDelivery(client, 'cancel_race');
    const call = client.deliveries.cancel({ params: { deliveryid: delivery.id }, body: {} });
    await expect(call).rejects.toMatchObject({
      code: 'delivery_not_cancelable',
      message: /just picked it up/,
    });
    const crossed = await again(client, delivery);
    expect(statusesOf(crossed)).toEqual(['delivery_created', 'pickup_complete']);
    expect(crossed.courier_name).toMatch(/\w/);
    expect(crossed.courier_location_lat).toBeTypeOf('number');
    const last = await runToEnd(fixture, client, delivery);
    expect(statusesOf(last).slice(0, 3)).not.toContain('driver_assigned');
    expect(last.status).toBe('delivered');
    expect((await moneyOf(client, last)).kinds).toEqual(['delivery']);
  });

  test.each(['enroute_dropoff', 'delivered', 'provider_canceled'] as const)(
    'when the delivery is %s by the time of the response, it stays so',
    async (status) => {
      const { fixture, delivery, crossed } = await canceledWhile(raced, ({ client }, made) =>
        stepTo(client(), made, status),
      );
      expect(statusesOf(crossed)).toEqual(['delivery_created', status]);
      const stored = await fixture.storage.run((db) => reportsOfDelivery(db, delivery.id));
      expect(stored.map((report) => report.status)).toEqual([status]);
      expect(fixture.faults).toEqual([]);
    },
  );

  test('when a driver is assigned by the time of the response, the pickup follows', async () => {
    const { fixture, crossed } = await canceledWhile(raced, ({ client }, made) =>
      stepTo(client(), made, 'driver_assigned'),
    );
    expect(statusesOf(crossed).slice(-2)).toEqual(['driver_assigned', 'pickup_complete']);
    expect(fixture.faults).toEqual([]);
  });

  test('when time has passed by then, the pickup follows the reports in between', async () => {
    const start = (fixture: Fixture) => carriedOne(fixture, '+13125550129');
    const { fixture, delivery, crossed } = await canceledWhile(start, ({ pass }) => pass(3 * minute));
    const before = ['delivery_created', 'driver_assigned', 'enroute_pickup'];
    expect(statusesOf(crossed)).toEqual([...before, 'pickup_complete']);
    expect(when(crossed, 'pickup_complete')).toBe(when(crossed, 'enroute_pickup'));
    expect((await runToEnd(fixture, fixture.client(), delivery)).status).toBe('delivered');
  });
});
