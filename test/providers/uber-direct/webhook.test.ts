import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Push } from '../../fakes/uber-direct/webhooks.ts';
import { type Connected, connected } from './connected.ts';
import { account } from './sample-requests.ts';

let uber: Connected;
beforeEach(async () => {
  uber = await connected();
});
afterEach(() => uber.fake.close());

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
