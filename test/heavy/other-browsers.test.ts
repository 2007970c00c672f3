import { expect, test } from 'vitest';
import { shop } from './shop.ts';
import { otherBrowsers } from './webdriver.ts';

/** What the page shows of these elements. */
const visible = (selector: string) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].filter((each) => each.offsetParent !== null)`;

for (const [name, start] of Object.entries(otherBrowsers)) {
  const title = `${name}: the board opens by its link, and a driver delivers with a PIN, through reloads`;
  if (typeof start === 'string') {
    test.skipIf(true)(`${title} (did not run: it ${start})`, () => {});
    continue;
  }
  test(title, async () => {
    const place = await shop();
    await place.call('PATCH', '/v2/account', { fleet: { ask_pin: true } });
    const browser = await start();
    const textOf = async (selector: string) =>
      String(await browser.read(`${visible(selector)}.map((each) => each.innerText).join(' ')`));
    /** Catches what the page's script does not. */
    const watch = () =>
      browser.read(`(window.faults = [], addEventListener('error', ({ message }) => faults.push(message)),
        addEventListener('unhandledrejection', ({ reason }) => faults.push(String(reason))), 0)`);
    const faults = () => browser.read('window.faults');
    /** Taps a button of the stop in front; a second tap within a moment would not count. */
    const tap = async (kind: string) => {
      const button = `.stop:first-child [data-tap=${kind}]`;
      await expect.poll(() => textOf(button)).not.toBe('');
      await browser.click(button);
      const tapped_at = Date.now();
      await expect.poll(() => Date.now() - tapped_at).toBeGreaterThan(800);
    };
    await browser.open(place.link);
    await watch();
    await browser.click('[data-tap=duty]');
    await expect
      .poll(async () => (await place.call('GET', `/v2/drivers/${place.driver_id}`)).on_duty)
      .toBe(true);
    // It may not have the position, and says so; without an answer to its question after a minute.
    await expect
      .poll(() => textOf('[data-hint=place]'), { timeout: 300_000 })
      .toMatch(/^Your shop does not see where you are/);
    const id = await place.give();
    const statusNow = async () => (await place.statusOf(id)).status;
    await browser.open(place.link);
    await watch();
    // Without a tap since it was loaded it would not be heard.
    await expect.poll(() => textOf('[data-hint=mute]')).toBe('Mute: tap to hear offers');
    await tap('start_pickup');
    await expect.poll(statusNow).toBe('enroute_pickup');
    await tap('arrive_pickup');
    await tap('pick_up');
    await expect.poll(statusNow).toBe('enroute_dropoff');
    expect(await faults()).toEqual([]);
    await browser.open(place.link);
    await watch();
    await tap('arrive_dropoff');
    await expect.poll(statusNow).toBe('arrived_at_dropoff');
    await tap('deliver');
    const pin = String((await place.statusOf(id)).handover_pin);
    const enter = async (given: string) => {
      await browser.read(`(document.querySelector('#proof [name=pin]').value = '${given}', 0)`);
      await browser.click('#proof .main');
    };
    await enter(pin === '0000' ? '1111' : '0000');
    await expect.poll(() => textOf('#proof [data-fault]')).toMatch(/^The PIN is wrong/);
    await enter(pin);
    await expect.poll(statusNow).toBe('delivered');
    await expect.poll(() => textOf('[data-empty]')).toMatch(/Nothing to do right now/);
    expect(await faults()).toEqual([]);
    await browser.open(String((await place.statusOf(id)).tracking_url));
    expect(await textOf('h1')).toBe('Delivered');
    await browser.open(`${place.url}/board#key=${place.key}`);
    await watch();
    await expect.poll(() => browser.read('document.body.innerText')).toMatch(/Sam Lee/);
    expect(await faults()).toEqual([]);
  });
}
