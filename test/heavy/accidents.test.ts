import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../local-server.ts';
import { executable, needingBrowser } from '../program/browser.ts';
import { freshHome, serve } from '../program/run.ts';
import { open, useBrowser } from '../program/tracking-scene.ts';
import { clumsyDriver, numbersFrom } from './clumsy-driver.ts';
import { buildNextVersion } from './next-version.ts';
import { aPhone, type Shop, shop, startShift } from './shop.ts';

useBrowser();

const seed = Number(process.env.ACCIDENTS_SEED ?? 7);
/** As many handovers as an evening of the shop has. */
const recipients = Number(process.env.ACCIDENTS_RECIPIENTS ?? 54);
/** More than a driver may have at once are given when there is room. */
const at_once = 6;

const tower = '540 N State St, Chicago, IL 60654';
const streets = ['3400 N Broadway', '3150 N Sheffield Ave', '1320 W Addison St', '2400 N Clark St'];

/** Two dispatchers who give a delivery to two drivers at the same moment, and then back. */
async function twoDispatchers({ call, driver_id }: Shop) {
  const add = async (name: string) =>
    (await call('POST', '/v2/drivers', { name, phone_number: '+13125550132' })).id;
  const others = [await add('Ana Ruiz'), await add('Bo Chen')];
  const hand = (to: unknown, delivery_id: string, from: unknown) =>
    call('POST', `/v2/drivers/${to}/assignments`, { delivery_id, from_driver_id: from }).then(
      () => 'given',
      (fault: unknown) => String(fault),
    );
  let count = 0;
  return {
    count: () => count,
    /** One of the two is told who has it. */
    async meet(delivery_id: string) {
      count += 1;
      const answers = await Promise.all(others.map((each) => hand(each, delivery_id, driver_id)));
      expect(answers.toSorted()).toEqual([expect.stringContaining('look again'), 'given']);
      const holder = others[answers.indexOf('given')];
      expect(await hand(driver_id, delivery_id, holder)).toBe('given');
    },
  };
}

const evening = async () => {
  const home = freshHome();
  const next = buildNextVersion(join(home.folder, 'next'));
  const flags = ['--port', String(await freePort())];
  const place = await shop(flags, home);
  const { call, statusOf } = place;
  let stop = place.stop;
  const random = numbersFrom(seed);
  await call('PATCH', '/v2/account', { fleet: { ask_pin: true } });
  const { page, complaints } = await startShift(place, { permissions: ['geolocation'] });
  const { page: second, complaints: others } = await open(place.link, aPhone);
  const dispatchers = await twoDispatchers(place);
  const names = Array.from({ length: recipients }, (_, index) => `Recipient ${index}`);
  const ids: string[] = [];
  const giveNext = async () => {
    const index = ids.length;
    const street = `${streets[index % streets.length]}, Chicago, IL 60657`;
    const to = { dropoff_address: index % 2 === 0 ? tower : street, dropoff_unit: `Apt ${index}` };
    ids.push(await place.give({ ...to, dropoff_name: names[index], dropoff_notes: '' }));
  };
  const pinOf = async (name: string) => String((await statusOf(ids[names.indexOf(name)] ?? '')).handover_pin);
  const driver = clumsyDriver(page, { link: place.link, random, pinOf, second });
  const delivered = new Set<string>();
  const openIds = async () => {
    for (const id of ids)
      if (!delivered.has(id) && (await statusOf(id)).status === 'delivered') delivered.add(id);
    return ids.filter((id) => !delivered.has(id));
  };
  let restarts = 0;
  for (let step = 0; step < 60 * recipients && delivered.size < recipients; step += 1) {
    const left = await openIds();
    while (ids.length < recipients && ids.length - delivered.size < at_once) await giveNext();
    await driver.step(step % 2 === 0);
    if (step % 10 === 9) await driver.settle();
    const [meant] = left;
    if (step % 25 === 24 && meant !== undefined && !delivered.has(meant)) {
      await driver.settle();
      if ((await statusOf(meant)).status !== 'delivered') await dispatchers.meet(meant);
    }
    if (step % 30 === 15) {
      // The service is stopped and started again on its file, from the second time on as the next version.
      await stop();
      ({ stop } = await serve(home, { flags, ...(restarts > 0 && { program: next }) }));
      restarts += 1;
    }
  }
  const accidents = { ...driver.counts, dispatchers: dispatchers.count(), restarts };
  console.log({ seed, ...accidents });
  // Nothing is lost or doubled, and each status is reached once: nobody is sent back.
  const records = await Promise.all(ids.map(statusOf));
  expect(records.map(({ status }) => status)).toEqual(names.map(() => 'delivered'));
  for (const { status_history, proof_of_delivery } of records) {
    const history: { status: string }[] = JSON.parse(JSON.stringify(status_history));
    const reached = history.map(({ status }) => status).filter((status) => !status.startsWith('driver_'));
    expect(reached.filter((status, index) => reached.indexOf(status) !== index)).toEqual([]);
    expect(JSON.stringify(proof_of_delivery)).toContain('"pin"');
  }
  const { data } = await call('GET', '/v2/deliveries?limit=100');
  expect(Array.isArray(data) && data.length).toBe(recipients);
  await second.clock.fastForward(61_000);
  await expect.poll(() => second.getByText('0 stops').count()).toBe(1);
  // The phones have the page of the next version.
  expect(await page.evaluate("document.querySelector('style').textContent.includes('1.46')")).toBe(true);
  // Every accident has happened.
  expect(Object.entries(accidents).filter(([, count]) => count === 0)).toEqual([]);
  const own = /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|429|Failed to load resource|vibrate/;
  expect([...complaints, ...others].filter((text) => !own.test(text))).toEqual([]);
  await stop();
};

test.skipIf(executable === null)(
  needingBrowser(
    'a clumsy evening: nothing is lost or doubled, whatever happens to the phone, the shop and the service',
  ),
  evening,
);
