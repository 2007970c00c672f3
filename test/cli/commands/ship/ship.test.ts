import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { timeOfDay } from '../../../../src/cli/kit/output/times.ts';
import type { Transport } from '../../../../src/contract/operation.ts';
import { tapping } from '../../driver-taps.ts';
import { account } from '../../fake-service.ts';
import {
  contextLine,
  errorOf,
  failureOf,
  freshHome,
  jsonOf,
  type RunOptions,
  waybill,
} from '../../harness.ts';
import { newOrder, orderFields, orderLine, type Sandbox, sandbox } from '../../sandbox.ts';
import { person } from '../new/person.ts';

const box = await sandbox();
const line = ['ship', ...orderLine.slice(2)];

/** Runs a command whose waits advance the clock. */
function ship(flags: readonly string[], options: RunOptions = {}) {
  box.advance(1);
  return box.run([...line, ...flags], { ...box.passing, ...options });
}

function posted(): string[] {
  return box.requests
    .filter(({ method }) => method === 'POST')
    .map(({ path }) => path.split('/').at(-1) ?? '');
}

/** A file with a number of orders, from one store to one street. */
function fileOf(count: number, extra: object = {}): string {
  const file = join(freshHome(), 'orders.json');
  const orders = Array.from({ length: count }, (_, index) => ({
    ...orderFields,
    external_order_ref: `R${index}`,
  }));
  writeFileSync(file, JSON.stringify(Object.keys(extra).length === 0 ? orders : { orders, ...extra }));
  return file;
}

test.each([
  ['--cheapest', 'poolride', 647],
  ['--fastest', 'swiftly', 853],
])('%s: one command from an order to the delivery of %s', async (flag, service, payment_amount) => {
  const before = posted().length;
  const { stdout, exit } = await ship([flag, '--tip', '2.50', '--ref', `one of ${service}`, '--json']);
  expect(exit).toBe(0);
  expect(jsonOf(stdout)).toMatchObject({
    object: 'route',
    status: 'dispatched',
    deliveries: [{ service, payment_amount, tip: 250, external_order_ref: `one of ${service}` }],
  });
  expect(posted().slice(before)).toEqual(['create', 'routes', 'quotes', 'dispatch']);
});

test('people see the deliveries, and in a terminal a line for each step', async () => {
  const piped = await ship(['--cheapest', '--max-cost', '9']);
  expect(piped.stdout.split('\t').slice(1, 3)).toEqual(['delivery_created', 'poolride']);
  expect(
    piped.stderr
      .replace(/^Similar: .*\n/m, '')
      .split('\n')
      .slice(0, 3),
  ).toEqual([
    'sandbox · test mode',
    'Dispatched to poolride for $6.47 ($5.99 and a fee of $0.48).',
    expect.stringMatching(/^Next: waybill deliveries watch dlv_\w+$/),
  ]);
  const { stderr } = await ship(['--cheapest'], { tty: true });
  expect(
    stderr
      .replace(/^Similar: .*\n/m, '')
      .split('\n')
      .slice(1, 5),
  ).toEqual([
    expect.stringMatching(/^Order ord_\w+\.$/),
    expect.stringMatching(/^Route rte_\w+: 2 stops, about 1\.9 mi\.$/),
    '4 quotes; using poolride.',
    expect.any(String),
  ]);
  expect(stderr).toContain('Dispatched to poolride for $6.47 ($5.99 and a fee of $0.48).\nNext: waybill');
  expect((await ship(['--cheapest', '--quiet'], { tty: true })).stderr).toBe('');
});

test('several orders are one route, and more than 25 are refused before anything is sent', async () => {
  const file = ['ship', '--file', fileOf(3), '--cheapest', '--json'];
  const answer = jsonOf((await box.run(file, box.passing)).stdout);
  expect(answer).toMatchObject({
    deliveries: [{ external_order_ref: 'R0' }, {}, { external_order_ref: 'R2' }],
  });
  const before = box.requests.length;
  const many = await box.run(['ship', '--file', fileOf(26), '--cheapest', '--json'], box.passing);
  expect(many.exit).toBe(2);
  expect(errorOf(many.stderr).message).toContain('at most 25 orders');
  const settings = { settings: { mechanism: 'auto' } };
  const auto = await box.run(['ship', '--file', fileOf(1, settings), '--cheapest', '--json'], box.passing);
  expect([auto.exit, errorOf(auto.stderr).hint]).toEqual([2, expect.stringContaining('orders create')]);
  expect(box.requests).toHaveLength(before);
  const empty = ['ship', '--file', fileOf(1, { settings: {} }), '--cheapest', '--allow-duplicate-ref'];
  expect(await box.run(empty, box.passing)).toMatchObject({ exit: 0 });
});

test('the quote is chosen by flags or by a person', async () => {
  const before = box.requests.length;
  for (const flags of [[], ['--cheapest', '--fastest']]) {
    expect(await failureOf(ship([...flags, '--json']))).toMatchObject({
      exit: 2,
      choices: ['--cheapest', '--fastest', '--provider', '--driver'],
    });
  }
  expect(box.requests).toHaveLength(before);
  const none = await ship(['--idempotency-key', 'asked'], { tty: true, answers: ['None of them'] });
  expect([none.exit, none.stderr]).toEqual([3, expect.stringContaining('no quote was chosen')]);
  const [route = ''] = /rte_\w+/.exec(none.stderr) ?? [];
  const { data } = await box.json(['quotes', 'list', route]);
  const quotes = Array.isArray(data) ? data : [];
  const { dropoff_eta } = quotes.find(({ provider }) => provider === 'metrobike');
  const name = `metrobike, $7.09 ($6.59 + $0.50), arrives at ${timeOfDay(dropoff_eta)}, `;
  const prompts = person([['Choose a quote', name]]);
  const chosen = await ship(['--idempotency-key', 'asked'], { tty: true, prompts });
  expect([chosen.exit, chosen.stderr]).toEqual([0, expect.stringContaining('Dispatched to metrobike')]);
});

test('above --max-cost: exit 6, with what exists, and how to continue', async () => {
  const { stdout, stderr, exit } = await ship(['--cheapest', '--max-cost', '6.46', '--tip', '1', '--json']);
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 6 });
  const { code, hint, next } = errorOf(stderr);
  const [, order, route] = /Order (ord_\w+) is in draft route (rte_\w+)\./.exec(String(hint)) ?? [];
  expect({ code, next }).toMatchObject({
    code: 'above_max_cost',
    next: [{ command: `waybill quotes list ${route}`, when: 'see what each courier costs' }],
  });
  expect(await box.json(['routes', 'get', String(route)])).toMatchObject({ status: 'draft' });
  const [, key = ''] = /--idempotency-key (\S+)$/.exec(String(hint)) ?? [];
  const before = posted().length;
  const again = await ship([
    '--cheapest',
    '--max-cost',
    '7.47',
    '--tip',
    '1',
    '--idempotency-key',
    key,
    '--json',
  ]);
  expect(jsonOf(again.stdout)).toMatchObject({ id: route, deliveries: [{ order_id: order, tip: 100 }] });
  expect(posted().slice(before)).toEqual(['create', 'routes', 'dispatch']);
});

test('no quotes are exit 9 with the reasons, and a repeat requests new ones', async () => {
  const flags = ['--cheapest', '--simulate', 'no_quotes', '--idempotency-key', 'nobody', '--json'];
  const { stderr, exit } = await ship(flags);
  expect(exit).toBe(9);
  expect(errorOf(stderr)).toMatchObject({ code: 'no_quotes', reasons: expect.any(Array) });
  const commands = JSON.stringify(errorOf(stderr).next);
  expect(commands).toMatch(/routes quote rte_\w+ --watch/);
  const before = posted().length;
  expect((await ship(flags)).exit).toBe(9);
  expect(posted().slice(before)).toEqual(['create', 'routes', 'quotes']);
});

test('a delivery that fails at once is exit 9 and shown, also with --wait', async () => {
  for (const flags of [[], ['--wait', 'delivered']]) {
    const { stdout, stderr, exit } = await ship(['--cheapest', '--simulate', 'payment_declined', ...flags]);
    expect([exit, stdout.split('\t')[1]]).toEqual([9, 'failed']);
    expect(stderr).toContain('Nothing is charged for it.');
  }
});

test('quotes that expire before the dispatch are requested once more, at the new price', async () => {
  const flags = ['--simulate', 'quote_expired', '--cheapest'];
  const { stderr, exit } = await ship([...flags, '--max-cost', '7']);
  expect([exit, stderr]).toEqual([0, expect.stringContaining('Dispatched to poolride for $6.96')]);
  expect((await ship([...flags, '--max-cost', '6.50'])).exit).toBe(6);
});

test('quotes that are late are exit 8, and a repeat uses those of the same round', async () => {
  const flags = ['--cheapest', '--simulate', 'slow_quotes', '--idempotency-key', 'slow', '--json'];
  const { stderr, exit } = await ship([...flags, '--timeout', '20s']);
  expect(exit).toBe(8);
  expect(errorOf(stderr)).toMatchObject({
    message: expect.stringContaining('Time ran out after 20s'),
    hint: expect.stringContaining('--idempotency-key slow'),
  });
  expect((await ship(flags)).exit).toBe(0);
});

test('if a provider has no quote, the suggested command is possible', async () => {
  const { exit, stderr } = await ship(['--provider', 'flaky_co']);
  expect([exit, stderr]).toEqual([5, expect.stringContaining('There is no quote of flaky_co')]);
  const [, route] =
    /waybill dispatch (rte_\w+) --cheapest --max-cost DOLLARS {3}\(use the cheapest quote\)/.exec(stderr) ??
    [];
  expect((await box.run(['dispatch', String(route), '--cheapest'])).exit).toBe(0);
});

test('a dry run shows the first request and says that more follow', async () => {
  const before = posted().length;
  const { exit, stdout, stderr } = await ship(['--cheapest', '--dry-run']);
  expect([exit, stdout.split('\n')[0]]).toEqual([0, expect.stringMatching(/^POST .*\/orders\/create$/)]);
  expect([posted().length, stderr]).toEqual([before, expect.stringContaining('The first request; ')]);
});

function shipCheapest(...flags: string[]) {
  box.advance(1);
  return box.run(['ship', ...orderLine.slice(2), '--cheapest', ...flags], box.passing);
}

test('--wait ends when the delivery has reached the given or a later status', async () => {
  const { stdout, stderr, exit } = await shipCheapest(
    '--max-cost',
    '9',
    '--wait',
    'arrived_at_pickup',
    '--json',
  );
  expect(exit).toBe(0);
  expect(jsonOf(stdout)).toMatchObject({ status: 'dispatched', deliveries: [{ status: 'pickup_complete' }] });
  expect(stderr.replace(/.*"similar_order".*\n/, '')).toBe(contextLine);
  const people = await shipCheapest('--wait', 'delivered');
  expect([people.exit, people.stdout.split('\t')[1]]).toEqual([0, 'delivered']);
  expect(people.stderr).toContain('Dispatched to poolride for $6.47');
});

const ordersToWaitFor = ['60606', '60614', '60657'].map((zip, index) => ({
  ...{ ...orderFields, dropoff_address: `1 A St, Chicago, IL ${zip}` },
  dropoff_phone_number: index === 1 ? '+13125550136' : '+13125550142',
}));

test('several are waited for together: until all arrive or one is lost', async () => {
  const file = join(freshHome(), 'orders.json');
  writeFileSync(file, JSON.stringify([ordersToWaitFor[0], ordersToWaitFor[2]]));
  const line = ['ship', '--file', file, '--cheapest', '--wait', 'delivered', '--timeout', '3h', '--json'];
  const all = await box.run(line, box.passing);
  expect(all.exit).toBe(0);
  expect(jsonOf(all.stdout)).toMatchObject({
    status: 'completed',
    deliveries: [{ status: 'delivered' }, { status: 'delivered' }],
  });
  writeFileSync(file, JSON.stringify(ordersToWaitFor));
  const lost = await box.run(line, box.passing);
  expect(lost.exit).toBe(9);
  expect(jsonOf(lost.stdout)).toMatchObject({ deliveries: [{}, { status: 'enroute_to_return' }, {}] });
});

test('in live mode it requires --yes with --max-cost, before anything is created', async () => {
  const posted: string[] = [];
  const transport: Transport = async ({ method, path }) => {
    if (method === 'POST') posted.push(path);
    const body = path === '/v2/account' ? { ...account, test_mode: false } : {};
    return { status: 200, headers: {}, body: JSON.stringify(body) };
  };
  const env = { WAYBILL_BASE_URL: 'https://deliveries.test', WAYBILL_API_KEY: 'wb_live_madeup' };
  const line = ['ship', ...orderLine.slice(2), '--cheapest', '--json'];
  for (const [flags, missing] of [
    [[], ['--yes', '--max-cost']],
    [['--yes'], ['--max-cost']],
    [['--max-cost', '9'], ['--yes']],
  ] as const) {
    const { exit, stderr } = await waybill([...line, ...flags], { transport, env });
    expect([exit, errorOf(stderr).missing]).toEqual([2, missing]);
  }
  expect(posted).toEqual([]);
  await waybill([...line, '--yes', '--max-cost', '9'], { transport, env });
  expect(posted).toEqual(['/orders/create']);
});

const shipLine = ['ship', ...orderLine.slice(2), '--driver'];

/** A sandbox with a driver, on duty unless said otherwise. */
async function withSam({ on }: { on: boolean } = { on: true }): Promise<Sandbox> {
  const box = await sandbox();
  const { link } = await box.json(['drivers', 'add', 'Sam Lee', '--phone', '+13125550133']);
  await tapping(box.transport, link)({ kind: 'duty', on });
  return box;
}

test('ship --driver gives the order to the driver, without an offer', async () => {
  const box = await withSam();
  const { deliveries } = await box.json([...shipLine, 'Sam'], box.passing);
  expect(deliveries).toMatchObject([{ service: 'fleet' }]);
  const [delivery] = Array.isArray(deliveries) ? deliveries : [];
  expect(await box.json(['deliveries', 'get', String(delivery?.id)])).toMatchObject({
    ...{ status: 'driver_assigned', courier_name: 'Sam Lee' },
  });
});

test('dispatch --driver requests the quote if there is none', async () => {
  const box = await withSam();
  const { id } = await box.json(['routes', 'create', await newOrder(box)]);
  const { deliveries } = await box.json(['dispatch', String(id), '--driver', 'Sam'], box.passing);
  expect(deliveries).toMatchObject([{ service: 'fleet' }]);
});

test('orders that exist are dispatched by ID or reference, without another order', async () => {
  const box = await sandbox();
  const first = await newOrder(box);
  await newOrder(box, '--ref', '2002');
  const before = box.requests.length;
  const { deliveries } = await box.json(['ship', first, '#2002', '--cheapest'], box.passing);
  expect(deliveries).toMatchObject([{ order_id: first }, { external_order_ref: '2002' }]);
  const created = box.requests.slice(before).filter(({ path }) => path.endsWith('/orders/create'));
  expect(created).toEqual([]);
  const again = await box.run(['ship', first, '--cheapest'], box.passing);
  expect([again.exit, again.stderr]).toEqual([6, expect.stringContaining(`${first} is dispatched.`)]);
  expect(again.stderr).not.toContain('is open');
});

test.each([
  [
    ['--item', 'Soup'],
    '--item is for new orders, not for 2001.',
    ['orders cancel 2001', 'ship --like 2001 --item VALUE'],
  ],
  [['-'], '- reads new orders: it cannot be combined with others.', []],
])('%j cannot be combined with orders that exist', async (words, message, next) => {
  const { exit, stderr } = await waybill(['ship', '2001', ...words, '--cheapest', '--json']);
  const error = errorOf(stderr);
  expect([exit, error.message]).toEqual([2, message]);
  for (const line of next) expect(stderr).toContain(line);
});

test('an order without a courier, or whose courier failed, comes to a driver', async () => {
  const box = await withSam();
  const order = await newOrder(box, '--ref', '2001');
  expect(await box.run(['assign', '2001', 'Sam'])).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining(`waybill ship ${order} --driver DRIVER`),
  });
  const { deliveries } = await box.json(['ship', '2001', '--provider', 'poolride'], box.passing);
  const [first] = Array.isArray(deliveries) ? deliveries : [];
  expect(await box.run(['assign', '2001', 'Sam'])).toMatchObject({
    exit: 6,
    stderr: expect.stringMatching(/deliveries cancel dlv_\w+ .*\n.*deliveries retry dlv_\w+ --driver Sam /),
  });
  await box.json(['deliveries', 'cancel', String(first?.id), '--yes']);
  expect(await box.json(['retry', '2001', '--driver', 'Sam'])).toMatchObject({
    ...{ service: 'fleet', status: 'driver_assigned', courier_name: 'Sam Lee' },
  });
});

test.each([
  [['--provider', 'poolride'], '--driver cannot be combined with --provider.'],
  [['--not', 'poolride'], '--driver cannot be combined with --not.'],
])('retry --driver with %j is refused', async (flags, message) => {
  const box = await sandbox();
  const { exit, stderr } = await box.run(['retry', '2001', '--driver', 'Sam', ...flags, '--json']);
  expect([exit, errorOf(stderr).message]).toEqual([2, message]);
});

test('an unknown driver is refused before anything is created', async () => {
  const box = await withSam();
  const before = box.requests.length;
  const { exit, stderr } = await box.run([...shipLine, 'Kim', '--json']);
  expect([exit, errorOf(stderr).code]).toEqual([5, 'record_not_found']);
  expect(box.requests.slice(before).filter(({ method }) => method !== 'GET')).toEqual([]);
});
