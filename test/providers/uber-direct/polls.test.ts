import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProviderFault } from '../../../src/providers/port.ts';
import { courierDelivery } from '../courier-orders.ts';
import { type Connected, connected } from './connected.ts';

let uber: Connected;
beforeEach(async () => {
  uber = await connected();
});
afterEach(() => uber.fake.close());

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
