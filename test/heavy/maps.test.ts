import { createServer, type IncomingMessage } from 'node:http';
import { expect, onTestFinished } from 'vitest';
import { listenLocally } from '../local-server.ts';
import { accessibilityFindings } from '../program/accessibility.ts';
import { inBrowser, open, useBrowser } from '../program/tracking-scene.ts';
import { sendTaps, shop, textOf } from './shop.ts';

useBrowser();

const tile = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==',
  'base64',
);

/** A tile server of this test; `status` 500 serves none. */
async function tileServer(status = 200) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, answer) => {
    requests.push(request);
    answer.writeHead(status, { 'content-type': 'image/png' }).end(status === 200 ? tile : '');
  });
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  const origin = `http://127.0.0.1:${port}`;
  const flags = [
    '--map-tiles',
    `${origin}/{z}/{x}/{y}.png`,
    '--map-attribution',
    '© OpenStreetMap <b>people</b>',
  ];
  return { origin, requests, flags };
}

async function placeWithDelivery(flags: readonly string[]) {
  const place = await shop(flags);
  await sendTaps(place, place.link, [{ kind: 'duty', on: true }], { lat: 41.89, lng: -87.63 });
  const houses = {
    ...{ pickup_latitude: 41.8925, pickup_longitude: -87.6262, pickup_name: '<i>Pizza</i>' },
    ...{ dropoff_latitude: 41.8789, dropoff_longitude: -87.6359 },
  };
  const first = await place.give({ external_order_ref: 'M-1', ...houses });
  await place.give({ external_order_ref: 'M-2', ...houses });
  return { place, tracking_url: String((await place.statusOf(first)).tracking_url) };
}

inBrowser(
  'with a tile server the recipient sees a map of that host alone, with its attribution',
  async () => {
    const { origin, requests, flags } = await tileServer();
    const { place, tracking_url } = await placeWithDelivery(flags);
    const { page, complaints, requests: asked } = await open(tracking_url);
    await expect.poll(() => page.locator('.leaflet-tile-loaded').count()).toBeGreaterThan(0);
    expect(await page.locator('.map').isVisible()).toBe(true);
    expect(await page.locator('.leaflet-control-attribution').textContent()).toBe(
      '© OpenStreetMap <b>people</b>',
    );
    expect(await page.getByRole('link', { name: 'OpenStreetMap' }).getAttribute('href')).toContain(
      '/copyright',
    );
    expect(await page.locator('.leaflet-tooltip').allTextContents()).toEqual(['<i>Pizza</i>', 'You']);
    // The address of the page is a secret.
    expect(new Set(requests.map(({ headers }) => headers.referer))).toEqual(new Set([`${place.url}/`]));
    const hosts = new Set(asked.filter((url) => url.startsWith('http')).map((url) => new URL(url).origin));
    expect([...hosts].sort()).toEqual([origin, place.url].sort());
    expect(await page.content()).toContain(`img-src data: ${origin};`);
    await page.clock.runFor(20_000);
    await expect.poll(() => page.locator('.leaflet-tile-loaded').count()).toBeGreaterThan(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

inBrowser(
  'the board shows the same tiles, and deliveries to one address as one mark with their number',
  async () => {
    const { flags } = await tileServer();
    const { place } = await placeWithDelivery(flags);
    const { page, complaints } = await open(`${place.url}/board#key=${place.key}`, {
      viewport: { width: 1440, height: 900 },
    });
    await expect.poll(() => page.locator('.leaflet-tile-loaded').count()).toBeGreaterThan(0);
    await expect.poll(() => page.locator('.mark.dropoff').allTextContents()).toEqual(['2']);
    expect(await page.locator('.mark.driver').textContent()).toBe('SL');
    await page.locator('.mark.dropoff').click();
    await expect.poll(textOf(page, '#all-count')).toBe('2');
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

inBrowser(
  'without tiles the recipient has no map and the board a drawn one, and Leaflet is loaded for tiles alone',
  async () => {
    const { flags } = await tileServer(500);
    for (const [given, loads] of [
      [flags, true],
      [[], false],
    ] as const) {
      const { place, tracking_url } = await placeWithDelivery(given);
      const recipient = await open(tracking_url);
      await expect.poll(() => recipient.page.locator('.map').isVisible()).toBe(false);
      const board = await open(`${place.url}/board#key=${place.key}`);
      // Without streets it is folded away.
      const unfold = board.page.getByRole('button', { name: 'Show', exact: true });
      await unfold.click();
      await expect.poll(() => board.page.locator('#map .mark').count()).toBeGreaterThan(2);
      const files = [...recipient.requests, ...board.requests].filter((url) => url.includes('leaflet'));
      expect(files.length > 0).toBe(loads);
    }
  },
);
