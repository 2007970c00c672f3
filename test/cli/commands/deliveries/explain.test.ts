import { expect, test } from 'vitest';
import type { Transport } from '../../../../src/contract/operation.ts';
import { account } from '../../fake-service.ts';
import { errorOf, freshHome, jsonOf, linesIn, waybill } from '../../harness.ts';
import { newDelivery, orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const minute = 60_000;

const sent = (...flags: string[]) => newDelivery(box, '--initiate', ...flags);

async function page(id: string, columns: number): Promise<string> {
  const options = { tty: true, columns, env: { NO_COLOR: '1' } };
  const { stdout, exit } = await box.run(['deliveries', 'explain', id], options);
  expect(exit).toBe(0);
  return stdout;
}

test('an arrival without a proof says so', async () => {
  const id = await sent('--simulate', 'proof_missing');
  box.advance(60 * minute);
  expect(await page(id, 100)).toMatch(/^ {2}Proof +none$/m);
  expect((await box.run(['deliveries', 'explain', id])).stdout).toMatch(/^proof\tnone\t?$/m);
});

test('a signature is shown with who signed', async () => {
  const id = await sent('--request-signature');
  box.advance(60 * minute);
  expect(await page(id, 200)).toMatch(/^ {2}Proof +signature of Joe Diner https:\S+$/m);
  expect((await box.run(['deliveries', 'explain', id])).stdout).toMatch(
    /^proof\tsignature\thttps:\S+\tJoe Diner$/m,
  );
});

test('the whole history of a delivery, and possible commands', async () => {
  const id = await sent('--ref', '#1042', '--tip', '3');
  box.advance(40 * minute);
  const text = await page(id, 100);
  expect(text).toMatch(new RegExp(`^${id} {2}delivered\\n#1042, with poolride, asap, test mode\\n`));
  expect(text).toMatch(/^Delivered at \d\d:\d\d, on time: promised \d\d:\d\d\.$/m);
  expect(text).toMatch(/^ {2}From +Grill, \+1 312 \*{3} \*{2}01$/m);
  expect(text).toMatch(/^ {2}Driver +\w+ \w+, car, \+1 \d{3} \*{3} \*{2}\d\d$/m);
  expect(text).toMatch(/^Timeline\n {2}1-+2-[-\d]+\.[-.\d]+6\n {2}1 {2}\d\d:\d\d /m);
  expect(text).toMatch(/^ {2}1 {2}\d\d:\d\d {2}waiting for a driver +6 min {2}poolride has it$/m);
  expect(text).toMatch(/^ {12}arrived_at_pickup +not reported$/m);
  expect(text).toMatch(/^ {2}\d\d:\d\d {2}delivery +\$6\.47 {2}poolride's price and the processing fee$/m);
  expect(text).toMatch(/^ {9}paid +\$9\.47$/m);
  expect(text).toContain(`  waybill deliveries dispute ${id} --reason TEXT\n`);
});

test('in JSON: the records of the interface and what follows from them', async () => {
  const id = await sent();
  box.advance(40 * minute);
  const { stdout } = await box.run(['deliveries', 'explain', id, '--json']);
  const data = jsonOf(stdout);
  expect(data).toMatchObject({
    object: 'explanation',
    delivery: await box.json(['deliveries', 'get', id]),
    late_seconds: expect.any(Number),
    charges: [{ object: 'charge', kind: 'delivery', amount: 647 }],
    paid: 647,
    cancellation: { object: 'cancellation', cancelable: false },
    next: [{ command: `waybill deliveries dispute ${id} --reason TEXT` }],
  });
  const picked = await box.run(['deliveries', 'explain', id, '--json=paid,delivery.status']);
  expect(jsonOf(picked.stdout)).toEqual({ paid: 647, delivery: { status: 'delivered' } });
});

test('on the way: expected or late, the price of canceling, possible next reports', async () => {
  const id = await sent();
  box.advance(6.6 * minute);
  const text = await page(id, 100);
  expect(text).toMatch(/^Expected at \d\d:\d\d, in 2\d min\.$/m);
  expect(text).toContain('cancel it for $2.99: you get $3.48 of $6.47 back\n');
  expect(text).toContain(`waybill sandbox step ${id} arrived_at_pickup\n`);
  box.advance(22.2 * minute);
  const soon = await page(id, 100);
  expect(soon).toMatch(/^Expected at \d\d:\d\d, any minute\.$/m);
  const other = await sent('--simulate', 'slow_assignment');
  box.advance(35 * minute);
  expect(await page(other, 100)).toMatch(/^Late: promised \d\d:\d\d, now \d\d:\d\d, in \d+ min\.$/m);
  expect(soon).toContain('It cannot be canceled: poolride has picked it up.');
});

test.each([
  ['payment_declined', 'It failed: the payment was declined.', 'Nothing was charged.', 'deliveries retry'],
  [
    'no_driver',
    /^It was canceled by poolride: .+\.$/m,
    /refund +-\$6\.47 {2}it was canceled$/m,
    'deliveries retry',
  ],
  [
    'customer_refused',
    'It went back to Grill: the recipient refused',
    /return +\$3\.59 {2}the way back: /,
    '--like ord_',
  ],
])('why it ended, where the money is, and how to continue: %s', async (scenario, why, money, next) => {
  const id = await sent('--simulate', scenario);
  box.advance(120 * minute);
  const text = await page(id, 120);
  for (const part of [why, money, next]) expect(text).toMatch(part);
});

test('in a pipe: a line for each value, named by its part', async () => {
  const id = await sent('--ref', 'piped');
  box.advance(40 * minute);
  const { stdout } = await box.run(['deliveries', 'explain', 'piped']);
  expect(stdout).toContain(`delivery\t${id}\tdelivered\tpiped\tpoolride\n`);
  expect(stdout).toMatch(/^timeline\tdelivery_created\t2026-\S+Z\t360$/m);
  expect(stdout).toMatch(/^timeline\tarrived_at_pickup\t\t$/m);
  expect(stdout).toMatch(/^to\t.*\t\t\d{11}\t$/m);
  expect(stdout).toMatch(/^charge\tdelivery\t647\t/m);
  expect((await box.run(['deliveries', 'explain', id, '-o', 'id'])).stdout).toBe(`${id}\n`);
  expect((await box.run(['deliveries', 'explain', id, '-o', 'csv'])).exit).toBe(2);
});

const terminal = { tty: true, columns: 120, env: { NO_COLOR: '1' } };

/** Passes time and runs what is due. */
async function pass(minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes * 2; passed += 1) {
    box.advance(minute / 2);
    await box.run(['orders', 'list', '--limit', '1']);
  }
}

/** A new order of a batch of one, after its first attempt. */
async function tried(...flags: string[]): Promise<Record<string, unknown>> {
  box.advance(1);
  await box.json([...orderLine, '--auto', ...flags]);
  await pass(1);
  const { stdout } = await box.run(['orders', 'list', '--limit', '1', '-o', 'id']);
  return box.json(['orders', 'get', stdout.trim()]);
}

async function pageOf(id: unknown): Promise<string> {
  return (await box.run(['deliveries', 'explain', String(id)], terminal)).stdout;
}

const explained = (id: unknown) => box.json(['deliveries', 'explain', String(id)]);

test('the chosen quote with its reason, and every rejected one', async () => {
  const order = await tried();
  const text = await pageOf(order.delivery_id);
  expect(text).toContain(
    [
      '\nSelection',
      '  Chosen by auto dispatch at the first try: poolride, $6.47, the cheapest quote.',
      '  Left out:',
      '    metrobike  $0.62 more expensive',
      '    swiftly    $2.06 more expensive',
      '',
    ].join('\n'),
  );
  expect(await explained(order.delivery_id)).toMatchObject({
    choice: {
      batch_id: order.batch_id,
      try: { object: 'try', number: 1, status: 'dispatched', provider: 'poolride' },
      earlier: [],
    },
  });
  const { stdout } = await box.run(['deliveries', 'explain', String(order.delivery_id)]);
  expect(stdout).toContain('choice\t1\tdispatched\tpoolride\tthe cheapest quote\n');
  expect(stdout).toContain('left_out\tswiftly\tdearer\t$2.06 more expensive\n');
});

test('a failed attempt is left to auto dispatch and is in the history of the next', async () => {
  await box.run(['sandbox', 'provider', 'poolride', '--no-capacity']);
  const { id, delivery_id: refused, batch_id } = await tried('--retry-interval', '5m');
  const text = await pageOf(refused);
  expect(text).toContain('poolride, $6.47; it came to nothing: poolride has no courier available.\n');
  expect(text).toMatch(
    new RegExp(
      `^ {2}waybill orders attempts ${id} {2}auto dispatch tries it again by itself at \\d\\d:\\d\\d$`,
      'm',
    ),
  );
  expect(text).not.toContain('deliveries retry');
  const retry = await box.run(['deliveries', 'retry', String(refused), '--json']);
  expect(retry.exit).toBe(6);
  expect(errorOf(retry.stderr)).toMatchObject({
    code: 'delivery_not_initiable',
    message: expect.stringContaining(String(batch_id)),
  });
  await pass(6);
  await box.run(['sandbox', 'provider', 'poolride', '--up']);
  const { delivery_id: next } = await box.json(['orders', 'get', String(id)]);
  const after = await pageOf(next);
  expect(after).toContain('Chosen by auto dispatch at try 2: metrobike, $7.09, the cheapest quote.');
  expect(after).toMatch(/^ {2}Try 1 {2}\d\d:\d\d {2}refused {2}poolride has no courier available$/m);
  expect(await pageOf(refused)).toContain(`waybill deliveries explain ${next}`);
  expect(await explained(next)).toMatchObject({ choice: { earlier: [{ number: 1, status: 'refused' }] } });
});

test('a manual retry was not chosen by auto dispatch', async () => {
  const { id, delivery_id } = await tried();
  await box.run(['deliveries', 'cancel', String(delivery_id), '--yes']);
  expect(await pageOf(delivery_id)).toContain(`waybill deliveries retry ${delivery_id}`);
  const again = await box.json(['deliveries', 'retry', String(delivery_id)]);
  expect(await explained(again.id)).toMatchObject({ choice: null, delivery: { order_id: id } });
});

test('a delivery that was never sent names no provider', async () => {
  const text = await pageOf(await sent('--simulate', 'payment_declined'));
  expect(text).toMatch(/waiting for a driver .*meant for poolride, and never sent$/m);
  expect(text).not.toMatch(/has it|with poolride/);
  await box.run(['sandbox', 'provider', 'poolride', '--no-capacity']);
  const refused = await pageOf(await sent());
  await box.run(['sandbox', 'provider', 'poolride', '--up']);
  expect(refused).not.toMatch(/poolride has it|with poolride/);
  const later = await sent();
  await box.run(['deliveries', 'cancel', later, '--yes']);
  expect(await pageOf(later)).toMatch(/waiting for a driver .*poolride has it$/m);
});

test('the service says whether steps are possible, not the address', async () => {
  const id = await sent();
  const transport = await answersOf(id);
  const env = { WAYBILL_BASE_URL: 'https://deliveries.test', WAYBILL_API_KEY: 'wb_test_madeup' };
  const line = ['deliveries', 'explain', id, '--json'];
  const next = async (sandboxed: boolean) => {
    const { stdout } = await waybill(line, { home: freshHome(), env, transport: transport(sandboxed) });
    return JSON.stringify(jsonOf(stdout).next);
  };
  expect(await next(true)).toContain(`waybill sandbox step ${id}`);
  expect(await next(false)).not.toContain('sandbox step');
});

/** The same delivery on a service that is a sandbox or not. */
async function answersOf(id: string): Promise<(isSandbox: boolean) => Transport> {
  const delivery = await box.json(['deliveries', 'get', id]);
  const terms = await box.json(['deliveries', 'cancel', id, '--price']);
  const order = await box.json(['orders', 'get', String(delivery.order_id)]);
  const steps = await box.json(['api', 'GET', `/v2/sandbox/deliveries/${id}/steps`]);
  return (isSandbox) => async (request) => {
    const bodies: Record<string, unknown> = {
      '/v2/account': { ...account, sandbox: isSandbox },
      [`/v1/delivery/${id}`]: delivery,
      [`/v1/delivery/${id}/cancellation`]: terms,
      [`/v2/orders/${order.id}`]: order,
      [`/v2/sandbox/deliveries/${id}/steps`]: steps,
    };
    const path = request.path.split('?')[0] ?? '';
    const body = bodies[path] ?? { object: 'list', data: [], has_more: false, next_cursor: null };
    return { status: 200, headers: {}, body: JSON.stringify(body) };
  };
}

const people = { tty: true, env: { NO_COLOR: '1' } };

test('people see how far the courier is from the next stop, not bare coordinates', async () => {
  const id = await sent('--simulate', 'happy_path');
  const place = async () => (await box.json(['deliveries', 'explain', id])).courier_place;
  expect(await place()).toBeNull();
  await box.json(['sandbox', 'advance', '--until', `${id}:enroute_pickup`]);
  expect(await place()).toMatchObject({ stop: 'pickup', miles: expect.any(Number) });
  await box.json(['sandbox', 'advance', '--until', `${id}:pickup_complete`]);
  box.advance(5 * minute);
  const { stdout } = await box.run(['deliveries', 'get', id], people);
  expect(stdout).toMatch(/^Courier is +about \d+(\.\d)? mi from the dropoff; last status .+$/m);
  expect(stdout).not.toMatch(/41\.\d{2,}, -87/);
  const explained = await box.run(['deliveries', 'explain', id], people);
  expect(explained.stdout).toMatch(/^ {2}Last seen +about \d+(\.\d)? mi from the dropoff; last status .+$/m);
  await box.json(['sandbox', 'advance', '--until', `${id}:delivered`]);
  box.advance(5 * minute);
  const ended = await box.run(['deliveries', 'explain', id], people);
  expect(ended.stdout).toMatch(/^ {2}Last seen +near the dropoff, \d\d:\d\d \(\d+ min ago\)$/m);
});

/** Which stop the courier is measured from, on the page and in one delivery's fields. */
test.each([
  ['enroute_pickup', 'pickup', 'Last seen'],
  ['pickup_complete', 'dropoff', 'Last seen'],
  ['enroute_to_return', 'pickup', 'Last seen'],
  ['returned', 'pickup', 'Last seen'],
])('in %s the courier is said to be near or away from the %s', async (until, stop, label) => {
  const id = await sent('--simulate', 'customer_refused');
  await box.json(['sandbox', 'advance', '--until', `${id}:${until}`]);
  box.advance(minute);
  const { stdout } = await box.run(['deliveries', 'explain', id], people);
  expect(stdout).toMatch(
    new RegExp(`^ {2}${label} +(?:(?:near|at)|(?:about )?[\\d.]+ mi from) the ${stop}`, 'm'),
  );
  const shown = await box.run(['deliveries', 'get', id], people);
  expect(shown.stdout).toMatch(new RegExp(`^Courier is +.*the ${stop}`, 'm'));
});

test('--show-pii groups the digits of phone numbers', async () => {
  const id = await newDelivery(box);
  const { stdout } = await box.run(['deliveries', 'get', id, '--show-pii'], people);
  expect(stdout).toMatch(/^Dropoff phone +\+1 312 555 0142$/m);
});

const withRef = (ref: string) => newDelivery(box, '--ref', ref);

test('a note is shown to the next agent by explain and get, newest first, and no event is published', async () => {
  const id = await withRef('noted');
  const events = async () => (await box.run(['events', 'list', '--all', '-o', 'id'])).stdout;
  const before = await events();
  const first = await box.json(['deliveries', 'note', 'noted', 'Gate code is 1234']);
  expect(first).toMatchObject({
    object: 'delivery_note',
    delivery_id: id,
    text: 'Gate code is 1234',
    tags: [],
  });
  box.advance(60_000);
  await box.json(['deliveries', 'note', id, 'Called, no answer', '--tag', 'callback', '--tag', 'callback']);
  expect(await events()).toBe(before);
  const { stdout } = await box.run(['deliveries', 'explain', id], people);
  expect(stdout).toMatch(
    /\nNotes\n {2}Called, no answer \[callback\], .*\n {2}Gate code is 1234, .*\n\nRoute\n/,
  );
  const shown = await box.run(['deliveries', 'get', id], people);
  expect(shown.stdout).toMatch(/Note +Called, no answer \[callback\], .*\nNote +Gate code is 1234, /);
  expect(await box.json(['deliveries', 'explain', id])).toMatchObject({
    notes: [{ text: 'Called, no answer', tags: ['callback'] }, { text: 'Gate code is 1234' }],
  });
  expect(await box.json(['deliveries', 'get', id])).not.toHaveProperty('notes');
  const listed = await box.run(['deliveries', 'note', id, '-o', 'ndjson']);
  expect(linesIn(listed.stdout)).toHaveLength(2);
  const piped = await box.run(['deliveries', 'note', id, '-', '--json'], { stdin: 'From a pipe\n' });
  expect(jsonOf(piped.stdout)).toMatchObject({ text: 'From a pipe' });
  // More than one page of them.
  for (let count = 3; count < 25; count++) await box.json(['deliveries', 'note', id, `Note ${count}`]);
  const all = await box.run(['deliveries', 'note', id, '-o', 'ndjson']);
  expect(linesIn(all.stdout)).toHaveLength(25);
});

test('notes need a delivery and a text, and a reset of the sandbox deletes them', async () => {
  const id = await withRef('reset');
  const tag = await box.run(['deliveries', 'note', id, '--tag', 'vip', '--json']);
  expect([tag.exit, errorOf(tag.stderr).message]).toEqual([2, 'A tag needs a note: add its text.']);
  expect(await box.run(['deliveries', 'note', id, ' ', '--json'])).toMatchObject({ exit: 2 });
  const none = await box.run(['deliveries', 'note', 'dlv_01KJPZ6V3CQ8YH2W5N7R4T9XEE', 'Hello', '--json']);
  expect([none.exit, errorOf(none.stderr).code]).toEqual([5, 'record_not_found']);
  await box.json(['deliveries', 'note', id, 'Kept until the reset']);
  expect((await box.run(['sandbox', 'reset', '--yes'])).exit).toBe(0);
  expect((await box.run(['deliveries', 'note', id, '--json'])).exit).toBe(5);
});

test('a dispute is no news of the courier', async () => {
  const id = await sent('--simulate', 'happy_path');
  await box.run(['sandbox', 'step', id, 'delivered']);
  const seen = async () => {
    const { stdout } = await box.run(['deliveries', 'explain', id, '-o', 'table']);
    return /Last seen .*?(\d\d:\d\d):\d\d/.exec(stdout)?.[1];
  };
  const before = await seen();
  box.advance(3_600_000);
  await box.json(['deliveries', 'dispute', id, '--reason', 'It never came']);
  expect(before).toMatch(/^\d\d:\d\d$/);
  expect(await seen()).toBe(before);
});

test('how late it came is the difference of the two times that are shown', async () => {
  const id = await sent('--simulate', 'slow_assignment');
  box.advance(59_000);
  await box.json(['sandbox', 'advance', '--by', '2h']);
  const { stdout } = await box.run(['deliveries', 'explain', id, '-o', 'table']);
  const [, late, came, due] =
    /Delivered (\d+) min late, at \S+ (\d\d:\d\d).*: promised \S+ (\d\d:\d\d)/.exec(stdout) ?? [];
  const minutes = (text = '') => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  expect(Number(late)).toBe(minutes(came) - minutes(due));
});

test('of a phone number that simulates a cancellation the page, today and the retry say so', async () => {
  const id = await sent('--dropoff-phone-number', '+13125550107');
  for (const status of ['driver_assigned', 'provider_canceled'])
    await box.json(['sandbox', 'step', id, status]);
  const text = 'its phone number simulates provider_cancel_before_pickup: each try is canceled';
  const { stdout } = await box.run(['deliveries', 'explain', id, '--json']);
  expect(JSON.parse(stdout).next).toContainEqual(
    expect.objectContaining({ when: `${text}: send a new order like it, with another number` }),
  );
  const { items } = await box.json(['today']);
  expect(items).toContainEqual(expect.objectContaining({ id, what: expect.stringContaining(`(${text})`) }));
  expect((await box.run(['deliveries', 'retry', id, '--json'])).stderr).toContain(`: ${text}.`);
});
