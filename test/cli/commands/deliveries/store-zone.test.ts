import { expect, test } from 'vitest';
import type { Outcome } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

// The reader's own zone is America/Chicago; it is 4:00 there and 5:00 in New York.
const box = await sandbox();
const east = ['350 5th Ave, New York, NY 10118', '1 Wall St, New York, NY 10005'] as const;

/** The arguments that create an order within New York. */
const eastern = orderLine
  .with(orderLine.indexOf('--pickup-address') + 1, east[0])
  .with(orderLine.indexOf('--dropoff-address') + 1, east[1]);

async function dispatched(line: readonly string[]) {
  const route = String((await box.json(['routes', 'create', String((await box.json(line)).id)])).id);
  await box.json(['routes', 'quote', route]);
  box.advance(10_000);
  const quotes = (await box.run(['quotes', 'list', route, '-o', 'table'])).stdout;
  const { deliveries } = await box.json(['dispatch', route, '--cheapest', '--yes']);
  const [delivery] = Array.isArray(deliveries) ? deliveries : [];
  return { delivery, quotes };
}

const there = await dispatched(eastern);
const here = await dispatched(orderLine);
const out = async (...argv: string[]) => (await box.run(argv)).stdout;

test('a delivery says its times in the zone of its store, in every table and page', async () => {
  const { id, order_id } = there.delivery;
  expect(await out('deliveries', 'get', id, '-o', 'table')).toMatch(/^Created +2026-03-02 05:00:\d\d EST$/m);
  expect(await out('deliveries', 'get', id, '-o', 'table')).toMatch(
    /^Dropoff ETA +2026-03-02 05:\d\d:\d\d EST$/m,
  );
  expect(await out('orders', 'get', order_id, '-o', 'table')).toMatch(
    /^Created +2026-03-02 05:00:\d\d EST$/m,
  );
  const page = await out('deliveries', 'explain', id, '-o', 'table');
  expect(page).toMatch(/Expected at 2026-03-02 05:\d\d:\d\d EST, in \d+ min\./);
  expect(page).toMatch(/^ +2026-03-02 05:00:\d\d EST +waiting for a driver/m);
  expect(there.quotes).toMatch(/ 2026-03-02 05:\d\d:\d\d EST( |$)/m);
  for (const one of [
    ['--delivery', id],
    ['--order', order_id],
  ])
    expect(await out('charges', 'list', ...one, '-o', 'table')).toMatch(/ 2026-03-02 05:00:\d\d EST/);
});

test('a store in the zone of the reader says no zone, also in the same table', async () => {
  expect(await out('deliveries', 'get', here.delivery.id, '-o', 'table')).toMatch(
    /^Created +2026-03-02 04:00:\d\d$/m,
  );
  expect(await out('deliveries', 'explain', here.delivery.id, '-o', 'table')).not.toMatch(/ C[SD]T/);
  expect(here.quotes).not.toMatch(/ [CE]ST/);
  const lines = (await out('deliveries', 'list', '-o', 'table')).split('\n');
  expect(lines.find((line) => line.startsWith(there.delivery.id))).toMatch(/ 2026-03-02 05:00:\d\d EST$/);
  expect(lines.find((line) => line.startsWith(here.delivery.id))).toMatch(/ 2026-03-02 04:00:\d\d$/);
});

test('programs and spreadsheets get the same times as before', async () => {
  const { id, created_at } = there.delivery;
  expect(await out('deliveries', 'get', id, '-o', 'tsv')).toContain(`created_at\t${created_at}\n`);
  expect(JSON.parse(await out('deliveries', 'get', id, '--json')).created_at).toBe(created_at);
  expect(await out('deliveries', 'explain', id, '--json')).not.toMatch(/\bEST\b/);
  const csv = await out('deliveries', 'list', '-o', 'csv', '--columns', 'created');
  expect(csv.split('\n').slice(1, 3)).toEqual(['2026-03-02 04:00:20', '2026-03-02 04:00:10']);
  // A file has one zone, that of its first row.
  const one = await out('deliveries', 'get', id, '-o', 'csv', '--columns', 'created');
  expect(one).toBe('created (America/New_York)\n2026-03-02 05:00:10\n');
});

test('an ended delivery is due at the time of its store', async () => {
  await box.json(['sandbox', 'advance', '--until', `${there.delivery.id}:delivered`]);
  const lines = (await out('deliveries', 'list', '-o', 'table')).split('\n');
  expect(lines.find((line) => line.startsWith(there.delivery.id))).toMatch(/ 05:\d\d EST /);
  expect(await out('deliveries', 'explain', there.delivery.id, '-o', 'table')).toMatch(
    /Delivered at 2026-03-02 05:\d\d:\d\d EST, on time: promised 2026-03-02 05:\d\d:\d\d EST\./,
  );
  const watched = await out('deliveries', 'watch', there.delivery.id, '-o', 'table');
  expect(watched).toMatch(/^2026-03-02 05:00:\d\d EST +waiting for a driver/m);
});

test('what needs attention has happened in the zone of its store', async () => {
  const gone = [...eastern, '--allow-duplicate-ref', '--auto', '--retry-window', '1m'];
  await box.json([...gone, '--simulate', 'no_quotes', '--json']);
  box.advance(120_000);
  const { delivery } = await dispatched([...orderLine, '--allow-duplicate-ref']);
  await box.run(['sandbox', 'step', delivery.id, 'failed']);
  const shown = await out('today', '-o', 'table');
  expect(shown).toMatch(/since \S+ \d\d:\d\d:\d\d EST +waybill ship .+ was not taken by any courier: /);
  const retry = `waybill retry ${delivery.id} --not poolride --max-cost DOLLARS`;
  expect(shown).toMatch(new RegExp(`since \\S+ \\d\\d:\\d\\d:\\d\\d +${retry} +failed: `));
  expect(await out('today', '--json')).not.toMatch(/EST|zone/);
});

test('a time of day is that of the store that is filtered by', async () => {
  const store = ['--name', 'East', '--address', east[0], '--phone', '+12125550100'];
  await box.json(['stores', 'create', ...store]);
  // 5:00 there, and not here yet.
  for (const line of [
    ['today', '--since'],
    ['deliveries', 'list', '--unchanged-since'],
  ])
    expect((await box.run([...line, '5:00', '--store', 'East'])).exit).toBe(0);
});

test('an attempt was made at the time of the store, read from the order for people only', async () => {
  const [order] = (await out('orders', 'list', '--status', 'unfulfilled', '-o', 'id')).split('\n');
  if (order === undefined) throw new Error('there is no unfulfilled order');
  expect(await out('orders', 'attempts', order, '-o', 'table')).toMatch(
    /^Try \d {2}\S+ \d\d:\d\d:\d\d EST {2}/,
  );
  const before = box.requests.length;
  const [attempt] = JSON.parse(await out('orders', 'attempts', order, '--json'));
  expect(attempt.created_at).toMatch(/Z$/);
  expect(box.requests.slice(before).map(({ path }) => path)).toEqual([
    expect.stringMatching(new RegExp(`/${order}/tries`)),
  ]);
});

/** A shop in New York alone: no screen says a time of Chicago, or one without its zone. */
const shop = await sandbox();
const deliver = ['deliveries', 'create', ...eastern.slice(2), '--initiate', '--ref', 'E-1'];
const { id: made } = await shop.json(deliver);
const { id: route } = await shop.json(['routes', 'create', String((await shop.json(eastern)).id)]);
shop.advance(3_600_000);
for (const line of [
  ['deliveries', 'dispute', 'E-1', '--reason', 'cold'],
  ['deliveries', 'note', 'E-1', 'called'],
  ['drivers', 'add', 'Sam', '--phone', '+13125550100'],
  ['webhooks', 'create', 'http://127.0.0.1:9/hook'],
  ['stores', 'create', '--name', 'East', '--address', east[0], '--phone', '+12125550100'],
  ['keys', 'create', '--permission', 'read', '--name', 'screens'],
])
  await shop.json(line);
const { id: endpoint } = JSON.parse((await shop.run(['webhooks', 'list', '--json'])).stdout)[0];

/** The times without their zone; fails without any time. */
function timesIn({ stdout, stderr }: Outcome): string[] {
  const times = `${stdout}\n${stderr}`.match(/\b\d\d:\d\d\b(:\d\d)?.{0,4}/g) ?? [];
  expect(times.length).toBeGreaterThan(0);
  return times.filter((time) => !/ E[SD]T/.test(time));
}

test.each([
  ['deliveries list'],
  ['deliveries get E-1'],
  ['deliveries explain E-1'],
  ['deliveries note E-1'],
  ['disputes list'],
  ['disputes get E-1'],
  ['orders list'],
  ['routes list'],
  [`routes get ${route}`],
  ['charges list'],
  ['events list'],
  ['audit list'],
  ['notes'],
  ['drivers list'],
  ['drivers get Sam'],
  ['webhooks list'],
  [`webhooks get ${endpoint}`],
  ['stores list'],
  ['stores get East'],
  ['keys list'],
  ['sandbox clock'],
])('%s: each time has its zone', async (line) => {
  const outcome = await shop.run([...line.split(' '), '-o', 'wide']);
  expect([outcome.exit, timesIn(outcome)]).toEqual([0, []]);
});

/** What is done to a delivery in New York, or refused. */
const writes: [line: string, of: (id: string) => string[], exit: number][] = [
  ['deliveries retry --price', (id) => ['retry', id, '--price'], 0],
  ['deliveries cancel, twice', (id) => ['cancel', id], 0],
];

test.each(writes)('%s: each time has its zone', async (_, lineOf, exit) => {
  const { id } = await shop.json([...deliver.slice(0, -1), `W-${_}`]);
  await shop.json(['deliveries', 'cancel', String(id), '--yes']);
  const outcome = await shop.run(['deliveries', ...lineOf(String(id))], { tty: true });
  expect([outcome.exit, timesIn(outcome)]).toEqual([exit, []]);
});

test.each([
  [['dispatch'], ['--cheapest']],
  [
    ['quotes', 'list'],
    ['-o', 'wide'],
  ],
])('%s of a route whose time no quote keeps: each time has its zone', async (verb, flags) => {
  const { id: order } = await shop.json([...eastern, '--allow-duplicate-ref', '--dropoff-at', '5m']);
  const { id: late } = await shop.json(['routes', 'create', String(order)]);
  await shop.json(['routes', 'quote', String(late), '--wait'], shop.passing);
  expect(timesIn(await shop.run([...verb, String(late), ...flags], { tty: true }))).toEqual([]);
});

test('audit list: the time of the sandbox below has the zone of the times above', async () => {
  const later = () => Date.now() + 30 * 60_000;
  const { stderr } = await shop.run(['audit', 'list'], { tty: true, now: later });
  expect(stderr.replaceAll('\n', ' ')).toMatch(/clock of the sandbox is set: it says .* E[SD]T\./);
});

test('sandbox advance --to: a time is that of the shop, as sandbox clock shows it', async () => {
  expect(await shop.json(['sandbox', 'advance', '--to', '23:00', '--dry-run'])).toMatchObject({
    body: { to: '2026-03-03T04:00:00.000Z' },
  });
});

test('disputes resolve: each time has its zone', async () => {
  const line = ['disputes', 'resolve', String(made), '--outcome', 'rejected', '-o', 'wide'];
  expect((await shop.run(line)).stdout).toMatch(/Resolved +2026-03-02 06:00:\d\d EST/);
});
