import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { errorOf, freshHome, jsonOf, type RunOptions, waybill } from '../../harness.ts';

const reported = [
  ['delivery_created', undefined],
  ['driver_assigned', 'accept'],
  ['enroute_pickup', 'start_pickup'],
  ['arrived_at_pickup', 'arrive_pickup'],
  ['pickup_complete', 'pick_up'],
  ['enroute_dropoff', 'start_dropoff'],
  ['arrived_at_dropoff', 'arrive_dropoff'],
  ['delivered', 'deliver'],
];

/** The service's clock runs 25 times as fast while the command waits, so that the service's own work keeps up. */
async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0 && !signal.aborted; left -= 250) {
    vi.setSystemTime(Date.now() + Math.min(250, left));
    await setTimeout(10);
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** The address of the driver's page in what was written. */
const linkIn = (text: string) => /http:\/\/127\.0\.0\.1:\d+\/drive\/[0-9A-Za-z]{22}/.exec(text)?.[0] ?? '';

/** The page at a link. */
const pageAt = async (link: string) => (await fetch(link, { headers: { connection: 'close' } })).text();

test('a driver of the own fleet is tapped to the door, and nothing is kept', async () => {
  const home = freshHome();
  const folder = mkdtempSync(join(home, 'tmp-'));
  const { stdout, exit, stderr } = await waybill(['start', '--fleet', '--json'], {
    ...{ home, sleep, env: { TMPDIR: folder } },
  });
  const context = { type: 'context', profile: 'start', mode: 'test' };
  expect([exit, stderr]).toEqual([0, `${JSON.stringify(context)}\n`]);
  const events = stdout.trim().split('\n').map(jsonOf);
  const steps = events.filter(({ type }) => type === 'step');
  expect(steps.map(({ step }) => step)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(steps.map(({ command }) => String(command).split(' ').slice(1, 3).join(' '))).toEqual([
    ...['drivers add', 'drivers list', 'orders create', 'routes create', 'routes quote', 'quotes list'],
    ...[expect.stringMatching(/^dispatch rte_/), 'deliveries watch', 'deliveries explain'],
  ]);
  expect(steps[6]?.command).toMatch(/ --provider fleet$/);
  expect(steps[1]?.data).toMatchObject({ on_duty: true, location: { lat: 41.8827 } });
  const statuses = events.filter(({ type }) => type === 'status');
  expect(statuses.map(({ status, tap }) => [status, tap])).toEqual(reported);
  expect(statuses.slice(1).map(({ courier_name }) => courier_name)).toEqual(Array(7).fill('Sam Lee'));
  const times = statuses.map(({ created_at }) => Date.parse(String(created_at)));
  for (const [index, time] of times.slice(1).entries())
    expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(20_000);
  const { delivery, charges } = jsonOf(JSON.stringify(steps[8]?.data));
  expect(delivery).toMatchObject({ status: 'delivered', service: 'fleet', courier_name: 'Sam Lee' });
  expect(charges).toEqual([]);
  const commands = ['waybill drivers add', 'waybill serve', 'waybill help own-drivers'];
  expect(events.at(-1)).toMatchObject({ type: 'done', next: commands.map((command) => ({ command })) });
  expect(readdirSync(folder)).toEqual([]);
  expect(readdirSync(home)).toEqual([expect.stringMatching(/^tmp-/)]);
  await expect(fetch(linkIn(stdout))).rejects.toThrow();
});

/** Runs the tour in a terminal; does `work` with the link of the page before the tap after this text. */
async function inTerminal(
  after: string,
  work: (link: string) => Promise<unknown>,
  { flags = [], ...options }: RunOptions & { flags?: string[] } = {},
) {
  let shown = '';
  let isDone = false;
  const pauses: number[] = [];
  const outcome = await waybill(['start', '--fleet', ...flags], {
    ...{ home: freshHome(), tty: true, env: { NO_COLOR: '1' } },
    ...options,
    written: (text) => {
      shown += text;
    },
    sleep: async (ms, signal) => {
      // On a busy machine the quotes are polled several times, and some of those waits are as long as the pause before
      // a tap.
      const isQuoting = shown.includes('collecting the quotes') && !shown.includes('delivery_created');
      if (!isQuoting) pauses.push(ms);
      if (!isDone && shown.includes(after)) {
        isDone = true;
        await work(linkIn(shown));
      }
      await sleep(ms, signal);
    },
  });
  return { ...outcome, pauses };
}

test('for people each tap has its line after a pause, and the page is served meanwhile', async () => {
  let page = '';
  const look = async (link: string) => {
    page = await pageAt(link);
  };
  const { stdout, exit, pauses } = await inTerminal('driver_assigned', look);
  expect(exit).toBe(0);
  expect(page).toContain('<b>Sam Lee</b>');
  expect(page).toContain('<h1>2 stops</h1>');
  expect(stdout).toMatch(/^1\. Add a driver\n/);
  expect(stdout).toContain("$ waybill drivers add 'Sam Lee' --phone +13125550133");
  expect(stdout).toContain('Sam Lee taps Go on duty, and is on duty.');
  expect(stdout).toMatch(/fleet +\$0\.00 \+ \$0\.00 = \$0\.00/);
  expect(stdout).toMatch(/^ {3}\d\d:\d\d +\d+ % {2}pickup_complete +Sam Lee taps Picked up$/m);
  expect(stdout).toMatch(/^ {3}\d\d:\d\d {2}100 % {2}delivered +Sam Lee taps Delivered$/m);
  expect(stdout).toContain('Charged: nothing.');
  expect(stdout).toContain('Next:\n  waybill drivers add');
  expect(pauses.filter((ms) => ms === 1500)).toHaveLength(8);
});

/** Sends taps like the page does when a person taps. */
async function tap(link: string, ...taps: object[]): Promise<void> {
  const at = new Date().toISOString();
  const answer = await fetch(`${link}/taps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', connection: 'close' },
    body: JSON.stringify({
      sent_at: at,
      taps: taps.map((each, index) => ({ id: `own-${index}`, at, ...each })),
    }),
  });
  expect(answer.status).toBe(200);
}

test('someone may use the page, too: the tour goes on from there', async () => {
  const { stdout, exit, pauses } = await inTerminal('arrived_at_pickup', async (link) => {
    const delivery_ids = [/dlv_\w+/.exec(await pageAt(link))?.[0]];
    await tap(link, { kind: 'pick_up', delivery_ids }, { kind: 'deliver', delivery_ids });
  });
  expect(exit).toBe(0);
  expect(stdout).toMatch(/ delivered /);
  expect(stdout).not.toContain('taps Delivered');
  // The tour taps nothing more once it has found the delivery delivered.
  expect(pauses.filter((ms) => ms === 1500)).toHaveLength(5);
  expect(stdout).toContain('Charged: nothing.');
});

test.each([
  {
    what: 'declines the offer',
    after: 'delivery_created',
    message: 'The delivery ended as failed.',
    taps: (page: string) => [{ kind: 'decline', offer_id: /"(dsp_[^"]+)"/.exec(page)?.[1] }],
  },
  {
    what: 'could not deliver',
    after: 'arrived_at_dropoff',
    message: 'The delivery is enroute_to_return.',
    taps: (page: string) => [{ kind: 'fail', delivery_ids: [/dlv_\w+/.exec(page)?.[0]] }],
  },
])('if someone $what on the page, the tour ends with exit 9', async ({ after, message, taps }) => {
  const { stderr, exit } = await inTerminal(after, async (link) => tap(link, ...taps(await pageAt(link))));
  expect([exit, stderr]).toEqual([9, expect.stringContaining(message)]);
});

/** A folder for PATH with a browser that records its arguments. */
function browser(): { PATH: string; opened: () => string } {
  const folder = mkdtempSync(join(freshHome(), 'bin-'));
  const file = join(folder, 'opened');
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$*" > '${file}'\n`, { mode: 0o755 });
  return { PATH: folder, opened: () => (existsSync(file) ? readFileSync(file, 'utf8') : '') };
}

test.each([
  { flags: [], pause_ms: 4000 },
  { flags: ['--no-open'], pause_ms: 1500 },
])(
  'on a desktop the page opens in the browser, unless told otherwise: $flags',
  async ({ flags, pause_ms }) => {
    const { PATH, opened } = browser();
    const own = { env: { DISPLAY: ':0', PATH, NO_COLOR: '1' }, flags };
    const { stdout, exit, pauses } = await inTerminal('Add a driver', async () => {}, own);
    expect(exit).toBe(0);
    expect(pauses.filter((ms) => ms === pause_ms)).toHaveLength(8);
    if (flags.length === 0) await vi.waitFor(() => expect(opened()).toBe(linkIn(stdout)), 5000);
    else expect(opened()).toBe('');
  },
);

test('the service of the settings gets no request, and only the tour of the own fleet opens a page', async () => {
  const elsewhere = { WAYBILL_BASE_URL: 'http://127.0.0.1:1', WAYBILL_API_KEY: 'wb_live_x' };
  const { exit, stderr } = await waybill(['start', '--fleet'], { home: freshHome(), sleep, env: elsewhere });
  expect([exit, stderr]).toEqual([0, 'start · test mode\n']);
  const refused = await waybill(['start', '--open', '--json'], { home: freshHome(), sleep });
  expect([refused.exit, errorOf(refused.stderr).message]).toEqual([2, '--open requires --fleet.']);
});
