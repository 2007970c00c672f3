import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorOf, freshHome, linesIn } from '../../harness.ts';
import { newOrder, orderFields, orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();

test('an order from flags: every field is sent', async () => {
  const order = await box.json([
    ...orderLine,
    ...['--item', 'Soup: spicy:2', '--ref', '#1042', '--order-value', '42.50', '--tip', '3'],
    ...['--pickup-unit', '2F', '--pickup-notes', 'Back door'],
    ...['--dropoff-unit', '9', '--dropoff-notes', 'Ring'],
    ...['--dropoff-at', '3h', '--vehicle', 'car', '--request-signature'],
  ]);
  expect(order).toMatchObject({
    status: 'open',
    items: [
      { name: 'Brisket Classic', quantity: 4, size: 'small' },
      { name: 'Soup: spicy', quantity: 2, size: 'small' },
    ],
    ...{ external_order_ref: '#1042', order_value: 4250, tip: 300, vehicle: 'car' },
    ...{ pickup_unit: '2F', pickup_notes: 'Back door', dropoff_unit: '9', dropoff_notes: 'Ring' },
    ...{ dropoff_at: '2026-03-02T13:00:00.000Z', request_signature: true, request_contactless: false },
  });
});

test('missing input is prompted for in a terminal; elsewhere all of it is named at once', async () => {
  const { exit, stderr } = await box.run(['orders', 'create', '--pickup-name', 'Grill', '--json']);
  expect(exit).toBe(2);
  expect(errorOf(stderr).missing).toEqual([
    ...['--pickup-address', '--pickup-phone-number'],
    ...['--dropoff-address', '--dropoff-name', '--dropoff-phone-number', '--item'],
  ]);
  const line = [...orderLine.slice(0, 4), ...orderLine.slice(6)];
  const asked = await box.run([...line, '-o', 'tsv'], { tty: true, answers: ['Asked Grill'] });
  expect(asked).toMatchObject({ exit: 0, stdout: expect.stringContaining('pickup_name\tAsked Grill') });
});

test('an order from a file, changed by flags, and from stdin', async () => {
  const home = freshHome();
  writeFileSync(join(home, 'o.json'), JSON.stringify({ ...orderFields, tip: 100 }));
  const fromFile = await box.json(['orders', 'create', '--file', 'o.json', '--tip', '2'], { home });
  expect(fromFile).toMatchObject({ tip: 200, items: [{ name: 'Soup', quantity: 2, size: 'small' }] });
  const stdin = JSON.stringify(orderFields);
  expect(await box.json(['orders', 'create', '-'], { stdin })).toMatchObject({ dropoff_name: 'Joe Diner' });
  expect(await box.json(['orders', 'create', '--file', '-'], { stdin })).toMatchObject({ tip: 0 });
});

test('a file with a missing field names it before anything is sent', async () => {
  const { pickup_name: _, ...stdin } = orderFields;
  const before = box.requests.length;
  const { exit, stderr } = await box.run(['orders', 'create', '-', '--json'], {
    stdin: JSON.stringify(stdin),
  });
  expect(exit).toBe(2);
  expect(errorOf(stderr)).toMatchObject({
    missing: ['--pickup-name'],
    message: 'Missing in stdin: --pickup-name.',
  });
  expect(box.requests.slice(before).filter(({ method }) => method === 'POST')).toEqual([]);
});

test('of an array all orders are created, or none', async () => {
  const both = JSON.stringify([orderFields, { ...orderFields, external_order_ref: 'second' }]);
  const made = await box.run(['orders', 'create', '-', '-o', 'ndjson'], { stdin: both });
  expect(linesIn(made.stdout).map((line) => JSON.parse(line).external_order_ref)).toEqual(['', 'second']);
  const bad = JSON.stringify([orderFields, { ...orderFields, dropoff_phone_number: '12' }, orderFields]);
  const before = box.requests.length;
  const refused = await box.run(['orders', 'create', '-', '--json'], { stdin: bad });
  expect([refused.exit, refused.stdout]).toEqual([2, '']);
  expect(box.requests.slice(before).filter(({ method }) => method === 'POST')).toHaveLength(1);
  expect(errorOf(refused.stderr)).toMatchObject({
    ...{ code: 'invalid_request', status: 400, exit: 2 },
    details: [{ path: 'orders[1].dropoff_phone_number', flag: null }],
  });
});

test('one reference is not given to several orders', async () => {
  const before = box.requests.length;
  const stdin = JSON.stringify([orderFields, orderFields]);
  const { exit, stderr } = await box.run(['orders', 'create', '-', '--ref', 'Z', '--json'], { stdin });
  expect([exit, errorOf(stderr).message, box.requests.length]).toEqual([
    ...[2, '--ref names a single order, but stdin has 2 orders.', before],
  ]);
});

test('a file that is not UTF-8 is refused, as its names would be broken', async () => {
  const file = join(freshHome(), 'latin1.json');
  writeFileSync(file, Buffer.from(JSON.stringify({ ...orderFields, dropoff_name: 'Jürgen' }), 'latin1'));
  const { exit, stderr } = await box.run(['orders', 'create', '--file', file, '--json']);
  expect([exit, errorOf(stderr).message]).toEqual([2, `${file} is not UTF-8.`]);
});

test('if the first order of an array is refused, nothing was created: exit 2', async () => {
  const stdin = JSON.stringify([{ ...orderFields, tip: -1 }, orderFields]);
  const { exit, stdout } = await box.run(['orders', 'create', '-'], { stdin });
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
});

test('an error has its place in the file, and amounts their unit; values of flags have their flag', async () => {
  const stdin = JSON.stringify({ ...orderFields, order_value: 12.5, dropoff_phone_number: '12' });
  const people = await box.run(['orders', 'create', '-'], { stdin });
  expect(people.stderr).toMatch(/^ {2}orders\[0\]\.order_value: must be a whole number; it/m);
  expect(people.stderr).not.toContain('--order-value');
  const good = JSON.stringify(orderFields);
  const flagged = await box.run(['orders', 'create', '-', '--dropoff-phone', '34'], { stdin: good });
  expect(flagged.stderr).toMatch(/^ {2}--dropoff-phone-number: /m);
  const body = await box.run(['orders', 'create', '-'], { stdin: `{"orders":[${stdin}]}` });
  expect(body.stderr).toMatch(/^ {2}orders\[0\]\.order_value: /m);
  const flags = await box.run([...orderLine, '--dropoff-phone', '12']);
  expect(flags.stderr).toMatch(/^ {2}--dropoff-phone-number: /m);
});

test('--dry-run shows the request for an array', async () => {
  const stdin = JSON.stringify([orderFields, { ...orderFields, external_order_ref: 'second' }]);
  const before = box.requests.length;
  const line = ['orders', 'create', '-', '--dry-run'];
  const { stdout } = await box.run([...line, '--json=id'], { stdin });
  const body = { orders: [orderFields, { ...orderFields, external_order_ref: 'second' }], unique_ref: true };
  expect(JSON.parse(stdout)).toMatchObject({ dry_run: true, method: 'POST', body });
  const people = await box.run(line, { stdin });
  expect(people.stdout.match(/^POST \/v2\/orders\/bulk$/gm)).toHaveLength(1);
  const curl = await box.run([...line, '--curl'], { stdin });
  expect(curl.stdout.match(/^curl /gm)).toHaveLength(1);
  expect(box.requests.slice(before)).toEqual([]);
});

test('the orders of an array have one key, so that repeating the command creates nothing twice', async () => {
  const stdin = JSON.stringify([orderFields, { ...orderFields, external_order_ref: 'b' }]);
  const line = ['orders', 'create', '-', '-o', 'id', '--idempotency-key', 'step-7'];
  const first = await box.run(line, { stdin });
  expect(linesIn(first.stdout)).toHaveLength(2);
  expect((await box.run(line, { stdin })).stdout).toBe(first.stdout);
});

test('sources exclude each other, and a stray word is not a source', async () => {
  for (const words of [['--like', 'ord_1', '--file', 'x.json'], ['-', '--like', 'ord_1'], ['order.json']]) {
    expect(await box.run([...orderLine, ...words])).toMatchObject({ exit: 2, stdout: '' });
  }
});

test('orders are listed, filtered and paged; the command for the next page works', async () => {
  for (const name of ['a', 'b', 'c']) await newOrder(box, '--ref', `page ${name}`, '--dropoff-name', 'Pager');
  const { stdout, stderr } = await box.run([
    'orders',
    'list',
    '--limit',
    '2',
    '--status',
    'open',
    '-o',
    'ndjson',
  ]);
  const refs = linesIn(stdout).map((line) => JSON.parse(line).external_order_ref);
  expect(refs).toEqual(['page c', 'page b']);
  const next = /waybill (.*orders list .*)/.exec(stderr)?.[1]?.split(' ') ?? [];
  expect(next).toContain('--cursor');
  const second = await box.run([...next, '-o', 'ndjson']);
  expect(JSON.parse(second.stdout.split('\n')[0] ?? '').external_order_ref).toBe('page a');
  const byRef = await box.run(['orders', 'list', '--ref', 'page b', '-o', 'id']);
  expect(linesIn(byRef.stdout)).toHaveLength(1);
});

test('an order is shown and canceled once; a repeat changes nothing', async () => {
  const order = await newOrder(box);
  expect(await box.json(['orders', 'get', order, '--expand', 'delivery'])).toMatchObject({ delivery: null });
  const shown = await box.run(['orders', 'show', order, '--color', 'never'], { tty: true });
  expect(shown.stdout).toMatch(/Items +4 x Brisket Classic \(small\)/);
  expect(await box.json(['orders', 'cancel', order])).toMatchObject({ cancellation_fee: 0, given_back: 0 });
  const posts = box.requests.filter(({ method }) => method === 'POST').length;
  const again = await box.run(['orders', 'cancel', order]);
  expect([again.exit, again.stderr]).toEqual([
    0,
    expect.stringContaining(`Order ${order} was canceled already.`),
  ]);
  expect(box.requests.filter(({ method }) => method === 'POST')).toHaveLength(posts);
  expect((await box.run(['orders', 'get', 'ord_nothing'])).exit).toBe(5);
});

test('in a terminal the content is prompted for too, unless it is described', async () => {
  const line = ['orders', 'create', '--items-description', 'Papers'];
  const answers = [...Object.values(orderFields).slice(0, 6)];
  expect(await box.run(line, { tty: true, answers })).toMatchObject({ exit: 0 });
  const asked = await box.run(orderLine.slice(0, -2), { tty: true, answers: ['Soup:2:small'] });
  expect(asked.exit).toBe(0);
  expect(JSON.parse(box.requests.at(-1)?.body ?? '').orders[0].items).toEqual([
    { name: 'Soup', quantity: 2, size: 'small' },
  ]);
});

const minute = 60_000;

async function sent(...flags: string[]) {
  return box.json(['deliveries', 'create', ...orderLine.slice(2), '--initiate', ...flags]);
}

test('the order of a delivery under way is canceled at a confirmed price', async () => {
  const { id, order_id } = await sent('--request-signature');
  box.advance(3 * minute);
  const line = ['orders', 'cancel', String(order_id)];
  const unasked = await box.run([...line, '--json']);
  expect(unasked.exit).toBe(2);
  expect(errorOf(unasked.stderr).message).toMatch(/Canceling costs \$4\.00/);
  const dear = await box.run([...line, '--yes', '--max-fee', '3.99', '--json']);
  expect([dear.exit, errorOf(dear.stderr).code]).toEqual([6, 'above_max_fee']);
  expect(await box.json(['deliveries', 'get', String(id)])).toMatchObject({ status: 'enroute_pickup' });
  expect(errorOf(unasked.stderr).next).toMatchObject([
    { command: `waybill ${line.join(' ')} --yes --max-fee 4.00` },
  ]);
  const agreed = [...line, '--yes', '--max-fee', '4.00', '--idempotency-key', 'cancel'];
  // A repeat says what it has cost, with its key and without.
  for (const each of [agreed, agreed, line])
    expect(await box.json(each)).toMatchObject({
      id: order_id,
      status: 'canceled',
      cancellation_fee: 400,
      given_back: 453,
    });
  expect(await box.json(['deliveries', 'get', String(id)])).toMatchObject({ status: 'customer_canceled' });
});

test('of several attempts of one order, its reference means the latest', async () => {
  const line = ['deliveries', 'create', ...orderLine.slice(2), '--initiate', '--ref', 'again'];
  const declined = await box.run([...line, '--simulate', 'payment_declined_once', '-o', 'id']);
  expect(declined.exit).toBe(9);
  const retried = await box.json(['deliveries', 'retry', declined.stdout.trim()]);
  expect(await box.json(['deliveries', 'get', 'again'])).toMatchObject({ id: retried.id });
  await sent('--ref', 'again', '--allow-duplicate-ref');
  expect((await box.run(['deliveries', 'get', 'again'])).exit).toBe(2);
});

test('an order is found by its reference in every look-up', async () => {
  const id = await newOrder(box, '--ref', '#2042');
  expect(await box.json(['orders', 'get', '#2042'])).toMatchObject({ id });
  expect(await box.json(['orders', 'wait', '#2042', '--until', 'open'])).toMatchObject({ id });
  const tries = await box.run(['orders', 'attempts', '#2042'], { tty: true });
  expect(tries).toMatchObject({ exit: 0, stderr: expect.stringContaining(`${id} has no attempts`) });
  const late = ['orders', 'wait', '#2042', '--timeout', '1s', '--json'];
  const { exit, stderr } = await box.run(late, { sleep: box.passing.sleep });
  expect([exit, errorOf(stderr).next]).toEqual([8, expect.anything()]);
  expect(stderr).toContain(`waybill orders wait ${id} --timeout 1s`);
  expect(await box.json(['orders', 'cancel', '#2042'])).toMatchObject({ id, status: 'canceled' });
});

test('an order is found by the id of its delivery', async () => {
  const line = ['deliveries', 'create', ...orderLine.slice(2), '--initiate'];
  const { id, order_id } = await box.json(line);
  expect(await box.json(['orders', 'get', String(id)])).toMatchObject({ id: order_id });
});

test('an ambiguous reference is never guessed, and an unknown one is exit 5', async () => {
  const first = await newOrder(box, '--ref', 'twice');
  const second = await newOrder(box, '--ref', 'twice');
  for (const verb of ['get', 'wait', 'tries', 'cancel']) {
    const { exit, stderr } = await box.run(['orders', verb, 'twice', '--json']);
    expect([exit, errorOf(stderr).choices]).toEqual([2, [second, first]]);
    const none = await box.run(['orders', verb, 'nobody', '--json']);
    expect([none.exit, errorOf(none.stderr).message]).toEqual([5, 'No order matches "nobody".']);
    expect((await box.run(['orders', verb, ' '])).exit).toBe(2);
  }
  expect(await box.json(['orders', 'get', first])).toMatchObject({ status: 'open' });
});

test('the e-mail address of the recipient is stored, found, copied, changed and cleared', async () => {
  const address = 'zoe.dropoff@diner.example';
  const order = await newOrder(box, '--dropoff-email', address);
  const like = ['--like', order, '--allow-duplicate-ref'];
  const copy = await box.json(['orders', 'create', ...like]);
  expect([copy.id === order, copy.dropoff_email]).toEqual([false, address]);
  const { stderr } = await box.run(['orders', 'create', ...like, '--dry-run']);
  const open = `${order} is still open, and this is a second order. Without it: waybill ship ${order}. To drop the first one: waybill orders cancel ${order}`;
  expect(stderr.replaceAll('\n', ' ')).toContain(open);
  const found = await box.run(['orders', 'list', '--search', address, '--json']);
  expect(JSON.parse(found.stdout)).toMatchObject([
    { id: copy.id, matched: 'e-mail' },
    { id: order, matched: 'e-mail' },
  ]);
  const line = ['deliveries', 'create', ...orderLine.slice(2), '--dropoff-email', address];
  const delivery = String((await box.json(line)).id);
  const change = ['deliveries', 'edit', delivery];
  const changed = await box.json([...change, '--dropoff-email', 'zoe@diner.example']);
  expect(changed).toMatchObject({ details: { dropoff_email: 'zoe@diner.example' } });
  const cleared = await box.json([...change, '--clear', 'dropoff-email']);
  expect(JSON.stringify(cleared)).not.toContain('diner.example');
});

test('a wrong e-mail address is refused before anything is sent', async () => {
  const sent = box.requests.length;
  const { exit, stderr } = await box.run([...orderLine, '--dropoff-email', 'joe@diner']);
  expect([exit, box.requests.length]).toEqual([2, sent]);
  expect(stderr).toContain('must be an e-mail address such as joe@diner.example, not "joe@diner"');
});

test('coordinates from flags are exact; a copy keeps them unless its address changes', async () => {
  const place = ['--dropoff-latitude', '41.87888', '--dropoff-longitude', '-87.63591'];
  const order = await box.json([...orderLine, ...place, '--ref', 'coordinates']);
  const given = { dropoff_latitude: 41.87888, dropoff_longitude: -87.63591, dropoff_precision: 'exact' };
  expect(order).toMatchObject({ ...given, pickup_precision: 'zip' });
  const like = ['orders', 'create', '--like', String(order.id), '--allow-duplicate-ref'];
  expect(await box.json(like)).toMatchObject(given);
  const moved = await box.json([...like, '--dropoff-address', '1060 W Addison St, Chicago, IL 60613']);
  expect(moved).toMatchObject({ dropoff_precision: 'zip' });
  const shown = await box.run(['orders', 'get', String(order.id)], { tty: true, env: { NO_COLOR: '1' } });
  expect(shown.stdout).toMatch(/^Dropoff place +41\.87888, -87\.63591 \(exact\)$/m);
  expect(shown.stdout).not.toContain('Pickup place');
  const wrong = await box.run([...orderLine, '--dropoff-latitude', '91', '--dropoff-longitude', '1']);
  expect([wrong.exit, wrong.stderr]).toEqual([2, expect.stringContaining('degrees from -90 to 90')]);
  const far = await box.run([...orderLine, '--dropoff-latitude', '41.9', '--dropoff-longitude', '87.6']);
  expect(far.exit).toBe(2);
  expect(far.stderr).toMatch(/--dropoff-latitude: is \d+ miles from the centre of ZIP code 60606/);
});

test('an order says what becomes of what cannot be handed over, and a copy does', async () => {
  const order = await box.json([...orderLine, '--undeliverable-action', 'discard', '--ref', 'undeliverable']);
  expect(order).toMatchObject({ undeliverable_action: 'discard' });
  const like = ['orders', 'create', '--like', String(order.id), '--allow-duplicate-ref'];
  expect(await box.json(like)).toMatchObject({ undeliverable_action: 'discard' });
});
