import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CourierPushAnswer, CourierReport } from '../../../src/providers/courier.ts';
import { ProviderFault } from '../../../src/providers/port.ts';
import { courierDelivery } from '../courier-orders.ts';
import { type Connected, connected } from './connected.ts';

const minute = 60_000;

describe('reports of DoorDash Drive', () => {
  let doorDash: Connected;

  beforeEach(async () => {
    doorDash = await connected();
    await doorDash.create(null);
  });

  afterEach(() => doorDash.fake.close());

  const push = (body: string, authorization = 'Basic c2VjcmV0'): CourierPushAnswer | undefined =>
    doorDash.courier.receive?.({
      headers: { authorization },
      body: Buffer.from(body),
      now: doorDash.clock.now,
    });

  const reportsOf = (answer: CourierPushAnswer | undefined): readonly CourierReport[] =>
    answer?.kind === 'authentic' ? answer.reports : [];

  const step = async (status: Parameters<typeof doorDash.fake.step>[1], more = {}) => {
    doorDash.clock.now += minute;
    const body = await doorDash.fake.step('d_1', status, more);
    return { pushed: body === null ? [] : reportsOf(push(body)), polled: await poll() };
  };

  const poll = (status: Parameters<typeof courierDelivery>[1] = 'delivery_created') =>
    doorDash.courier.poll(courierDelivery('d_1', status));

  it('reads every status of a drive and of a return, pushed and polled', async () => {
    const statuses = [
      ['confirmed', 'driver_assigned'],
      ['enroute_to_pickup', 'enroute_pickup'],
      ['arrived_at_pickup', 'arrived_at_pickup'],
      ['picked_up', 'pickup_complete'],
      ['enroute_to_dropoff', 'enroute_dropoff'],
      ['arrived_at_dropoff', 'arrived_at_dropoff'],
      ['delivered', 'delivered'],
      ['enroute_to_return', 'enroute_to_return'],
      ['arrived_at_return', 'enroute_to_return'],
      ['returned', 'returned'],
    ] as const;
    for (const [theirs, ours] of statuses) {
      const { pushed, polled } = await step(theirs);
      expect(pushed).toMatchObject([{ status: ours, occurred_at: doorDash.clock.now, reference: 'd_1' }]);
      expect(polled.at(-1)).toMatchObject({ status: ours, occurred_at: doorDash.clock.now, key: 'd_1' });
    }
  });

  it('takes the time of its arrival for one that is missing or no time', async () => {
    for (const time of [undefined, null, 'soon', 1_795_000_000]) {
      const times = { created_at: time, updated_at: time };
      const event = { event_name: 'DASHER_PICKED_UP', external_delivery_id: 'd_1', ...times };
      const status = { status: 'pickup_complete', occurred_at: doorDash.clock.now };
      expect(reportsOf(push(JSON.stringify(event)))).toMatchObject([status]);
      const body = { external_delivery_id: 'd_1', delivery_status: 'picked_up', ...times };
      doorDash.fake.answerNext('GET', { status: 200, body });
      const { now } = doorDash.clock;
      expect(await doorDash.courier.poll({ ...courierDelivery('d_1'), now })).toMatchObject([status]);
    }
  });

  it('has no phone number of a text without digits', async () => {
    const { polled } = await step('confirmed', { dasher_pickup_phone_number: 'not available' });
    expect(polled[0]?.driver?.phone).toBeNull();
  });

  it.each([
    ['cancelled_by_creator', 'customer_canceled', undefined],
    ['failed_to_process_payment', 'provider_canceled', undefined],
    ['failed_to_assign_and_refunded', 'provider_canceled', undefined],
    ['failed_to_pickup', 'provider_canceled', undefined],
    ['failed_to_deliver', 'failed', 'courier_failed'],
    ['failed_to_return', 'failed', 'return_not_completed'],
  ] as const)('reads a cancellation with %s', async (cancellation_reason, status, failure_reason) => {
    const { pushed, polled } = await step('cancelled', { cancellation_reason });
    const reason = `DoorDash: ${cancellation_reason.replaceAll('_', ' ')}`;
    for (const reports of [pushed, polled]) expect(reports).toMatchObject([{ status, reason }]);
    expect(pushed[0]?.failure_reason).toBe(failure_reason);
    expect(polled[0]?.failure_reason).toBe(failure_reason);
  });

  it('reads a cancellation without a reason', async () => {
    const { polled } = await step('cancelled');
    expect(polled).toMatchObject([{ status: 'provider_canceled' }]);
    expect(polled[0]).not.toHaveProperty('reason');
  });

  it('reads driver, vehicle, position, times, fee and proof', async () => {
    await step('confirmed');
    await step('picked_up');
    const { pushed } = await step('delivered');
    expect(pushed).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        key: 'd_1',
        reference: 'd_1',
        status: 'delivered',
        occurred_at: doorDash.clock.now,
        driver: {
          name: 'John D.',
          image: null,
          // The number that the shop can call; the other one works from the recipient's phone only.
          phone: '13125557802',
          vehicle_type: null,
          vehicle: { type: 'car', make: 'Toyota', model: 'Corolla', color: '', license_plate: '' },
        },
        position: { lat: 41.8837, lng: -87.6289 },
        pickup_eta: doorDash.clock.now + 17 * minute,
        dropoff_eta: doorDash.clock.now + 42 * minute,
        costs: { at: doorDash.clock.now, price: 975 },
        proofs: [
          { type: 'photo', url: 'https://doordash-static.example/dropoff.jpg' },
          { type: 'signature', url: 'https://doordash-static.example/signature.png' },
        ],
      },
    ]);
  });

  it('reports the pickup with its own time when it is polled later', async () => {
    await step('picked_up');
    const at = doorDash.clock.now;
    const { polled } = await step('arrived_at_dropoff');
    expect(polled).toMatchObject([
      { status: 'pickup_complete', occurred_at: at },
      { status: 'arrived_at_dropoff', occurred_at: at + minute },
    ]);
  });

  it('reports that a Dasher was lost', async () => {
    await step('confirmed');
    await step('created');
    expect(await poll('driver_assigned')).toMatchObject([{ status: 'driver_not_assigned' }]);
    expect(await poll('delivery_created')).toMatchObject([{ status: 'delivery_created' }]);
    expect((await poll('driver_assigned'))[0]).not.toHaveProperty('driver');
  });

  it('gives a repeat the same id, and another event another one', async () => {
    const body = (await doorDash.fake.step('d_1', 'confirmed')) ?? '';
    const [first] = reportsOf(push(body));
    const [second] = reportsOf(push(body));
    expect(second?.id).toBe(first?.id);
    const polled = [await poll(), await poll()].map(([report]) => report?.id);
    expect(polled[0]).toBe(polled[1]);
    const other = (await doorDash.fake.step('d_1', 'picked_up')) ?? '';
    expect(reportsOf(push(other))[0]?.id).not.toBe(first?.id);
  });

  it('keeps the time of events that arrive in another order', async () => {
    const picked = (await doorDash.fake.step('d_1', 'picked_up')) ?? '';
    doorDash.clock.now += 3_000;
    const delivered = (await doorDash.fake.step('d_1', 'delivered')) ?? '';
    const [last] = reportsOf(push(delivered));
    const [first] = reportsOf(push(picked));
    expect(first?.occurred_at).toBe((last?.occurred_at ?? 0) - 3_000);
  });

  it('takes only pushes with the authorization of the settings', async () => {
    const body = (await doorDash.fake.step('d_1', 'confirmed')) ?? '';
    expect(push(body, 'Basic b3RoZXI')).toMatchObject({ kind: 'refused' });
    expect(push(body, '')).toMatchObject({ kind: 'refused' });
    const open = doorDash.connect({ webhook_authorization: '' });
    const answer = open.receive?.({ headers: { authorization: '' }, body: Buffer.from(body), now: 0 });
    expect(answer).toMatchObject({ kind: 'refused' });
  });

  it('takes events that it does not know, and bodies that are no JSON, without a report', () => {
    for (const body of ['{"event_name":"DELIVERY_BATCHED","created_at":"2026-11-22T10:00:00Z"}', '{}', 'x']) {
      expect(push(body)).toEqual({ kind: 'authentic', reports: [] });
    }
  });

  it('does not take an unreadable delivery for one without news', async () => {
    doorDash.fake.failNext('GET', 'service_fault');
    await expect(poll()).rejects.toBeInstanceOf(ProviderFault);
    await expect(doorDash.courier.poll(courierDelivery('d_0'))).rejects.toBeInstanceOf(ProviderFault);
  });

  it('has no report of a status that it does not know', async () => {
    doorDash.fake.answerNext('GET', {
      status: 200,
      body: { external_delivery_id: 'd_1', delivery_status: 'waiting', updated_at: '2026-11-22T10:00:00Z' },
    });
    expect(await poll()).toEqual([]);
  });
});
