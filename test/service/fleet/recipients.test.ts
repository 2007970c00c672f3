import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Tap } from '../../../src/contract/pages.ts';
import type { DeliveryStatus } from '../../../src/contract/vocabulary.ts';
import { deliveryOf } from '../delivery-runs.ts';
import { type Fixture, orderRequest } from '../fixture.ts';
import { jpegOf, neighbors, type Phone, statusesNow, stopsOn, underWay } from './fleet.ts';

const buildings = ['233 S Wacker Dr, Chicago, IL 60606', '5801 S Ellis Ave, Chicago, IL 60637'];

/** The deliveries on each card of a kind, in the order of the page. */
async function cardsOn(page: Phone, kind: 'pickup' | 'dropoff' | 'return'): Promise<string[][]> {
  return (await stopsOn(page)).flatMap((stop) => (stop.kind === kind ? [stop.ids] : []));
}

test('three recipients of one building are one stop, with a name, flat, phone and PIN each', async () => {
  const flats = ['4B', '12C', '30'];
  const { fixture, ana, ids } = await underWay({
    ask_pin: true,
    requests: flats.map((dropoff_unit, index) =>
      orderRequest({
        ...{ dropoff_unit, dropoff_name: `Recipient ${dropoff_unit}` },
        dropoff_phone_number: `+1312555014${index}`,
      }),
    ),
  });
  expect(await cardsOn(ana, 'pickup')).toEqual([ids]);
  expect((await cardsOn(ana, 'dropoff')).map((stop) => stop.toSorted())).toEqual([ids.toSorted()]);
  const page = await ana.page();
  for (const [index, flat] of flats.entries()) {
    expect(page).toMatch(new RegExp(`<b>${flat}</b> <small><bdi>Recipient ${flat}`));
    expect(page).toContain(`tel:+1312555014${index}`);
  }
  await ana.tap({ kind: 'pick_up', delivery_ids: ids });
  const [first = '', second = '', third = ''] = ids;
  const { handover_pin } = await deliveryOf(fixture, first);
  const pin = handover_pin ?? '';
  for (const delivery_ids of [ids, [second]])
    expect(await ana.tap({ kind: 'deliver', delivery_ids, pin })).toEqual(['refused']);
  expect(await ana.tap({ kind: 'deliver', delivery_ids: [first], pin })).toEqual(['done']);
  expect(await ana.tap({ kind: 'fail', delivery_ids: [second, third] })).toEqual(['ignored']);
  expect(await ana.tap({ kind: 'fail', delivery_ids: [second] })).toEqual(['done']);
  const statuses = await statusesNow(fixture, ids);
  expect(statuses).toEqual(['delivered', 'enroute_to_return', 'pickup_complete']);
});

test('a driver in a building is at no door: each recipient reads so until the last one is left', async () => {
  const { fixture, ana, ids } = await underWay({ requests: neighbors(3) });
  await ana.tap({ kind: 'pick_up', delivery_ids: ids });
  await ana.tap({ kind: 'arrive_dropoff', delivery_ids: ids });
  /** The headline of each recipient's page; null once the order is delivered. */
  const headlines = async (language: string) =>
    Promise.all(
      ids.map(async (id) => {
        const { tracking_url, status } = await deliveryOf(fixture, id);
        const { body } = await fixture.send('GET', `${new URL(tracking_url).pathname}?lang=${language}`);
        return status === 'delivered' ? null : /<h1>(.*?)<\/h1>/.exec(String(body))?.[1];
      }),
    );
  const [inside, adentro] = ['Your courier is in your building', 'Su repartidor está en su edificio'];
  expect(await headlines('en')).toEqual([inside, inside, inside]);
  expect(await headlines('es')).toEqual([adentro, adentro, adentro]);
  const { tracking_url } = await deliveryOf(fixture, ids[0] ?? '');
  const { body } = await fixture.send('GET', new URL(tracking_url).pathname);
  // Of its steps only the last one.
  expect(String(body).match(/Courier in the building/g)).toHaveLength(1);
  const [first = '', second = ''] = ids;
  await ana.tap({ kind: 'deliver', delivery_ids: [second] });
  expect(await headlines('en')).toEqual([inside, null, inside]);
  await ana.tap({ kind: 'fail', delivery_ids: [first] });
  expect((await headlines('en')).at(-1)).toBe('Your courier is here');
});

test.each([
  ['who left one door for another', buildings.map((dropoff_address) => orderRequest({ dropoff_address }))],
  [
    'with two orders for one person',
    ['#1', '#2'].map((external_order_ref) => orderRequest({ external_order_ref })),
  ],
])('a driver %s has no orders for others in the building', async (_, requests) => {
  const { fixture, ana, ids } = await underWay({ requests });
  await ana.tap({ kind: 'pick_up', delivery_ids: ids });
  for (const id of ids) {
    await ana.tap({ kind: 'start_dropoff', delivery_ids: [id] });
    await ana.tap({ kind: 'arrive_dropoff', delivery_ids: [id] });
  }
  expect(await statusesNow(fixture, ids)).toEqual(['arrived_at_dropoff', 'arrived_at_dropoff']);
  const { tracking_url } = await deliveryOf(fixture, ids[1] ?? '');
  const { body } = await fixture.send('GET', new URL(tracking_url).pathname);
  expect(/<h1>(.*?)<\/h1>/.exec(String(body))?.[1]).toBe('Your courier is here');
});

test('two shops of one address are one pickup that names both', async () => {
  const { ana, ids } = await underWay({
    requests: [
      orderRequest({ pickup_unit: 'Stall 1' }),
      orderRequest({ pickup_name: 'Sushi', pickup_unit: 'Stall 2', pickup_phone_number: '+13125550101' }),
    ],
  });
  expect(await cardsOn(ana, 'pickup')).toEqual([ids]);
  const page = await ana.page();
  expect(page).toMatch(/<h3>Pizza &amp; Friends, Stall 1<\/h3>[\s\S]*<h3>Sushi, Stall 2<\/h3>/);
  expect(page).toContain('tel:+13125550100');
  expect(page).toContain('tel:+13125550101');
});

/** A recipient: the same person may order twice, and several live in one building. */
const recipient = fc.record({
  building: fc.nat(1),
  name: fc.constantFrom('Dana', 'Luis'),
  unit: fc.constantFrom('', '4B', '12C'),
});

const kinds = ['start_dropoff', 'arrive_dropoff', 'deliver', 'fail', 'return', 'pick_up'] as const;

/** A tap on the deliveries with these numbers, with the PIN of one of them, sent now or kept until later. */
const step = fc.record({
  kind: fc.constantFrom(...kinds, 'deliver', 'fail'),
  targets: fc.uniqueArray(fc.nat(3), { minLength: 1, maxLength: 3 }),
  pin_of: fc.nat(3),
  /** What becomes of the next requests with the queue: lost on the way there, lost on the way back, or answered. */
  network: fc.constantFrom('no request', 'not sent', 'no response', 'sent', 'sent twice'),
});

const handedOver: readonly DeliveryStatus[] = ['delivered'];

test('with any taps and lost requests each recipient has a result, proof and PIN of their own', async () => {
  const property = fc.asyncProperty(
    fc.array(recipient, { minLength: 2, maxLength: 4 }),
    fc.array(step, { maxLength: 14 }),
    async (recipients, steps) => {
      const requests = recipients.map(({ building, name, unit }) =>
        orderRequest({ dropoff_address: buildings[building] ?? '', dropoff_name: name, dropoff_unit: unit }),
      );
      const { fixture, ana, ids } = await underWay({ requests, ask_pin: true });
      const pins = await Promise.all(
        ids.map(async (id) => (await deliveryOf(fixture, id)).handover_pin ?? ''),
      );
      await ana.tap({ kind: 'pick_up', delivery_ids: ids });
      const all: Tap[] = [];
      let queue: Tap[] = [];
      const send = async () => {
        const sent = queue;
        await ana.tap(...sent);
        return () => {
          queue = queue.filter((each) => !sent.includes(each));
        };
      };
      for (const [index, { kind, targets, pin_of, network }] of steps.entries()) {
        const delivery_ids = targets.flatMap((target) => ids[target] ?? []);
        if (delivery_ids.length === 0) continue;
        const tap: Tap = {
          ...{ id: `tap-of-${index}`, kind, at: new Date(fixture.now()).toISOString(), delivery_ids },
          ...(kind === 'deliver' && { pin: pins[pin_of] ?? 'none', photo: jpegOf(`tap-of-${index}`) }),
          ...(kind === 'fail' && { note: `tap-of-${index}` }),
        };
        all.push(tap);
        queue.push(tap);
        if (network === 'no response') await send();
        if (network === 'sent twice') await send();
        if (network === 'sent' || network === 'sent twice') (await send())();
      }
      (await send())();
      for (const [index, id] of ids.entries()) {
        const { status, proof_of_delivery, failure_message } = await deliveryOf(fixture, id);
        const own = all.filter(({ delivery_ids }) => delivery_ids?.join() === id);
        const rightly = own.filter(({ kind, pin }) => kind === 'deliver' && pin === pins[index]);
        const photos = await Promise.all(
          proof_of_delivery.flatMap(({ type, url }) => (type === 'photo' ? [picture(fixture, url)] : [])),
        );
        if (handedOver.includes(status)) {
          expect(photos).toHaveLength(1);
          expect(rightly.map(({ photo }) => photo)).toContain(photos[0]);
        } else {
          expect(photos).toEqual([]);
        }
        if (status === 'enroute_to_return' || status === 'returned') {
          const reasons = own.flatMap(({ kind, note }) => (kind === 'fail' ? [note] : []));
          expect(reasons).toContain(failure_message);
        }
        // A result that no tap can take back.
        const first = own.find((tap) => rightly.includes(tap) || tap.kind === 'fail');
        if (first !== undefined) {
          expect(handedOver.includes(status)).toBe(first.kind === 'deliver');
        } else {
          expect(['pickup_complete', 'enroute_dropoff', 'arrived_at_dropoff']).toContain(status);
        }
        const isOpen = first === undefined;
        expect((await cardsOn(ana, 'dropoff')).flat().filter((each) => each === id)).toEqual(
          isOpen ? [id] : [],
        );
      }
    },
  );
  await fc.assert(property, { numRuns: 10 });
});

async function picture(fixture: Fixture, url: string): Promise<string> {
  const { pathname: path } = new URL(url);
  const { body } = await fixture.service.fetch({ method: 'GET', path, headers: {}, body: '' });
  return `data:image/jpeg;base64,${body}`;
}
