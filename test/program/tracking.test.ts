import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { accessibilityFindings } from './accessibility.ts';
import { ended, freshHome, inProcess, serve, start } from './run.ts';
import { headline, inBrowser, open, request, scene, useBrowser } from './tracking-scene.ts';

useBrowser();

inBrowser('the page loads without a complaint, from this one address, with landmarks and names', async () => {
  const { link, step } = await scene();
  await step('driver_assigned');
  const { page, complaints, requests } = await open(link);
  expect(await headline(page)).toBe('Courier assigned');
  expect(await page.title()).toBe('Courier assigned · Pizza & Friends');
  for (const role of ['banner', 'main', 'contentinfo'] as const) {
    expect(await page.getByRole(role).count(), role).toBe(1);
  }
  expect(await page.locator('.map').count()).toBe(0);
  expect(await page.getByRole('status').first().textContent()).toContain('Courier assigned');
  expect(await page.locator('[aria-current=step]').textContent()).toContain('Courier assigned');
  expect(complaints).toEqual([]);
  expect(requests.filter((url) => url !== link && !url.startsWith('data:'))).toEqual([]);
});

inBrowser(
  'the page brings itself up to date without being loaded again, until the delivery has ended',
  async () => {
    const { link, step, pass } = await scene();
    const { page, complaints, requests } = await open(link);
    expect(await headline(page)).toBe('Looking for a courier');
    // A mark on this element, to detect replacement.
    await page.evaluate("document.querySelector('h1').first = true");
    await step('driver_assigned');
    await step('enroute_dropoff');
    await page.clock.fastForward(15_000);
    await expect.poll(() => headline(page)).toBe('On the way to you');
    expect(await page.title()).toContain('On the way to you');
    expect(await page.evaluate("document.querySelector('h1').first")).toBe(true);
    const updated = () => page.locator('footer time').getAttribute('datetime');
    const before = await updated();
    await pass(120);
    await page.clock.fastForward(15_000);
    await expect.poll(updated).not.toBe(before);
    await step('delivered');
    await page.clock.fastForward(15_000);
    await expect.poll(() => headline(page)).toBe('Delivered');
    await pass(2 * 60 * 60);
    await page.clock.fastForward(60_000);
    await expect.poll(() => page.locator('main').getAttribute('data-refresh')).toBe('0');
    const asked = requests.length;
    await page.clock.fastForward(60 * 60_000);
    expect(requests).toHaveLength(asked);
    // The next day it says of which day the delivery was.
    expect(await page.locator('.arrival').innerText()).not.toMatch(/[A-Z][a-z]{2},\s/);
    await pass(24 * 60 * 60);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await expect.poll(() => page.locator('.arrival').innerText()).toMatch(/[A-Z][a-z]{2},\s/);
    expect(complaints).toEqual([]);
    const stale = page.locator('[data-stale]');
    await page.route('**/track/*', (route) => route.abort());
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await expect.poll(() => stale.isVisible()).toBe(true);
    await page.unroute('**/track/*');
    await page.clock.fastForward(60_000);
    await expect.poll(() => stale.isVisible()).toBe(false);
  },
);

inBrowser(
  'a page that nobody looks at asks for nothing, and is up to date when it is seen again',
  async () => {
    const { link, step } = await scene();
    const { page, requests } = await open(link);
    const become = (state: 'hidden' | 'visible') =>
      page.evaluate(`
      Object.defineProperty(document, 'hidden', { value: ${state === 'hidden'}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await become('hidden');
    await step('driver_assigned');
    const asked = requests.length;
    await page.clock.fastForward(60 * 60_000);
    expect(requests).toHaveLength(asked);
    await become('visible');
    await expect.poll(() => headline(page)).toBe('Courier assigned');
    // In a background tab.
    await page.addInitScript(
      "Object.defineProperty(document, 'hidden', { value: true, configurable: true })",
    );
    await page.reload();
    const loaded = requests.length;
    await page.clock.fastForward(60 * 60_000);
    expect(requests).toHaveLength(loaded);
  },
);

inBrowser('where the service cannot be reached the page says so and keeps what it shows', async () => {
  const service = serve(freshHome());
  const { link } = await scene({ service });
  const { page } = await open(link);
  const stale = page.locator('[data-stale]');
  expect(await stale.isVisible()).toBe(false);
  await (await service).stop();
  await page.clock.fastForward(15_000);
  await expect.poll(() => stale.isVisible()).toBe(true);
  expect(await headline(page)).toBe('Looking for a courier');
});

inBrowser(
  'without scripts there is the same, in the time of the state, and the page loads itself again',
  async () => {
    const { link, step } = await scene();
    await step('driver_assigned');
    const { page, complaints } = await open(link, { javaScriptEnabled: false, timezoneId: 'Europe/Berlin' });
    expect(await headline(page)).toBe('Courier assigned');
    expect(await page.locator('footer').innerText()).toMatch(
      /\d:\d\d\s[AP]M · Times are in Central (Standard|Daylight) Time/,
    );
    expect(await page.locator('meta[http-equiv=refresh]').getAttribute('content')).toBe('30');
    expect(complaints).toEqual([]);
  },
);

inBrowser("with scripts times are in the reader's manner and the zone of the dropoff", async () => {
  const { link } = await scene();
  const { page } = await open(link, { timezoneId: 'Asia/Kolkata', locale: 'en-GB' });
  const at = await page.locator('footer time').getAttribute('datetime');
  const own = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'America/Chicago',
    hour: 'numeric',
    minute: '2-digit',
  });
  const written = own.format(new Date(at ?? ''));
  expect(await page.locator('footer time').textContent()).toBe(written);
  expect(await page.locator('footer').innerText()).toMatch(/Times are in Central (Standard|Daylight) Time/);
});

inBrowser('light and dark follow the system', async () => {
  const { link, step } = await scene();
  await step('driver_assigned');
  const { page } = await open(link, { colorScheme: 'light' });
  const shown = async () => ({
    paper: await page.evaluate('getComputedStyle(document.body).backgroundColor'),
    ink: await page.evaluate('getComputedStyle(document.body).color'),
  });
  expect(await shown()).toEqual({ paper: 'rgb(243, 242, 238)', ink: 'rgb(27, 31, 29)' });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await shown()).toEqual({ paper: 'rgb(16, 19, 18)', ink: 'rgb(237, 241, 238)' });
});

inBrowser(
  'a phone of 360 and one of 320 pixels need no scrolling sideways, whatever the names are',
  async () => {
    const { link, step, pass } = await scene({ pickup_name: `Grand${'maaaaaa'.repeat(15)}` });
    const { page } = await open(link);
    for (const status of ['driver_assigned', 'enroute_dropoff', 'delivered', 'a day later']) {
      await (status === 'a day later' ? pass(24 * 60 * 60) : step(status));
      await page.reload();
      for (const width of [360, 320]) {
        await page.setViewportSize({ width, height: 640 });
        const [needed, there] = [
          await page.evaluate('document.documentElement.scrollWidth'),
          await page.evaluate('document.documentElement.clientWidth'),
        ];
        expect(needed).toBe(there);
        const outside = await page.evaluate(
          `[...document.querySelectorAll('body :not(svg *)')].filter((e) => e.getBoundingClientRect().right > ${width}).length`,
        );
        expect(outside).toBe(0);
      }
    }
  },
);

/** A PNG of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

inBrowser(
  'the recipient saves notes; what is typed survives updates, and after the pickup the form is gone',
  async () => {
    const { link, step, notes } = await scene({ support_phone_number: '+13125550199' });
    const { page, complaints } = await open(link);
    const field = page.getByRole('textbox', { name: 'Instructions for the courier' });
    await field.fill('Gate 8823\nthird floor');
    await step('driver_assigned');
    await page.clock.fastForward(15_000);
    await expect.poll(() => headline(page)).toBe('Courier assigned');
    expect(await field.inputValue()).toBe('Gate 8823\nthird floor');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.locator('form [role=status]').textContent()).toBe('Saved.');
    expect(await notes()).toBe('Gate 8823\nthird floor');
    await field.fill('Side door');
    const told = () => page.locator('form [role=status]').textContent();
    expect(await told()).toBe('');
    await page.route('**/track/*', (route) =>
      route.request().method() === 'PATCH' ? route.fulfill({ status: 503 }) : route.continue(),
    );
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(told).toBe('Not saved. Please try again.');
    await step('enroute_pickup');
    await page.clock.fastForward(15_000);
    await expect.poll(() => headline(page)).toBe('Courier on the way to the pickup');
    expect(await told()).toBe('Not saved. Please try again.');
    await page.unroute('**/track/*');
    await step('pickup_complete');
    await page.getByRole('button', { name: 'Save' }).click();
    const refused = page.locator('.refused');
    await expect.poll(() => refused.innerText()).toMatch(/too late to change them/);
    for (const status of ['enroute_dropoff', 'arrived_at_dropoff']) {
      await step(status);
      await page.clock.fastForward(15_000);
      await expect.poll(() => field.count()).toBe(0);
      expect(await refused.innerText()).toMatch(
        /too late to change them[\s\S]*Side door[\s\S]*Call the courier/,
      );
    }
    const numbers = () => page.locator('a[href^=tel]').evaluateAll((links) => links.map((link) => link.href));
    const [refusedCall = '', ...others] = await numbers();
    expect(others).toEqual([refusedCall, 'tel:+13125550199']);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(complaints.filter((text) => !/409|503/.test(text))).toEqual([]);
  },
);

inBrowser('a picture of the proof is requested when the reader opens it, and not before', async () => {
  const { link, step } = await scene();
  const { page, requests } = await open(link);
  await page.route('https://couriers.example/**', (route) =>
    route.fulfill({ contentType: 'image/png', body: pixel }),
  );
  await step('delivered');
  await page.clock.fastForward(15_000);
  const summary = page.getByText('Show the photo');
  await expect.poll(() => summary.count()).toBe(1);
  const pictures = () => requests.filter((url) => url.startsWith('https://couriers.example/'));
  expect(pictures()).toEqual([]);
  await summary.click();
  await expect.poll(() => pictures().length).toBe(1);
  await expect.poll(() => page.evaluate("document.querySelector('.proof img').naturalWidth")).toBe(1);
});

inBrowser('a reader of Spanish gets Spanish, and can switch', async () => {
  const { link } = await scene();
  const { page, complaints } = await open(link, { locale: 'es-MX' });
  expect(await headline(page)).toBe('Buscando un repartidor');
  expect(await page.locator('html').getAttribute('lang')).toBe('es');
  await page.getByRole('link', { name: 'English' }).click();
  await expect.poll(() => headline(page)).toBe('Looking for a courier');
  await page.clock.fastForward(15_000);
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  expect(complaints).toEqual([]);
});

test('track serves the page of an embedded delivery until Ctrl+C, which ends it as a signal', async () => {
  const home = freshHome();
  await inProcess(home, 'sandbox', 'clock', 'manual');
  writeFileSync(join(home.folder, 'delivery.json'), JSON.stringify({ ...request, initiate: true }));
  const posted = ['api', 'POST', '/v1/delivery_information', '--file', 'delivery.json', '--json'];
  const { id } = JSON.parse((await inProcess(home, ...posted)).stdout);
  const child = start(home, ['track', id, '--json']);
  const finished = ended(child);
  const [line] = await once(child.stdout ?? child, 'data');
  const answer = await fetch(JSON.parse(String(line)).url, { headers: { connection: 'close' } });
  expect(await answer.text()).toContain('<h1>Looking for a courier</h1>');
  child.kill('SIGINT');
  const { stderr } = await finished;
  expect(child.signalCode).toBe('SIGINT');
  expect(stderr).toContain('The page is no longer served. The delivery continues.');
});
