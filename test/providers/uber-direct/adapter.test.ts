import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProviderBusy, ProviderFault } from '../../../src/providers/port.ts';
import type { Push } from '../../fakes/uber-direct/webhooks.ts';
import { courierDelivery } from '../courier-orders.ts';
import { type Connected, connected, start } from './connected.ts';
import { account } from './sample-requests.ts';

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
      is_of_order: true,
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

  it('is not known to be missing where it cannot be looked up', async () => {
    const reference = await uber.booked();
    for (const request of [`GET /deliveries/${reference}`, 'GET /deliveries']) {
      const code = request === 'GET /deliveries' ? 'used_quote' : 'duplicate_delivery';
      const metadata = code === 'used_quote' ? {} : { delivery_id: reference };
      uber.fake.faults.push(
        { request: 'POST /deliveries', kind: { code, metadata } },
        { request, kind: { code: 'customer_limited' } },
      );
      const fault = await uber.create().catch((error: unknown) => error);
      expect([fault instanceof ProviderFault, fault instanceof ProviderBusy]).toEqual([true, false]);
    }
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

  it('takes a tip whose answer was lost, once', async () => {
    const id = await uber.booked({ tip: 0 });
    await update(id, { dropoff_notes: 'First floor', tip: 250 });
    for (const dropoff_notes of ['First floor', 'Second floor'])
      expect(await update(id, { dropoff_notes, tip: 250 })).toEqual({ kind: 'taken' });
    expect(await update(id, { tip: 250 })).toEqual({ kind: 'taken' });
    expect(uber.fake.state.deliveries.get(id)).toMatchObject({
      ...{ tip: 250, fee: 1150, request: { dropoff_notes: 'Second floor' } },
    });
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
    expect(await uber.courier.check()).toEqual({ kind: 'connected', mode: 'unknown' });
    await uber.booked();
    expect(await uber.courier.check()).toEqual({
      kind: 'connected',
      mode: 'test',
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

const poll = (id: string) => uber.courier.poll(courierDelivery(id));

describe('a poll of Uber Direct', () => {
  it('reads each status, the position while there is a courier, and the times until the end', async () => {
    const id = await uber.booked();
    const partsOf = async () =>
      (await poll(id)).map(
        ({ status, position }) => status ?? (position === undefined ? 'times' : 'position'),
      );
    const seen = [await partsOf()];
    for (let step = 0; step < 6; step++) {
      await uber.step(id, 1);
      seen.push(await partsOf());
    }
    expect(seen).toEqual([
      ['delivery_created', 'times'],
      ['enroute_pickup', 'position', 'times'],
      ['arrived_at_pickup', 'position', 'times'],
      ['pickup_complete', 'position', 'times'],
      ['enroute_dropoff', 'position', 'times'],
      ['arrived_at_dropoff', 'position', 'times'],
      ['delivered'],
    ]);
  });

  it('gives a repeat the same IDs, and a change another one', async () => {
    const id = await uber.booked();
    await uber.step(id, 1);
    const first = await poll(id);
    expect(await poll(id)).toEqual(first);
    await uber.step(id, 1);
    const isKnown = (await poll(id)).map((report) => first.some((each) => each.id === report.id));
    // The times are the same.
    expect(isKnown).toEqual([false, false, true]);
  });

  it('follows a parcel back to its sender', async () => {
    const id = await uber.booked();
    await uber.step(id, 5);
    const back = await uber.fake.sendBack(id, 'NO_SECURE_LOCATION_TO_DROPOFF');
    const reason = {
      reason: 'Uber Direct: no secure location to dropoff',
      failure_reason: 'handover_failed',
    };
    expect(await poll(id)).toMatchObject([
      { status: 'enroute_to_return', reference: id, ...reason },
      { status: 'enroute_to_return', reference: id },
    ]);
    await uber.step(back, 3);
    expect(await poll(id)).toMatchObject([
      { status: 'returned', reference: id, ...reason },
      { status: 'returned', reference: id },
    ]);
  });

  it('tells the status although the way back and the document of a proof cannot be read', async () => {
    const id = await uber.booked();
    await uber.step(id, 5);
    const back = await uber.fake.sendBack(id, 'CUSTOMER_UNAVAILABLE');
    uber.fake.faults.push({ request: `GET /deliveries/${back}`, kind: { code: 'unknown_error' } });
    expect(await poll(id)).toMatchObject([{ status: 'enroute_to_return', reference: id }]);
    const asking = await connected({ settings: { handover_pin: 'always' } });
    try {
      const delivered = await asking.booked();
      await asking.step(delivered, 6);
      const request = `POST /deliveries/${delivered}/proof-of-delivery`;
      asking.fake.faults.push({ request, kind: { status: 502, body: '<html>' } });
      const polled = async () => (await asking.courier.poll(courierDelivery(delivered)))[0];
      const first = await polled();
      expect(first).toMatchObject({ status: 'delivered' });
      const second = await polled();
      expect(second).toMatchObject({ status: 'delivered', proofs: [{ type: 'pin' }] });
      // A report with a known ID would not be taken.
      expect(second?.id).not.toBe(first?.id);
    } finally {
      await asking.fake.close();
    }
  });

  it('has the pictures of a delivery that was left at the door, and of one that was signed for', async () => {
    const left = await uber.booked({ request_contactless: true }, 'd_1');
    const signed = await uber.booked({ request_signature: true }, 'd_2');
    for (const id of [left, signed]) await uber.step(id, 6);
    expect(await poll(left)).toMatchObject([
      { proofs: [{ type: 'photo', url: expect.stringContaining(left) }] },
    ]);
    expect(await poll(signed)).toMatchObject([
      { proofs: [{ type: 'signature', url: expect.stringContaining(signed) }], signer: 'Joan' },
    ]);
  });

  it('shows the PIN from the start, and fetches the document of its proof', async () => {
    const asking = await connected({ settings: { handover_pin: 'always' } });
    try {
      const id = await asking.booked();
      const pin = asking.fake.state.deliveries.get(id)?.pin;
      const [first] = await asking.courier.poll(courierDelivery(id));
      expect(first).toMatchObject({ status: 'delivery_created', pin });
      await asking.step(id, 6);
      const [last] = await asking.courier.poll(courierDelivery(id));
      expect(last?.proofs).toEqual([{ type: 'pin', data: expect.stringMatching(/^iVBOR/) }]);
    } finally {
      await asking.fake.close();
    }
  });

  it('is a fault for an unknown delivery, a broken answer and no answer', async () => {
    await expect(poll('del_99')).rejects.toBeInstanceOf(ProviderFault);
    const id = await uber.booked();
    const request = `GET /deliveries/${id}`;
    uber.fake.faults.push({ request, kind: { status: 502, body: '<html>' } });
    await expect(poll(id)).rejects.toBeInstanceOf(ProviderFault);
    uber.fake.faults.push({ request, kind: 'unreached' });
    await expect(poll(id)).rejects.toBeInstanceOf(ProviderFault);
  });
});

/** The reports of a webhook; throws if it is refused. */
function reportsOf(push: Push) {
  const answer = uber.receive(push);
  if (answer?.kind !== 'authentic') throw new Error(answer?.reason ?? 'not received');
  return answer.reports;
}

function signed(body: string, key = account.signing_key): Push {
  return { headers: { 'x-uber-signature': createHmac('sha256', key).update(body).digest('hex') }, body };
}

describe('a webhook of Uber Direct', () => {
  it('reports every status by the ID of its event', async () => {
    const id = await uber.booked();
    await uber.step(id, 6);
    const reports = uber.fake.pushes.flatMap(reportsOf);
    expect(reports.map(({ status }) => status)).toEqual([
      'delivery_created',
      'enroute_pickup',
      'arrived_at_pickup',
      'pickup_complete',
      'enroute_dropoff',
      'arrived_at_dropoff',
      'delivered',
    ]);
    expect(
      reports.every(({ key, reference, live }) => key === 'd_1' && reference === id && live === false),
    ).toBe(true);
    expect(new Set(reports.map((report) => report.id)).size).toBe(7);
    // Disordered webhooks are put in order by their times.
    const times = reports.map(({ occurred_at }) => occurred_at);
    expect(times).toEqual([...new Set(times)].sort((left, right) => left - right));
    expect(reports[1]).toMatchObject({ id: expect.stringMatching(/^evt_/), driver: { name: 'Robo C.' } });
  });

  it('reports a pickup that is left out as the way to the recipient', async () => {
    const id = await uber.booked();
    await uber.step(id, 2);
    const push = await uber.fake.step(id, ['pickup_complete']);
    expect(reportsOf(push)).toMatchObject([{ status: 'enroute_dropoff' }]);
  });

  it('reports a position alone, each one by an ID of its own', async () => {
    const id = await uber.booked();
    await uber.step(id, 1);
    const push = await uber.fake.reportPosition(id);
    const [report] = reportsOf(push);
    expect(report).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      status: null,
      key: 'd_1',
      reference: id,
      occurred_at: uber.clock.now,
      position: { lat: 40.7, lng: -74.001 },
      live: false,
    });
    expect(reportsOf(push)[0]).toEqual(report);
    uber.clock.now += 20_000;
    const [next] = reportsOf(await uber.fake.reportPosition(id));
    expect(next?.id).not.toBe(report?.id);
    expect(next?.occurred_at).toBe(uber.clock.now);
  });

  it('reports a position by the delivery that the event names, without its data', async () => {
    const id = await uber.booked();
    await uber.step(id, 1);
    const { data: _, ...event } = JSON.parse((await uber.fake.reportPosition(id)).body);
    for (const data of [undefined, null, {}]) {
      const [report] = reportsOf(signed(JSON.stringify({ ...event, data })));
      expect(report).toMatchObject({ reference: id, position: { lat: 40.7, lng: -74.001 } });
    }
  });

  it('reports times that have changed by a minute, and the same ones by the same ID', async () => {
    const id = await uber.booked();
    await uber.step(id, 1);
    const times = async () => reportsOf(await uber.fake.reportPosition(id))[1];
    const first = await times();
    const delivery = uber.fake.state.deliveries.get(id);
    if (delivery === undefined) throw new Error('not booked');
    expect(first).toMatchObject({ status: null, reference: id, dropoff_eta: delivery.dropoff_eta });
    uber.clock.now += 20_000;
    expect((await times())?.id).toBe(first?.id);
    delivery.dropoff_eta += 60_000;
    const later = await times();
    expect(later?.id).not.toBe(first?.id);
    expect(later?.dropoff_eta).toBe(delivery.dropoff_eta);
  });

  it('reports the journey back as the original delivery', async () => {
    const id = await uber.booked();
    await uber.step(id, 5);
    const back = await uber.fake.sendBack(id, 'CUSTOMER_UNAVAILABLE');
    expect(reportsOf(uber.fake.pushes.at(-1) ?? signed(''))).toMatchObject([
      { status: 'enroute_to_return', reference: id, failure_reason: 'recipient_unreachable' },
    ]);
    await uber.step(back, 3);
    const last = uber.fake.pushes.slice(-3).flatMap(reportsOf);
    expect(last).toMatchObject([
      { status: 'enroute_to_return', reference: id },
      { status: 'enroute_to_return', reference: id },
      { status: 'returned', reference: id },
    ]);
  });

  it('reports nothing for events of other kinds', () => {
    for (const body of [
      '{"kind":"event.refund_request"}',
      '{"kind":"event.shopping_progress","data":{}}',
      '{}',
      'x',
    ])
      expect(reportsOf(signed(body))).toEqual([]);
    expect(reportsOf(signed('{"kind":"event.delivery_status","data":{"status":"new"}}'))).toEqual([]);
  });
});

describe('the signature of a webhook', () => {
  const body = '{"kind":"event.refund_request"}';
  const refused = { kind: 'refused', reason: expect.stringContaining('x-uber-signature') };

  it('is accepted under both names of the header, in any case', () => {
    const { headers } = signed(body);
    const signature = headers['x-uber-signature'] ?? '';
    expect(uber.receive({ headers: { 'x-postmates-signature': signature }, body })).toMatchObject({
      kind: 'authentic',
    });
    expect(uber.receive({ headers: { 'x-uber-signature': signature.toUpperCase() }, body })).toMatchObject({
      kind: 'authentic',
    });
  });

  it.each([
    ['another key', signed(body, 'other')],
    ['another body', { ...signed(body), body: body.replace('refund', 'defund') }],
    ['another white space', { ...signed(body), body: `${body} ` }],
    ['no header', { headers: {}, body }],
    ['an empty header', { headers: { 'x-uber-signature': '' }, body }],
    [
      'a part of the signature',
      { headers: { 'x-uber-signature': signed(body).headers['x-uber-signature']?.slice(0, 32) ?? '' }, body },
    ],
  ])('is refused with %s', (_, push) => {
    expect(uber.receive(push)).toEqual(refused);
  });

  it('is refused without a signing key in the settings, even for an empty key', () => {
    const courier = uber.connect({ webhook_signing_key: '' });
    const push = signed(body, '');
    expect(courier.receive?.({ ...push, body: Buffer.from(body), now: 0 })).toMatchObject({
      kind: 'refused',
    });
  });
});
