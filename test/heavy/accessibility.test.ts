import { devices, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityFindings, largeTextFindings } from '../program/accessibility.ts';
import { inBrowser, open, scene, useBrowser } from '../program/tracking-scene.ts';
import { sendTaps, shop } from './shop.ts';

useBrowser();

const { userAgent, isMobile, hasTouch } = devices['Pixel 7'];
const looks = [
  { look: 'light', viewport: { width: 390, height: 844 } },
  { look: 'dark and small', viewport: { width: 320, height: 568 }, colorScheme: 'dark' },
] as const;

/** What axe finds on the page as it is now, and whether anything is wider than the screen. */
async function findings(page: Page): Promise<string[]> {
  const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
  const wide = isWide ? ['wider than the screen'] : [];
  return [...(await accessibilityFindings(page)), ...(await largeTextFindings(page)), ...wide];
}

for (const { look, ...options } of looks) {
  inBrowser(`axe finds nothing in any state of the page, ${look}`, async () => {
    const place = await shop();
    const { page } = await open(place.link, { userAgent, isMobile, hasTouch, ...options });
    const button = (name: string | RegExp) => page.getByRole('button', { name }).first();
    const settings = page.locator('#phone summary');
    const check = async (state: string) => expect([state, await findings(page)]).toEqual([state, []]);
    const tap = async (name: string | RegExp) => {
      await button(name).tap();
      await page.clock.fastForward(6_000);
    };
    await settings.tap();
    await check('off duty, with the settings');
    await settings.tap();
    await tap('Go on duty');
    const isOnDuty = async () => (await place.call('GET', `/v2/drivers/${place.driver_id}`)).on_duty;
    await expect.poll(isOnDuty).toBe(true);
    await check('no stops');
    await place.offer();
    await page.clock.fastForward(15_000);
    await button('Decline').waitFor();
    await check('offer');
    await tap('Decline');
    const wanted = { request_signature: true, pickup_notes: 'Ring twice' };
    for (const [index, dropoff_name] of ['Ada North', 'Ben South'].entries())
      await place.give({
        ...wanted,
        dropoff_name,
        dropoff_unit: `Apt ${index}`,
        external_order_ref: `#${index}`,
      });
    await page.clock.fastForward(15_000);
    await button(/^Start/).waitFor();
    await button(/^Deliver: 233 S Wacker Dr 2 recipients/).tap();
    await check('start, with a later stop unfolded');
    for (const name of [/^Start/, /^I am there/]) await tap(name);
    await check('pickup');
    await button(/^Picked up/).tap();
    await button('Undo').waitFor();
    await check('undo');
    await page.clock.fastForward(6_000);
    await tap(/^I am there/);
    await check('dropoff');
    await tap('Delivered: Ada North');
    await page.getByRole('dialog').getByRole('button', { name: 'Delivered' }).tap();
    await expect.poll(() => page.getByRole('dialog').getByRole('alert').textContent()).not.toBe('');
    await check('proof');
    await tap('Cancel');
    await button(/^Apt 0 Ada North/).tap();
    await check('a recipient of a building, unfolded');
    await tap('Could not deliver: Ada North');
    await check('could not deliver');
    await page.context().setOffline(true);
    await tap('Bring it back');
    await page.getByRole('region', { name: 'Not sent yet' }).waitFor();
    await check('without a connection');
    await page.context().setOffline(false);
    await page.clock.fastForward(61_000);
    // What is below moves up with the end of the message.
    await expect.poll(() => page.locator('#net').isVisible()).toBe(false);
    await tap('Could not deliver: Ben South');
    await tap('Bring it back');
    await button('Returned: Pizza & Friends').waitFor();
    await check('return');
    await tap('Returned: Pizza & Friends');
    await expect.poll(() => page.getByText('Nothing to do right now.').isVisible()).toBe(true);
  });
}

const ways = [
  [
    'driver_assigned',
    'enroute_pickup',
    'pickup_complete',
    'enroute_dropoff',
    'arrived_at_dropoff',
    'delivered',
  ],
  ['driver_assigned', 'pickup_complete', 'enroute_to_return', 'returned'],
  ['driver_assigned', 'failed'],
  ['provider_canceled'],
] as const;

for (const colorScheme of ['light', 'dark'] as const) {
  inBrowser(`the page of each status is accessible (${colorScheme})`, async () => {
    for (const way of ways) {
      const place = await scene();
      const { page } = await open(place.link, { colorScheme });
      for (const status of ['created', ...way]) {
        if (status !== 'created') await place.step(status);
        await page.reload();
        expect([status, await accessibilityFindings(page)]).toEqual([status, []]);
      }
      await page.setViewportSize({ width: 320, height: 640 });
      await page.goto(`${place.link}?lang=es`);
      expect(await accessibilityFindings(page)).toEqual([]);
      expect(await largeTextFindings(page)).toEqual([]);
      await page.goto(`${place.link}x`);
      expect(await accessibilityFindings(page)).toEqual([]);
    }
  });
}

inBrowser('a window of time, and a call to the shop, fit a phone', async () => {
  const place = await shop();
  await sendTaps(place, place.link, [{ kind: 'duty', on: true }]);
  const { tracking_url } = await place.statusOf(await place.give({}));
  await place.call('POST', '/v2/sandbox/clock', { mode: 'manual' });
  await place.call('POST', '/v2/sandbox/clock/advance', { by: 4 * 3600 });
  for (const width of [390, 320]) {
    for (const language of ['en', 'es']) {
      const { page } = await open(`${tracking_url}?lang=${language}`, { viewport: { width, height: 800 } });
      expect(await page.locator('.arrival time').count()).toBe(2);
      expect(await findings(page)).toEqual([]);
    }
  }
});
