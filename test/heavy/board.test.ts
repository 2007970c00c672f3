import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { inBrowser, open, useBrowser } from '../program/tracking-scene.ts';
import { type Shop, shop, shopOrder } from './shop.ts';

useBrowser();

/** A busy machine takes its time. */
const patiently = { timeout: 15_000 };

/** Opens the board as `waybill board` does: with the key in the link. */
const openBoard = ({ url, key }: Shop, options: object = {}) =>
  open(`${url}/board#key=${key}`, { viewport: { width: 1400, height: 900 }, ...options });

const column = (page: Page, name: RegExp) => page.getByRole('region', { name });
const cards = (page: Page, name: RegExp) => column(page, name).getByRole('listitem');

/** Adds a driver on duty at a position. */
async function addDriver({ url, call }: Shop, name: string, phone_number: string, position: object) {
  const { id, link } = await call('POST', '/v2/drivers', { name, phone_number });
  const at = new Date().toISOString();
  const body = {
    sent_at: at,
    taps: [{ id: `duty-${name}`, kind: 'duty', on: true, at }],
    position: { ...position, at },
  };
  const answer = await fetch(`${url}/drive/${String(link).split('/drive/')[1]}/taps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBe(200);
  return String(id);
}

inBrowser('the board follows deliveries, and gives one to a driver by name and by dragging', async () => {
  const place = await shop();
  const { page, complaints } = await openBoard(place);
  expect(page.url()).toBe(`${place.url}/board`);
  await expect.poll(() => page.getByText('No position is known yet.').isVisible(), patiently).toBe(true);
  await addDriver(place, 'Ana Ruiz', '+13125550134', { lat: 41.9, lng: -87.64 });
  await addDriver(place, 'Kim Poe', '+13125550135', { lat: 41.88, lng: -87.62 });
  const id = await place.give({ external_order_ref: 'B-1' });
  await expect.poll(() => cards(page, /^To the pickup/).count(), patiently).toBe(1);
  const card = cards(page, /^To the pickup/).first();
  await expect
    .poll(() => card.textContent(), patiently)
    .toMatch(/B-1 · Quentin Whitfield.*Expected.*Sam Lee/s);
  await expect.poll(() => page.locator('#map text').allTextContents(), patiently).toContain('Ana Ruiz');
  await page.getByLabel('Driver for Quentin Whitfield').selectOption({ label: 'Ana Ruiz' });
  await expect.poll(async () => (await place.statusOf(id)).courier_name, patiently).toBe('Ana Ruiz');
  await expect.poll(() => card.textContent(), patiently).toMatch(/With Ana Ruiz/);
  await card.dragTo(page.locator('#drivers li').filter({ hasText: 'Kim Poe' }));
  await expect.poll(async () => (await place.statusOf(id)).courier_name, patiently).toBe('Kim Poe');
  await place.call('POST', `/v1/delivery/${id}/cancel`);
  await expect.poll(() => cards(page, /^Ended/).count(), patiently).toBe(1);
  expect(await cards(page, /^To the pickup/).count()).toBe(0);
  expect(complaints).toEqual([]);
});

inBrowser('orders that wait for a courier come first, with time, reason and next attempt', async () => {
  const place = await shop();
  await place.call('POST', '/v2/sandbox/clock', { mode: 'manual' });
  const order = {
    ...shopOrder,
    external_order_ref: 'W-1',
    dropoff_address: '11 Wall St, New York, NY 11201',
  };
  const settings = { mechanism: 'auto', retry_window: 3600, retry_interval: 1800 };
  await place.call('POST', '/orders/create', { orders: [order], settings });
  await place.call('POST', '/v2/sandbox/clock/advance', { by: 24 * 60 });
  const { page, complaints } = await openBoard(place);
  await expect.poll(() => cards(page, /^Waiting for a courier/).count(), patiently).toBe(1);
  expect(await page.locator('#groups h2').first().textContent()).toBe('Waiting for a courier 1');
  expect(
    await cards(page, /^Waiting for a courier/)
      .first()
      .textContent(),
  ).toMatch(/W-1 · Quentin Whitfield.*Waiting for 24 min: no provider offered a quote.*Tried again at \d/s);
  await place.call('POST', '/v2/sandbox/clock/advance', { by: 3600 });
  await expect.poll(() => cards(page, /^Waiting for a courier/).count(), patiently).toBe(0);
  expect(complaints).toEqual([]);
});

inBrowser('late deliveries come first and are marked', async () => {
  const place = await shop();
  await addDriver(place, 'Ana Ruiz', '+13125550134', { lat: 41.9, lng: -87.64 });
  await place.give({ external_order_ref: 'EARLY' });
  await place.call('POST', '/v2/sandbox/clock', { mode: 'manual' });
  await place.call('POST', '/v2/sandbox/clock/advance', { by: 3 * 3600 });
  await place.call('POST', '/v2/sandbox/clock', { mode: 'scaled', rate: 1 });
  await place.give({ external_order_ref: 'FRESH' });
  const { page } = await openBoard(place);
  await expect.poll(() => cards(page, /^To the pickup/).count(), patiently).toBe(2);
  const texts = await cards(page, /^To the pickup/).allTextContents();
  expect(texts[0]).toMatch(/EARLY.*Late, was expected/s);
  expect(texts[1]).toMatch(/FRESH.*Expected/s);
});

inBrowser('a handover that wrong PINs have locked comes first, and its lock is lifted', async () => {
  const place = await shop();
  await addDriver(place, 'Ana Ruiz', '+13125550134', { lat: 41.9, lng: -87.64 });
  await place.call('PATCH', '/v2/account', { fleet: { per_delivery: 0, per_mile: 0, ask_pin: true } });
  await place.give({ external_order_ref: 'OTHER' });
  const id = await place.give({ external_order_ref: 'LOCKED' });
  const { page, complaints } = await openBoard(place);
  await expect.poll(() => cards(page, /^To the pickup/).count(), patiently).toBe(2);
  const at = new Date().toISOString();
  const tap = { kind: 'deliver', at, delivery_ids: [id], pin: 'none' };
  await fetch(`${place.link}/taps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      sent_at: at,
      taps: Array.from({ length: 5 }, (_, id) => ({ id: `${id}`, ...tap })),
    }),
  });
  const first = cards(page, /^To the pickup/).first();
  await expect.poll(() => first.textContent(), patiently).toMatch(/LOCKED.*Locked after 5 wrong PINs/s);
  await page.getByRole('button', { name: 'Let the driver try again' }).click();
  await expect.poll(() => page.getByText('Locked after').count(), patiently).toBe(0);
  expect(complaints).toEqual([]);
});

inBrowser(
  'without a key the board asks for one and shows nothing; names are texts, never markup',
  async () => {
    const place = await shop();
    await addDriver(place, 'Ana Ruiz', '+13125550134', { lat: 41.9, lng: -87.64 });
    await place.give({ dropoff_name: '<img src=x onerror=document.title=1>', external_order_ref: '' });
    const { page, complaints, requests } = await open(`${place.url}/board`, { colorScheme: 'dark' });
    await page.getByLabel('API key').fill('wb_test_wrong');
    await page.getByRole('button', { name: 'Open the board' }).click();
    await expect
      .poll(() => page.getByRole('alert').textContent(), patiently)
      .toMatch(/This API key is not valid/);
    expect(await page.locator('#board').isVisible()).toBe(false);
    await page.getByLabel('API key').fill(place.key);
    await page.getByRole('button', { name: 'Open the board' }).click();
    await expect.poll(() => cards(page, /^To the pickup/).count(), patiently).toBe(1);
    expect(
      await cards(page, /^To the pickup/)
        .first()
        .textContent(),
    ).toContain('<img src=x');
    await page.reload();
    await expect.poll(() => cards(page, /^To the pickup/).count(), patiently).toBe(1);
    expect(requests.filter((url) => url.includes(place.key))).toEqual([]);
    expect(complaints.filter((each) => !each.includes('401'))).toEqual([]);
    const unnamed = await page.evaluate(`[...document.querySelectorAll('button, a, input, select')]
    .filter((each) => !(each.getAttribute('aria-label') || each.textContent.trim() || each.labels?.length))
    .map((each) => each.outerHTML)`);
    expect(unnamed).toEqual([]);
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.reload();
    await expect.poll(() => page.getByLabel('API key').isVisible(), patiently).toBe(true);
  },
);
