import { expect, test } from 'vitest';
import { isEnded } from '../../src/domain/delivery-states.ts';
import { greatCircleMiles, type Point } from '../../src/domain/geography.ts';
import { fakeServer, nominatimPlace } from '../fakes/places/geocoder.ts';
import { fakeRouter } from '../fakes/places/router.ts';
import { type Fixture, orderRequest, startFixture } from '../service/fixture.ts';
import { type Phone, phone, stopsOn } from '../service/fleet/fleet.ts';

const second = 1_000;
const minute = 60 * second;
const tick = 5 * second;
const halt = 4 * minute;
const minutes_per_mile = 4;
const jpeg = `data:image/jpeg;base64,${Buffer.from('ffd8ffe000104a464946', 'hex').toString('base64')}`;

/** The houses of a district of Chicago, a few hundred yards from each other; every fifth order is for the same one. */
const streets = ['N Wells St', 'N Clark St', 'W Erie St', 'W Ohio St', 'W Grand Ave', 'N State St'];
const tower = '401 N Wabash Ave';

function houseOf(number: number): string {
  return number % 5 === 0 ? tower : `${100 + number * 7} ${streets[number % streets.length]}`;
}

function pointOf(street: string): Point {
  const sum = [...street].reduce((total, sign) => (total * 31 + sign.charCodeAt(0)) % 10_007, 7);
  return { lat: 41.885 + (sum % 100) / 8_000, lng: -87.64 + ((sum >> 3) % 100) / 6_000 };
}

const shops = ['43 E Ohio St', '350 W Mart Center Dr'];

interface Leg {
  key: string;
  from: Point;
  to: Point;
  began_at: number;
  arrives_at: number;
  leaves_at: number;
  isThere: boolean;
}

/** Drives to the next stop, says where it is, halts there for four minutes and taps, as the page does. */
function driver(
  fixture: Fixture,
  phone: Phone,
  start: Point,
  placeOf: (id: string) => { pickup: Point; dropoff: Point },
) {
  let here = start;
  let leg: Leg | null = null;
  return async () => {
    const now = fixture.now();
    const offer_id = await phone.offer();
    if (offer_id !== null) await phone.tap({ kind: 'accept', offer_id });
    const [next] = await stopsOn(phone);
    if (next === undefined) return;
    const kind = next.kind === 'pickup' ? 'pickup' : 'dropoff';
    const to = placeOf(next.ids[0] ?? '')[kind];
    const key = JSON.stringify([kind, to]);
    if (leg === null || (leg.key !== key && !leg.isThere)) {
      const way = greatCircleMiles(here, to) * minutes_per_mile * minute;
      leg = {
        key,
        from: here,
        to,
        began_at: now,
        arrives_at: now + way,
        leaves_at: now + way + halt,
        isThere: false,
      };
      await phone.tap({ kind: `start_${kind}`, delivery_ids: next.ids });
    }
    if (leg.isThere && now >= leg.leaves_at) {
      if (kind === 'pickup') await phone.tap({ kind: 'pick_up', delivery_ids: next.ids });
      else for (const id of next.ids) await phone.tap({ kind: 'deliver', delivery_ids: [id], photo: jpeg });
      leg = null;
    } else if (!leg.isThere) {
      const part = Math.min(1, (now - leg.began_at) / Math.max(1, leg.arrives_at - leg.began_at));
      const { from } = leg;
      here = {
        lat: from.lat + (leg.to.lat - from.lat) * part,
        lng: from.lng + (leg.to.lng - from.lng) * part,
      };
      await phone.at(here.lat, here.lng);
      leg.isThere = part === 1;
      if (leg.isThere) await phone.tap({ kind: `arrive_${kind}`, delivery_ids: next.ids });
    }
  };
}

test('a rush of 60 orders in ten minutes, with four drivers, two shops and a tower', async () => {
  const geocoder = await fakeServer((url) => {
    const street = url.searchParams.get('street') ?? '';
    const { lat, lng: lon } = pointOf(street);
    const address = { house_number: /^\d+/.exec(street)?.[0] ?? '', road: street };
    return { body: JSON.stringify([nominatimPlace({ lat, lon, address })]) };
  });
  const router = await fakeRouter(minutes_per_mile);
  const places = {
    router: router.url,
    geocoder: { name: 'nominatim', url: geocoder.url, per_second: 1_000 } as const,
  };
  const fixture = await startFixture({ parts: { places } });
  const client = fixture.client();
  const ends = new Map<string, { pickup: Point; dropoff: Point }>();
  const placeOf = (id: string) =>
    ends.get(id) ?? { pickup: pointOf(shops[0] ?? ''), dropoff: pointOf(tower) };
  const names = ['Ana', 'Ben', 'Cleo', 'Dan'];
  const drivers = [];
  for (const name of names) {
    const each = await phone(fixture, name);
    const start = pointOf(shops[names.indexOf(name) % 2] ?? '');
    await each.at(start.lat, start.lng);
    drivers.push(driver(fixture, each, start, placeOf));
  }
  const promised = new Map<string, string | null>();
  const batches: string[] = [];
  let open = 0;
  const look = async () => {
    const { data } = (await client.deliveries.listDetailed({ query: { limit: 100 } })).data;
    for (const { id, order_id, external_order_ref, details } of data) {
      const { data: order } = await client.orders.get({ params: { order_id } });
      const point = (end: 'pickup' | 'dropoff') => ({
        ...{ lat: order[`${end}_latitude`] ?? 0, lng: order[`${end}_longitude`] ?? 0 },
      });
      ends.set(id, { pickup: point('pickup'), dropoff: point('dropoff') });
      const before = promised.get(external_order_ref);
      if (before === undefined) promised.set(external_order_ref, details.promised_at);
      // A promise never moves.
      else expect(details.promised_at).toBe(before);
    }
    const waiting = (await client.waitingOrders.list({ query: { limit: 100 } })).data.data;
    const seen = new Set([...waiting.map(({ order }) => order.external_order_ref), ...promised.keys()]);
    // No order waits unseen.
    expect(seen.size).toBe(batches.length);
    open = data.filter(({ status }) => !isEnded(status)).length + waiting.length;
    return data;
  };
  for (let step = 0; step < 3_000 && (batches.length < 60 || open > 0); step += 1) {
    while (batches.length < 60 && batches.length <= (step * tick) / (10 * second)) {
      const number = batches.length;
      const order = orderRequest({
        pickup_address: `${shops[number % 2]}, Chicago, IL 60611`,
        dropoff_address: `${houseOf(number)}, Chicago, IL 60611`,
        ...{
          dropoff_name: `Recipient ${number}`,
          request_contactless: true,
          external_order_ref: `R${number}`,
        },
      });
      const patient = { retry_window: 7_200, retry_interval: 60 };
      await client.orders.create({
        body: { orders: [order], settings: { mechanism: 'auto', providers: ['fleet'], ...patient } },
      });
      batches.push(`R${number}`);
    }
    fixture.passWall(tick);
    await fixture.pass(tick);
    await look();
    for (const each of drivers) await each();
  }
  const delivered = (await look()).filter(({ status }) => status === 'delivered');
  expect(new Set(delivered.map(({ external_order_ref }) => external_order_ref)).size).toBe(60);
  // Every recipient of the tower has a proof of their own.
  const proofs = delivered.flatMap(({ proof_of_delivery }) => proof_of_delivery.map(({ url }) => url));
  expect(new Set(proofs).size).toBe(60);
  const off = delivered.map(({ details, status_history }) => {
    const arrived = Date.parse(status_history.find(({ status }) => status === 'delivered')?.created_at ?? '');
    return (arrived - Date.parse(details.promised_at ?? '')) / minute;
  });
  const mean = off.reduce((sum, each) => sum + each, 0) / off.length;
  console.log(`delivered ${mean.toFixed(1)} min after the promise on average`);
  expect(Math.abs(mean)).toBeLessThanOrEqual(3);
}, 300_000);
