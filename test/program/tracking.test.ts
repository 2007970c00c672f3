import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ended, freshHome, start, waybill } from './run.ts';
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
    expect(complaints).toEqual([]);
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
  const { link, stop } = await scene();
  const { page } = await open(link);
  const stale = page.locator('[data-stale]');
  expect(await stale.isVisible()).toBe(false);
  await stop();
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
    for (const status of ['driver_assigned', 'enroute_dropoff', 'delivered', 'a day later']) {
      await (status === 'a day later' ? pass(24 * 60 * 60) : step(status));
      for (const width of [360, 320]) {
        const { page } = await open(link, { viewport: { width, height: 640 } });
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

test('track serves the page of an embedded delivery until Ctrl+C, which ends it as a signal', async () => {
  const home = freshHome();
  await waybill(home, 'sandbox', 'clock', 'manual');
  writeFileSync(join(home.folder, 'delivery.json'), JSON.stringify({ ...request, initiate: true }));
  const posted = ['api', 'POST', '/v1/delivery_information', '--file', 'delivery.json', '--json'];
  const { id } = JSON.parse((await waybill(home, ...posted)).stdout);
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
