import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityFindings, largeTextFindings } from '../program/accessibility.ts';
import { inBrowser, open, useBrowser } from '../program/tracking-scene.ts';
import { type Shop, sendTaps, shop, shopOrder, textOf } from './shop.ts';

useBrowser();

/** Opens the board as `waybill board` does: with the key in the link. */
const openBoard = ({ url, key }: Shop, options: object = {}) =>
  open(`${url}/board#key=${key}`, { viewport: { width: 1440, height: 900 }, ...options });

const rows = (page: Page, list: 'Act now' | 'Deliveries' | 'Drivers') =>
  page.getByRole('listbox', { name: list, exact: true }).getByRole('option');
const showAll = (page: Page) => page.getByRole('button', { name: /^Deliveries/ }).click();
const panel = (page: Page) => page.locator('#panel');

/** Opens the form of an action, from the row of buttons or the menu. */
async function choose(page: Page, label: string): Promise<void> {
  const front = page.locator('#actions .bar > button').filter({ hasText: label });
  if ((await front.count()) === 0) await page.locator('[data-menu]').click();
  await page.locator('#actions .bar button').filter({ hasText: label }).click();
}

/** Chooses a driver in the form that is open: the rest of the option says when the driver would be there. */
async function chooseDriver(page: Page, name: string): Promise<void> {
  const option = page.locator('.action:not([hidden]) option').filter({ hasText: name });
  await page
    .locator('.action:not([hidden]) select[name=driver]')
    .selectOption((await option.getAttribute('value')) ?? '');
}

/** Adds a driver on duty at a position; returns the link of the driver's page. */
async function addDriver(place: Shop, name: string, phone_number: string, position: object): Promise<string> {
  const { link } = await place.call('POST', '/v2/drivers', { name, phone_number });
  await sendTaps(place, String(link), [{ kind: 'duty', on: true }], position);
  return String(link);
}

/** Makes a delivery that has failed; returns its ID. */
async function lose({ give, call }: Shop): Promise<string> {
  const id = await give({ external_order_ref: 'LOST' });
  await call('POST', `/v2/deliveries/${id}/reports`, { status: 'failed', note: 'It fell into the river' });
  return id;
}

/** Lets service time pass at once, and then as usual. */
async function advance({ call }: Shop, by: number): Promise<void> {
  await call('POST', '/v2/sandbox/clock', { mode: 'manual' });
  await call('POST', '/v2/sandbox/clock/advance', { by });
  await call('POST', '/v2/sandbox/clock', { mode: 'scaled', rate: 1 });
}

/** The first words of what needs a person. */
const wordsOf = (page: Page) => async () =>
  (await rows(page, 'Act now').allTextContents()).map((text) => text.split(/ #| Sam/)[0]);

inBrowser('a delivery is handed over in the panel and given back, and the board follows it', async () => {
  const place = await shop();
  const { page, complaints } = await openBoard(place);
  expect(page.url()).toBe(`${place.url}/board`);
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await expect.poll(() => page.getByText('No position is known yet.').isVisible()).toBe(true);
  await addDriver(place, 'Ana Ruiz', '+13125550134', { lat: 41.9, lng: -87.64 });
  const id = await place.give({ external_order_ref: 'B-1' });
  await showAll(page);
  await expect.poll(() => rows(page, 'Deliveries').count()).toBe(1);
  expect(await rows(page, 'Deliveries').first().textContent()).toMatch(
    /To the shop.*#B-1 Quentin Whitfield.*Sam Lee/s,
  );
  await expect.poll(() => page.locator('#map text').allTextContents()).toContain('Ana Ruiz');
  await rows(page, 'Deliveries').first().click();
  await choose(page, 'Hand over to…');
  await chooseDriver(page, 'Ana Ruiz, free');
  await page.getByRole('button', { name: 'Hand over to' }).click();
  await expect.poll(textOf(page, '#results')).toContain('#B-1 Quentin Whitfield: given to Ana Ruiz');
  expect((await place.statusOf(id)).courier_name).toBe('Ana Ruiz');
  await page.getByRole('button', { name: 'Give back to Sam Lee' }).click();
  await expect.poll(async () => (await place.statusOf(id)).courier_name).toBe('Sam Lee');
  const other = await place.give({ external_order_ref: 'B-2' });
  await rows(page, 'Drivers').filter({ hasText: 'Sam Lee' }).click();
  await expect.poll(() => page.locator('.tick').count()).toBe(2);
  await choose(page, 'Hand over…');
  await chooseDriver(page, 'Ana Ruiz, free');
  await page.getByRole('button', { name: 'Hand over' }).click();
  const results = () => page.locator('#results li').allTextContents();
  await expect
    .poll(results)
    .toEqual(['#B-1 Quentin Whitfield: given to Ana Ruiz', '#B-2 Quentin Whitfield: given to Ana Ruiz']);
  expect((await place.statusOf(other)).courier_name).toBe('Ana Ruiz');
  expect(await page.locator('[data-form=hand-over]').count()).toBe(0);
  for (const each of [id, other]) await place.call('POST', `/v1/delivery/${each}/cancel`);
  await expect.poll(() => rows(page, 'Deliveries').first().textContent()).toContain('Canceled');
  expect(complaints).toEqual([]);
});

inBrowser('orders that wait for a courier come first, with time, reason and next attempt', async () => {
  const place = await shop();
  await place.call('POST', '/v2/sandbox/clock', { mode: 'manual' });
  const order = {
    ...shopOrder,
    external_order_ref: 'W-1',
    dropoff_address: '11 Wall St, New York, NY 11201',
  };
  const settings = { mechanism: 'auto', retry_window: 3600, retry_interval: 1800 };
  await place.call('POST', '/orders/create', { orders: [order], settings });
  await place.call('POST', '/v2/sandbox/clock/advance', { by: 24 * 60 });
  const { page, complaints } = await openBoard(place);
  await expect.poll(() => rows(page, 'Act now').count()).toBe(1);
  expect(await rows(page, 'Act now').first().textContent()).toMatch(
    /Waiting.*#W-1 Quentin Whitfield.*24 min.*no provider offered a quote, next try \d/s,
  );
  await rows(page, 'Act now').first().click();
  await choose(page, 'Cancel the order…');
  await page.getByRole('button', { name: 'Cancel the order' }).click();
  await expect.poll(() => page.getByText('Nothing needs you now.').isVisible()).toBe(true);
  await place.call('POST', '/orders/create', { orders: [order], settings: { ...settings, retry_window: 0 } });
  await place.call('POST', '/v2/sandbox/clock/advance', { by: 600 });
  await expect
    .poll(() => rows(page, 'Act now').allTextContents())
    .toEqual([expect.stringMatching(/^No courier #W-1/)]);
  await rows(page, 'Act now').first().click();
  await choose(page, 'Create it again');
  await page.getByRole('button', { name: 'Create it again' }).click();
  await page.clock.runFor(100);
  await expect.poll(textOf(page, '#summary')).toBe('Order open');
  await expect
    .poll(() => rows(page, 'Act now').allTextContents())
    .toEqual([expect.stringMatching(/^Not sent #W-1/)]);
  expect(complaints).toEqual([]);
});

inBrowser(
  'late, locked and failed deliveries and parcels off duty need a person until one decides',
  async () => {
    const place = await shop();
    await place.call('PATCH', '/v2/account', { fleet: { per_delivery: 0, per_mile: 0, ask_pin: true } });
    await sendTaps(place, place.link, [{ kind: 'duty', on: true }]);
    const locked = await place.give({ external_order_ref: 'LOCKED' });
    await advance(place, 3 * 3600);
    const tried = { kind: 'deliver', delivery_ids: [locked], pin: 'none' };
    await sendTaps(place, place.link, [
      { kind: 'pick_up', delivery_ids: [locked] },
      ...Array.from({ length: 5 }, () => tried),
    ]);
    await lose(place);
    await sendTaps(place, place.link, [{ kind: 'duty', on: false }]);
    const { page, complaints } = await openBoard(place);
    const words = wordsOf(page);
    await expect.poll(words).toEqual(['Off duty', '!PIN locked', '✕Failed']);
    expect(await rows(page, 'Act now').first().textContent()).toContain('still has 1 parcel');
    await rows(page, 'Act now').nth(1).click();
    await page.getByRole('button', { name: 'Let the driver try again' }).click();
    await expect.poll(words).toEqual(['Off duty', '✕Failed', '!Late']);
    expect(await rows(page, 'Act now').nth(2).textContent()).toMatch(/\+2 h.*promised (\w+ \d+, )?\d/s);
    await rows(page, 'Act now').nth(1).click();
    expect(await panel(page).textContent()).toContain('It fell into the river');
    await choose(page, 'Try again…');
    await expect.poll(textOf(page, '[data-form=retry]')).toMatch(/By .* for \$/);
    await page.getByRole('button', { name: 'Back' }).click();
    await choose(page, 'Close without another try');
    await page.getByLabel('What was decided').fill('The shop makes a new one <b>tomorrow</b>');
    await page.getByRole('button', { name: 'Close without another try' }).click();
    await expect.poll(words).toEqual(['Off duty', '!Late']);
    await page.reload();
    await expect.poll(words).toEqual(['Off duty', '!Late']);
    expect(await panel(page).textContent()).toContain('<b>tomorrow</b> [closed]');
    await showAll(page);
    const decided = rows(page, 'Deliveries').filter({ hasText: 'LOST' });
    expect(await decided.locator('.bad').count()).toBe(0);
    expect(complaints).toEqual([]);
  },
);

inBrowser(
  '300 deliveries are found and worked with by keyboard, with at most 100 rows in the page',
  async () => {
    const place = await shop();
    for (let number = 0; number < 300; number += 1) {
      const changes = {
        external_order_ref: `R${number}`,
        dropoff_name: number === 7 ? 'Zoë Ångström' : `Guest ${number}`,
      };
      await place.call('POST', '/v1/delivery_information', { ...shopOrder, ...changes, initiate: true });
    }
    const { page, complaints } = await openBoard(place);
    await expect.poll(textOf(page, '#all-count')).toBe('300');
    await showAll(page);
    await page.locator('#all-list').evaluate((list) => list.scrollTo(0, list.scrollHeight / 2));
    await expect.poll(() => rows(page, 'Deliveries').first().getAttribute('aria-posinset')).not.toBe('1');
    expect(await page.getByRole('option').count()).toBeLessThan(100);
    await page.keyboard.press('/');
    await page.keyboard.type('angstrom');
    await page.clock.runFor(1000);
    await expect.poll(textOf(page, '#all-count')).toBe('1');
    expect(await rows(page, 'Deliveries').first().textContent()).toMatch(
      /#R7 Zoë Ångström.*matches dropoff name/s,
    );
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    expect(await page.locator('#panel-title').textContent()).toBe('#R7 Zoë Ångström');
    await page.reload();
    await expect.poll(textOf(page, '#panel-title')).toBe('#R7 Zoë Ångström');
    expect(await page.locator('#q').inputValue()).toBe('angstrom');
    await page.keyboard.press('Escape');
    expect(await panel(page).isVisible()).toBe(false);
    await page.locator('#q').focus();
    await page.keyboard.press('Escape');
    await expect.poll(textOf(page, '#all-count')).toBe('300');
    await page.locator('#all-list').focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.locator('#all-list .active').getAttribute('aria-posinset')).toBe('300');
    await page.keyboard.press('?');
    expect(await page.getByRole('dialog', { name: 'Keys' }).isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  },
);

inBrowser('an order that was left in a draft route is not sent either, and opens again', async () => {
  const place = await shop();
  const orders = [{ ...shopOrder, external_order_ref: 'DRAFT' }];
  const { id } = await place.call('POST', '/v2/orders/create', { orders });
  await place.call('POST', '/v2/routes', { order_ids: [id] });
  await place.call('POST', '/v2/sandbox/clock', { mode: 'manual' });
  await place.call('POST', '/v2/sandbox/clock/advance', { by: 300 });
  const { page, complaints } = await openBoard(place);
  await expect
    .poll(() => rows(page, 'Act now').allTextContents())
    .toEqual([expect.stringMatching(/^Not sent #DRAFT/)]);
  await rows(page, 'Act now').first().click();
  await choose(page, 'Open it again');
  await page.getByRole('button', { name: 'Open it again' }).click();
  await expect.poll(() => page.locator('#summary').textContent()).toBe('Order open');
  expect(complaints).toEqual([]);
});

inBrowser('an order that nobody sent is assigned to a driver', async () => {
  const place = await shop();
  const { id } = await place.call('POST', '/v2/orders/create', {
    orders: [{ ...shopOrder, external_order_ref: 'U-1' }],
  });
  const { page, complaints } = await openBoard(place);
  await expect.poll(() => rows(page, 'Act now').count()).toBe(1);
  expect(await rows(page, 'Act now').first().textContent()).toMatch(/Not sent.*#U-1/s);
  await rows(page, 'Act now').first().click();
  await choose(page, 'Assign to…');
  await chooseDriver(page, 'Sam Lee, off duty');
  await page.getByRole('button', { name: 'Assign to' }).click();
  await page.clock.runFor(2000);
  await expect.poll(textOf(page, '#results')).toBe('Given to Sam Lee.');
  const { delivery_id } = await place.call('GET', `/v2/orders/${id}`);
  await expect.poll(textOf(page, '#facts')).toContain(String(delivery_id));
  const dropoff_at = new Date(Date.now() + 36e5).toISOString();
  for (const changes of [{ external_order_ref: 'DUE', dropoff_at }, { external_order_ref: 'PLAIN' }])
    await place.call('POST', '/v2/orders/create', { orders: [{ ...shopOrder, ...changes }] });
  const refs = async () =>
    (await rows(page, 'Act now').allTextContents()).flatMap((text) => text.match(/DUE|PLAIN/)?.[0] ?? []);
  await page.clock.fastForward(31_000);
  await expect.poll(refs).toEqual(['PLAIN', 'DUE']);
  await page.getByLabel('Sort by').selectOption('Promised time');
  expect(await refs()).toEqual(['DUE', 'PLAIN']);
  await page.getByLabel('Search deliveries').fill('LATER');
  await page.getByLabel('Search deliveries').press('Enter');
  await expect.poll(textOf(page, '#all-none')).toMatch(/^Nothing matches/);
  await place.call('POST', '/v2/orders/create', { orders: [{ ...shopOrder, external_order_ref: 'LATER' }] });
  await page.clock.fastForward(31_000);
  await expect
    .poll(() => rows(page, 'Deliveries').allTextContents())
    .toEqual([expect.stringMatching(/LATER/)]);
  expect(complaints).toEqual([]);
});

inBrowser('a tall screen is filled with rows, and arrow keys, filters and sorting work on them', async () => {
  const place = await shop();
  for (let number = 10; number < 90; number += 1) {
    const order = {
      ...shopOrder,
      dropoff_name: number === 11 ? 'Quokka' : `Guest ${number}`,
      pickup_name: number % 2 ? 'North' : 'South',
    };
    await place.call('POST', '/v1/delivery_information', { ...order, initiate: true });
  }
  const { page, complaints } = await openBoard(place, { viewport: { width: 1440, height: 2600 } });
  await showAll(page);
  await expect.poll(() => rows(page, 'Deliveries').count()).toBeGreaterThan(42);
  const isFilled = `(() => {
    const list = document.querySelector('#all-list');
    const bottom = Math.max(...[...list.querySelectorAll('.row')].map((each) => each.getBoundingClientRect().bottom));
    return bottom >= Math.floor(list.getBoundingClientRect().bottom);
  })()`;
  expect(await page.evaluate(isFilled)).toBe(true);
  expect(await page.getByRole('option').count()).toBeLessThan(100);
  const active = async () => (await page.locator('#all-list .active').textContent())?.match(/Guest \d+/)?.[0];
  await page.getByLabel('Sort by').selectOption('Newest first');
  await page.locator('#all-list').focus();
  await expect.poll(active).toBe('Guest 89');
  for (const [keyName, guest] of [
    ['ArrowDown', 88],
    ['ArrowDown', 87],
    ['ArrowUp', 88],
    ['End', 10],
    ['Home', 89],
  ] as const) {
    await page.keyboard.press(keyName);
    expect(await active()).toBe(`Guest ${guest}`);
  }
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  expect(await page.locator('#panel-title').textContent()).toBe('Guest 88');
  await page.getByLabel('Store').selectOption('North');
  await expect.poll(textOf(page, '#all-count')).toBe('40');
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.locator('#map .dropoff').first().click();
  await expect.poll(textOf(page, '#place')).toBe('At one place: 40. Show all');
  await page.reload();
  await expect.poll(textOf(page, '#place')).toBe('At one place: 40. Show all');
  await page.getByLabel('Search deliveries').fill('quokka');
  await page.keyboard.press('Enter');
  await expect.poll(textOf(page, '#all-count')).toBe('1');
  expect(await page.locator('#place').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect.poll(textOf(page, '#all-count')).toBe('80');
  expect(complaints).toEqual([]);
});

inBrowser(
  'an undecided failure of last week stays, in the time of its shop, and a silent driver is named',
  async () => {
    const place = await shop();
    await sendTaps(place, place.link, [{ kind: 'duty', on: true }]);
    const failed = await lose(place);
    const { status_history } = await place.statusOf(failed);
    const at = new Date(JSON.parse(JSON.stringify(status_history)).at(-1).created_at);
    await advance(place, 6 * 24 * 3600);
    const id = await place.give({ external_order_ref: 'B-1' });
    const done = await place.give({ external_order_ref: 'B-2' });
    const { page, complaints } = await openBoard(place, { timezoneId: 'Asia/Tokyo' });
    const words = wordsOf(page);
    await expect.poll(words).toEqual(['✕Failed']);
    const zone = { timeZone: 'America/Chicago', timeZoneName: 'short' } as const;
    const day = at.toLocaleString('en-US', {
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      ...zone,
    });
    expect(await rows(page, 'Act now').first().textContent()).toContain(day);
    await place.call('POST', '/v2/sandbox/clock/advance', { by: 11 * 60 });
    await page.clock.fastForward(31_000);
    await expect.poll(words).toEqual(['✕Failed', 'Silent']);
    await sendTaps(place, place.link, [{ kind: 'deliver', delivery_ids: [done] }]);
    await page.clock.fastForward(31_000);
    await expect.poll(words).toEqual(['✕Failed']);
    await rows(page, 'Act now').first().click();
    await choose(page, 'Close without another try');
    await page.getByLabel('What was decided').fill('Paid back');
    await place.call('POST', `/v2/deliveries/${id}/reports`, { status: 'pickup_complete', note: 'Seen' });
    await page.clock.fastForward(31_000);
    await expect.poll(() => rows(page, 'Drivers').first().textContent()).toContain('1 on board');
    expect(await page.getByLabel('What was decided').inputValue()).toBe('Paid back');
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('What was decided').inputValue()).toBe('Paid back');
    const asked: string[] = [];
    page.once('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await page.keyboard.press('Escape');
    expect(asked).toEqual(['What you have typed is not sent. Leave it?']);
    await page.getByRole('button', { name: 'Close without another try' }).click();
    await expect.poll(words).toEqual([]);
    expect(complaints).toEqual([]);
  },
);

inBrowser('a waiting order is taken out of auto dispatch with all that it says', async () => {
  const place = await shop();
  await place.call('POST', '/v2/sandbox/clock', { mode: 'manual' });
  const store = await place.call('POST', '/v2/stores', {
    ...{ name: 'North', address: '43 E Ohio St, Chicago, IL 60611', phone_number: '+13125550100' },
  });
  const { pickup_address: _, pickup_name: __, pickup_phone_number: ___, ...rest } = shopOrder;
  const order = {
    ...{ ...rest, pickup_store_id: store.id, undeliverable_action: 'discard', external_order_ref: 'W-1' },
    ...{
      dropoff_address: '11 Wall St, New York, NY 11201',
    },
  };
  const settings = { mechanism: 'auto', retry_window: 3600, retry_interval: 1800 };
  await place.call('POST', '/orders/create', { orders: [order], settings });
  await place.call('POST', '/v2/sandbox/clock/advance', { by: 60 });
  const { page, complaints } = await openBoard(place);
  await rows(page, 'Act now').first().click();
  await choose(page, 'Take it out of auto dispatch…');
  await page.getByRole('button', { name: 'Take it out of auto dispatch' }).click();
  await page.clock.runFor(100);
  await expect.poll(textOf(page, '#summary')).toBe('Order open');
  const [created, canceled] = JSON.parse(JSON.stringify((await place.call('GET', '/v2/orders')).data));
  const { dropoff_notes, pickup_store_id, undeliverable_action } = order;
  expect(created).toMatchObject({ dropoff_notes, pickup_store_id, undeliverable_action, status: 'open' });
  expect(canceled.status).toBe('canceled');
  expect(complaints).toEqual([]);
});

for (const colorScheme of ['light', 'dark'] as const) {
  inBrowser(`every state of the board is accessible (${colorScheme})`, async () => {
    const place = await shop();
    const ana = await addDriver(place, 'Ana Ruiz', '+13125550134', { lat: 41.9, lng: -87.64 });
    const id = await place.give({ external_order_ref: 'B-1' });
    const failed = await lose(place);
    await sendTaps(place, ana, [{ kind: 'duty', on: false }]);
    const { page } = await open(`${place.url}/board`, {
      colorScheme,
      viewport: { width: 1440, height: 900 },
    });
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByLabel('API key').fill(place.key);
    await page.getByRole('button', { name: 'Open the board' }).click();
    await expect.poll(() => rows(page, 'Act now').count()).toBe(2);
    expect(await accessibilityFindings(page)).toEqual([]);
    for (const opened of [id, failed, place.driver_id]) {
      await page.evaluate(`location.hash = 'view=all&open=${opened}'`);
      await expect.poll(() => page.locator('#panel').getAttribute('hidden')).toBeNull();
      await page.locator('[data-menu]').click();
      expect(await accessibilityFindings(page)).toEqual([]);
      await page.keyboard.press('Escape');
      const names = await page
        .locator('#actions > .action')
        .evaluateAll((actions) => actions.map((action) => action.getAttribute('data-label') ?? ''));
      for (const name of names) {
        await choose(page, name);
        await expect.poll(() => page.locator('#actions').innerText()).not.toContain('Asking for the price…');
        expect([name, await accessibilityFindings(page)]).toEqual([name, []]);
        await page.getByRole('button', { name: 'Back' }).click();
      }
    }
    for (const width of [768, 390, 320]) {
      await page.setViewportSize({ width, height: 700 });
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      const areCut = await page
        .locator('#all-list b')
        .evaluateAll((names) => names.map((name) => name.scrollWidth > name.clientWidth));
      expect(areCut).not.toContain(true);
      expect(await accessibilityFindings(page)).toEqual([]);
    }
    await page.keyboard.press('Escape');
    for (const view of ['Drivers', 'Map', /^Act now/]) {
      await page.getByRole('button', { name: view }).click();
      expect(await accessibilityFindings(page)).toEqual([]);
      expect(await largeTextFindings(page)).toEqual([]);
    }
  });
}

inBrowser(
  'without a key the board asks for one and shows nothing; names are texts, never markup',
  async () => {
    const place = await shop();
    await sendTaps(place, place.link, [{ kind: 'duty', on: true }]);
    await place.give({ dropoff_name: '<img src=x onerror=document.title=1>', external_order_ref: '' });
    const { page, complaints, requests } = await open(`${place.url}/board`, { colorScheme: 'dark' });
    await page.getByLabel('API key').fill('wb_test_wrong');
    await page.getByRole('button', { name: 'Open the board' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/This API key is not valid/);
    expect(await page.locator('#board').isVisible()).toBe(false);
    await page.getByLabel('API key').fill(place.key);
    await page.getByRole('button', { name: 'Open the board' }).click();
    await showAll(page);
    await expect.poll(() => rows(page, 'Deliveries').count()).toBe(1);
    expect(await rows(page, 'Deliveries').first().textContent()).toContain('<img src=x');
    await rows(page, 'Deliveries').first().click();
    expect(await page.locator('#panel-title').textContent()).toContain('<img src=x');
    await page.reload();
    await expect.poll(() => rows(page, 'Deliveries').count()).toBe(1);
    expect(requests.filter((url) => url.includes(place.key))).toEqual([]);
    expect(complaints.filter((each) => !each.includes('401'))).toEqual([]);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.reload();
    await expect.poll(() => page.getByLabel('API key').isVisible()).toBe(true);
    await page.evaluate(`location.hash = 'key=${place.key}'`);
    await expect.poll(() => page.locator('#board').isVisible()).toBe(true);
    expect(page.url()).toBe(`${place.url}/board`);
  },
);

inBrowser('a late refusal of a wrong key does not forget the one that was entered after it', async () => {
  const place = await shop();
  const { page } = await open(`${place.url}/board`);
  const held = Promise.withResolvers<void>();
  await page.route('**/v2/drivers?*', async (route) => {
    if (route.request().headers()['x-api-key'] === 'wb_test_wrong') await held.promise;
    await route.continue();
  });
  await page.getByLabel('API key').fill('wb_test_wrong');
  await page.getByRole('button', { name: 'Open the board' }).click();
  await expect.poll(() => page.getByLabel('API key').isVisible()).toBe(true);
  await page.getByLabel('API key').fill(place.key);
  await page.getByRole('button', { name: 'Open the board' }).click();
  await expect.poll(() => page.locator('#board').isVisible()).toBe(true);
  const refused = page.waitForResponse((response) => response.status() === 401);
  held.resolve();
  await (await refused).finished();
  await expect.poll(() => page.locator('#net').textContent()).toMatch(/^Updated/);
  expect(await page.locator('#board').isVisible()).toBe(true);
});

/** How far what is shown has moved, as browsers measure it. */
const movedWhileLoading = `new Promise((resolve) => {
  const sum = (list) => list.getEntries().reduce((total, each) => total + (each.hadRecentInput ? 0 : each.value), 0);
  new PerformanceObserver((list) => resolve(sum(list))).observe({ type: 'layout-shift', buffered: true });
  setTimeout(() => resolve(0), 5000);
})`;

inBrowser('without a network nothing moves, and the time of what is shown is that of the shop', async () => {
  const place = await shop();
  await sendTaps(place, place.link, [{ kind: 'duty', on: true }]);
  await place.give({ external_order_ref: 'B-1' });
  for (const width of [1440, 1000, 390]) {
    const { page } = await openBoard(place, { timezoneId: 'Asia/Tokyo', viewport: { width, height: 800 } });
    await showAll(page);
    await expect.poll(textOf(page, '#net')).toMatch(/^Updated .* C[SD]T$/);
    // Nor while it loads.
    expect(await page.evaluate(movedWhileLoading)).toBeLessThan(0.01);
    const places = () =>
      page.evaluate(`[...document.querySelectorAll('header, header *, #all-list, .row')]
        .map((each) => JSON.stringify(each.getBoundingClientRect()))`);
    const before = await places();
    await page.context().setOffline(true);
    await page.clock.fastForward(31_000);
    await expect.poll(textOf(page, '#net')).toMatch(/^Offline, as of .* C[SD]T\. No connection/);
    expect(await places()).toEqual(before);
  }
});

inBrowser('a revoked key takes neither the board nor what is typed, and another one goes on', async () => {
  const place = await shop();
  await sendTaps(place, place.link, [{ kind: 'duty', on: true }]);
  const id = await place.give({ external_order_ref: 'B-1' });
  const made = await place.call('POST', '/v2/api_keys', { name: 'Board', permission: 'write' });
  const { page } = await open(`${place.url}/board#key=${made.key}`, {
    viewport: { width: 1440, height: 900 },
  });
  await page.evaluate(`location.hash = 'open=${id}'`);
  await choose(page, 'Add a note');
  await page.getByLabel('Note, for your people only').fill('Half a note');
  await place.call('DELETE', `/v2/api_keys/${made.id}`);
  await page.clock.fastForward(31_000);
  await expect.poll(() => page.locator('#renew').isVisible()).toBe(true);
  expect(await page.getByLabel('Note, for your people only').inputValue()).toBe('Half a note');
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByLabel('The key no longer works').fill(place.key);
  await page.getByRole('button', { name: 'Go on' }).click();
  await expect.poll(textOf(page, '#net')).toMatch(/^Updated/);
  expect(await page.getByLabel('Note, for your people only').inputValue()).toBe('Half a note');
  await page.getByRole('button', { name: 'Add a note' }).click();
  await expect.poll(textOf(page, '#results')).toBe('Noted.');
});

inBrowser('before the key a turned phone is no error, and paper has the whole list', async () => {
  const place = await shop();
  for (let number = 0; number < 80; number += 1)
    await place.call('POST', '/v1/delivery_information', { ...shopOrder, initiate: true });
  const { page, complaints } = await open(`${place.url}/board`, { viewport: { width: 390, height: 844 } });
  await page.setViewportSize({ width: 844, height: 390 });
  await expect.poll(() => page.getByLabel('API key').isVisible()).toBe(true);
  await page.evaluate(`location.hash = 'key=${place.key}'`);
  await showAll(page);
  await expect.poll(textOf(page, '#all-count')).toBe('80');
  expect(await rows(page, 'Deliveries').count()).toBeLessThan(80);
  await page.emulateMedia({ media: 'print' });
  await page.evaluate("dispatchEvent(new Event('beforeprint'))");
  expect(await rows(page, 'Deliveries').count()).toBe(80);
  const [height, list] = [
    await page.evaluate('document.documentElement.scrollHeight'),
    await page.locator('#all-list').evaluate((each) => each.getBoundingClientRect().height),
  ];
  expect(Number(list)).toBeGreaterThan(80 * 50);
  expect(Number(height)).toBeGreaterThan(Number(list));
  expect(complaints).toEqual([]);
});
