import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { isEnded } from '../../src/domain/delivery-states.ts';
import { greatCircleMiles, type Point } from '../../src/domain/geography.ts';
import { fakeServer, nominatimPlace } from '../fakes/places/geocoder.ts';
import { fakeRouter } from '../fakes/places/router.ts';
import { executable, needingBrowser } from '../program/browser.ts';
import { open, useBrowser } from '../program/tracking-scene.ts';
import { aPhone, photo, type Shop, shop } from './shop.ts';

useBrowser();

const second = 1_000;
const minute = 60 * second;
const tick = 20 * second;
const halt = 4 * minute;
const minutes_per_mile = 4;
const patiently = { interval: 20 };

/** The houses of a district of Chicago, a few hundred yards from each other; every fifth order is for the same one. */
const streets = ['N Wells St', 'N Clark St', 'W Erie St', 'W Ohio St', 'W Grand Ave', 'N State St'];
const tower = '401 N Wabash Ave';
const shops = ['43 E Ohio St', '350 W Mart Center Dr'];

function houseOf(number: number): string {
  return number % 5 === 0 ? tower : `${100 + number * 7} ${streets[number % streets.length]}`;
}

function pointOf(street: string): Point {
  const sum = [...street].reduce((total, sign) => (total * 31 + sign.charCodeAt(0)) % 10_007, 7);
  return { lat: 41.885 + (sum % 100) / 8_000, lng: -87.64 + ((sum >> 3) % 100) / 6_000 };
}

/** The first stop of a driver's page, as a person sees it. */
interface Seen {
  offers: number;
  kind: string;
  street: string;
  /** The labels of the buttons that can be tapped. */
  buttons: string[];
}

const seen = (page: Page): Promise<Seen> =>
  page.evaluate(`(() => {
    const stop = document.querySelector('.stop');
    const main = [...(stop?.querySelectorAll('button.main') ?? [])];
    return {
      offers: document.querySelectorAll('[data-offers]').length,
      kind: stop?.dataset.kind ?? '',
      street: stop?.querySelector('h2')?.lastChild.textContent ?? '',
      buttons: main.filter((each) => each.offsetParent !== null).map((each) => each.ariaLabel),
    };
  })()`);

/** A driver with a phone: drives to the next stop, halts there for four minutes and taps what the page offers. */
async function driver({ call }: Shop, name: string, from: Point) {
  const { link } = await call('POST', '/v2/drivers', { name, phone_number: '+13125550133' });
  const geolocation = (at: Point) => ({ latitude: at.lat, longitude: at.lng });
  const options = { ...aPhone, permissions: ['geolocation'], geolocation: geolocation(from) };
  const { page, complaints } = await open(String(link), options);
  const picture = { name: 'door.png', mimeType: 'image/png', buffer: await photo(page) };
  const tap = async (label: RegExp | string) => {
    await page.getByRole('button', { name: label }).first().tap();
    await page.clock.fastForward(second);
  };
  await tap('Go on duty');
  let here = from;
  let leg = { street: '', from, began_at: 0, arrives_at: 0 };
  const setOut = (street: string, now: number) => {
    const way = street === '' ? 0 : greatCircleMiles(here, pointOf(street)) * minutes_per_mile * minute;
    leg = { street, from: here, began_at: now, arrives_at: now + way };
  };
  /** Does what is due at `now`, the time of the service that the page shows. */
  const act = async (now: number) => {
    if ((await seen(page)).offers > 0) await tap('Accept');
    const { kind, street, buttons } = await seen(page);
    const [label = ''] = buttons;
    if (kind === '' || label === '') return;
    if (leg.street !== street) setOut(street, now);
    if (label.startsWith('Start:')) return tap(label);
    const { began_at, arrives_at } = leg;
    const to = pointOf(street);
    const part = arrives_at <= now ? 1 : (now - began_at) / (arrives_at - began_at);
    const between = (start: number, end: number) => start + (end - start) * part;
    const [lat, lng] = [between(leg.from.lat, to.lat), between(leg.from.lng, to.lng)];
    if (lat !== here.lat || lng !== here.lng) {
      here = { lat, lng };
      // Near a house the page shows the next step without a tap.
      return page.context().setGeolocation(geolocation(here));
    }
    if (label.startsWith('I am there:')) return tap(label);
    // Halts last four minutes on average, as they end at a tick.
    if (now < arrives_at + halt - tick / 2) return;
    for (const each of buttons) {
      await tap(each);
      if (!each.startsWith('Delivered:')) continue;
      await page.getByLabel('Photo', { exact: true }).setInputFiles(picture);
      await page.getByRole('dialog').getByRole('button', { name: 'Delivered' }).tap();
      await expect.poll(() => page.getByRole('dialog').count(), patiently).toBe(0);
    }
    setOut((await seen(page)).street, now);
  };
  /** Lets the time of the phone pass until it shows the service's present. */
  const pass = async (now: number) => {
    await page.clock.fastForward(tick);
    const shown = () => page.locator('[data-updated]').getAttribute('data-updated');
    await expect.poll(shown, patiently).toBe(new Date(now).toISOString());
  };
  return { act, pass, complaints };
}

/** The recipients' side: what was promised for each order, and whether any is out of sight. */
function overview({ call }: Shop) {
  const promised = new Map<string, string>();
  const listOf = async (path: string) => {
    const { data } = await call('GET', path);
    return Array.isArray(data) ? data : [];
  };
  return async (count: number) => {
    const deliveries = await listOf('/v2/deliveries?limit=100');
    for (const { external_order_ref, details } of deliveries) {
      // A promise never moves.
      expect(details.promised_at).toBe(promised.get(external_order_ref) ?? details.promised_at);
      promised.set(external_order_ref, details.promised_at);
    }
    const waiting = await listOf('/v2/waiting_orders?limit=100');
    // No order waits unseen.
    expect(new Set([...waiting.map(({ order }) => order.external_order_ref), ...promised.keys()]).size).toBe(
      count,
    );
    return { deliveries, open: waiting.length + deliveries.filter(({ status }) => !isEnded(status)).length };
  };
}

const rush = async () => {
  const geocoder = await fakeServer((url) => {
    const street = url.searchParams.get('street') ?? '';
    const { lat, lng: lon } = pointOf(street);
    const address = { house_number: /^\d+/.exec(street)?.[0] ?? '', road: street };
    return { body: JSON.stringify([nominatimPlace({ lat, lon, address })]) };
  });
  const router = await fakeRouter(minutes_per_mile);
  const served = await shop([
    ...['--geocoder', `nominatim+${geocoder.url}`, '--geocoder-rate', '1000', '--router', router.url],
  ]);
  onTestFinished(served.stop);
  const { call } = served;
  const clock = await call('POST', '/v2/sandbox/clock', { mode: 'manual' });
  let now = Date.parse(String(clock.now));
  const drivers = await Promise.all(
    ['Ana', 'Ben', 'Cleo', 'Dan'].map((name, index) => driver(served, name, pointOf(shops[index % 2] ?? ''))),
  );
  const look = overview(served);
  let orders = 0;
  let open = 0;
  for (let step = 0; step < 1_500 && (orders < 60 || open > 0); step += 1) {
    for (; orders < 60 && orders * 10 * second <= step * tick; orders += 1) {
      const order = {
        ...{ pickup_address: `${shops[orders % 2]}, Chicago, IL 60611`, pickup_name: 'Shop' },
        ...{ pickup_phone_number: '+13125550100', dropoff_phone_number: '+13125550142' },
        ...{ dropoff_address: `${houseOf(orders)}, Chicago, IL 60611`, dropoff_name: `Recipient ${orders}` },
        ...{ items_description: 'Soup', request_contactless: true, external_order_ref: `R${orders}` },
      };
      const settings = { mechanism: 'auto', providers: ['fleet'], retry_window: 7_200, retry_interval: 60 };
      await call('POST', '/v2/orders/create', { orders: [order], settings });
    }
    await call('POST', '/v2/sandbox/clock/advance', { by: tick / second });
    now += tick;
    await Promise.all(drivers.map(({ pass }) => pass(now)));
    // In turn, so that each run is the same.
    for (const { act } of drivers) await act(now);
    open = (await look(orders)).open;
  }
  const { deliveries } = await look(60);
  const delivered = deliveries.filter(({ status }) => status === 'delivered');
  expect(new Set(delivered.map(({ external_order_ref }) => external_order_ref)).size).toBe(60);
  // Every recipient of the tower has a proof of their own.
  const proofs = delivered.flatMap(({ proof_of_delivery }) =>
    proof_of_delivery.map(({ url }: { url: string }) => url),
  );
  expect(new Set(proofs).size).toBe(60);
  const off = delivered.map(({ details, status_history }) => {
    const arrived = status_history.find(({ status }: { status: string }) => status === 'delivered');
    return (Date.parse(arrived.created_at) - Date.parse(details.promised_at)) / minute;
  });
  const mean = off.reduce((sum, each) => sum + each, 0) / off.length;
  console.log(`delivered ${mean.toFixed(1)} min after the promise on average`);
  expect(Math.abs(mean)).toBeLessThanOrEqual(3);
  const complaints = drivers.flatMap((each) => each.complaints);
  // An hour takes about a minute here, so that the limit of changes is met at times.
  expect(complaints.filter((text) => !text.includes('429 (Too Many Requests)'))).toEqual([]);
};

test.skipIf(executable === null)(
  needingBrowser(
    'a rush of 60 orders in ten minutes, with four drivers at their phones, two shops and a tower',
  ),
  rush,
);
