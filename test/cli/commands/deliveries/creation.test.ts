import { expect, test } from 'vitest';
import { contextLine, errorOf, failureOf, jsonOf, linesIn } from '../../harness.ts';
import { newDelivery, newStore, orderFields, orderLine, postsTo, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const fields = orderLine.slice(2);
const dropoff = fields.slice(fields.indexOf('--dropoff-address'));
const from = ['--pickup-address', '43 E Ohio St, Chicago, IL 60611'];
const to = ['--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606'];
const terminal = (columns: number) => ({ tty: true, columns, env: { NO_COLOR: '1' } });

async function quotes(...flags: string[]): Promise<{ id: string; service: string; fee: number }[]> {
  const { stdout } = await box.run(['deliveries', 'quote', ...from, ...to, ...flags, '--json']);
  return JSON.parse(stdout);
}

async function created(...flags: string[]): Promise<Record<string, unknown>> {
  box.advance(1);
  return box.json(['deliveries', 'create', ...fields, ...flags]);
}

test('people see provider, fee, time and id; the id is never left out', async () => {
  const line = ['deliveries', 'quote', ...from, ...to];
  const wide = await box.run(line, terminal(200));
  expect(wide.stdout).toMatch(
    /^PROVIDER +FEE +THERE AT +TIME LEFT +ID\npoolride +\$6\.47 +\d\d:\d\d +10 min +quo_\w+\n/,
  );
  const some = await box.run([...line, '--columns', 'provider,there_at,fee'], terminal(60));
  expect(some.stdout).toMatch(/^PROVIDER +THERE AT +FEE\npoolride +\d\d:\d\d +\$6\.47\n/);
  const narrow = await box.run(line, terminal(60));
  expect(narrow.stdout).toMatch(/^PROVIDER +FEE +THERE AT +ID\npoolride +\$6\.47 +\d\d:\d\d +quo_\w{26}\n/);
  for (const text of narrow.stdout.split('\n')) expect(text.length).toBeLessThanOrEqual(60);
});

test('a quote can be for a time, for items, and for a scenario of the sandbox', async () => {
  expect((await quotes('--dropoff-at', '3h')).map(({ service }) => service)).toContain('nightowl');
  const large = await quotes('--item', 'Sofa:1:extra_large');
  expect(large.map(({ service }) => service)).toEqual(['haulvan']);
  const line = ['deliveries', 'quote', ...from, ...to, '--simulate', 'no_quotes'];
  const none = await box.run([...line, '--json']);
  expect([none.exit, none.stdout, errorOf(none.stderr).code]).toEqual([9, '[]\n', 'no_quotes']);
  expect(errorOf(none.stderr).reasons).toContainEqual(
    expect.objectContaining({ provider: 'nightowl', code: expect.any(String) }),
  );
  const down = await box
    .run(['sandbox', 'provider', 'swiftly', '--down'])
    .then(() => box.run(line.slice(0, -2)));
  expect(down.stderr).toMatch(/^No quote: .*swiftly: it did not answer/m);
  expect(down.stderr).not.toContain('nightowl');
  await box.run(['sandbox', 'provider', 'swiftly', '--up']);
  expect(await box.run(line)).toMatchObject({ exit: 9, stdout: '' });
});

test('a quote for an order as it was, or to another address', async () => {
  const { id } = await created('--ref', 'like-1', '--item', 'Sofa:1:extra_large');
  const quoted = async (...flags: string[]) => {
    const { stdout, stderr } = await box.run(['deliveries', 'quote', '--like', 'like-1', ...flags]);
    return { services: stdout.match(/^[a-z]+/gm), fee: stdout.split('\t')[1], stderr };
  };
  const same = await quoted();
  expect(same.services).toEqual(['haulvan']);
  expect(same.stderr).toMatch(
    /^Next: waybill deliveries create --like like-1 --quote quo_\w+ --initiate --idempotency-key again-quo_\w+/m,
  );
  const farther = await quoted('--dropoff-address', '1060 W Addison St, Chicago, IL 60613');
  expect(Number(farther.fee)).toBeGreaterThan(Number(same.fee));
  expect(farther.stderr).toContain("--like like-1 --dropoff-address '1060 W Addison St, Chicago, IL 60613'");
  expect((await box.json(['deliveries', 'get', String(id)])).status).toBe('request');
});

/** The words of the command after `Next:`. */
function nextOf(stderr: string): string[] {
  const [, line = ''] = /^Next: waybill (.*)$/m.exec(stderr) ?? [];
  return (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''));
}

test.each([
  ['--pickup-at', 'tomorrow 6pm'],
  ['--dropoff-at', '3h'],
  ['--dropoff-address', '1060 W Addison St, Chicago, IL 60613', '--dropoff-at', '3h'],
  ['--item', 'Sofa:1:extra_large', '--item', 'Cake:2'],
  ['--vehicle', 'car', '--request-signature'],
  ['--dropoff-latitude', '41.8789', '--dropoff-longitude', '-87.6359'],
])('the next command of a quote can be run, at its price: %s %s', async (...flags) => {
  const ref = `next-${flags.join()}`.slice(0, 40);
  await created('--ref', ref, '--tip', '2');
  const quoted = await box.run(['deliveries', 'quote', '--like', ref, ...flags]);
  const words = nextOf(quoted.stderr);
  const fee = Number(quoted.stdout.split('\t')[1]);
  expect(words.slice(-2)).toEqual(['--max-cost', ((fee + 200) / 100).toFixed(2)]);
  expect(await box.json(words)).toMatchObject({ payment_amount: fee, tip: 200 });
});

test('without --initiate a delivery is stored, with it dispatched; the next command is printed', async () => {
  const kept = await box.run(['deliveries', 'create', ...fields]);
  expect(kept.stdout).toContain('status\trequest\n');
  expect(kept.stderr).toMatch(
    /no courier is asked yet\. poolride would take it for \$6\.47\.\nNext: waybill deliveries initiate dlv_\w+ --max-cost DOLLARS\n/,
  );
  const sent = await box.run(['deliveries', 'create', ...fields, '--initiate']);
  expect(sent.stdout).toContain('status\tdelivery_created\n');
  expect(sent.stderr).toMatch(/poolride has it for \$6\.47\.\nNext: waybill deliveries watch dlv_\w+\n/);
  expect(await box.json(['deliveries', 'create', ...fields])).toMatchObject({
    status: 'request',
    service: 'poolride',
  });
});

test('a named quote is used', async () => {
  const swift = (await quotes()).find(({ service }) => service === 'swiftly');
  const line = ['deliveries', 'create', ...fields, '--quote', swift?.id ?? '', '--json'];
  const { stdout, stderr } = await box.run(line);
  expect(jsonOf(stdout)).toMatchObject({ service: 'swiftly', quote_id: swift?.id, fee: 853 });
  expect(stderr).not.toContain('expired');
});

test('an expired quote is replaced: a warning with the new id and fee, also with --quiet', async () => {
  const [cheapest] = await quotes();
  box.advance(11 * 60_000);
  const line = [
    'deliveries',
    'create',
    ...fields,
    '--quote',
    cheapest?.id ?? '',
    '--initiate',
    '--max-cost',
    '9',
  ];
  const { stdout, stderr, exit } = await box.run([...line, '-q', '-o', 'tsv']);
  const used = /quote_id\t(quo_\w+)/.exec(stdout)?.[1] ?? '';
  expect([exit, used === cheapest?.id]).toEqual([0, false]);
  expect(stderr).toBe(
    `Warning: The quote ${cheapest?.id} had expired. ${used} was used instead, and the fee may differ: it is $6.47 now.\n`,
  );
  const json = await box.run([...line, '--json']);
  expect(jsonOf(json.stderr.replace(contextLine, '').split('\n')[0] ?? '')).toMatchObject({
    type: 'warning',
    code: 'quote_replaced',
    given: cheapest?.id,
    quote_id: jsonOf(json.stdout).quote_id,
    fee: 647,
  });
});

test('the same warning at initiation; a quote that expires at once is 8 % more expensive', async () => {
  const { id, quote_id } = await created('--simulate', 'quote_expired');
  box.advance(1000);
  const line = ['deliveries', 'initiate', String(id), '--quote', String(quote_id)];
  const { stdout, stderr, exit } = await box.run(line);
  expect(exit).toBe(0);
  expect(stderr).toMatch(
    /^Warning: The quote \S+ had expired\. quo_\w+ was used instead, and the fee is \$6\.96 now: it was \$6\.47\.$/m,
  );
  expect(stdout).toContain('status\tdelivery_created\n');
});

test('a delivery that no provider accepts is stored, and the output says so', async () => {
  const line = ['deliveries', 'create', ...fields, '--simulate', 'no_quotes'];
  const { stdout, stderr, exit } = await box.run(line);
  expect([exit, stdout.includes('status\trequest\n')]).toEqual([0, true]);
  expect(stderr).toMatch(
    /It is kept, and no courier takes it now\.\nTry it again later: waybill deliveries initiate dlv_\w+ --max-cost DOLLARS\n$/,
  );
  expect(stderr).not.toContain('Next:');
});

test('an error of one of several names its position; earlier ones stay created, which is exit 10', async () => {
  const good = orderFields;
  const bad = { ...good, order_value: -1 };
  const run = (orders: unknown) =>
    box.run(['deliveries', 'create', '-', '--json'], { stdin: JSON.stringify(orders) });
  const partly = await run([good, bad]);
  expect([partly.exit, JSON.parse(partly.stdout).length]).toEqual([10, 1]);
  expect(errorOf(partly.stderr).details).toMatchObject([
    { path: 'deliveries[1].order_value', flag: null, message: expect.stringContaining('whole cents') },
  ]);
  const { pickup_name: _, ...incomplete } = good;
  expect(errorOf((await run([good, incomplete])).stderr).missing).toEqual(['deliveries[1].pickup_name']);
  const body = await run({ orders: [good], settings: {} });
  expect([body.exit, errorOf(body.stderr).message]).toEqual([2, expect.stringContaining('body of an order')]);
  const quoted = await box.run(['deliveries', 'create', '-', '--quote', 'quo_1', '--json'], {
    stdin: JSON.stringify([good, good]),
  });
  expect([quoted.exit, errorOf(quoted.stderr).message]).toEqual([2, expect.stringContaining('one delivery')]);
});

test('--store replaces the pickup, in orders too; a copy keeps it unless the pickup is changed', async () => {
  const id = await newStore(box, 'Corner', '--notes', 'Back door');
  const quoted = await box.run(['deliveries', 'quote', '--store', id, ...to, '--json']);
  expect(JSON.parse(quoted.stdout)).toHaveLength(4);
  const made = await box.json(['deliveries', 'create', '--store', id, ...dropoff]);
  expect(made).toMatchObject({ store_id: id, pickup_name: 'Corner', pickup_notes: 'Back door' });
  const order = await box.json(['orders', 'create', '--store', id, ...dropoff]);
  expect(order).toMatchObject({ pickup_store_id: id, pickup_name: 'Corner' });
  const like = ['orders', 'create', '--like', String(order.id)];
  expect(await box.json([...like, '--tip', '1'])).toMatchObject({ pickup_store_id: id, tip: 100 });
  expect(await box.json([...like, '--pickup-name', 'Bar'])).toMatchObject({
    pickup_store_id: null,
    pickup_name: 'Bar',
    pickup_notes: 'Back door',
  });
});

test('an unknown store, and both store and pickup, are refused with the flag', async () => {
  const none = await box.run(['deliveries', 'create', '--store', 'str_none', ...dropoff, '--json']);
  expect([none.exit, errorOf(none.stderr).code]).toEqual([5, 'record_not_found']);
  const id = await newStore(box, 'Corner');
  const both = await box.run(['deliveries', 'create', ...fields, '--store', id, '--json']);
  expect(errorOf(both.stderr).details).toEqual(
    expect.arrayContaining([expect.objectContaining({ flag: '--pickup-name' })]),
  );
});

test('an unknown scenario is reported by its flag, with the known ones', async () => {
  const line = ['deliveries', 'create', ...fields, '--simulate', 'hapy_path', '--json'];
  const { exit, stderr } = await box.run(line);
  expect(exit).toBe(2);
  expect(errorOf(stderr)).toMatchObject({
    code: 'simulation_unknown',
    message: 'Unknown scenario or parameter "hapy_path"; expected happy_path.',
    choices: ['happy_path'],
    details: [{ flag: '--simulate' }],
  });
});

test('a copy of an order from a deleted store has the store’s fields', async () => {
  const store = await newStore(box, 'Gone', '--notes', 'Back door');
  const { id, order_id } = await box.json(['deliveries', 'create', '--store', store, ...dropoff]);
  await box.run(['stores', 'delete', store, '--yes']);
  for (const group of ['orders', 'deliveries']) {
    const line = [group, 'create', '--like', String(id), '--json'];
    const { exit, stdout, stderr } = await box.run(line);
    expect(exit).toBe(0);
    expect(stderr).toContain(`The store of ${order_id} is gone: its pickup`);
    expect(jsonOf(stdout)).toMatchObject({ pickup_name: 'Gone', pickup_notes: 'Back door' });
  }
  const elsewhere = await box.run(['orders', 'create', '--like', String(id), '--pickup-name', 'Bar']);
  expect([elsewhere.exit, elsewhere.stderr]).toEqual([0, expect.not.stringContaining('is gone')]);
});

test('--like accepts a reference that one order has', async () => {
  const line = ['deliveries', 'create', ...fields, '--ref', 'L1', '--dropoff-notes', 'Ring'];
  const { order_id } = await box.json(line);
  const copy = await box.json(['orders', 'create', '--like', 'L1', '--ref', 'L2']);
  expect(copy).toMatchObject({ dropoff_notes: 'Ring', external_order_ref: 'L2' });
  await box.json(['deliveries', 'create', '--like', 'L1', '--dropoff-notes', 'Knock']);
  expect(await failureOf(box.run(['orders', 'create', '--like', 'L1', '--json']))).toMatchObject({
    exit: 2,
    message: expect.stringContaining('Several orders have the reference "L1"'),
    choices: expect.arrayContaining([order_id]),
    next: [{ command: 'waybill orders list --external-order-ref L1' }],
  });
  const none = await box.run(['orders', 'create', '--like', 'L0', '--json']);
  expect(none.exit).toBe(5);
  expect(errorOf(none.stderr)).toMatchObject({
    code: 'record_not_found',
    hint: expect.stringContaining('your references'),
  });
});

test('an error about a field names its flag', async () => {
  for (const line of [
    ['deliveries', 'create', ...fields],
    ['deliveries', 'quote', ...from, ...to],
    ['orders', 'create', ...fields],
  ]) {
    expect(await box.run([...line, '--pickup-at', '2h', '--dropoff-at', '3h'])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('--dropoff-at: cannot be given together with --pickup-at'),
    });
  }
});

test.each([
  ['--request-signature', ['haulvan', 'swiftly']],
  ['--vehicle=box_truck', ['haulvan']],
])('%s limits the couriers that quote', async (flag, services) => {
  const { stdout } = await box.run(['deliveries', 'quote', ...from, ...to, flag, '-o', 'ndjson']);
  const found = linesIn(stdout).map((text) => JSON.parse(text).service);
  expect(found.sort()).toEqual(services);
});

const create = ['deliveries', 'create', ...orderLine.slice(2)];
const hour = 3_600_000;

test('programs get the warning as an object; an unchanged fee is described so', async () => {
  const { id, quote_id } = await created();
  box.advance(hour);
  const line = ['deliveries', 'initiate', String(id), '--max-cost', '9', '--json'];
  const { stdout, stderr } = await box.run(line);
  expect(jsonOf(stderr.replace(contextLine, '').split('\n')[0] ?? '')).toMatchObject({
    ...{ type: 'warning', code: 'quote_replaced', given: quote_id, fee: 647, fee_before: 647 },
    quote_id: jsonOf(stdout).quote_id,
    message: expect.stringContaining('the fee is $6.47 as before'),
  });
});

test('an invalid quote: those of a delivery are requested without a route', async () => {
  const { id } = await created();
  for (const line of [create, ['deliveries', 'initiate', String(id)]]) {
    const { exit, stderr } = await box.run([...line, '--quote', 'quo_nope', '--json']);
    const error = errorOf(stderr);
    expect(exit).toBe(5);
    expect(error).toMatchObject({
      code: 'quote_not_found',
      status: 404,
      hint: expect.stringContaining('`waybill deliveries quote`'),
      next: [{ command: 'waybill deliveries quote' }],
    });
  }
});

test('what --file accepts for a delivery is described for deliveries', async () => {
  const run = (stdin: string) => box.run(['deliveries', 'create', '-', '--json'], { stdin });
  const refused = async (stdin: string) => errorOf((await run(stdin)).stderr);
  expect(await refused('7')).toMatchObject({
    message: 'stdin holds no deliveries.',
    hint: 'It takes one delivery, or an array of them.',
  });
  expect((await refused('[]')).message).toBe('There is no delivery in stdin.');
});

const start = [...create, '--initiate'];

/** Runs a command while the clock advances. */
function runWaiting(line: readonly string[], stdin?: string) {
  box.advance(1);
  return box.run(line, { ...box.passing, ...(stdin === undefined ? {} : { stdin }) });
}

test('create, initiate and retry wait for the given or a later status', async () => {
  const made = await runWaiting([...start, '--max-cost', '9', '--wait', 'arrived_at_pickup', '--json']);
  expect([made.exit, made.stderr, jsonOf(made.stdout).status]).toEqual([0, contextLine, 'pickup_complete']);
  const id = await newDelivery(box);
  const sent = await runWaiting(['deliveries', 'initiate', id, '--wait', 'delivered']);
  expect([sent.exit, sent.stdout]).toEqual([0, expect.stringContaining('status\tdelivered\n')]);
  expect(sent.stderr).toMatch(
    /\npoolride has it for \$6\.47\.\nThe clock of this sandbox runs in real time\. .*: waybill sandbox advance --next\n$/,
  );
  const lost = String((await box.json([...start, '--ref', 'again'])).id);
  await box.json(['deliveries', 'cancel', lost, '--yes']);
  const again = await runWaiting(['deliveries', 'retry', lost, '--wait', 'delivered', '--json']);
  expect([again.exit, jsonOf(again.stdout)]).toMatchObject([0, { status: 'delivered' }]);
  expect(jsonOf(again.stdout)).toMatchObject({
    external_order_ref: 'again',
    id: expect.not.stringMatching(lost),
  });
});

test('a retry by a reference, again with its key, is the same delivery, also once that has failed', async () => {
  const lost = await newDelivery(box, '--initiate', '--ref', 'twice', '--tip', '2');
  await box.json(['deliveries', 'cancel', lost, '--yes']);
  const retry = (key: string) =>
    box.run(['deliveries', 'retry', 'twice', '--idempotency-key', key, '--max-cost', '40', '--json=id']);
  const first = await retry('once');
  const { id } = jsonOf(first.stdout);
  expect(id).not.toBe(lost);
  for (const [status, exit] of [
    ['driver_assigned', 0],
    ['failed', 9],
  ] as const) {
    await box.json(['sandbox', 'step', String(id), status]);
    const again = await retry('once');
    expect([status, again.exit, jsonOf(again.stdout)]).toEqual([status, exit, { id }]);
    expect(again.stderr).toContain('nothing was sent twice');
  }
  const other = await retry('twice');
  expect(jsonOf(other.stdout).id).not.toBe(id);
});

test('exit 9 at once after a failed outcome, and 8 after the time-out, each with the delivery', async () => {
  const id = await newDelivery(box, '--simulate', 'no_driver');
  const bad = await runWaiting(['deliveries', 'initiate', id, '--wait', 'delivered', '--json']);
  expect([bad.exit, errorOf(bad.stderr).code]).toEqual([9, 'delivery_provider_canceled']);
  expect(jsonOf(bad.stdout)).toMatchObject({ id, status: 'provider_canceled' });
  const given = await runWaiting([...start, '--wait', 'delivered', '--fail-on', 'pickup_complete']);
  expect([given.exit, given.stdout]).toEqual([9, expect.stringContaining('status\tpickup_complete\n')]);
  const line = [...start, '--wait', 'delivered', '--timeout', '3m', '--interval', '30s', '--json'];
  const late = await runWaiting(line);
  expect(late.exit).toBe(8);
  expect(errorOf(late.stderr)).toMatchObject({
    message: expect.stringContaining('Time ran out after 3m: '),
    next: [
      { command: 'waybill sandbox advance --next' },
      {
        command: `waybill deliveries wait ${jsonOf(late.stdout).id} --until delivered --interval 30s`,
      },
    ],
  });
});

test('a delivery that fails at once is the result, unless that status is waited for', async () => {
  const declined = [...start, '--simulate', 'payment_declined', '--json', '--wait'];
  const failed = await runWaiting([...declined, 'delivered']);
  expect([failed.exit, errorOf(failed.stderr).code]).toEqual([9, 'delivery_failed']);
  expect(errorOf(failed.stderr).next).toMatchObject([
    { when: expect.stringContaining('try the same order again') },
  ]);
  const wanted = await runWaiting([...declined, 'failed']);
  expect([wanted.exit, jsonOf(wanted.stdout).status]).toEqual([0, 'failed']);
});

test('several deliveries are waited for together', async () => {
  const line = [
    'deliveries',
    'create',
    '-',
    '--initiate',
    '--wait',
    'delivered',
    '--timeout',
    '3h',
    '--json',
  ];
  const all = await runWaiting(line, JSON.stringify([orderFields, { ...orderFields, initiate: false }]));
  expect([all.exit, JSON.parse(all.stdout)]).toMatchObject([
    0,
    [{ status: 'delivered' }, { status: 'delivered' }],
  ]);
  const lost = { ...orderFields, dropoff_phone_number: '+13125550136' };
  const bad = await runWaiting(line, JSON.stringify([orderFields, lost]));
  expect([bad.exit, JSON.parse(bad.stdout)]).toMatchObject([9, [{}, { status: 'enroute_to_return' }]]);
});

test('waiting for an uninitiated delivery is refused, and none is created', async () => {
  const before = postsTo(box);
  const { exit, stderr } = await runWaiting([...create, '--wait', 'delivered', '--json']);
  expect([exit, errorOf(stderr).message]).toEqual([2, expect.stringContaining('--wait requires --initiate')]);
  for (const line of [start, ['deliveries', 'initiate', 'x'], ['deliveries', 'retry', 'x']]) {
    const idle = await runWaiting([...line, '--timeout', '1m', '--json']);
    expect([idle.exit, errorOf(idle.stderr).message]).toEqual([2, expect.stringMatching(/requires? --wait/)]);
  }
  expect(postsTo(box)).toBe(before);
});
