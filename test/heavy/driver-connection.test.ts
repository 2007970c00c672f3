import { expect } from 'vitest';
import { freshHome, waybill } from '../program/run.ts';
import { inBrowser, open, useBrowser } from '../program/tracking-scene.ts';
import { aPhone, button, shiftWithStop, shop, startShift, tap, textOf } from './shop.ts';

useBrowser();

inBrowser('without a connection the page opens, taps wait, and are sent once it is back', async () => {
  const place = await shop();
  const { page } = await startShift(place);
  const id = await place.give();
  await page.reload();
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
  await page.reload();
  await expect.poll(() => page.getByRole('heading', { name: '2 stops' }).count()).toBe(1);
  await page.context().setOffline(true);
  for (const name of ['Start', 'I am there', 'Picked up']) await tap(page, new RegExp(`^${name}: Pizza`));
  await expect.poll(() => page.getByText('3 taps wait to be sent').count()).toBe(1);
  await page.reload();
  await expect.poll(() => page.getByRole('heading', { name: '1 stop', exact: true }).count()).toBe(1);
  // The clock of the phone is corrected: the tap still comes after those before.
  await page.clock.setSystemTime(Number(await page.evaluate('Date.now()')) - 3_600_000);
  await tap(page, /I am there: Quentin/);
  await expect.poll(() => page.getByText('4 taps wait to be sent').count()).toBe(1);
  expect((await place.statusOf(id)).status).toBe('driver_assigned');
  await page.context().setOffline(false);
  await page.clock.fastForward(61_000);
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('arrived_at_dropoff');
  const { status_history } = await place.statusOf(id);
  expect(JSON.stringify(status_history)).toMatch(
    /driver_assigned.*enroute_pickup.*arrived_at_pickup.*pickup_complete.*enroute_dropoff.*arrived_at_dropoff/,
  );
  await expect.poll(() => page.locator('#net').isVisible()).toBe(false);
  await expect.poll(() => button(page, /Delivered: Quentin/).count()).toBe(1);
});

inBrowser('taps wait until the service takes them, whatever else answers', async () => {
  const { place, page, id } = await shiftWithStop();
  let status = 401;
  await page.route('**/taps', (route) => route.fulfill({ status, body: '<h1>Sign in</h1>' }));
  await tap(page, /^Start: Pizza/);
  const notice = page.locator('#net');
  for (const [answered, says] of [
    [401, 'The service does not answer as it should (401): 1 tap waits to be sent.'],
    [413, 'The service does not answer as it should (413): 1 tap waits to be sent.'],
    [403, 'Your shop cannot get your taps now: 1 tap waits to be sent.'],
    [502, 'The service does not answer as it should (502): 1 tap waits to be sent.'],
  ] as const) {
    status = answered;
    await page.clock.fastForward(61_000);
    await expect.poll(() => notice.textContent()).toBe(says);
  }
  const unsent = page.getByRole('region', { name: 'Not sent yet' });
  expect(await unsent.innerText()).toMatch(/Start: Pizza & Friends, .*, may have been sent/);
  expect(await unsent.getByRole('button').count()).toBe(0);
  expect(
    await page.evaluate(`getComputedStyle(document.querySelector('.stop h2 small'), '::after').content`),
  ).toBe('" (not sent yet)"');
  await page.unroute('**/taps');
  await page.clock.fastForward(61_000);
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('enroute_pickup');
  await expect.poll(() => notice.isVisible()).toBe(false);
});

inBrowser('a service that is busy for a moment is asked again without a word, and then named', async () => {
  const { place, page, id } = await shiftWithStop();
  const notice = page.locator('#net');
  for (const status of [429, 503]) {
    let asked = 0;
    const again = Promise.withResolvers<void>();
    await page.route('**/taps', async (route) => {
      asked += 1;
      if (asked === 2) await again.promise;
      await route.fulfill({ status, body: '{"object":"error"}' });
    });
    await tap(page, status === 429 ? /^Start: Pizza/ : /^I am there: Pizza/);
    const askedAfterASecond = async () => {
      await page.clock.fastForward(1_000);
      return asked;
    };
    await expect.poll(askedAfterASecond).toBe(2);
    expect(await notice.textContent()).not.toContain(`${status}`);
    again.resolve();
    await expect.poll(() => notice.textContent()).toContain(`(${status}): 1 tap waits to be sent.`);
    await page.unroute('**/taps');
    await page.clock.fastForward(61_000);
    await expect.poll(() => notice.isVisible()).toBe(false);
  }
  expect((await place.statusOf(id)).status).toBe('arrived_at_pickup');
});

inBrowser('a tap that the service cannot read is named, and keeps no other tap from it', async () => {
  const { place, page, id } = await shiftWithStop();
  await button(page, /^Start: Pizza/).waitFor();
  await page.context().setOffline(true);
  for (const name of ['Start', 'I am there', 'Picked up']) await tap(page, new RegExp(`^${name}: Pizza`));
  let isCutOff = true;
  await page.route('**/taps', (route) => {
    const sent = route.request().postData() ?? '';
    if (sent.includes('arrive_pickup')) return route.fulfill({ status: 400, body: '{"object":"error"}' });
    return isCutOff && sent.includes('pick_up') ? route.abort() : route.continue();
  });
  await page.context().setOffline(false);
  await page.clock.fastForward(61_000);
  await expect.poll(textOf(page, '#said')).toBe('I am there: Pizza & Friends: The service refused this.');
  isCutOff = false;
  await page.clock.fastForward(61_000);
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('enroute_dropoff');
});

inBrowser('taps keep their order where the storage of the phone fails in between', async () => {
  const { place, page, id } = await shiftWithStop();
  await button(page, /^Start: Pizza/).waitFor();
  await page.context().setOffline(true);
  await page.evaluate(`window.add = IDBObjectStore.prototype.add;
    IDBObjectStore.prototype.add = () => { throw new Error('full'); };`);
  await tap(page, /^Start: Pizza/);
  await expect.poll(textOf(page, '#net')).toMatch(/1 tap waits.* Keep this page open\./);
  await page.evaluate(`IDBObjectStore.prototype.add = window.add;
    const { transaction } = IDBDatabase.prototype;
    IDBDatabase.prototype.transaction = function () {
      IDBDatabase.prototype.transaction = transaction;
      throw new Error('closed');
    };
    IDBObjectStore.prototype.delete = () => { throw new Error('full'); };`);
  for (const name of ['I am there', 'Picked up']) await tap(page, new RegExp(`^${name}: Pizza`));
  await expect.poll(textOf(page, '#net')).toMatch(/3 taps wait/);
  let requests = 0;
  page.on('request', (request) => {
    requests += request.url().endsWith('/taps') ? 1 : 0;
  });
  await page.context().setOffline(false);
  await page.clock.fastForward(61_000);
  await expect.poll(async () => (await place.statusOf(id)).status).toBe('enroute_dropoff');
  await expect.poll(() => page.locator('#net').isVisible()).toBe(false);
  expect(JSON.stringify((await place.statusOf(id)).status_history)).toMatch(
    /enroute_pickup.*arrived_at_pickup.*pickup_complete/,
  );
  expect(requests).toBeLessThan(5);
});

inBrowser(
  'a hidden second tab sends nothing that can still be undone, and Undo keeps what is done',
  async () => {
    const { place, page, id } = await shiftWithStop();
    for (const name of ['Start: Pizza', 'I am there: Pizza', 'Picked up: Pizza'])
      await tap(page, new RegExp(`^${name}`));
    const other = await page.context().newPage();
    await other.goto(place.link);
    await other.evaluate(`Object.defineProperty(document, 'hidden', { value: true })`);
    // The page itself cannot be loaded again, so that it is as old as before the next tap.
    await page.route('**/drive/*', (route) =>
      route.request().method() === 'GET' ? route.abort() : route.continue(),
    );
    await tap(page, /^I am there: Quentin/);
    await expect.poll(async () => (await place.statusOf(id)).status).toBe('arrived_at_dropoff');
    await button(page, /^Delivered: Quentin/).tap();
    await expect.poll(() => page.getByText('0 stops').count()).toBe(1);
    const sent = other.waitForResponse((response) => response.url() === place.link);
    await other.evaluate(`dispatchEvent(new Event('online'))`);
    await sent;
    expect((await place.statusOf(id)).status).toBe('arrived_at_dropoff');
    await button(page, 'Undo').tap();
    await expect.poll(() => button(page, /^Delivered: Quentin/).count()).toBe(1);
    expect(await button(page, /^I am there: Quentin/).count()).toBe(0);
  },
);

inBrowser('a wrong clock of the phone is not that of the shop, and set back it stops nothing', async () => {
  const place = await shop();
  const geolocation = { latitude: 41.89, longitude: -87.63, accuracy: 10 };
  const { page } = await open(place.link, { ...aPhone, geolocation, permissions: ['geolocation'] });
  const seen = async () =>
    JSON.stringify((await place.call('GET', `/v2/drivers/${place.driver_id}`)).location);
  // The time of a position is that of the phone.
  await page.evaluate(`const { geolocation } = navigator;
    const watch = geolocation.watchPosition.bind(geolocation);
    geolocation.watchPosition = (take, ...rest) =>
      watch(({ coords }) => take({ coords, timestamp: Date.now() }), ...rest);`);
  await page.clock.setSystemTime(Date.now() + 3_600_000);
  await tap(page, 'Go on duty');
  await expect.poll(() => page.locator('[data-updated]').textContent()).toMatch(/position at/);
  const times = String(await page.locator('[data-updated]').textContent()).match(/\d+:\d+/g) ?? [];
  const [updated = 0, seen_at = 0] = times.map((time) => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number);
    return hours * 60 + minutes;
  });
  const apart = Math.abs(seen_at - updated);
  expect(Math.min(apart, 12 * 60 - apart)).toBeLessThan(10);
  await tap(page, 'Go off duty');
  await page.clock.setSystemTime(Date.now());
  await page.context().setGeolocation({ ...geolocation, latitude: 41.95 });
  await tap(page, 'Go on duty');
  await expect.poll(seen).toContain('41.95');
});

inBrowser('what could not be picked up is not brought back', async () => {
  const { page } = await shiftWithStop();
  for (const name of ['Start', 'I am there']) await tap(page, new RegExp(`^${name}: Pizza`));
  await page.context().setOffline(true);
  await tap(page, /^Could not pick up/);
  await button(page, 'Report').tap();
  await expect.poll(() => page.getByText('0 stops').count()).toBe(1);
  expect(await page.locator('[data-kind=return]').count()).toBe(0);
});

inBrowser(
  'a suspended shop and a renewed link are told, and what was tapped before reaches the shop',
  async () => {
    const home = freshHome();
    const place = await shop([], home);
    const { page } = await startShift(place);
    const id = await place.give();
    await page.clock.fastForward(15_000);
    const accounts = async (...words: string[]) =>
      JSON.parse(
        (await waybill(home, 'admin', 'accounts', ...words, '--database', 'served.db', '--json')).stdout,
      );
    const [{ id: account_id }] = await accounts('list');
    await accounts('suspend', account_id);
    await page.clock.fastForward(15_000);
    const heading = page.getByRole('heading', { level: 1 });
    await expect.poll(() => heading.textContent()).toBe('This shop is suspended');
    expect(await button(page, /duty/).count()).toBe(0);
    await accounts('resume', account_id);
    await page.clock.fastForward(61_000);
    await expect.poll(() => heading.textContent()).toBe('2 stops');
    await page.context().setOffline(true);
    await tap(page, /^Start: Pizza/);
    const { link } = await place.call('POST', `/v2/drivers/${place.driver_id}/link`);
    await page.context().setOffline(false);
    await page.clock.fastForward(61_000);
    await expect.poll(() => heading.textContent()).toBe("This link isn't valid");
    await expect.poll(textOf(page, '#net')).toContain('no longer valid: 1 tap waits');
    await page.goto(String(link));
    await expect.poll(async () => (await place.statusOf(id)).status).toBe('enroute_pickup');
  },
);

inBrowser('what the shop takes away is told, and an outage shows the page as it was', async () => {
  const place = await shop();
  const { page } = await startShift(place);
  await page.reload();
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
  const id = await place.give();
  await page.reload();
  await expect.poll(() => page.getByRole('heading', { name: '2 stops' }).count()).toBe(1);
  const other = await place.call('POST', '/v2/drivers', { name: 'Kim Roe', phone_number: '+13125550134' });
  await place.call('POST', `/v2/drivers/${other.id}/assignments`, { delivery_id: id });
  await page.clock.fastForward(15_000);
  await expect.poll(textOf(page, '#news')).toMatch(/^No longer yours\. /);
  await place.call('POST', `/v2/drivers/${place.driver_id}/assignments`, { delivery_id: id });
  await page.clock.fastForward(15_000);
  await expect.poll(textOf(page, '#news')).toMatch(/^New stop\. /);
  await place.call('POST', `/v2/drivers/${other.id}/assignments`, { delivery_id: id });
  const two = { dropoff_name: 'Zoe Lane', dropoff_address: '5801 S Ellis Ave, Chicago, IL 60637' };
  await place.give({ ...two, pickup_address: '5801 S Ellis Ave, Chicago, IL 60637' });
  await page.clock.fastForward(15_000);
  await expect.poll(textOf(page, '#news')).toMatch(/^No longer yours\. .*233 S Wacker.*\. New stop\. /);
  await page.context().route('**/drive/*', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }));
  await page.reload();
  await expect.poll(() => page.getByRole('heading', { name: '2 stops' }).count()).toBe(1);
  await expect.poll(textOf(page, '#net')).toBe('No connection.');
});

inBrowser('an answer that takes its time is shown as sending', async () => {
  const place = await shop();
  const { page } = await startShift(place);
  await page.route('**/taps', async (route) => {
    await new Promise((done) => setTimeout(done, 4_000));
    await route.continue();
  });
  await tap(page, 'Go off duty');
  await expect.poll(textOf(page, '#net')).toBe('Sending.');
  await expect.poll(() => page.locator('#net').isVisible()).toBe(false);
});
