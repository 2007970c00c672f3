import { createECDH } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { listenLocally } from '../local-server.ts';
import { inBrowser, open, useBrowser } from '../program/tracking-scene.ts';
import {
  aPhone,
  button,
  choosePhoto,
  confirm,
  driveToRecipient,
  shiftWithStop,
  shop,
  startShift,
  tap,
  textOf,
} from './shop.ts';

useBrowser();

inBrowser('a driver accepts an offer and drives it with one thumb', async () => {
  const place = await shop();
  const position = { latitude: 41.89, longitude: -87.63 };
  const { page, complaints } = await startShift(place, {
    geolocation: position,
    permissions: ['geolocation'],
  });
  const id = await place.offer();
  await page.clock.fastForward(15_000);
  await expect.poll(() => page.getByRole('heading', { name: 'New delivery' }).count()).toBe(1);
  await tap(page, 'Accept');
  await expect.poll(() => page.getByRole('heading', { name: '2 stops' }).count()).toBe(1);
  const [first, second] = [page.locator('.stop').first(), page.locator('.stop').nth(1)];
  expect(await first.getByRole('button').allTextContents()).toEqual(['I am there']);
  const later = button(page, /^Deliver: 233 S Wacker Dr Apt 4, Quentin Whitfield, expected /);
  expect(await later.getAttribute('aria-expanded')).toBe('false');
  expect(await second.getByText('Gate 8823').isVisible()).toBe(false);
  await later.tap();
  expect(await second.innerText()).toMatch(
    /233 S Wacker.*Unit\s+Apt 4.*Quentin.*Notes\s+Gate 8823.*Pick it up first/is,
  );
  expect(await second.getByRole('link', { name: 'Call Quentin Whitfield' }).getAttribute('href')).toBe(
    'tel:+13125550142',
  );
  expect(await second.getByRole('link', { name: 'Map to Quentin Whitfield' }).getAttribute('href')).toMatch(
    /^https:\/\/www\.google\.com\/maps\/dir\/\?api=1&destination=233%20S%20Wacker/,
  );
  await page.locator('#phone summary').tap();
  await page.getByLabel('Map opens').selectOption('Waze');
  await page.reload();
  const toShop = page.getByRole('link', { name: /^Map to Pizza/ });
  await expect.poll(() => toShop.getAttribute('href')).toMatch(/^https:\/\/waze\.com\/.*q=43%20E%20Ohio/);
  expect(await page.getByLabel('Map opens').inputValue()).toBe('waze');
  expect(await second.getByRole('button').count()).toBe(1);
  for (const name of ['I am there: Pizza', 'Picked up: Pizza']) await tap(page, new RegExp(name));
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('enroute_dropoff');
  for (const name of ['I am there', 'Delivered']) await tap(page, new RegExp(`${name}: Quentin`));
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('delivered');
  await expect.poll(() => page.getByText('Nothing to do right now.').isVisible()).toBe(true);
  expect((await place.statusOf(id)).courier_location_lat).toBe(41.89);
  expect(complaints).toEqual([]);
});

inBrowser(
  'an offer is heard, seen in the title and counted down, and a stop without one is named',
  async () => {
    const place = await shop();
    const { page } = await startShift(place);
    await page.evaluate('window.shakes = 0; navigator.vibrate = () => { window.shakes++; return true; };');
    await place.offer();
    await place.offer();
    await page.clock.fastForward(15_000);
    await expect.poll(() => page.title()).toBe('2 new deliveries');
    await expect.poll(() => page.getByRole('timer').textContent()).toMatch(/^1:[012]\d left to answer$/);
    expect(await page.evaluate('window.shakes')).toBeGreaterThan(0);
    await tap(page, 'Accept');
    await expect.poll(() => button(page, /^I am there: Pizza/).count()).toBe(1);
    await expect.poll(() => page.title()).toBe('Stops of Sam Lee');
    await page.clock.fastForward(15_000);
    expect(await page.locator('#news').textContent()).toBe('');
    await place.give({ dropoff_name: 'Zoe Lane', dropoff_address: '5801 S Ellis Ave, Chicago, IL 60637' });
    await page.evaluate('window.shakes = 0');
    await page.clock.fastForward(15_000);
    await expect.poll(textOf(page, '#news')).toMatch(/^New stop\. /);
    expect(await page.evaluate('window.shakes')).toBe(1);
  },
);

inBrowser('a phone that allows messages gets an offer while the page is closed', async () => {
  const place = await shop();
  const received: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    received.push(request.headers);
    response.writeHead(201).end();
  });
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  const { page } = await open(place.link, {
    ...aPhone,
    serviceWorkers: 'allow',
    permissions: ['notifications'],
  });
  const p256dh = createECDH('prime256v1').generateKeys('base64url');
  // The push service of a browser is on the internet.
  await page.evaluate(`PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
    window.given = applicationServerKey;
    const keys = { p256dh: '${p256dh}', auth: 'AAAAAAAAAAAAAAAAAAAAAA' };
    return { toJSON: () => ({ endpoint: 'http://127.0.0.1:${port}/send/1', expirationTime: null, keys }) };
  }`);
  const answered = page.waitForResponse(
    (response) => response.request().postData()?.includes('p256dh') === true,
  );
  // A phone that allows messages subscribes when the page opens, too.
  const onDuty = page.waitForResponse(
    (response) => response.request().postData()?.includes('"duty"') === true,
  );
  await tap(page, 'Go on duty');
  await onDuty;
  expect((await answered).status()).toBe(200);
  expect(await page.evaluate('window.given')).toMatch(/^[\w-]{87}$/);
  await page.close();
  await place.offer();
  await expect.poll(() => received.map(({ topic, ttl }) => [topic, ttl])).toEqual([['offer', '90']]);
});

inBrowser(
  'near the house the page offers the next step by itself, and reports the arrival with it',
  async () => {
    const place = await shop();
    const geolocation = { latitude: 41.89, longitude: -87.63, accuracy: 10 };
    const { page } = await startShift(place, { geolocation, permissions: ['geolocation'] });
    const id = await place.give({ dropoff_latitude: 41.8789, dropoff_longitude: -87.6359 });
    await page.clock.fastForward(15_000);
    for (const name of ['Start', 'I am there', 'Picked up']) await tap(page, new RegExp(`^${name}: Pizza`));
    await expect.poll(() => button(page, /^I am there: Quentin/).count()).toBe(1);
    await page.context().setGeolocation({ latitude: 41.8794, longitude: -87.636, accuracy: 500 });
    await page.clock.fastForward(15_000);
    expect(await button(page, /^Delivered: Quentin/).count()).toBe(0);
    const at = (latitude: number) =>
      page.context().setGeolocation({ latitude, longitude: -87.6361, accuracy: 10 });
    // One position may be that of a car that passes.
    await at(41.8794);
    await page.clock.fastForward(15_000);
    expect(await button(page, /^Delivered: Quentin/).count()).toBe(0);
    await at(41.8793);
    await expect.poll(() => button(page, /^Delivered: Quentin/).isVisible()).toBe(true);
    expect(await page.locator('#news').textContent()).toBe('You are there.');
    await at(41.91);
    await expect.poll(() => button(page, /^I am there: Quentin/).isVisible()).toBe(true);
    await page.clock.fastForward(15_000);
    expect(await button(page, /^Delivered: Quentin/).isVisible()).toBe(false);
    for (const latitude of [41.8793, 41.8794]) await at(latitude);
    await expect.poll(() => button(page, /^Delivered: Quentin/).isVisible()).toBe(true);
    expect((await place.statusOf(id)).status).toBe('enroute_dropoff');
    await tap(page, /^Delivered: Quentin/);
    await expect.poll(async () => (await place.statusOf(id)).status).toBe('delivered');
    expect(JSON.stringify((await place.statusOf(id)).status_history)).toContain('arrived_at_dropoff');
  },
);

inBrowser(
  'what completes a stop can be undone for some seconds, and without a connection until it is sent',
  async () => {
    const { place, page, id } = await shiftWithStop();
    await driveToRecipient(page);
    await button(page, /^Delivered: Quentin/).tap();
    await expect.poll(() => page.getByText('0 stops').count()).toBe(1);
    await button(page, 'Undo').tap();
    await expect.poll(() => button(page, /^Delivered: Quentin/).count()).toBe(1);
    await page.clock.fastForward(20_000);
    await expect.poll(async () => (await place.statusOf(id)).status).toBe('arrived_at_dropoff');
    await page.context().setOffline(true);
    await tap(page, /^Delivered: Quentin/);
    const unsent = page.getByRole('region', { name: 'Not sent yet' });
    await expect.poll(() => unsent.innerText()).toMatch(/Delivered: Quentin Whitfield, .*not sent yet/);
    await unsent.getByRole('button', { name: 'Undo' }).tap();
    await expect.poll(() => button(page, /^Delivered: Quentin/).count()).toBe(1);
    await page.context().setOffline(false);
    await tap(page, /^Delivered: Quentin/);
    await page.clock.fastForward(61_000);
    await expect.poll(async () => (await place.statusOf(id)).status).toBe('delivered');
  },
);

inBrowser('what is tapped or arrives leaves the focus on a button', async () => {
  const { place, page } = await shiftWithStop();
  const focused = () =>
    page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.textContent');
  await button(page, /^Start: Pizza/).focus();
  const offered = await place.offer();
  await page.clock.fastForward(15_000);
  await expect.poll(() => button(page, 'Accept').count()).toBe(1);
  expect(await focused()).toBe('Start: Pizza & Friends');
  await page.keyboard.press('Enter');
  await expect.poll(focused).toBe('Accept');
  await button(page, /^I am there: Pizza/).focus();
  await place.call('POST', `/v1/delivery/${offered}/cancel`);
  await page.clock.fastForward(15_000);
  await expect.poll(() => button(page, 'Accept').count()).toBe(0);
  expect(await focused()).toBe('I am there: Pizza & Friends');
});

inBrowser('the page says what keeps offers from being heard, and plays its sound', async () => {
  const place = await shop();
  const { page } = await open(place.link, aPhone);
  await page.evaluate(`window.tones = 0;
    const { start } = OscillatorNode.prototype;
    OscillatorNode.prototype.start = function (at) { window.tones++; start.call(this, at); };
    Notification.requestPermission = async () => 'denied';
    Object.defineProperty(Notification, 'permission', { get: () => 'denied' });`);
  const blocked = page.getByText('Messages from this page are blocked on this phone');
  expect(await blocked.isVisible()).toBe(false);
  await page.locator('#phone summary').tap();
  await button(page, 'Try the sound').tap();
  expect(await page.evaluate('window.tones')).toBe(3);
  await tap(page, 'Go on duty');
  await expect.poll(() => blocked.isVisible()).toBe(true);
  await page.evaluate(`const event = new Event('beforeinstallprompt');
    event.prompt = () => { window.isPrompted = true; };
    dispatchEvent(event);`);
  await button(page, 'Install on this phone').tap();
  expect(await page.evaluate('window.isPrompted')).toBe(true);
});

inBrowser('an order that is not ready is left out of a pickup', async () => {
  const place = await shop();
  const { page } = await startShift(place);
  const ids = [
    await place.give({ dropoff_name: 'Ada North' }),
    await place.give({ dropoff_name: 'Ben South' }),
  ];
  await page.clock.fastForward(15_000);
  await tap(page, /^Start: Pizza/);
  const left = page.getByRole('checkbox', { name: /Ben South/ });
  await left.uncheck();
  await tap(page, /^I am there: Pizza/);
  await page.clock.fastForward(15_000);
  await page.reload();
  await expect.poll(() => button(page, 'Picked up 1 order: Pizza & Friends').count()).toBe(1);
  await button(page, 'Picked up 1 order: Pizza & Friends').tap();
  await button(page, 'Undo').tap();
  await expect.poll(() => left.isChecked()).toBe(false);
  await page.clock.fastForward(1_000);
  await tap(page, 'Picked up 1 order: Pizza & Friends');
  const statuses = () => Promise.all(ids.map(async (id) => (await place.statusOf(id)).status));
  await expect.poll(statuses).toEqual(['enroute_dropoff', 'arrived_at_pickup']);
  await page.clock.fastForward(15_000);
  await button(page, /^Pick up: 43 E Ohio/).tap();
  await tap(page, /^Picked up/);
  await expect.poll(statuses).toEqual(['enroute_dropoff', 'pickup_complete']);
});

inBrowser('what is left out at one shop stays so after the pickup at another', async () => {
  const place = await shop();
  const { page } = await startShift(place);
  const sushi = { pickup_name: 'Sushi', pickup_address: '5801 S Ellis Ave, Chicago, IL 60637' };
  await place.give();
  for (const dropoff_name of ['Ada North', 'Ben South']) await place.give({ ...sushi, dropoff_name });
  await page.clock.fastForward(15_000);
  await button(page, /^Pick up: 5801/).tap();
  const left = page.getByRole('checkbox', { name: /Ben South/ });
  await left.uncheck();
  for (const name of ['Start', 'I am there', 'Picked up']) await tap(page, new RegExp(`^${name}: Pizza`));
  await expect.poll(() => left.count()).toBe(1);
  expect(await left.isChecked()).toBe(false);
});

inBrowser('a double tap is one step, and two phones with one link show the same', async () => {
  const place = await shop();
  const { page } = await startShift(place);
  const id = await place.give();
  const { page: other } = await open(place.link, aPhone);
  await page.clock.fastForward(15_000);
  await button(page, /Start: Pizza/).dblclick();
  await page.clock.fastForward(1_000);
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('enroute_pickup');
  await expect.poll(() => button(other, /Start: Pizza/).count()).toBe(1);
  await tap(page, /I am there: Pizza/);
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('arrived_at_pickup');
  await tap(other, /Start: Pizza/);
  await expect.poll(textOf(other, '#said')).toContain('This was already changed elsewhere.');
  await expect.poll(() => button(other, /Picked up: Pizza/).count()).toBe(1);
  expect((await place.statusOf(id)).status).toBe('arrived_at_pickup');
});

inBrowser(
  'recipients of one building are named, reached together, and reported one by one without a connection',
  async () => {
    const place = await shop();
    const { page, complaints } = await startShift(place);
    const names = ['Ada North', 'Ben South', 'Cem West'];
    const ids: string[] = [];
    for (const [index, dropoff_name] of names.entries())
      ids.push(await place.give({ dropoff_name, dropoff_unit: `Apt ${index}` }));
    await page.reload();
    await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
    await page.reload();
    await expect.poll(() => page.getByRole('heading', { name: '2 stops' }).count()).toBe(1);
    await page.context().setOffline(true);
    for (const name of [
      'Start: Pizza',
      'I am there: Pizza',
      'Picked up 3 orders',
      'I am there: 3 recipients',
    ])
      await tap(page, new RegExp(`^${name}`));
    await tap(page, 'Delivered: Cem West');
    await button(page, /^Apt 0 Ada North/).tap();
    await tap(page, 'Could not deliver: Ada North');
    await button(page, 'Bring it back').tap();
    await page.clock.fastForward(5_100);
    await expect.poll(() => button(page, /^Delivered/).count()).toBe(1);
    const back = page.locator('[data-kind=return]');
    expect(await back.innerText()).toMatch(
      /Bring back: 43 E Ohio St\s+Pizza & Friends, when the rest is done/,
    );
    await page.context().setOffline(false);
    await page.clock.fastForward(61_000);
    const statuses = () => Promise.all(ids.map(async (id) => (await place.statusOf(id)).status));
    await expect.poll(statuses).toEqual(['enroute_to_return', 'arrived_at_dropoff', 'delivered']);
    expect(complaints.filter((each) => !each.includes('ERR_INTERNET_DISCONNECTED'))).toEqual([]);
  },
);

inBrowser('a handover is proven by a photo, which is made smaller', async () => {
  const { place, page, complaints, id } = await shiftWithStop({ order: { request_contactless: true } });
  await driveToRecipient(page);
  await tap(page, /^Delivered: Quentin/);
  const confirmBox = () => page.locator('#proof .main').boundingBox();
  const before = await confirmBox();
  await confirm(page);
  await expect.poll(() => faultOn(page)).toBe('Take a photo, or say why there is none.');
  await choosePhoto(page);
  expect(await faultOn(page)).toBe('');
  // A picture that appears late does not move the button from under a finger.
  await expect
    .poll(() => page.evaluate("document.querySelector('#proof img').clientHeight"))
    .toBeGreaterThan(0);
  expect(await confirmBox()).toEqual(before);
  await confirm(page);
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('delivered');
  const { proof_of_delivery } = await place.statusOf(id);
  const [{ url = '' } = {}]: { url?: string }[] = JSON.parse(JSON.stringify(proof_of_delivery));
  const picture = new Uint8Array(await (await fetch(url)).arrayBuffer());
  expect([...picture.slice(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
  expect(picture.length).toBeLessThan(90_000);
  expect(complaints).toEqual([]);
});

const faultOn = (page: Page) => page.getByRole('dialog').getByRole('alert').textContent();

inBrowser('a photo that cannot be read keeps the dialog open, and a reason takes its place', async () => {
  const { place, page, id } = await shiftWithStop({ order: { request_contactless: true } });
  await driveToRecipient(page);
  await tap(page, /^Delivered: Quentin/);
  const buffer = Buffer.from('not a picture');
  const photoField = page.getByLabel('Photo', { exact: true });
  await photoField.setInputFiles({ name: 'door.heic', mimeType: 'image/heic', buffer });
  await confirm(page);
  await expect
    .poll(() => faultOn(page))
    .toBe('This photo cannot be read. Take another one, or say why there is none.');
  await page.getByText('No photo? Say why').tap();
  await page.getByLabel('No photo? Say why').fill('The camera is broken');
  expect(await faultOn(page)).toBe('');
  await confirm(page);
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('delivered');
  const { details } = await place.call('GET', `/v2/deliveries/${id}`);
  expect(details).toMatchObject({ no_photo_reason: 'The camera is broken' });
});

inBrowser('without a connection the PIN waits with a photo, and a wrong one is marked', async () => {
  const place = await shop();
  const fleet = { per_delivery: 0, per_mile: 0, ask_pin: true };
  await place.call('PATCH', '/v2/account', { fleet });
  const { page } = await startShift(place);
  const id = await place.give({ request_contactless: true });
  await page.clock.fastForward(15_000);
  await driveToRecipient(page);
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('arrived_at_dropoff');
  await page.context().setOffline(true);
  await tap(page, /^Delivered: Quentin/);
  const { handover_pin } = await place.statusOf(id);
  await page.getByLabel('PIN of the recipient').fill(handover_pin === '0000' ? '1111' : '0000');
  await page.getByText('No photo? Say why').tap();
  await button(page, 'Too dark').tap();
  expect(await page.getByLabel('No photo? Say why').inputValue()).toBe('Too dark');
  await confirm(page);
  await expect
    .poll(() => faultOn(page))
    .toBe('No connection: the PIN cannot be checked now. Take a photo, too.');
  expect(await page.getByLabel('No photo? Say why').isVisible()).toBe(false);
  const box = await page.getByRole('dialog').boundingBox();
  const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
  const [left, top] = [box?.x ?? 0, box?.y ?? 0];
  expect(Math.abs(left * 2 + (box?.width ?? 0) - width)).toBeLessThan(2);
  expect(Math.abs(top * 2 + (box?.height ?? 0) - height)).toBeLessThan(2);
  const gaps = await page.evaluate(`[...document.querySelectorAll('#proof form > *')]
    .filter((each) => each.offsetParent)
    .map((each) => each.getBoundingClientRect())
    .map(({ top }, index, all) => top - (all[index - 1]?.bottom ?? top - 9))
    .filter((gap) => gap < 8)`);
  expect(gaps).toEqual([]);
  await choosePhoto(page);
  await confirm(page);
  await expect.poll(() => page.getByText('1 tap waits to be sent').count()).toBe(1);
  // The service believes a phone that it has not heard for a while: the time passes before the tap is sent.
  await page.clock.fastForward(61_000);
  await page.context().setOffline(false);
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('delivered');
  const { details } = await place.call('GET', `/v2/deliveries/${id}`);
  expect(details).toMatchObject({ pin_unverified: true });
});

inBrowser('a refused PIN is said in the dialog, which keeps what was entered', async () => {
  const place = await shop();
  const fleet = { per_delivery: 0, per_mile: 0, ask_pin: true };
  await place.call('PATCH', '/v2/account', { fleet });
  const { page } = await startShift(place);
  const id = await place.give({ request_signature: true });
  await page.clock.fastForward(15_000);
  await driveToRecipient(page);
  await tap(page, /^Delivered: Quentin/);
  const { handover_pin: pin } = await place.statusOf(id);
  await page.getByLabel('PIN of the recipient').fill(pin === '0000' ? '1111' : '0000');
  await page.getByLabel('Name of the recipient').fill('Dana');
  await page.getByRole('button', { name: 'Use the name' }).tap();
  await confirm(page);
  await expect.poll(() => faultOn(page)).toBe('The PIN is wrong. Ask the recipient again. 4 tries are left.');
  expect(await page.getByLabel('Name of the recipient').inputValue()).toBe('Dana');
  await page.getByLabel('PIN of the recipient').fill(String(pin));
  expect(await faultOn(page)).toBe('');
  await confirm(page);
  await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('delivered');
});

inBrowser('a building is one line a unit, and several are handed over with one photo', async () => {
  const place = await shop();
  const { page } = await startShift(place);
  const ids: string[] = [];
  for (const unit of ['1', '2', '3', '4'])
    ids.push(
      await place.give({
        ...{ dropoff_unit: `Apt ${unit}`, dropoff_name: `Person ${unit}` },
        ...{ dropoff_notes: 'Ring', request_contactless: true },
      }),
    );
  await page.clock.fastForward(15_000);
  for (const name of ['Start: Pizza', 'I am there: Pizza', 'Picked up 4 orders', 'I am there: 4 recipients'])
    await tap(page, new RegExp(`^${name}`));
  const line = button(page, /^Apt 2 Person 2: Ring/);
  const fail = button(page, 'Could not deliver: Person 2');
  expect(await fail.isVisible()).toBe(false);
  await line.tap();
  expect(await fail.isVisible()).toBe(true);
  await line.tap();
  const together = button(page, /^Delivered to \d recipients/);
  for (const unit of ['1', '3', '4']) {
    expect(await together.isVisible()).toBe(unit === '4');
    await page.getByLabel(`Choose Person ${unit}`).check();
  }
  await tap(page, 'Delivered to 3 recipients');
  await choosePhoto(page);
  await confirm(page);
  await button(page, 'Undo').tap();
  await expect.poll(() => page.getByLabel(/^Choose Person/).count()).toBe(4);
  await page.clock.fastForward(5_100);
  for (const unit of ['1', '3', '4']) await page.getByLabel(`Choose Person ${unit}`).check();
  await tap(page, 'Delivered to 3 recipients');
  await choosePhoto(page);
  await confirm(page);
  await page.clock.fastForward(5_100);
  const statuses = () => Promise.all(ids.map(async (id) => (await place.statusOf(id)).status));
  await expect.poll(statuses).toEqual(['delivered', 'arrived_at_dropoff', 'delivered', 'delivered']);
  for (const id of [ids[0], ids[3]])
    expect((await place.statusOf(id ?? '')).proof_of_delivery).toHaveLength(1);
});

inBrowser('a page that was loaded again says that it is mute and does not see the position', async () => {
  const place = await shop();
  const { page } = await startShift(place);
  const mute = button(page, /^Mute: tap/);
  const lost = page.getByText('Your shop does not see where you are. Let this page use the location.');
  await expect.poll(() => lost.isVisible()).toBe(true);
  await page.reload();
  await expect.poll(() => mute.isVisible()).toBe(true);
  await page.getByText('Nothing to do right now.').tap();
  await expect.poll(() => mute.isVisible()).toBe(false);
  await page.context().grantPermissions(['geolocation']);
  await page.context().setGeolocation({ latitude: 41.89, longitude: -87.63, accuracy: 10 });
  await page.clock.fastForward(61_000);
  await expect.poll(() => lost.isVisible()).toBe(false);
  await tap(page, 'Go off duty');
  expect(await mute.isVisible()).toBe(false);
});

inBrowser('a phone in Spanish gets its page, dialogs and refusals in Spanish', async () => {
  const place = await shop();
  await place.call('PATCH', '/v2/account', { fleet: { ask_pin: true } });
  const { page } = await open(place.link, { ...aPhone, locale: 'es-MX' });
  await tap(page, 'Empezar turno');
  const id = await place.give();
  await page.clock.fastForward(15_000);
  for (const name of ['Salir', 'Ya llegué', 'Recogido', 'Ya llegué', 'Entregado'])
    await tap(page, new RegExp(`^${name}`));
  const { handover_pin: pin } = await place.statusOf(id);
  await page.getByLabel('PIN del destinatario').fill(pin === '0000' ? '1111' : '0000');
  await page.getByRole('dialog').getByRole('button', { name: 'Entregado' }).tap();
  await expect
    .poll(() => faultOn(page))
    .toBe('El PIN no es correcto. Pregunte otra vez al destinatario. Intentos que quedan: 4.');
});

inBrowser('ten minutes on duty without stops cost at most a sixth of a megabyte', async () => {
  const place = await shop();
  const geolocation = { latitude: 41.89, longitude: -87.63, accuracy: 10 };
  const { page } = await startShift(place, {
    geolocation,
    permissions: ['geolocation'],
    serviceWorkers: 'block',
  });
  const network = await page.context().newCDPSession(page);
  let bytes = 0;
  let answers = 0;
  network.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    answers += 1;
  });
  await network.send('Network.enable');
  for (let at = 0; at < 60; at += 1) {
    const before = answers;
    await page.context().setGeolocation({ ...geolocation, latitude: 41.89 + at / 100_000 });
    await page.clock.fastForward(10_000);
    await expect.poll(() => answers).toBeGreaterThan(before);
  }
  expect(answers).toBeGreaterThanOrEqual(60);
  expect(bytes).toBeLessThan(1_000_000 / 6);
});

inBrowser('who goes off duty with stops left is asked', async () => {
  const { place, page } = await shiftWithStop();
  await expect.poll(textOf(page, '#news')).toMatch(/^New stop/);
  // The message lies over the button: the first tap takes it away.
  await page.locator('#news').tap();
  await expect.poll(textOf(page, '#news')).toBe('');
  await tap(page, 'Go off duty');
  const dialog = page.getByRole('dialog', { name: 'Go off duty with 2 stops left?' });
  await dialog.getByRole('button', { name: 'Stay on duty' }).tap();
  await page.clock.fastForward(1_000);
  expect(await place.call('GET', `/v2/drivers/${place.driver_id}`)).toMatchObject({ on_duty: true });
  await tap(page, 'Go off duty');
  await dialog.getByRole('button', { name: 'Go off duty' }).tap();
  await expect
    .poll(async () => (await place.call('GET', `/v2/drivers/${place.driver_id}`)).on_duty)
    .toBe(false);
});

inBrowser('a handover is proven by a signature', async () => {
  const { place, page, complaints, id: signed } = await shiftWithStop({ order: { request_signature: true } });
  await driveToRecipient(page);
  await tap(page, /^Delivered: Quentin/);
  await page.getByLabel('Name of the recipient').fill('Dana');
  await page.getByRole('button', { name: 'Use the name' }).tap();
  await confirm(page);
  await expect.poll(async () => (await place.statusOf(signed)).status).toBe('delivered');
  expect((await place.statusOf(signed)).signature).toMatchObject({ name: 'Dana' });
  expect(complaints).toEqual([]);
});

inBrowser('what may be left at the door is left there with a photo', async () => {
  const { place, page, id } = await shiftWithStop({ order: { undeliverable_action: 'leave_at_door' } });
  await driveToRecipient(page);
  await tap(page, /^Could not deliver: Quentin/);
  const dialog = page.getByRole('dialog');
  expect(await dialog.innerText()).toMatch(
    /Try to reach the recipient.*2\. Leave it at the door, and take a photo/s,
  );
  expect(await dialog.getByRole('radio').count()).toBe(0);
  await button(page, 'Leave at the door').tap();
  await choosePhoto(page);
  await button(page, 'Left at the door').tap();
  await page.clock.fastForward(5_100);
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('delivered');
  expect((await place.statusOf(id)).proof_of_delivery).toHaveLength(1);
});

inBrowser('what cannot be delivered goes back, and the page is small, with large buttons', async () => {
  const { place, page, id } = await shiftWithStop({ browser: { colorScheme: 'dark' } });
  await driveToRecipient(page);
  await tap(page, /^Could not deliver: Quentin/);
  await page.getByLabel('The recipient refused it').check();
  await page.getByLabel('Note').fill('Wrong order');
  await page.context().setOffline(true);
  await page.clock.fastForward(180_000);
  await expect.poll(() => page.getByText('You arrived 3 minutes ago.').count()).toBe(1);
  expect(await page.getByRole('link', { name: 'Call Pizza & Friends' }).getAttribute('href')).toBe(
    'tel:+13125550100',
  );
  await page.context().setOffline(false);
  await tap(page, 'Bring it back');
  await page.clock.fastForward(61_000);
  await expect.poll(async () => (await place.statusOf(id)).failure_reason).toBe('recipient_refused');
  await expect.poll(() => page.getByRole('heading', { name: /Bring back/ }).count()).toBe(1);
  const { headers } = await fetch(place.link, { headers: { 'accept-encoding': 'gzip' } });
  expect(Number(headers.get('content-length'))).toBeLessThan(25_000);
  const small = await page.evaluate(`[...document.querySelectorAll('.stop button, .stop a')]
    .filter((each) => each.offsetParent && each.offsetHeight < 48).map((each) => each.outerHTML)`);
  expect(small).toEqual([]);
  const manifest = await page.evaluate(
    `fetch(document.querySelector('[rel=manifest]').href).then((each) => each.json())`,
  );
  expect(manifest).toMatchObject({ display: 'standalone', start_url: expect.stringContaining('../') });
});
