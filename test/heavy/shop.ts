import { devices, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { freshHome, serve } from '../program/run.ts';
import { open } from '../program/tracking-scene.ts';

/** A served service with a driver. */
export interface Shop {
  url: string;
  /** A key of test mode. */
  key: string;
  driver_id: string;
  /** The driver's link. */
  link: string;
  statusOf: (delivery_id: string) => Promise<Record<string, unknown>>;
  /** Dispatches an order to the driver, without asking. */
  give: (changes?: object) => Promise<string>;
  /** Dispatches an order to the fleet, which offers it. */
  offer: () => Promise<string>;
  call: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>;
  stop: () => Promise<void>;
}

/** The browser of a driver's phone. */
const { viewport, userAgent, deviceScaleFactor, isMobile, hasTouch } = devices['Pixel 7'];
export const aPhone = { viewport, userAgent, deviceScaleFactor, isMobile, hasTouch };

export const shopOrder = {
  ...{ pickup_address: '43 E Ohio St, Chicago, IL 60611', pickup_name: 'Pizza & Friends' },
  ...{ pickup_phone_number: '+13125550100', dropoff_address: '233 S Wacker Dr, Chicago, IL 60606' },
  ...{ dropoff_name: 'Quentin Whitfield', dropoff_phone_number: '+13125550142' },
  ...{ items_description: 'Four times Brisket Classic', dropoff_notes: 'Gate 8823', dropoff_unit: 'Apt 4' },
};

/** Starts a service with a driver, Sam Lee. */
export async function shop(flags: readonly string[] = [], home = freshHome()): Promise<Shop> {
  const { url, keys, stop } = await serve(home, { flags });
  const call = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const headers = { 'x-api-key': keys.test, 'content-type': 'application/json' };
    const answer = await fetch(url + path, {
      method,
      headers,
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const data: Record<string, unknown> = JSON.parse(await answer.text());
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(data)}`);
    return data;
  };
  const driver = await call('POST', '/v2/drivers', { name: 'Sam Lee', phone_number: '+13125550133' });
  const dispatch = async (changes: object, choice: object) => {
    const { id } = await call('POST', '/v2/orders/create', { orders: [{ ...shopOrder, ...changes }] });
    const route = await call('POST', '/v2/routes', { order_ids: [id] });
    await call('POST', `/v2/routes/${route.id}/quotes`);
    const quoted = async () => {
      const { status, data } = await call('GET', `/v2/routes/${route.id}/quotes`);
      return status === 'COMPLETE' && Array.isArray(data) ? data : null;
    };
    await expect.poll(quoted).not.toBeNull();
    const quote = (await quoted())?.find(({ provider }) => provider === 'fleet');
    const path = `/v2/routes/${route.id}/dispatch`;
    const { deliveries } = await call('POST', path, { quote_id: quote?.id, ...choice });
    return Array.isArray(deliveries) ? String(deliveries[0].id) : '';
  };
  return {
    ...{ url, key: keys.test, driver_id: String(driver.id), call },
    link: String(driver.link),
    statusOf: (id) => call('GET', `/v1/delivery/${id}`),
    give: (changes = {}) => dispatch(changes, { driver_id: driver.id }),
    offer: () => dispatch({}, {}),
    stop,
  };
}

/** Sends taps of a driver's phone. */
export async function sendTaps({ url }: Shop, link: string, taps: readonly object[], position?: object) {
  const at = new Date().toISOString();
  const body = {
    sent_at: at,
    taps: taps.map((each) => ({ id: crypto.randomUUID(), at, ...each })),
    ...(position && { position: { ...position, at } }),
  };
  const answer = await fetch(`${url}/drive/${link.split('/drive/')[1]}/taps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
}

/** A picture of the size of a phone's camera. */
export async function photo(page: Page): Promise<Buffer> {
  const data = await page.evaluate(`(() => {
    const canvas = document.createElement('canvas');
    canvas.width = 4000;
    canvas.height = 3000;
    const pen = canvas.getContext('2d');
    // Small parts of many colors need as many bytes as a street.
    for (let at = 0; at < 30000; at += 1) {
      pen.fillStyle = 'hsl(' + ((at * 47) % 360) + ' 60% ' + (20 + ((at * 13) % 60)) + '%)';
      pen.fillRect((at * 977) % 4000, (at * 613) % 3000, 40, 30);
    }
    return canvas.toDataURL('image/png').split(',')[1];
  })()`);
  return Buffer.from(String(data), 'base64');
}

/** Reads the text of an element again and again. */
export const textOf = (page: Page, selector: string) => () => page.locator(selector).textContent();

export const button = (page: Page, name: RegExp | string) => page.getByRole('button', { name });

/** Taps a button, and lets the time pass in which a second tap does not count and a slip can be undone. */
export async function tap(page: Page, name: RegExp | string): Promise<void> {
  await button(page, name).tap();
  await page.clock.fastForward(5_100);
}

export async function startShift({ link, call, driver_id }: Shop, options: object = {}) {
  const opened = await open(link, { ...aPhone, serviceWorkers: 'allow', ...options });
  await tap(opened.page, 'Go on duty');
  const isOnDuty = async () => (await call('GET', `/v2/drivers/${driver_id}`)).on_duty;
  await expect.poll(isOnDuty).toBe(true);
  return opened;
}

/** Taps until the driver is at the recipient's door. */
export async function driveToRecipient(page: Page): Promise<void> {
  const steps = ['Start: Pizza', 'I am there: Pizza', 'Picked up: Pizza', 'I am there: Quentin'];
  for (const name of steps) await tap(page, new RegExp(`^${name}`));
}

/** A driver on duty who has been given an order, and whose page shows it. */
export async function shiftWithStop({ order = {}, browser = {} }: { order?: object; browser?: object } = {}) {
  const place = await shop();
  const opened = await startShift(place, browser);
  const id = await place.give(order);
  await opened.page.clock.fastForward(15_000);
  return { ...opened, place, id };
}

/** Gives the dialog of a handover a photo. */
export async function choosePhoto(page: Page): Promise<void> {
  const picture = { name: 'door.png', mimeType: 'image/png', buffer: await photo(page) };
  await page.getByLabel('Photo', { exact: true }).setInputFiles(picture);
}

/** Confirms the dialog of a handover. */
export const confirm = (page: Page) =>
  page.getByRole('dialog').getByRole('button', { name: 'Delivered' }).tap();
