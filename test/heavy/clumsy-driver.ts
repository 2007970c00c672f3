import type { Page } from 'playwright-core';
import { expect } from 'vitest';

interface ClumsyDriver {
  /** The driver's link. */
  link: string;
  pinOf: (name: string) => Promise<string>;
  /** The same page on a second phone. */
  second: Page;
}

/** Lets something happen; false if it cannot happen now. */
export type Accident = () => Promise<boolean>;

/** For so many taps a driver who has lost the network has none. */
const taps_offline = 3;

/** A driver who loses the network, reloads, goes back, taps twice, types wrong PINs and leaves orders at the shop. */
export function clumsyDriver(page: Page, { link, pinOf, second }: ClumsyDriver) {
  const context = page.context();
  let offlineTaps = 0;
  const isOffline = () => offlineTaps > 0;
  const wait = (ms: number) => page.clock.fastForward(ms);
  const front = '.stop:first-child';
  const main = `${front} button.main:not(:disabled)`;

  /** Reads from a page that may load itself again at any time, as it does after an upgrade. */
  const read = async <T>(of: Page, script: string): Promise<T> => {
    for (;;) {
      try {
        return await of.evaluate<T>(script);
      } catch (fault) {
        if (!String(fault).includes('context was destroyed')) throw fault;
        await of.waitForLoadState();
      }
    }
  };
  /** What the button in front reports; empty without one. */
  const kindInFront = (of: Page) =>
    read<string>(
      of,
      `(() => {
      const button = [...document.querySelectorAll(${JSON.stringify(main)})].find((each) => each.offsetParent);
      return button?.dataset.tap ?? '';
    })()`,
    );
  /** Taps the button in front; false if it has gone meanwhile. */
  const tap = async (of: Page) =>
    (await kindInFront(of)) !== '' &&
    (await of
      .locator(main)
      .filter({ visible: true })
      .first()
      .tap({ timeout: 20_000 })
      .then(
        () => true,
        () => false,
      ));
  /** Lets the time pass in which a slip can be undone. */
  const passHold = () => wait(5_100);

  /** What the dialog of a handover says; null if it is closed. */
  const said = () =>
    read<string | null>(
      page,
      `(() => {
      const dialog = document.querySelector('#proof');
      return dialog?.open ? dialog.querySelector('[data-fault]').textContent : null;
    })()`,
    );
  const isChecked = async () => /^Checking/.test((await said()) ?? '');

  /** Answers the question that a tap has opened, if it has; a wrong PIN is refused. */
  const answer = async ({ isWrong = false } = {}) => {
    if ((await said()) === null) return false;
    const dialog = page.locator('#proof');
    const confirm = async (given: string) => {
      await dialog.locator('[name=pin]').fill(given);
      await dialog.locator('.main').tap();
      await expect.poll(isChecked).toBe(false);
    };
    const right = await pinOf((await dialog.locator('h2').innerText()).replace('Deliver to ', ''));
    if (isWrong) {
      await confirm(right === '0000' ? '1111' : '0000');
      expect(await said()).toContain('PIN is wrong');
    }
    await confirm(right);
    // Without a connection a PIN waits for a photo: the driver comes back to it.
    if ((await said()) !== null) await dialog.locator('button[value=""]').tap();
    return true;
  };

  /** Who has something in the car drives to a recipient first, not back to the shop. */
  const expectRecipient = async () => {
    const stopInFront = () => read(page, `document.querySelector('${front}')?.dataset.kind`);
    await expect.poll(stopInFront).toBe('dropoff');
  };

  const always = (work: () => Promise<unknown>): Accident => {
    return async () => {
      await work();
      if ((await page.locator('main').count()) === 0) await page.goto(link);
      return true;
    };
  };

  const accidents = {
    offline: always(() => {
      offlineTaps = taps_offline;
      return context.setOffline(true);
    }),
    reload: always(() => page.reload()),
    back: always(async () => {
      await page.goto('about:blank');
      await page.goBack();
    }),
    leave: always(() => page.goto(link)),
    'position denied': always(() => context.clearPermissions()),
    'double tap': async () => {
      if (!(await tap(page))) return false;
      const isAsked = await answer();
      if (!isAsked) await tap(page);
      await answer();
      await passHold();
      return !isAsked;
    },
    'wrong PIN': async () => {
      if (isOffline() || (await kindInFront(page)) !== 'deliver' || !(await tap(page))) return false;
      const isAsked = await answer({ isWrong: true });
      await passHold();
      return isAsked;
    },
    'left at the shop': async () => {
      const boxes = page.locator(`${front} .orders [type=checkbox]`).filter({ visible: true });
      if (isOffline() || (await kindInFront(page)) !== 'pick_up' || (await boxes.count()) < 2) return false;
      await boxes.last().uncheck();
      if (!(await tap(page))) return false;
      await passHold();
      await expectRecipient();
      return true;
    },
    /** What is tapped on the second phone has happened on the first, too. */
    'other phone': async () => {
      await second.clock.fastForward(11_000);
      if (isOffline() || !/^(start|arrive)_/.test(await kindInFront(second))) return false;
      const isTapped = await tap(second);
      await second.clock.fastForward(1_000);
      return isTapped;
    },
  } satisfies Record<string, Accident>;

  /** The network and the position are there again. */
  const settle = async () => {
    offlineTaps = 0;
    await context.setOffline(false);
    await context.grantPermissions(['geolocation']);
    await wait(61_000);
  };

  return {
    accidents,
    settle,
    /** Taps what stands in front. */
    async step() {
      await wait(1_000);
      const isTapped = await tap(page);
      await answer();
      await (isTapped ? passHold() : wait(10_000));
      if (!isOffline()) return;
      offlineTaps -= 1;
      if (!isOffline()) await context.setOffline(false);
    },
  };
}
