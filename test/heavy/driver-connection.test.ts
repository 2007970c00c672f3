import { expect } from 'vitest';
import { freshHome, waybill } from '../program/run.ts';
import { inBrowser, useBrowser } from '../program/tracking-scene.ts';
import { button, patiently, shop, startShift, tap } from './shop.ts';

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
  await tap(page, /I am there: Quentin/);
  await expect.poll(() => page.getByText('4 taps wait to be sent').count()).toBe(1);
  expect((await place.statusOf(id)).status).toBe('driver_assigned');
  await page.context().setOffline(false);
  await page.clock.fastForward(61_000);
  await expect.poll(async () => (await place.statusOf(id)).status, patiently).toBe('arrived_at_dropoff');
  const { status_history } = await place.statusOf(id);
  expect(JSON.stringify(status_history)).toMatch(
    /driver_assigned.*enroute_pickup.*arrived_at_pickup.*pickup_complete.*enroute_dropoff.*arrived_at_dropoff/,
  );
  await expect.poll(() => page.locator('#net').isVisible()).toBe(false);
  await expect.poll(() => button(page, /Delivered: Quentin/).count()).toBe(1);
});

inBrowser('taps wait until the service takes them, whatever else answers', async () => {
  const place = await shop();
  const { page } = await startShift(place);
  const id = await place.give();
  await page.clock.fastForward(15_000);
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
    await expect.poll(() => notice.textContent(), patiently).toBe(says);
  }
  const unsent = page.getByRole('region', { name: 'Not sent yet' });
  expect(await unsent.innerText()).toMatch(/Start: Pizza & Friends, .*, may have been sent/);
  expect(await unsent.getByRole('button').count()).toBe(0);
  expect(
    await page.evaluate(`getComputedStyle(document.querySelector('.stop h2 small'), '::after').content`),
  ).toBe('" (not sent yet)"');
  await page.unroute('**/taps');
  await page.clock.fastForward(61_000);
  await expect.poll(async () => (await place.statusOf(id)).status, patiently).toBe('enroute_pickup');
  await expect.poll(() => notice.isVisible(), patiently).toBe(false);
});

inBrowser('a tap that the service cannot read is named, and keeps no other tap from it', async () => {
  const place = await shop();
  const { page } = await startShift(place);
  const id = await place.give();
  await page.clock.fastForward(15_000);
  await page.context().setOffline(true);
  for (const name of ['Start', 'I am there', 'Picked up']) await tap(page, new RegExp(`^${name}: Pizza`));
  await page.route('**/taps', (route) =>
    route.request().postData()?.includes('arrive_pickup')
      ? route.fulfill({ status: 400, body: '{"object":"error"}' })
      : route.continue(),
  );
  await page.context().setOffline(false);
  await page.clock.fastForward(61_000);
  await expect.poll(async () => (await place.statusOf(id)).status, patiently).toBe('enroute_dropoff');
  await expect
    .poll(() => page.locator('#said').textContent(), patiently)
    .toBe('I am there: Pizza & Friends: The service refused this.');
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
    await expect.poll(() => heading.textContent(), patiently).toBe('This shop is suspended');
    expect(await button(page, /duty/).count()).toBe(0);
    await accounts('resume', account_id);
    await page.clock.fastForward(61_000);
    await expect.poll(() => heading.textContent(), patiently).toBe('2 stops');
    await page.context().setOffline(true);
    await tap(page, /^Start: Pizza/);
    const { link } = await place.call('POST', `/v2/drivers/${place.driver_id}/link`);
    await page.context().setOffline(false);
    await page.clock.fastForward(61_000);
    await expect.poll(() => heading.textContent(), patiently).toBe("This link isn't valid");
    await expect.poll(() => page.locator('#net').textContent()).toContain('no longer valid: 1 tap waits');
    await page.goto(String(link));
    await expect.poll(async () => (await place.statusOf(id)).status, patiently).toBe('enroute_pickup');
  },
);

inBrowser('what the shop takes away is told, and an outage shows the page as it was', async () => {
  const place = await shop();
  const { page } = await startShift(place);
  await page.reload();
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null'), patiently).toBe(true);
  const id = await place.give();
  await page.reload();
  await expect.poll(() => page.getByRole('heading', { name: '2 stops' }).count(), patiently).toBe(1);
  const other = await place.call('POST', '/v2/drivers', { name: 'Kim Roe', phone_number: '+13125550134' });
  await place.call('POST', `/v2/drivers/${other.id}/assignments`, { delivery_id: id });
  await page.clock.fastForward(15_000);
  await expect.poll(() => page.locator('#news').textContent(), patiently).toMatch(/^No longer yours\. /);
  await place.call('POST', `/v2/drivers/${place.driver_id}/assignments`, { delivery_id: id });
  await page.clock.fastForward(15_000);
  await expect.poll(() => page.locator('#news').textContent(), patiently).toMatch(/^New stop\. /);
  await page.context().route('**/drive/*', (route) => route.fulfill({ status: 502, body: 'Bad Gateway' }));
  await page.reload();
  await expect.poll(() => page.getByRole('heading', { name: '2 stops' }).count(), patiently).toBe(1);
  await expect.poll(() => page.locator('#net').textContent(), patiently).toBe('No connection.');
});

inBrowser('an answer that takes its time is shown as sending', async () => {
  const place = await shop();
  const { page } = await startShift(place);
  await page.route('**/taps', async (route) => {
    await new Promise((done) => setTimeout(done, 4_000));
    await route.continue();
  });
  await tap(page, 'Go off duty');
  await expect.poll(() => page.locator('#net').textContent(), patiently).toBe('Sending.');
  await expect.poll(() => page.locator('#net').isVisible(), patiently).toBe(false);
});
