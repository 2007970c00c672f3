import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Numbers from 0 to 1 that are the same in each run. */
export function numbersFrom(first: number): () => number {
  let state = first;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

interface ClumsyDriver {
  /** The driver's link. */
  link: string;
  random: () => number;
  pinOf: (name: string) => Promise<string>;
  /** The same page on a second phone. */
  second: Page;
}

/** What happens to the phone. */
const phone_accidents = ['offline', 'reload', 'back', 'leave', 'denied'] as const;

/** All that a clumsy driver does, and how often it was done. */
type Counts = Record<
  (typeof phone_accidents)[number] | 'tap' | 'double tap' | 'wrong PIN' | 'left at the shop' | 'other phone',
  number
>;

/** A driver who loses the network, reloads, goes back, taps twice, types wrong PINs and leaves orders at the shop. */
export function clumsyDriver(page: Page, { link, random, pinOf, second }: ClumsyDriver) {
  const context = page.context();
  const counts: Counts = {
    ...{ tap: 0, 'double tap': 0, 'wrong PIN': 0, 'left at the shop': 0, 'other phone': 0 },
    ...{ offline: 0, reload: 0, back: 0, leave: 0, denied: 0 },
  };
  let isOffline = false;
  const setOffline = (is: boolean) => {
    isOffline = is;
    return context.setOffline(is);
  };
  const wait = (ms: number) => page.clock.fastForward(ms);
  const accidents: Record<(typeof phone_accidents)[number], () => Promise<unknown>> = {
    offline: () => setOffline(true),
    reload: () => page.reload(),
    back: async () => {
      await page.goto('about:blank');
      await page.goBack();
    },
    leave: () => page.goto(link),
    denied: () => context.clearPermissions(),
  };
  const front = '.stop:first-child';
  const mainButton = (of: Page) =>
    of.locator(`${front} button.main:not(:disabled)`).filter({ visible: true }).first();

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
      counts['wrong PIN'] += 1;
      await confirm(right === '0000' ? '1111' : '0000');
      expect(await said()).toMatch(/PIN is wrong|No connection/);
    }
    await confirm(right);
    // Without a connection a PIN waits for a photo: the driver comes back to it.
    if ((await said()) !== null) await dialog.locator('button[value=""]').tap();
  };

  /** The second phone shows the same, and what is tapped there has happened, too. */
  const tapOtherPhone = async () => {
    await second.clock.fastForward(11_000);
    const button = mainButton(second);
    const kind = (await button.count()) === 0 ? '' : await button.getAttribute('data-tap');
    if (!/^(start|arrive)_/.test(kind ?? '')) return;
    counts['other phone'] += 1;
    await button.tap();
    await second.clock.fastForward(1_000);
  };

  /** Who has something in the car drives to a recipient first, not back to the shop. */
  const expectRecipient = async () => {
    const kindInFront = () => page.evaluate(`document.querySelector('${front}')?.dataset.kind`);
    await expect.poll(kindInFront).not.toBe('pickup');
  };

  return {
    counts,
    async step(isAccident: boolean) {
      const name = phone_accidents[Math.floor(random() * phone_accidents.length)];
      if (isAccident && name !== undefined && random() < 0.7) {
        counts[name] += 1;
        await accidents[name]();
        if (name === 'reload' && (await page.locator('main').count()) === 0) await page.goto(link);
      } else if (random() < 0.5) await setOffline(false);
      if (isAccident && !isOffline && random() < 0.2) await tapOtherPhone();
      await wait(1_000);
      const boxes = page.locator(`${front} .orders [type=checkbox]`).filter({ visible: true });
      const isLeft = isAccident && (await boxes.count()) > 1 && random() < 0.5;
      if (isLeft) await boxes.last().uncheck();
      // What was left at the shop stands behind the recipients: it is opened once they are done.
      const button = mainButton(page);
      if ((await button.count()) === 0) {
        await wait(10_000);
        return;
      }
      const isPickup = (await button.getAttribute('data-tap')) === 'pick_up';
      const isTwice = random() < 0.2;
      counts.tap += 1;
      if (isTwice) counts['double tap'] += 1;
      await button.tap();
      if (isTwice && (await page.locator('dialog[open]').count()) === 0) {
        const again = mainButton(page);
        if ((await again.count()) > 0) await again.tap();
      }
      await answer();
      await wait(5_100);
      if (!isLeft || !isPickup) return;
      counts['left at the shop'] += 1;
      if (!isOffline) await expectRecipient();
    },
    async settle() {
      await setOffline(false);
      await context.grantPermissions(['geolocation']);
      await wait(61_000);
    },
  };
}
