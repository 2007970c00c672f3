/**
 * Makes the pictures of the guide in a real run of the built program with own drivers and simulated couriers:
 * `board.png`, the dispatcher's board; `driver.png`, a driver's page; `tracking.png`, the recipient's page. Run
 * `node src/build/guide-pictures.ts` after a build; it needs a Chromium, at /usr/bin/chromium or in CHROMIUM.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const root = join(import.meta.dirname, '..', '..');
const size = { width: 1280, height: 720 };
const phoneSize = { width: 390, height: 780 };

const shops = [
  { name: 'Ohio Street Grill', address: '43 E Ohio St, Chicago, IL 60611', lat: 41.8924, lng: -87.6256 },
  { name: 'Randolph Noodles', address: '1200 W Randolph St, Chicago, IL 60607', lat: 41.8845, lng: -87.6567 },
];
const drivers = ['Ana Ruiz', 'Kim Poe', 'Sam Lee', 'Noor Patel', 'Tom Ford', 'Mei Chen', 'Olu Adeyemi'];
const recipients = [
  'Joe Diner',
  'Quentin Whitfield',
  'Ines Silva',
  'Hal Marsh',
  'Lea Brooks',
  'Fay Lindqvist',
];
const streets = ['N State St', 'W Madison St', 'S Wacker Dr', 'N Clark St'];

/** A served program with its API. */
async function serve(home: string) {
  const env = {
    HOME: home,
    PATH: process.env.PATH ?? '',
    CI: 'true',
    WAYBILL_INSECURE_STORAGE: 'yes',
    WAYBILL_NO_UPDATE_NOTICE: '1',
  };
  const line = ['serve', '--port', '0', '--database', join(home, 'board.db'), '--seed', '7', '--json'];
  const child = spawn(process.execPath, [join(root, 'bin', 'waybill.cjs'), ...line], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [chunk] = await once(child.stdout, 'data');
  const { url, keys }: { url: string; keys: { test: string } } = JSON.parse(
    String(chunk).split('\n')[0] ?? '',
  );
  const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const headers = { 'x-api-key': keys.test, 'content-type': 'application/json' };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(url + path, { method, headers, ...text });
    const data: Record<string, unknown> = JSON.parse(await answer.text());
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(data)}`);
    return data;
  };
  return { url, key: keys.test, call, stop: () => child.kill('SIGTERM') };
}

type Service = Awaited<ReturnType<typeof serve>>;

let number = 1041;

/** The next order of a shop. */
function nextOrder(shop: number) {
  number += 1;
  const { name, address, lat, lng } = shops[shop % shops.length] ?? { name: '', address: '', lat: 0, lng: 0 };
  return {
    pickup_name: name,
    pickup_address: address,
    pickup_phone_number: '+13125550100',
    pickup_latitude: lat,
    pickup_longitude: lng,
    dropoff_name: recipients[number % recipients.length],
    dropoff_address: `${100 + number} ${streets[number % streets.length]}, Chicago, IL 60606`,
    dropoff_phone_number: '+13125550142',
    dropoff_latitude: 41.885 + Math.sin(number * 7.3) * 0.026,
    dropoff_longitude: -87.645 + Math.cos(number * 3.1) * 0.024,
    items_description: 'Brisket Classic',
    external_order_ref: String(number),
  };
}

/** Sends taps of a driver's phone. */
async function tap({ url }: Service, link: string, taps: readonly object[], index = 0): Promise<void> {
  const live: { service_time: string } = JSON.parse(await (await fetch(`${url}/health/live`)).text());
  const at = live.service_time;
  const position = {
    lat: 41.885 + Math.sin(index * 1.9) * 0.022,
    lng: -87.64 + Math.cos(index * 2.3) * 0.02,
    at,
  };
  const body = { sent_at: at, position, taps: taps.map((each, id) => ({ id: `${at} ${id}`, at, ...each })) };
  await fetch(`${url}/drive/${link.split('/drive/')[1]}/taps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Gives a driver a route of several orders; returns the deliveries. */
async function giveRoute(
  { call }: Service,
  driver_id: unknown,
  shop: number,
  count: number,
): Promise<string[]> {
  const order_ids = [];
  for (let index = 0; index < count; index += 1) {
    order_ids.push((await call('POST', '/v2/orders/create', { orders: [nextOrder(shop)] })).id);
  }
  const route = await call('POST', '/v2/routes', { order_ids });
  await call('POST', `/v2/routes/${route.id}/quotes`, { driver_id });
  for (;;) {
    const { data } = await call('GET', `/v2/routes/${route.id}/quotes`);
    const quote = Array.isArray(data) ? data[0] : undefined;
    if (quote !== undefined) {
      const choice = { quote_id: quote.id, driver_id };
      const { deliveries } = await call('POST', `/v2/routes/${route.id}/dispatch`, choice);
      return Array.isArray(deliveries) ? deliveries.map(({ id }) => String(id)) : [];
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** The pages in the pictures of phones: of a driver who has made one delivery of a route, and of a later recipient. */
interface Played {
  driver: string;
  recipient: string;
}

/** A lunch hour: routes under way, one driver off duty with parcels, failures, and orders that wait. */
async function play(service: Service): Promise<Played> {
  const { call } = service;
  const played = { driver: '', recipient: '' };
  for (const [index, name] of drivers.entries()) {
    const phone_number = `+131255501${30 + index}`;
    const driver = await call('POST', '/v2/drivers', { name, phone_number, vehicle_type: 'bicycle' });
    const link = String(driver.link);
    await tap(service, link, [{ kind: 'duty', on: true }], index);
    if (index === drivers.length - 1) continue;
    const ids = await giveRoute(service, driver.id, index, 3 + (index % 3));
    if (index % 2 === 0) await tap(service, link, [{ kind: 'pick_up', delivery_ids: ids }], index);
    if (index === 4) {
      await tap(service, link, [{ kind: 'deliver', delivery_ids: ids.slice(0, 1) }], index);
      played.driver = link;
      played.recipient = String((await call('GET', `/v1/delivery/${ids[2]}`)).tracking_url);
    }
    if (index === 2) await tap(service, link, [{ kind: 'duty', on: false }], index);
    if (index === 0) {
      const report = { status: 'failed', note: 'The box fell into the river' };
      await call('POST', `/v2/deliveries/${ids[2]}/reports`, report);
    }
  }
  const auto = {
    mechanism: 'auto',
    providers: ['swiftly'],
    max_cost: 1,
    retry_window: 3600,
    retry_interval: 900,
  };
  await call('POST', '/orders/create', { orders: [nextOrder(0), nextOrder(1)], settings: auto });
  await call('POST', '/v2/orders/create', { orders: [nextOrder(1)] });
  const courier = { mechanism: 'auto', providers: ['swiftly'] };
  await call('POST', '/orders/create', { orders: [nextOrder(0), nextOrder(1)], settings: courier });
  return played;
}

const home = mkdtempSync(join(tmpdir(), 'waybill-board-'));
const service = await serve(home);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const { driver, recipient } = await play(service);
  const inChicago = { locale: 'en-US', timezoneId: 'America/Chicago' };
  const page = await browser.newPage({ viewport: size, ...inChicago });
  await page.goto(`${service.url}/board#key=${service.key}`);
  await page.locator('#act-list [role=option]').first().waitFor();
  await page.waitForTimeout(4000);
  await page.screenshot({ path: join(root, 'src', 'guide', 'board.png') });
  for (const [name, link] of [
    ['driver', driver],
    ['tracking', recipient],
  ] as const) {
    const phone = await browser.newPage({ viewport: phoneSize, isMobile: true, ...inChicago });
    await phone.goto(link);
    await phone.waitForTimeout(2000);
    await phone.screenshot({ path: join(root, 'src', 'guide', `${name}.png`) });
  }
} finally {
  await browser.close();
  service.stop();
  rmSync(home, { recursive: true, force: true });
}
