import { expect, test } from 'vitest';
import { Interrupted } from '../../../../src/cli/kit/errors/failure.ts';
import type { Prompts } from '../../../../src/cli/kit/host/host.ts';
import { errorOf } from '../../harness.ts';
import { liveService, newDelivery, newOrder, newStore, orderLine, postsTo, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const minute = 60_000;
const screen = { tty: true, env: { NO_COLOR: '1' } };
const evening = ['--dropoff-at', '8pm'];
const at = '2026-03-03T02:00:00.000Z';

const listed = async () => JSON.parse((await box.run(['deliveries', 'list', '--all', '--json'])).stdout);

test('before a courier is asked, the order is changed and nothing is asked', async () => {
  await newOrder(box, '--ref', 'R-1');
  const { exit, stderr } = await box.run(['deliveries', 'reschedule', 'R-1', ...evening]);
  expect([exit, stderr]).toEqual([
    0,
    expect.stringMatching(/Rescheduled ord_\w+: to arrive at 20:00( CST)?\.\n/),
  ]);
  expect(stderr).toContain('"8pm" is Mon, Mar 2, 2026, 20:00 CST');
  expect(await box.json(['orders', 'get', 'R-1'])).toMatchObject({ dropoff_at: at, status: 'open' });
  const moved = await box.run(['deliveries', 'reschedule', 'R-1', '--dropoff-at', '9pm']);
  expect(moved.stderr).toMatch(/: to arrive at 21:00( CST)? \(was to arrive at 20:00( CST)?\)\.\n/);
  const stored = await newDelivery(box, '--ref', 'R-2');
  const edited = await box.json(['deliveries', 'reschedule', stored, ...evening]);
  expect(edited).toMatchObject({ dropoff_at: at, previous_dropoff_at: null, previous_pickup_at: null });
  expect(await box.json(['deliveries', 'get', stored])).toMatchObject({ dropoffs: [{ dropoff_at: at }] });
});

test('a terminal is asked for the time, until it can be read', async () => {
  await newOrder(box, '--ref', 'R-asked');
  const faults: (string | null | undefined)[] = [];
  const never = () => Promise.reject(new Error('that was not expected'));
  const prompts: Prompts = {
    ...{ secret: never, select: never, checkbox: never, confirm: never, search: never },
    text: async (_, { check } = {}) => {
      faults.push(check?.('sixish'), check?.('8pm'));
      return '8pm';
    },
  };
  const { exit } = await box.run(['deliveries', 'reschedule', 'R-asked'], { ...screen, prompts });
  expect([exit, faults]).toEqual([0, [expect.stringContaining('It must be a time such as'), null]]);
  expect(await box.json(['orders', 'get', 'R-asked'])).toMatchObject({ dropoff_at: at });
});

test('once a courier has it, one question names the fee and the new price, and both are done', async () => {
  const id = await newDelivery(box, '--initiate', '--ref', 'R-3', '--tip', '3');
  box.advance(7 * minute);
  const line = ['deliveries', 'reschedule', 'R-3', ...evening];
  const asked = (...answers: boolean[]) => ({ tty: true, env: { NO_COLOR: '1' }, answers });
  const before = await listed();
  expect((await box.run(line, asked())).stderr).toMatch(
    new RegExp(
      `no answer for: Cancel ${id} for Joe Diner, and send it again\\? Canceling costs \\$2\\.99: you get ` +
        '\\$6\\.48 of \\$9\\.47 back\\. The new delivery, to arrive at 20:00( CST)? \\(was [\\d:]+( CST)?\\), costs about \\$\\d+\\.\\d\\d with \\w+\\.',
    ),
  );
  expect((await box.run(line, asked(false))).exit).toBe(3);
  const left = await box.run(line, { ...screen, answers: [new Interrupted()] });
  expect([left.exit, left.stderr]).toEqual([
    130,
    expect.stringMatching(/Nothing was changed at the service\.\n$/),
  ]);
  for (const limit of [
    ['--max-fee', '1'],
    ['--max-cost', '4'],
  ]) {
    const refused = await box.run([...line, '--yes', ...limit, '--json']);
    expect([refused.exit, errorOf(refused.stderr).code]).toEqual([6, expect.stringMatching(/^above_max_/)]);
  }
  expect(await listed()).toEqual(before);
  const { exit, stderr } = await box.run(line, asked(true));
  expect([exit, stderr.replaceAll('\n', ' ')]).toEqual([
    0,
    expect.stringMatching(
      /Was [\d:]+( CST)?, now 20:00( CST)?; canceling the old one cost \$2\.99; new link: http\S+\/track\/\w+/,
    ),
  ]);
  const after = await listed();
  const [now, ...rest] = after;
  expect(now).toMatchObject({
    status: 'scheduled',
    tip: 300,
    external_order_ref: 'R-3',
    dropoffs: [{ dropoff_at: at }],
  });
  expect(rest.find((each: { id: string }) => each.id === id)).toMatchObject({ status: 'customer_canceled' });
  expect(after).toHaveLength(before.length + 1);
});

test.each([
  ['with a reference', ['--ref', 'R-9'], 0],
  ['of no reference, which a hundred others came after,', [], 101],
])(
  'the price %s is that of the courier that the retry takes, without one that canceled an earlier try',
  async (_, ref, others) => {
    const first = await newDelivery(box, '--initiate', ...ref, '--simulate', 'no_driver');
    box.advance(60 * minute);
    for (let count = 0; count < others; count += 1) await newDelivery(box);
    const { service, status } = await box.json(['deliveries', 'get', first]);
    expect(status).toBe('provider_canceled');
    const tried = await box.json(['deliveries', 'retry', first, '--yes']);
    const line = ['deliveries', 'reschedule', String(tried.id), ...evening];
    const { stderr } = await box.run(line, screen);
    const [, said] = /costs about \$[\d.]+ with (\w+)\./.exec(stderr.replaceAll('\n', ' ')) ?? [];
    expect([said, stderr]).toEqual([expect.not.stringMatching(`^${service}$`), stderr]);
    expect((await box.run(line, { ...screen, answers: [true] })).exit).toBe(0);
    expect(await box.json(['deliveries', 'get', String(tried.order_id)])).toMatchObject({ service: said });
  },
);

test('the price is that of the couriers that the store prefers', async () => {
  const store = await newStore(box, 'Preferring', '--provider', 'swiftly');
  const to = ['--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606', '--item', 'Brisket'];
  const who = ['--dropoff-name', 'Joe Diner', '--dropoff-phone', '+13125550142'];
  const line = ['deliveries', 'create', '--store', store, ...to, ...who, '--initiate'];
  const { id } = await box.json(line);
  const { stderr } = await box.run(['deliveries', 'reschedule', String(id), ...evening], screen);
  expect(stderr.replaceAll('\n', ' ')).toMatch(/costs about \$[\d.]+ with swiftly\./);
});

test('a fee that recipients are shown with a subsidy is not taken for the price', async () => {
  const box = await sandbox();
  const stdin = '{"subsidy":{"kind":"percent","value":50}}';
  await box.run(['api', 'PATCH', '/v2/account', '--file', '-'], { stdin });
  const create = ['deliveries', 'create', ...orderLine.slice(2)];
  const sent = await box.run([...create, '--initiate', '--ref', 'R-shown']);
  expect(sent.stderr).toContain('poolride has it for $6.47.');
  const quoted = await box.run(['deliveries', 'quote', '--like', 'R-shown']);
  expect(quoted.stderr).toMatch(/--initiate .*--max-cost 6\.47/);
  const line = ['deliveries', 'reschedule', 'R-shown', ...evening, '--yes', '--json', '--max-cost'];
  expect(errorOf((await box.run([...line, '6'])).stderr)).toMatchObject({ code: 'above_max_cost' });
  expect(await box.json(['deliveries', 'get', 'R-shown'])).toMatchObject({ status: 'delivery_created' });
});

test('after the pickup nothing is canceled, and the error says whom to call', async () => {
  const id = await newDelivery(box, '--initiate', '--ref', 'R-4');
  box.advance(20 * minute);
  const before = await listed();
  const refused = await box.run(['deliveries', 'reschedule', id, ...evening, '--yes', '--json']);
  expect([refused.exit, errorOf(refused.stderr)]).toEqual([
    6,
    expect.objectContaining({
      code: 'delivery_not_cancelable',
      message: `${id} cannot be rescheduled: poolride has picked it up.`,
      hint: expect.stringMatching(/call \+1 \d{3}/),
    }),
  ]);
  expect((await listed()).length).toBe(before.length);
});

test.each([
  ['failed', ['--simulate', 'payment_declined'], 0],
  ['delivered', [], 120],
])(
  'a delivery that has %s is not given another time, as no courier would come',
  async (status, flags, minutes) => {
    const id = await newDelivery(box, '--initiate', '--ref', `R-${status}`, ...flags);
    box.advance(minutes * minute);
    const before = await box.json(['orders', 'get', `R-${status}`]);
    const refused = await box.run(['deliveries', 'reschedule', id, ...evening, '--yes', '--json']);
    const { code, message, next } = errorOf(refused.stderr);
    expect([refused.exit, code, message]).toEqual([
      6,
      'delivery_not_editable',
      `Delivery ${id} is ${status} and has ended.`,
    ]);
    expect(JSON.stringify(next)).toContain(`waybill ship --like ${id} --dropoff-at ${at}`);
    const past = await box.run([
      'deliveries',
      'reschedule',
      id,
      '--dropoff-at',
      '2026-03-01 10:00',
      '--json',
    ]);
    expect(JSON.stringify(errorOf(past.stderr).next)).toContain('--dropoff-at WHEN');
    expect(await box.json(['orders', 'get', `R-${status}`])).toEqual(before);
  },
);

test('live mode needs a limit, and one time is enough', async () => {
  const id = await newDelivery(box, '--initiate', '--ref', 'R-5');
  const posts = postsTo(box);
  const line = ['deliveries', 'reschedule', id, ...evening, '--json'];
  const live = await box.run([...line, '--yes'], liveService(box.transport));
  expect([live.exit, errorOf(live.stderr).missing]).toEqual([2, ['--max-cost']]);
  expect((await box.run([...line, '--pickup-at', '7pm'])).exit).toBe(2);
  expect(postsTo(box)).toBe(posts);
});

/** Ends before the delivery is sent again. */
const cut: typeof box.transport = async (request) => {
  if (request.method === 'POST' && request.path.endsWith('/retry')) throw new Error('cut off');
  return box.transport(request);
};

test('a command that was ended between its two steps goes on with its key, and makes one delivery', async () => {
  const id = await newDelivery(box, '--initiate', '--ref', 'R-6');
  const line = ['deliveries', 'reschedule', id, ...evening, '--yes', '--idempotency-key', 'again'];
  const before = await listed();
  const first = await box.run(line, { transport: cut });
  expect(first.exit).not.toBe(0);
  expect(await box.json(['deliveries', 'get', id])).toMatchObject({ status: 'customer_canceled' });
  expect(await listed()).toHaveLength(before.length);
  const plain = ['deliveries', 'reschedule', 'R-6', ...evening, '--yes'];
  for (const again of [line, line, plain]) expect((await box.run(again)).exit).toBe(0);
  expect(await listed()).toHaveLength(before.length + 1);
});

test.each([
  ['for people', []],
  ['as JSON', ['--json']],
])('a new delivery that fails at once is exit 9, %s, as it is sent', async (_, format) => {
  const id = await newDelivery(box, '--initiate');
  const failing: typeof box.transport = async (request) => {
    const answer = await box.transport(request);
    if (!request.path.endsWith('/retry')) return answer;
    const sent = { ...JSON.parse(answer.body), status: 'failed', failure_reason: 'payment_declined' };
    return { ...answer, body: JSON.stringify(sent) };
  };
  const line = ['deliveries', 'reschedule', id, ...evening, '--yes', ...format];
  const { exit, stdout, stderr } = await box.run(line, { transport: failing });
  expect([exit, stdout, stderr]).toEqual([
    9,
    expect.stringContaining('failed'),
    expect.not.stringContaining('could not be sent again'),
  ]);
});

test('a run that was ended in the middle goes on without its key, and asks first', async () => {
  const id = await newDelivery(box, '--initiate', '--ref', 'R-7');
  const line = ['deliveries', 'reschedule', 'R-7', ...evening];
  const first = await box.run([...line, '--yes', '--json'], { transport: cut });
  expect(JSON.stringify(errorOf(first.stderr).next)).toContain(`waybill deliveries reschedule ${id}`);
  const { stderr } = await box.run(line, { tty: true, env: { NO_COLOR: '1' }, answers: [] });
  expect(stderr).toMatch(
    /Send dlv_\w+ for Joe Diner again\? It is canceled already\. The new delivery, to arrive/,
  );
  expect((await box.run([...line, '--yes'])).exit).toBe(0);
  expect(await box.json(['deliveries', 'get', 'R-7'])).toMatchObject({ status: 'scheduled' });
});

test.each([
  ['an open order', 'R-8', [], 'order'],
  ['a delivery', 'R-9', ['--initiate'], 'delivery'],
])('%s keeps its time, to the minute, and nothing is changed', async (_, ref, flags, object) => {
  const time = ['--dropoff-at', '2026-03-02T20:00'];
  if (object === 'order') await newOrder(box, '--ref', ref, ...time);
  else await newDelivery(box, '--ref', ref, ...flags, ...time);
  const posts = postsTo(box);
  for (const same of ['8pm', '2026-03-02T20:00:30']) {
    const { exit, stderr } = await box.run(['deliveries', 'reschedule', ref, '--dropoff-at', same, '--yes']);
    expect([exit, stderr]).toEqual([
      0,
      expect.stringMatching(`${ref} is to arrive at 20:00( CST)? already: nothing was changed.`),
    ]);
  }
  expect(postsTo(box)).toBe(posts);
});

test('--dry-run shows both halves: the cancellation with its cost, and the new time', async () => {
  await newDelivery(box, '--initiate', '--ref', 'R-10');
  box.advance(7 * minute);
  const line = ['deliveries', 'reschedule', 'R-10', ...evening, '--dry-run'];
  const { exit, stdout, stderr } = await box.run(line);
  expect(exit).toBe(0);
  expect(stderr).toMatch(
    /Canceling costs \$2\.99: .* The new delivery, to arrive at 20:00( CST)? \(was [\d:]+( CST)?\), is quoted anew when it is sent\./,
  );
  const shown = JSON.parse((await box.run([...line, '--json'])).stdout);
  const parts = [/cancel$/, /orders\/ord_\w+$/, /retry$/];
  expect(shown.map(({ url }: { url: string }) => parts.map((part) => part.test(url)).indexOf(true))).toEqual([
    0, 1, 2,
  ]);
  expect(stdout).toContain(at);
});

/** What each screen says of an order that was given another time: one order, and its live delivery. */
test.each<[string, (ref: string, old: string, live: string) => Promise<unknown>, unknown]>([
  [
    'orders list',
    async (ref) => JSON.parse((await box.run(['orders', 'list', '--ref', ref, '--json'])).stdout).length,
    1,
  ],
  [
    'where',
    async (ref) => (await box.run(['where', ref])).stderr,
    expect.stringMatching(/Using dlv_\w+; earlier: dlv_\w+ \(rescheduled\)\./),
  ],
  ['deliveries get', async (ref, _, live) => (await box.json(['deliveries', 'get', ref])).id === live, true],
  [
    'deliveries get of the earlier one',
    async (_, old) => (await box.run(['deliveries', 'explain', old], screen)).stdout,
    expect.stringContaining('It was rescheduled.'),
  ],
  ['charges list REF', async (ref) => (await box.run(['charges', 'list', '--order', ref])).exit, 0],
  [
    'charges list --delivery REF',
    async (ref) => (await box.run(['charges', 'list', '--delivery', ref])).exit,
    0,
  ],
  [
    'deliveries list',
    async (ref) => (await box.run(['deliveries', 'list', '--ref', ref], screen)).stdout,
    expect.stringMatching(/rescheduled/),
  ],
  [
    'deliveries list of canceled ones',
    async (ref) =>
      (await box.run(['deliveries', 'list', '--ref', ref, '--status', 'active,canceled'])).stderr,
    expect.stringContaining('1 of these 2 was rescheduled:'),
  ],
  [
    'audit list',
    async (ref) => (await box.run(['audit', 'list', '--record', ref], { ...screen, columns: 160 })).stdout,
    expect.stringMatching(/Retry delivery.*\n.*Update order .*\n.*Cancel delivery .* reason Rescheduled /),
  ],
  [
    'explain',
    async (ref) => (await box.run(['explain', ref], screen)).stdout.replaceAll(/\s+/g, ' '),
    expect.stringMatching(/waybill deliveries reschedule dlv_\w+ --dropoff-at WHEN/),
  ],
  [
    'the message about the earlier one',
    async (_, old) => (await box.run(['track', old, '--text'])).stdout,
    expect.stringMatching(/^Your delivery from .* is expected /),
  ],
  [
    'the chooser',
    async (ref) => {
      await newDelivery(box, '--initiate', '--ref', ref);
      return (await box.run(['deliveries', 'explain', ref])).stderr;
    },
    expect.stringMatching(/ rescheduled /),
  ],
  [
    'the link of the earlier one',
    async (_, old) => {
      const link = String((await box.json(['deliveries', 'get', old])).tracking_url);
      const { body } = await box.transport({
        ...{ method: 'GET', path: new URL(link).pathname, headers: {}, body: '' },
      });
      return /canceled/i.test(body);
    },
    false,
  ],
])('one order, one story: %s', async (_, shown, expected) => {
  const ref = `S-${count++}`;
  const old = await newDelivery(box, '--initiate', '--ref', ref);
  const moved = await box.json(['reschedule', ref, ...evening, '--yes']);
  const previous_dropoff_at = expect.stringMatching(/^2026-03-02T1\d:/);
  expect(moved).toMatchObject({ rescheduled_from: old, previous_dropoff_at, cancellation_fee: 0 });
  expect(await shown(ref, old, String(moved.id))).toEqual(expected);
});
let count = 0;

test('the report counts it once, as it stands now, and its promise is the new time', async () => {
  const other = await sandbox();
  await newDelivery(other, '--initiate', '--ref', 'T-1');
  const moved = await other.json(['deliveries', 'reschedule', 'T-1', ...evening, '--yes']);
  expect(await other.json(['deliveries', 'get', String(moved.id)])).toMatchObject({
    details: { promised_at: at },
  });
  const [row] = JSON.parse((await other.run(['report', 'today', '--json'])).stdout);
  expect(row).toMatchObject({ orders: 1, canceled: 0, active: 1 });
});
