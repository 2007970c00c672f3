import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freePort } from '../local-server.ts';
import { executable, needingBrowser } from '../program/browser.ts';
import { freshHome, serve } from '../program/run.ts';
import { open, useBrowser } from '../program/tracking-scene.ts';
import { type Accident, clumsyDriver } from './clumsy-driver.ts';
import { buildNextVersion } from './next-version.ts';
import { aPhone, type Shop, shop, startShift } from './shop.ts';

useBrowser();

const seed = Number(process.env.ACCIDENTS_SEED ?? 7);
/** As many handovers as the plan of accidents needs; more are given while a part of the plan is left. */
const recipients = 20;
/** More than a driver may have at once are given when there is room. */
const at_once = 6;
/** Each accident happens so often, in an order that the seed decides. */
const times_each = 2;
/** An accident is due after so many taps. */
const taps_between = 1;
/** Nobody needs so many taps. */
const most_steps = 150;

/** Numbers from 0 to 1 that are the same in each run. */
function numbersFrom(first: number): () => number {
  let state = first;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

function shuffled<T>(list: readonly T[]): T[] {
  const random = numbersFrom(seed);
  return list
    .map((each) => ({ each, at: random() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ each }) => each);
}

const tower = '540 N State St, Chicago, IL 60654';
const streets = ['3400 N Broadway', '3150 N Sheffield Ave', '1320 W Addison St', '2400 N Clark St'];

/** Two dispatchers who give a delivery to two drivers at the same moment, and then back: one of the two is told who has it. */
async function twoDispatchers({ call, driver_id }: Shop) {
  const add = async (name: string) =>
    (await call('POST', '/v2/drivers', { name, phone_number: '+13125550132' })).id;
  const others = [await add('Ana Ruiz'), await add('Bo Chen')];
  const hand = (to: unknown, delivery_id: string, from: unknown) =>
    call('POST', `/v2/drivers/${to}/assignments`, { delivery_id, from_driver_id: from }).then(
      () => 'given',
      (fault: unknown) => String(fault),
    );
  return async (delivery_id: string) => {
    const answers = await Promise.all(others.map((each) => hand(each, delivery_id, driver_id)));
    expect(answers.toSorted()).toEqual([expect.stringContaining('look again'), 'given']);
    expect(await hand(driver_id, delivery_id, others[answers.indexOf('given')])).toBe('given');
  };
}

const evening = async () => {
  const home = freshHome();
  const next = buildNextVersion(join(home.folder, 'next'));
  const flags = ['--port', String(await freePort())];
  const place = await shop(flags, home);
  const { call, statusOf } = place;
  let { stop } = place;
  await call('PATCH', '/v2/account', { fleet: { ask_pin: true } });
  const { page, complaints } = await startShift(place, { permissions: ['geolocation'] });
  const { page: second, complaints: others } = await open(place.link, aPhone);
  const meet = await twoDispatchers(place);
  const ids: string[] = [];
  const nameAt = (index: number) => `Recipient ${index}`;
  const giveNext = async () => {
    const index = ids.length;
    const street = `${streets[index % streets.length]}, Chicago, IL 60657`;
    const to = { dropoff_address: index % 2 === 0 ? tower : street, dropoff_unit: `Apt ${index}` };
    ids.push(await place.give({ ...to, dropoff_name: nameAt(index), dropoff_notes: '' }));
  };
  const pinOf = async (name: string) => {
    const id = ids.find((_, index) => nameAt(index) === name) ?? '';
    return String((await statusOf(id)).handover_pin);
  };
  const driver = clumsyDriver(page, { link: place.link, pinOf, second });

  const delivered = new Set<string>();
  const openIds = async () => {
    for (const id of ids)
      if (!delivered.has(id) && (await statusOf(id)).status === 'delivered') delivered.add(id);
    return ids.filter((id) => !delivered.has(id));
  };
  let running: string | undefined;
  /** The service is stopped, and started again on its file. */
  const restart = async () => {
    await stop();
    ({ stop } = await serve(home, { flags, ...(running !== undefined && { program: running }) }));
    return true;
  };
  const accidents: Record<string, Accident> = {
    ...driver.accidents,
    'two dispatchers': async () => {
      await driver.settle();
      const [meant] = await openIds();
      if (meant !== undefined) await meet(meant);
      return meant !== undefined;
    },
    restart,
    upgrade: () => {
      running = next;
      return restart();
    },
  };
  const names = Object.keys(accidents);
  const plan = shuffled(Array.from({ length: times_each }, () => names).flat()).map((name, index) => ({
    name,
    due: index * taps_between,
  }));
  const happened: string[] = [];
  /** The first accident that is due and can happen now. */
  const haveAccident = async (step: number) => {
    for (const [index, { name, due }] of plan.entries()) {
      if (due > step) return;
      if (!(await accidents[name]?.())) continue;
      plan.splice(index, 1);
      happened.push(`${step} ${name}`);
      return;
    }
  };
  const isOver = () => plan.length === 0 && ids.length >= recipients && delivered.size === ids.length;
  for (let step = 0; step < most_steps && !isOver(); step += 1) {
    while ((ids.length < recipients || plan.length > 0) && (await openIds()).length < at_once)
      await giveNext();
    await haveAccident(step);
    await driver.step();
    if (step % 10 === 9) await driver.settle();
    await openIds();
  }
  console.log({ seed, recipients: ids.length, happened });
  // Every accident has happened.
  expect(plan).toEqual([]);
  // Nothing is lost or doubled, and each status is reached once: nobody is sent back.
  const records = await Promise.all(ids.map(statusOf));
  expect(records.map(({ status }) => status)).toEqual(ids.map(() => 'delivered'));
  for (const { status_history, proof_of_delivery } of records) {
    const history: { status: string }[] = JSON.parse(JSON.stringify(status_history));
    const reached = history.map(({ status }) => status).filter((status) => !status.startsWith('driver_'));
    expect(reached.filter((status, index) => reached.indexOf(status) !== index)).toEqual([]);
    expect(JSON.stringify(proof_of_delivery)).toContain('"pin"');
  }
  const { data } = await call('GET', '/v2/deliveries?limit=100');
  expect(Array.isArray(data) && data.length).toBe(ids.length);
  await second.clock.fastForward(61_000);
  await expect.poll(() => second.getByText('0 stops').count()).toBe(1);
  // The phones have the page of the next version. They have read it with the policy of the version before.
  expect(await page.evaluate("document.querySelector('style').textContent.includes('1.46')")).toBe(true);
  const policy = await page.evaluate(
    "document.querySelector('[http-equiv=Content-Security-Policy]').content",
  );
  const isOfNext = (text: string) => String(policy).includes(/hash \('(sha256-[^']+)/.exec(text)?.[1] ?? '?');
  const own = /ERR_INTERNET_DISCONNECTED|ERR_CONNECTION|429|Failed to load resource|vibrate/;
  expect([...complaints, ...others].filter((text) => !own.test(text) && !isOfNext(text))).toEqual([]);
  await stop();
};

test.skipIf(executable === null)(
  needingBrowser(
    'a clumsy evening: nothing is lost or doubled, whatever happens to the phone, the shop and the service',
  ),
  evening,
);
