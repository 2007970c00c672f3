import { expect } from 'vitest';
import { accessibilityFindings, largeTextFindings } from '../program/accessibility.ts';
import { inBrowser, open, scene, useBrowser } from '../program/tracking-scene.ts';

useBrowser();

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
