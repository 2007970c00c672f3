import { expect, test } from 'vitest';
import { deliveryOf } from '../delivery-runs.ts';
import { underWay } from './fleet.ts';

const steps = [
  'start_pickup',
  'arrive_pickup',
  'pick_up',
  'start_dropoff',
  'arrive_dropoff',
  'deliver',
] as const;

test.each([
  [true, ['start_dropoff', 'arrive_dropoff']],
  [false, []],
] as const)(
  'recipients may call the driver who is on the way to them: shared %s',
  async (share_phone, shown) => {
    const { fixture, ana, id } = await underWay({ share_phone });
    const { tracking_url } = await deliveryOf(fixture, id);
    const path = new URL(tracking_url).pathname;
    const seen: string[] = [];
    for (const kind of steps) {
      await ana.tap({ kind, delivery_ids: [id] });
      const { body } = await fixture.service.fetch({ method: 'GET', path, headers: {}, body: '' });
      if (body.includes('13125550133')) seen.push(kind);
    }
    expect((await deliveryOf(fixture, id)).status).toBe('delivered');
    expect(seen).toEqual(shown);
  },
);
