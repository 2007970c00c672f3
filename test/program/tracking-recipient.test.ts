import { expect } from 'vitest';
import { accessibilityFindings } from './accessibility.ts';
import { headline, inBrowser, open, scene, useBrowser } from './tracking-scene.ts';

useBrowser();

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
    expect(complaints.filter((text) => !text.includes('409'))).toEqual([]);
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
