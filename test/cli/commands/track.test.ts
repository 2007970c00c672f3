import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recipientMessage } from '../../../src/cli/commands/track.ts';
import type { AnyDelivery } from '../../../src/contract/deliveries.ts';
import type { Transport } from '../../../src/contract/operation.ts';
import type { DeliveryStatus } from '../../../src/contract/vocabulary.ts';
import { recipientTexts } from '../../../src/domain/recipient-texts.ts';
import { account } from '../fake-service.ts';
import { errorOf, freshHome, jsonOf, type Outcome, waybill } from '../harness.ts';
import { newDelivery, orderLine, quotedRoute, sandbox } from '../sandbox.ts';

interface Tracked {
  home: string;
  delivery: string;
  tracking_url: string;
}

/** A dispatched delivery of an embedded service. */
async function tracked(): Promise<Tracked> {
  const home = freshHome();
  const json = async (...argv: string[]) => {
    const { stdout, stderr, exit } = await waybill([...argv, '--json'], { home });
    if (exit !== 0) throw new Error(stderr);
    return stdout;
  };
  const order = String(jsonOf(await json(...orderLine, '--ref', 'shop-1042')).id);
  const route = String(jsonOf(await json('routes', 'create', order)).id);
  await json('routes', 'quote', route);
  await json('sandbox', 'advance', '--by', '30s');
  await json('dispatch', route, '--cheapest');
  const [delivery] = JSON.parse(await json('deliveries', 'list'));
  return { home, delivery: delivery.id, tracking_url: delivery.tracking_url };
}

/** A folder for PATH with a browser that records its arguments. */
function browserIn(home: string): { env: Record<string, string>; opened: () => string } {
  const folder = join(home, 'bin');
  const file = join(home, 'opened');
  mkdirSync(folder);
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$*" > '${file}'\n`, { mode: 0o755 });
  return { env: { PATH: folder }, opened: () => (existsSync(file) ? readFileSync(file, 'utf8') : '') };
}

/** Tracks until the work with the URL is done; returns the output. */
async function tracking(
  { home }: Tracked,
  flags: readonly string[],
  work: (url: string) => Promise<void>,
): Promise<Outcome> {
  const controller = new AbortController();
  const { env, opened } = browserIn(home);
  const running = waybill(['track', ...flags, '--open'], { home, env, signal: controller.signal });
  await expect.poll(opened).toMatch(/^http/);
  await work(opened());
  controller.abort();
  return running;
}

/** Listens on the port of tracking links. */
async function takePort(): Promise<void> {
  const other = createServer();
  onTestFinished(() => void other.close());
  await new Promise<void>((resolve) => {
    other.once('listening', resolve).once('error', () => resolve());
    other.listen(4010, '127.0.0.1');
  });
}

const pageAt = async (url: string) => {
  const answer = await fetch(url, { headers: { connection: 'close' } });
  return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() };
};

test('the page of an embedded delivery is served at the printed address until the command is stopped', async () => {
  const made = await tracked();
  let address = '';
  const { stdout, stderr } = await tracking(made, ['shop-1042'], async (url) => {
    address = url;
    const { status, type, body } = await pageAt(url);
    expect([status, type]).toEqual([200, 'text/html; charset=utf-8']);
    expect(body).toContain('<h1>Looking for a courier</h1>');
  });
  expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/track\/[0-9a-f]{32}$/);
  expect(address.split('/track/')[1]).toBe(made.tracking_url.split('/track/')[1]);
  expect(stdout).toBe(`${address}\n`);
  expect(stderr).toContain('Serving on this machine only. Press Ctrl+C to stop.');
  await expect(pageAt(address)).rejects.toThrow();
});

test('meanwhile other commands change the same data, and the page shows it', async () => {
  const made = await tracked();
  await tracking(made, [made.delivery], async (url) => {
    const { home, delivery } = made;
    const { exit, stderr } = await waybill(['sandbox', 'step', delivery, 'pickup_complete'], { home });
    expect([exit, stderr]).toEqual([0, expect.any(String)]);
    expect((await pageAt(url)).body).toContain('<h1>Picked up</h1>');
  });
});

test('if the port of the links is in use another is taken, and both addresses are printed', async () => {
  await takePort();
  const made = await tracked();
  const { stdout, stderr } = await tracking(made, [made.delivery, '--json'], async (url) => {
    expect((await pageAt(url)).status).toBe(200);
    expect(url).not.toContain(':4010/');
  });
  const ready = jsonOf(stdout);
  expect(ready).toEqual({ type: 'ready', url: expect.any(String), tracking_url: made.tracking_url });
  expect(ready.url).not.toBe(ready.tracking_url);
  expect(stderr).toBe('');
});

test('people are told that the record’s link leads to another program', async () => {
  await takePort();
  const made = await tracked();
  const { stdout, stderr } = await tracking(made, [made.delivery], async () => {});
  expect(stdout).not.toContain(':4010/');
  expect(stderr).toContain('Another program uses port 4010');
  expect(stderr).toContain(`(${made.tracking_url}): use the address above while this command runs.\n`);
});

/** Runs `track` on a delivery of a remote service with this link. */
async function trackedElsewhere(
  link: string,
  flags: readonly string[],
  env: Record<string, string> = {},
  more: { tty?: boolean } = {},
) {
  const { home, delivery } = await tracked();
  const { stdout } = await waybill(['deliveries', 'get', delivery, '--json'], { home });
  const record = { ...jsonOf(stdout), tracking_url: link };
  const transport: Transport = async ({ path }) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(path.startsWith('/v2/account') ? account : record),
  });
  const place = { WAYBILL_BASE_URL: 'https://shop.example', WAYBILL_API_KEY: 'wb_test_x' };
  return waybill(['track', delivery, ...flags], { home, env: { ...env, ...place }, transport, ...more });
}

test('with a served service the link is printed, as the service shows its page itself', async () => {
  const url = 'https://shop.example/track/abc';
  expect(await trackedElsewhere(url, [])).toEqual({ stdout: `${url}\n`, stderr: '', exit: 0 });
  const { stdout } = await trackedElsewhere(url, ['--json']);
  expect(jsonOf(stdout)).toEqual({ type: 'ready', url, tracking_url: url });
});

test('an address is passed to the browser as one argument, without a shell', async () => {
  const { env, opened } = browserIn(freshHome());
  const link = 'https://shop.example/track/a?b=$(id)&c';
  expect((await trackedElsewhere(link, ['--open'], env)).exit).toBe(0);
  await expect.poll(opened).toBe(link);
});

test.each(['file:///etc/passwd', 'javascript:alert(1)', '--version'])(
  '"%s" is not opened in a browser',
  async (link) => {
    const { env, opened } = browserIn(freshHome());
    const { stderr, exit } = await trackedElsewhere(link, ['--open'], env);
    expect([exit, stderr]).toEqual([0, 'Could not open a browser. Open the address yourself.\n']);
    expect(opened()).toBe('');
  },
);

test('a delivery without a link has no page to show', async () => {
  const { env, opened } = browserIn(freshHome());
  const { stderr, exit } = await trackedElsewhere('', ['--open'], env);
  expect([exit, stderr, opened()]).toEqual([5, expect.stringContaining('has no tracking link'), '']);
});

test('a machine without a browser is not an error', async () => {
  const link = 'https://shop.example/track/abc';
  const { stderr, exit } = await trackedElsewhere(link, ['--open'], { PATH: '/nowhere' });
  expect([exit, stderr]).toEqual([0, 'Could not open a browser. Open the address yourself.\n']);
});

test('an unknown delivery is exit 5, and nothing is served', async () => {
  const { stdout, stderr, exit } = await waybill(['track', 'nothing', '--json'], { home: freshHome() });
  expect([stdout, exit, errorOf(stderr).code]).toEqual(['', 5, 'record_not_found']);
});

test('--text prints a message with the link and the expected time at the recipient, and ends', async () => {
  const box = await sandbox();
  const id = await newDelivery(box, '--initiate', '--ref', 'shop-1042');
  const { tracking_url } = await box.json(['deliveries', 'get', id]);
  const { exit, stdout, stderr } = await box.run(['track', 'shop-1042', '--text']);
  expect([exit, stdout]).toEqual([
    0,
    expect.stringMatching(
      /^Your delivery from Grill is expected about \d+:\d\d AM CST\. Follow it here: http\S+\n$/,
    ),
  ]);
  expect(stdout).toContain(String(tracking_url));
  expect(stderr).toContain('The link works on this machine only');
  expect(await box.json(['track', id, '--text'])).toEqual({ text: stdout.trim() });
  expect((await box.run(['track', id, '--text', '--open'])).exit).toBe(2);
  for (const status of ['pickup_complete', 'delivered']) await box.run(['sandbox', 'step', id, status]);
  expect((await box.run(['track', id, '--text'])).stdout).toMatch(
    /^Your order from Grill has been delivered\. See it here: http/,
  );
});

/** Each status with the message that a recipient gets at the expected time minus ten minutes. */
test.each<[DeliveryStatus, RegExp]>([
  ['request', /^Grill has your order and will request a courier\. Follow/],
  ['delivery_created', /^Your delivery from Grill is expected about 4:10 AM CST\. Follow/],
  ['scheduled', /is expected about/],
  ['driver_assigned', /is expected about/],
  ['enroute_pickup', /is expected about/],
  ['arrived_at_pickup', /is expected about/],
  ['pickup_complete', /is expected about/],
  ['enroute_dropoff', /is expected about/],
  ['driver_not_assigned', /is expected about/],
  ['arrived_at_dropoff', /^Luis has arrived at your address with your order\. Follow/],
  ['dropoff_complete', /^Your order has been dropped off\. /],
  ['delivered', /^Your order from Grill has been delivered\. See it here/],
  ['disputed', /^Your order was reported as delivered\. .* See it here/],
  ['provider_canceled', /^The courier company canceled this delivery\. Please contact Grill .* See it here/],
  ['customer_canceled', /^Grill canceled this delivery\. .* See it here/],
  ['burq_canceled', /^The delivery service canceled this delivery\. .* See it here/],
  ['failed', /^Your order could not be delivered\. Please contact Grill .* See it here/],
  [
    'enroute_to_return',
    /^Your order could not be handed over and is on its way back to Grill\. .* Follow it/,
  ],
  ['returned', /^Your order could not be handed over and is back at Grill\. .* See it here/],
])('--text of one that is %s says what is so', async (status, message) => {
  const now = Date.parse('2026-03-02T10:00:00.000Z');
  const dropoff_eta = '2026-03-02T10:10:00.000Z';
  const dropoffs = [{ dropoff_eta, dropoff_address: '233 S Wacker Dr, Chicago, IL 60606' }];
  const names = { pickup_name: 'Grill', courier_name: 'Luis Arroyo' };
  const made = { ...names, status, dropoffs, tracking_url: 'https://shop.example/track/abc' };
  const text = recipientMessage(made as unknown as AnyDelivery, now);
  expect(text).toMatch(message);
  expect(text).toMatch(/ here: https:\/\/shop\.example\/track\/abc$/);
  const overdue = recipientMessage(made as unknown as AnyDelivery, now + 3_600_000);
  const { sentence } = recipientTexts[status];
  expect(overdue).toContain(sentence({ merchant: 'Grill', courier: 'Luis' }));
});

test('--text says a window for an own driver whose way rests on ZIP codes', async () => {
  const box = await sandbox();
  await box.json(['drivers', 'add', 'Sam', '--phone', '312 555 0133']);
  const { deliveries } = await box.json(['dispatch', await quotedRoute(box), '--driver', 'Sam', '--yes']);
  const id = Array.isArray(deliveries) ? String(deliveries[0]?.id) : '';
  const text = async () => (await box.run(['track', id, '--text'])).stdout;
  expect(await text()).toMatch(/ is expected \d+:\d[05] [AP]M CST to \d+:\d[05] [AP]M CST\. Follow/);
  box.advance(3 * 3_600_000);
  expect(await text()).toMatch(/^Sam will pick up your order from Grill\. Follow/);
});
