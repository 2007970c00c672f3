import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { freshHome, jsonOf, linesIn, objectsIn, waybill } from '../harness.ts';

const journey = ['delivery_created', 'driver_assigned', 'enroute_pickup', 'pickup_complete', 'delivered'];

/** Waiting takes no time: it moves the clock that the service and its sandbox read. */
const sleep = async (ms: number) => void vi.setSystemTime(Date.now() + ms);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
});

test('a whole delivery step by step, which leaves no records', async () => {
  const home = freshHome();
  const folder = mkdtempSync(join(home, 'tmp-'));
  const { stdout, exit } = await waybill(['start', '--json'], { home, sleep, env: { TMPDIR: folder } });
  expect(exit).toBe(0);
  const events = objectsIn(stdout);
  const steps = events.filter(({ type }) => type === 'step');
  expect(steps.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(steps.map(({ command }) => String(command).split(' ').slice(1, 3).join(' '))).toEqual([
    ...['orders create', 'routes create', 'routes quote', 'quotes list'],
    ...[expect.stringMatching(/^dispatch rte_/), 'sandbox clock', 'deliveries explain'],
  ]);
  const statuses = events.filter(({ type }) => type === 'status');
  const reached = statuses.map(({ status }) => status);
  expect(reached).toEqual(expect.arrayContaining(journey));
  expect(new Set(reached).size).toBe(reached.length);
  expect(statuses.at(-1)).toMatchObject({ status: 'delivered', progress: 1 });
  expect(statuses[1]).toMatchObject({ courier_name: expect.stringMatching(/./) });
  expect(events.slice(6, -2)).toEqual(statuses);
  const { delivery, charges } = jsonOf(JSON.stringify(steps[6]?.data));
  expect(delivery).toMatchObject({ status: 'delivered', proof_of_delivery: [{ type: 'photo' }] });
  expect(charges).toMatchObject([{ kind: 'delivery', amount: 647 }]);
  const { type, next } = JSON.parse(linesIn(stdout).at(-1) ?? '');
  expect(type).toBe('done');
  expect(next).toHaveLength(4);
  for (const { args } of next) {
    if (args[0] === 'serve') continue;
    const tried = await waybill(args, { home: freshHome() });
    expect([args, tried.exit]).toEqual([args, 0]);
  }
  expect(readdirSync(folder)).toEqual([]);
  expect(readdirSync(home)).toEqual([expect.stringMatching(/^tmp-/)]);
});

/** The date stands before a time of the day that has passed at midnight. */
const clock = String.raw`[\d-]+ \d\d:\d\d:\d\d`;

test('for people it is explained, and each status has its line', async () => {
  const { stdout } = await waybill(['start'], { home: freshHome(), sleep });
  expect(stdout).toMatch(/^1\. Create an order\n/);
  expect(stdout).toContain("$ waybill orders create --pickup-address '43 E Ohio St, Chicago, IL 60611'");
  expect(stdout).toMatch(/poolride +\$5\.99 \+ \$0\.48 = \$6\.47/);
  expect(stdout).toContain('Dispatched to poolride for $6.47');
  for (const status of ['waiting for a driver', ...journey.slice(1)])
    expect(stdout).toMatch(new RegExp(`^   ${clock} +\\d+ %  ${status}`, 'm'));
  expect(stdout).toMatch(new RegExp(`^   ${clock}  100 %  delivered {2,}\\S`, 'm'));
  expect(stdout).toMatch(/Proof: photo\.\n {3}Charged: \$6\.47 \(delivery\)\.\n/);
  expect(stdout).toContain('Next:\n  waybill orders create');
  expect(stdout).toContain('waybill sandbox scenarios');
});
