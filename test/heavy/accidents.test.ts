import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { freePort } from '../local-server.ts';
import { executable, needingBrowser } from '../program/browser.ts';
import { freshHome, serve } from '../program/run.ts';
import { open, useBrowser } from '../program/tracking-scene.ts';
import { aPhone, shop, startShift } from './shop.ts';

useBrowser();

const seed = Number(process.env.ACCIDENTS_SEED ?? 7);

/** Numbers from 0 to 1 that are the same in each run. */
function numbersFrom(first: number): () => number {
  let state = first;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

const tower = '540 N State St, Chicago, IL 60654';
const streets = ['3400 N Broadway', '3150 N Sheffield Ave', '1320 W Addison St', '2400 N Clark St'];

/** A driver who loses the network, reloads, goes back, taps twice, types wrong PINs and leaves orders at the shop. */
function clumsyDriver(
  page: Page,
  { link, random, pinOf }: { link: string; random: () => number; pinOf: (name: string) => Promise<string> },
) {
  const context = page.context();
  const counts: Record<string, number> = {};
  const count = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const wait = (ms: number) => page.clock.fastForward(ms);
  const accidents: Record<string, () => Promise<unknown>> = {
    offline: () => context.setOffline(true),
    reload: () => page.reload(),
    back: async () => {
      await page.goto('about:blank');
      await page.goBack();
    },
    leave: () => page.goto(link),
    denied: () => context.clearPermissions(),
  };
  const visible = (selector: string) => page.locator(selector).filter({ visible: true });

  /** What the dialog of a handover says; null if it is closed. */
  const said = (): Promise<string | null> =>
    page.evaluate(`(() => {
      const dialog = document.querySelector('#proof');
      return dialog?.open ? dialog.querySelector('[data-fault]').textContent : null;
    })()`);
  const isChecked = async () => /^Checking/.test((await said()) ?? '');

  /** Answers the question that a tap has opened. */
  const answer = async () => {
    if ((await said()) === null) return;
    const dialog = page.locator('#proof');
    const pin = dialog.locator('[name=pin]');
    const confirm = async (given: string) => {
      await pin.fill(given);
      await dialog.locator('.main').tap();
      await expect.poll(isChecked).toBe(false);
    };
    const right = await pinOf((await dialog.locator('h2').innerText()).replace('Deliver to ', ''));
    if (random() < 0.3) {
      count('wrong PIN');
      await confirm(right === '0000' ? '1111' : '0000');
      expect(await said()).toMatch(/PIN is wrong|No connection/);
    }
    await confirm(right);
    // Without a connection a PIN waits for a photo: the driver comes back to it.
    if ((await said()) !== null) await dialog.locator('button[value=""]').tap();
  };

  return {
    counts,
    async step(isAccident: boolean) {
      const names = Object.keys(accidents);
      const name = names[Math.floor(random() * names.length)] ?? '';
      if (isAccident && random() < 0.7) {
        count(name);
        await accidents[name]?.();
        if (name === 'reload' && (await page.locator('main').count()) === 0) await page.goto(link);
      } else if (random() < 0.5) await context.setOffline(false);
      await wait(1_000);
      const boxes = visible('.stop:first-child .orders [type=checkbox]');
      if (isAccident && (await boxes.count()) > 1 && random() < 0.3) {
        count('left at the shop');
        await boxes.last().uncheck();
      }
      // What was left at the shop stands behind the recipients: it is opened once they are done.
      const button = visible('.stop:first-child button.main:not(:disabled)').first();
      if ((await button.count()) === 0) {
        await wait(10_000);
        return;
      }
      const isTwice = random() < 0.2;
      if (isTwice) count('double tap');
      await button.tap();
      if (isTwice && (await page.locator('dialog[open]').count()) === 0) {
        const again = visible('.stop:first-child button.main:not(:disabled)').first();
        if ((await again.count()) > 0) await again.tap();
      }
      await answer();
      await wait(5_100);
    },
    async settle() {
      await context.setOffline(false);
      await wait(61_000);
    },
  };
}

const evening = async () => {
  const home = freshHome();
  const flags = ['--port', String(await freePort())];
  const place = await shop(flags, home);
  const { call } = place;
  let stop = place.stop;
  const random = numbersFrom(seed);
  await call('PATCH', '/v2/account', { fleet: { ask_pin: true } });
  const { page, complaints } = await startShift(place, { permissions: ['geolocation'] });
  const { page: second } = await open(place.link, aPhone);
  const other = await call('POST', '/v2/drivers', { name: 'Ana Ruiz', phone_number: '+13125550132' });
  const names = Array.from({ length: 12 }, (_, index) => `Recipient ${index}`);
  const ids: string[] = [];
  for (const [index, dropoff_name] of names.entries()) {
    const address = index % 2 === 0 ? tower : `${streets[index % streets.length]}, Chicago, IL 60657`;
    // As many as a driver may have at once are given at first, and the others when there is room.
    const give = () =>
      place.give({ dropoff_name, dropoff_address: address, dropoff_unit: `Apt ${index}`, dropoff_notes: '' });
    if (index < 6) ids.push(await give());
  }
  const pinOf = async (name: string) => {
    const id = ids[names.indexOf(name)] ?? '';
    return String((await place.statusOf(id)).handover_pin);
  };
  // Two dispatchers hand one delivery over at the same moment: one of them is told who has it.
  const [first = ''] = ids;
  const hand = (driver_id: unknown) =>
    call('POST', `/v2/drivers/${driver_id}/assignments`, {
      delivery_id: first,
      from_driver_id: place.driver_id,
    }).then(
      () => 'given',
      (fault: unknown) => String(fault),
    );
  const third = await call('POST', '/v2/drivers', { name: 'Bo Chen', phone_number: '+13125550139' });
  const hands = await Promise.all([hand(other.id), hand(third.id)]);
  expect(hands.filter((each) => each === 'given')).toHaveLength(1);
  const holder = hands[0] === 'given' ? other.id : third.id;
  await call('POST', `/v2/drivers/${place.driver_id}/assignments`, {
    delivery_id: first,
    from_driver_id: holder,
  });

  const driver = clumsyDriver(page, { link: place.link, random, pinOf });
  const statuses = () => Promise.all(ids.map(async (id) => String((await place.statusOf(id)).status)));
  const isOver = async () => (await statuses()).every((status) => status === 'delivered');
  for (let step = 0; step < 400 && !(ids.length === names.length && (await isOver())); step += 1) {
    await driver.step(step % 2 === 0);
    if (step % 10 === 9) await driver.settle();
    if (step === 15 || step === 45) {
      // An upgrade: the service is stopped and started again on its file.
      await stop();
      ({ stop } = await serve(home, { flags }));
    }
    const done = (await statuses()).filter((status) => status === 'delivered').length;
    if (ids.length < names.length && ids.length - done < 6) {
      const index = ids.length;
      const dropoff_address =
        index % 2 === 0 ? tower : `${streets[index % streets.length]}, Chicago, IL 60657`;
      ids.push(
        await place.give({
          ...{ dropoff_name: names[index], dropoff_address, dropoff_unit: `Apt ${index}`, dropoff_notes: '' },
        }),
      );
    }
  }
  console.log({ seed, ...driver.counts });
  expect(await statuses()).toEqual(names.map(() => 'delivered'));
  const records = await Promise.all(ids.map((id) => place.statusOf(id)));
  for (const { status_history, proof_of_delivery } of records) {
    const history: { status: string }[] = JSON.parse(JSON.stringify(status_history));
    const reached = history.map(({ status }) => status).filter((status) => !status.startsWith('driver_'));
    expect(reached.filter((status, index) => reached.indexOf(status) !== index)).toEqual([]);
    expect(JSON.stringify(proof_of_delivery)).toContain('"pin"');
  }
  const { data } = await call('GET', '/v2/deliveries?limit=100');
  expect(Array.isArray(data) && data.length).toBe(names.length);
  await second.clock.fastForward(61_000);
  await expect.poll(() => second.getByText('0 stops').count()).toBe(1);
  const own = /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|429|Failed to load resource|vibrate/;
  expect(complaints.filter((text) => !own.test(text))).toEqual([]);
  await stop();
};

test.skipIf(executable === null)(
  needingBrowser(
    'a clumsy evening: nothing is lost or doubled, whatever happens to the phone and the service',
  ),
  evening,
);
