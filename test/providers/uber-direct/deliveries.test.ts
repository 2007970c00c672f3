import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProviderFault } from '../../../src/providers/port.ts';
import { courierDelivery } from '../courier-orders.ts';
import { type Connected, connected, start } from './connected.ts';

const MINUTE = 60_000;
let uber: Connected;
beforeEach(async () => {
  uber = await connected();
});
afterEach(() => uber.fake.close());

/** The quote, or an error with the reason for its decline. */
async function quoted(order: Parameters<Connected['quote']>[0] = {}) {
  const quote = await uber.quote(order);
  if (quote.kind === 'declined') throw new Error(quote.reason);
  return quote;
}

describe('a quote of Uber Direct', () => {
  it('has price, currency, times, and a life of 15 minutes', async () => {
    const quote = await quoted();
    expect(quote).toEqual({
      kind: 'quoted',
      reference: expect.stringMatching(/^dqt_/),
      cost: uber.fake.state.quotes.get(quote.reference)?.fee,
      currency: 'USD',
      pickup_eta: start + 12 * MINUTE,
      dropoff_eta: start + 30 * MINUTE,
      expires_at: start + 15 * MINUTE,
    });
  });
});

describe('a booking at Uber Direct', () => {
  it('has a price without the tip, a tracking page and its mode', async () => {
    const { reference, cost } = await quoted();
    const answer = await uber.create({ tip: 300 }, reference);
    expect(answer).toEqual({
      kind: 'accepted',
      reference: expect.stringMatching(/^del_/),
      cost,
      tracking_url: expect.stringContaining('https://www.ubereats.com/orders/'),
      live: false,
    });
    expect([...uber.fake.state.deliveries.values()]).toMatchObject([{ tip: 300, fee: cost + 300 }]);
  });

  it('is found by our key after its response was lost', async () => {
    uber.fake.faults.push({ request: 'POST /deliveries', kind: 'lost' });
    await expect(uber.create()).rejects.toBeInstanceOf(ProviderFault);
    const [id] = uber.fake.state.deliveries.keys();
    const find = (key: string) => uber.courier.find?.({ key, quote_reference: null });
    expect(await find('d_1')).toMatchObject({ kind: 'accepted', reference: id, live: false });
    expect(await find('d_2')).toBeNull();
  });

  it('is not found if the request did not arrive', async () => {
    uber.fake.faults.push({ request: 'POST /deliveries', kind: 'unreached' });
    await expect(uber.create()).rejects.toBeInstanceOf(ProviderFault);
    expect(await uber.courier.find?.({ key: 'd_1', quote_reference: null })).toBeNull();
  });

  it('is found on a later page of the list', async () => {
    const first = await uber.booked();
    for (let index = 2; index <= 120; index++) await uber.booked({}, `d_${index}`);
    uber.fake.requests.length = 0;
    expect(await uber.courier.find?.({ key: 'd_1', quote_reference: null })).toMatchObject({
      reference: first,
    });
    expect(uber.fake.requests.map(({ path }) => path)).toEqual([
      '/deliveries?limit=100',
      '/deliveries?limit=100&offset=100',
    ]);
  });

  it('is made once however often the create is repeated', async () => {
    const { reference: quote } = await quoted();
    const reference = await uber
      .create({}, quote)
      .then((answer) => answer.kind === 'accepted' && answer.reference);
    expect(await uber.create({}, quote)).toMatchObject({ kind: 'accepted', reference });
    // An hour later the idempotency key is forgotten, and the external ID still names the delivery.
    uber.clock.now += 61 * MINUTE;
    uber.fake.requests.length = 0;
    expect(await uber.create({}, null)).toMatchObject({ kind: 'accepted', reference });
    expect(uber.fake.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /deliveries',
      `GET /deliveries/${reference}`,
    ]);
    expect(uber.fake.state.deliveries.size).toBe(1);
  });

  it('is recognized where the courier says that the quote was used', async () => {
    const { reference: quote } = await quoted();
    uber.fake.faults.push({ request: 'POST /deliveries', kind: 'lost' });
    await expect(uber.create({}, quote)).rejects.toBeInstanceOf(ProviderFault);
    uber.fake.faults.push({ request: 'POST /deliveries', kind: { code: 'used_quote' } });
    expect(await uber.create({}, quote)).toMatchObject({ kind: 'accepted' });
    uber.fake.faults.push({ request: 'POST /deliveries', kind: { code: 'used_quote' } });
    expect(await uber.create({}, quote, 'd_2')).toMatchObject({ kind: 'refused', code: 'quote_expired' });
  });

  it('never takes the delivery of another key for its own', async () => {
    const other = await uber.booked({}, 'd_other');
    uber.fake.faults.push({
      request: 'POST /deliveries',
      kind: { code: 'duplicate_delivery', metadata: { delivery_id: other } },
    });
    expect(await uber.create()).toMatchObject({ kind: 'refused', code: 'request_refused' });
  });

  it('is real for a live connection only, without a robo courier', async () => {
    const live = await connected({ live: true });
    try {
      expect(await live.create()).toMatchObject({ kind: 'accepted', live: true });
      expect(live.fake.requests.at(-1)?.body).not.toHaveProperty('test_specifications');
    } finally {
      await live.fake.close();
    }
  });
});

describe('a cancellation at Uber Direct', () => {
  const terms = (status: Parameters<typeof courierDelivery>[1]) =>
    uber.courier.cancelTerms(courierDelivery('del_1', status));

  it('is free without a courier, of unknown price with one, and refused after the pickup', async () => {
    for (const status of ['delivery_created', 'scheduled', 'driver_not_assigned'] as const)
      expect(await terms(status)).toEqual({ kind: 'taken', fee: 0 });
    for (const status of ['driver_assigned', 'enroute_pickup', 'arrived_at_pickup'] as const)
      expect(await terms(status)).toEqual({ kind: 'taken', fee: null });
    for (const status of [
      'pickup_complete',
      'enroute_dropoff',
      'arrived_at_dropoff',
      'enroute_to_return',
    ] as const)
      expect(await terms(status)).toMatchObject({ kind: 'refused' });
  });

  it('ends the delivery', async () => {
    const id = await uber.booked();
    expect(await uber.courier.cancel(courierDelivery(id))).toEqual({ kind: 'taken', fee: 0 });
    expect(uber.fake.state.deliveries.get(id)?.status).toBe('canceled');
  });

  it('is taken once it has been taken, as after a lost response', async () => {
    const id = await uber.booked();
    await uber.step(id, 1);
    uber.fake.faults.push({ request: `POST /deliveries/${id}/cancel`, kind: 'lost' });
    const delivery = courierDelivery(id, 'enroute_pickup');
    await expect(uber.courier.cancel(delivery)).rejects.toBeInstanceOf(ProviderFault);
    expect(await uber.courier.cancel(delivery)).toEqual({ kind: 'taken', fee: null });
  });

  it('is refused once the parcel is picked up', async () => {
    const id = await uber.booked();
    await uber.step(id, 3);
    expect(await uber.courier.cancel(courierDelivery(id, 'enroute_pickup'))).toEqual({
      kind: 'refused',
      reason: 'Uber Direct no longer cancels the delivery',
    });
    expect(uber.fake.state.deliveries.get(id)?.status).toBe('pickup_complete');
  });

  it('is refused for an unknown delivery, and unknown after a fault', async () => {
    expect(await uber.courier.cancel(courierDelivery('del_99'))).toMatchObject({ kind: 'refused' });
    const id = await uber.booked();
    uber.fake.faults.push({ request: `POST /deliveries/${id}/cancel`, kind: { code: 'unknown_error' } });
    await expect(uber.courier.cancel(courierDelivery(id))).rejects.toBeInstanceOf(ProviderFault);
  });
});

describe('a change at Uber Direct', () => {
  const update = (id: string, changes: Parameters<NonNullable<Connected['courier']['update']>>[1]) =>
    uber.courier.update?.(courierDelivery(id), changes);

  it('changes notes and tip', async () => {
    const id = await uber.booked({ tip: 0 });
    const changes = { pickup_notes: 'Front door', dropoff_notes: 'Second floor', tip: 250 };
    expect(await update(id, changes)).toEqual({ kind: 'taken' });
    expect(uber.fake.state.deliveries.get(id)).toMatchObject({
      tip: 250,
      request: { pickup_notes: 'Front door', dropoff_notes: 'Second floor' },
    });
    expect(uber.fake.state.deliveries.get(id)?.fee).toBe(1150);
    expect(await uber.courier.poll(courierDelivery(id))).toMatchObject([{ costs: { price: 900 } }, {}]);
  });

  it.each([
    ['a second tip', { tip: 100 }, 'has recorded a tip before and takes no other'],
    ['a tip of 0', { tip: 0 }, 'takes no empty tip'],
    ['a tip of $1,000', { tip: 100_000 }, 'does not take so high a tip'],
  ])('refuses %s', async (_, changes, reason) => {
    const id = await uber.booked({ tip: 300 });
    expect(await update(id, changes)).toEqual({
      kind: 'refused',
      code: 'request_refused',
      reason: `Uber Direct ${reason}`,
    });
  });

  it('refuses changes after the end', async () => {
    const id = await uber.booked({ tip: 0 });
    await uber.fake.cancel(id, 'COURIER_ISSUE');
    expect(await update(id, { tip: 100 })).toMatchObject({
      reason: 'Uber Direct takes no tip in the current status',
    });
    expect(await update(id, { dropoff_notes: 'a' })).toMatchObject({
      kind: 'refused',
      code: 'request_refused',
    });
  });
});

describe('a check of the connection', () => {
  it('does not know the mode without a delivery, and reads it from the latest one', async () => {
    expect(await uber.courier.check()).toEqual({ kind: 'connected', mode: 'unknown', detail: 'Uber Direct' });
    await uber.booked();
    expect(await uber.courier.check()).toEqual({
      kind: 'connected',
      mode: 'test',
      detail: 'Uber Direct, test',
    });
    const live = await connected({ live: true });
    try {
      await live.booked();
      expect(await live.courier.check()).toMatchObject({ mode: 'live' });
    } finally {
      await live.fake.close();
    }
  });

  it.each([
    ['client_id', 'client_secret'],
    ['client_secret', 'client_secret'],
    ['customer_id', 'customer_id'],
  ])('names the field for a wrong %s', async (name, field) => {
    const problem = expect.stringMatching(/^Uber Direct (refuses the client|does not know the customer)/);
    expect(await uber.connect({ [name]: 'wrong' }).check()).toEqual({ kind: 'failed', field, problem });
  });

  it('names no field where the account is suspended', async () => {
    uber.fake.faults.push({ request: 'GET /deliveries', kind: { code: 'customer_suspended' } });
    expect(await uber.courier.check()).toMatchObject({ kind: 'failed', field: null });
  });
});
