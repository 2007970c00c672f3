import { expect, test } from 'vitest';
import { deliveryRecord } from '../../../src/service/deliveries/delivery-view.ts';
import { loadDelivery } from '../../../src/storage/deliveries.ts';
import { deliveryOf } from '../delivery-runs.ts';
import type { Fixture } from '../fixture.ts';
import { neighbors, underWay } from './fleet.ts';

/** A driver at the door of recipients who are asked for a PIN, with the right PIN and wrong ones of each. */
async function atTheDoor(count = 1) {
  const { fixture, ana, ids } = await underWay({ requests: neighbors(count), ask_pin: true });
  await ana.tap({ kind: 'pick_up', delivery_ids: ids });
  const doors = await Promise.all(
    ids.map(async (id) => {
      const pin = (await deliveryOf(fixture, id)).handover_pin ?? '';
      const deliver = { kind: 'deliver' as const, delivery_ids: [id] };
      const guess = (index: number) => ({
        ...deliver,
        pin: String((Number(pin) + index + 1) % 10_000).padStart(4, '0'),
      });
      return { id, right: { ...deliver, pin }, guess };
    }),
  );
  const [door] = doors;
  if (door === undefined) throw new Error('there is no delivery');
  return { fixture, ana, doors, door };
}

async function wrongPins(fixture: Fixture, id: string): Promise<number> {
  const row = await fixture.storage.read((db) => loadDelivery(db, id));
  if (row === undefined) throw new Error(`there is no delivery ${id}`);
  return deliveryRecord(row).wrong_pins ?? 0;
}

const unlock = (fixture: Fixture, deliveryid: string) =>
  fixture.client().deliveries.unlock({ params: { deliveryid } });

test('five wrong PINs lock the handover for any PIN until the merchant lifts it', async () => {
  const { fixture, ana, door, doors } = await atTheDoor(2);
  const [, neighbour] = doors;
  fixture.passWall(1_000);
  const five = Array.from({ length: 5 }, (_, index) => door.guess(index));
  expect(await ana.tap(...five)).toEqual(Array(5).fill('refused'));
  expect(await ana.tap(door.right)).toEqual(['refused']);
  expect((await deliveryOf(fixture, door.id)).status).toBe('pickup_complete');
  expect(await ana.page()).toMatch(/Locked after 5 wrong PINs.*\n.*tel:\+13125550100/);
  const { data: driver } = await fixture.client().drivers.get({ params: { driver_id: ana.id } });
  const held = driver.deliveries.toSorted((one, other) =>
    one.external_order_ref.localeCompare(other.external_order_ref),
  );
  expect(held).toEqual([
    { id: door.id, external_order_ref: '#0', picked_up: true, pin_locked: true },
    { id: neighbour?.id, external_order_ref: '#1', picked_up: true, pin_locked: false },
  ]);
  const locked = async () => {
    const { data } = await fixture.client().deliveries.getDetailed({ params: { deliveryid: door.id } });
    const events = await fixture.client().events.list({ query: { delivery_id: door.id, limit: 1 } });
    return [data.details.pin_locked, JSON.stringify(events.data.data[0]).includes('"pin_locked":true')];
  };
  expect(await locked()).toEqual([true, true]);
  fixture.passWall(1_000);
  await unlock(fixture, door.id);
  expect(await locked()).toEqual([false, false]);
  const { data } = (await fixture.client().audit.list({ query: { record_id: door.id } })).data;
  expect(
    data.map(({ operation, detail, actor, actor_name }) => [operation, detail, actor, actor_name]),
  ).toEqual([
    ['UnlockDelivery', null, 'key', 'first test key'],
    ['SendTaps', 'pin_locked', 'driver', 'Ana'],
    ['SendTaps', 'pick_up', 'driver', 'Ana'],
  ]);
  await expect(unlock(fixture, door.id)).rejects.toMatchObject({ code: 'delivery_not_locked' });
  expect(await ana.tap(door.guess(0), door.right)).toEqual(['refused', 'done']);
  expect((await deliveryOf(fixture, door.id)).status).toBe('delivered');
});

test('a wrong PIN whose response was lost counts once', async () => {
  const { fixture, ana, door } = await atTheDoor();
  const sent = { ...door.guess(0), id: 'lost-response' };
  for (let times = 0; times < 7; times++) expect(await ana.tap(sent)).toEqual(['refused']);
  expect(await wrongPins(fixture, door.id)).toBe(1);
  expect(await ana.tap(door.right)).toEqual(['done']);
});

test('guesses at the same time are no more than five', async () => {
  const { fixture, ana, door } = await atTheDoor();
  const guesses = Array.from({ length: 24 }, (_, index) => door.guess(index));
  const outcomes = await Promise.all(guesses.map((guess) => ana.tap(guess)));
  expect(outcomes.flat()).toEqual(Array(24).fill('refused'));
  expect(await wrongPins(fixture, door.id)).toBe(5);
  expect(await ana.tap(door.right)).toEqual(['refused']);
});
