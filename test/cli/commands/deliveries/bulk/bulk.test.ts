import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorOf, freshHome, jsonOf } from '../../../harness.ts';
import { newDelivery, sandbox } from '../../../sandbox.ts';

const box = await sandbox();
const folder = freshHome();

const made = (...flags: string[]) => newDelivery(box, ...flags);
const sent = (...flags: string[]) => made('--initiate', '--simulate', 'happy_path', ...flags);
const failed = () => made('--initiate', '--simulate', 'payment_declined');

async function status(id: string): Promise<unknown> {
  return (await box.json(['deliveries', 'get', id])).status;
}

function rows(stdout: string): unknown[] {
  const found: unknown = JSON.parse(stdout);
  if (!Array.isArray(found)) throw new TypeError('no list');
  return found;
}

/** A connection that is lost after the first change. */
function losing(): typeof box.transport {
  let posts = 0;
  return async (request) => {
    if (request.method === 'POST' && ++posts > 1) throw new Error('connection lost');
    return box.transport(request);
  };
}

test('ids and references from stdin are canceled after their total price is confirmed', async () => {
  const first = await sent();
  await sent('--ref', 'bulk-1');
  box.advance(180_000);
  const ids = `${first}\n\n${first}\nbulk-1\n`;
  const line = ['deliveries', 'cancel', '--from', '-', '--reason', 'Closed'];
  const before = box.requests.length;
  const asked = await box.run(line, { stdin: ids });
  expect([asked.exit, asked.stdout]).toEqual([2, '']);
  expect(asked.stderr).toMatch(
    /Cancel 2 deliveries\? Canceling .*: you get (\$\d+\.\d\d of )?\$\d+\.\d\d back\./,
  );
  expect(box.requests.slice(before).every(({ method }) => method === 'GET')).toBe(true);
  const { stdout, stderr, exit } = await box.run([...line, '--yes'], { stdin: ids });
  expect([exit, stdout.split('\n').length]).toEqual([0, 3]);
  expect(stderr).toMatch(/^Cancel 2 deliveries\? Canceling (is free|costs \$)/);
  expect(stderr).toMatch(/2 of 2 deliveries were canceled\.\n$/);
  expect(await status(first)).toBe('customer_canceled');
});

test('fees above the limit in all change nothing', async () => {
  const ids = [await sent('--request-signature'), await sent('--request-signature')];
  box.advance(180_000);
  const terms = await box.json(['deliveries', 'cancel', ids[0] ?? '', '--price']);
  expect(terms.fee).toBe(400);
  const line = ['deliveries', 'cancel', '--from', '-', '--yes', '--json', '--max-fee'];
  const low = await box.run([...line, '7.99'], { stdin: ids.join('\n') });
  expect([low.exit, errorOf(low.stderr).code]).toEqual([6, 'above_max_fee']);
  expect(await status(ids[0] ?? '')).not.toBe('customer_canceled');
  const { stdout, exit } = await box.run([...line, '8.00'], { stdin: ids.join('\n') });
  expect(exit).toBe(0);
  expect(rows(stdout)).toEqual(
    ids.map((delivery_id) => expect.objectContaining({ delivery_id, result: 'canceled', cost: 400 })),
  );
});

test('what is refused is listed with its reason, and the exit code is 10, or that of the one reason', async () => {
  const [id, other] = [await sent(), await sent()];
  const line = ['deliveries', 'cancel', '--from', '-', '--yes', '--json'];
  const mixed = await box.run(line, { stdin: `${id}\nnowhere\n` });
  expect(mixed.exit).toBe(10);
  expect(rows(mixed.stdout)).toMatchObject([
    { delivery_id: id, result: 'canceled', code: null },
    { delivery_id: 'nowhere', result: 'refused', code: 'record_not_found' },
  ]);
  expect(errorOf(mixed.stderr)).toMatchObject({ code: 'some_not_changed', details: [{ path: 'nowhere' }] });
  expect(errorOf(mixed.stderr).message).toBe('1 of 2 deliveries was canceled.');
  await box.json(['sandbox', 'step', other, 'pickup_complete']);
  const late = await box.run(line, { stdin: other });
  expect([late.exit, errorOf(late.stderr).code]).toEqual([6, 'delivery_not_cancelable']);
});

test('--where retry takes what failed and was not tried again, within its limit', async () => {
  const [one, two] = [await failed(), await failed()];
  const line = ['deliveries', 'retry', '--where', 'failed', '--json'];
  const low = await box.run([...line, '--yes', '--max-cost', '1']);
  expect([low.exit, errorOf(low.stderr).code]).toEqual([6, 'above_max_cost']);
  const { stdout, exit } = await box.run([...line, '--yes']);
  expect(exit).toBe(9);
  const found = rows(stdout);
  expect(found).toMatchObject([
    { delivery_id: one, result: 'failed', code: 'delivery_failed' },
    { delivery_id: two, result: 'failed', code: 'delivery_failed' },
  ]);
});

test.each([
  // The first one costs $4.00 of the limit.
  ['cancel', ['--max-fee', '9.50'], ['--max-fee', '5.50']],
  ['cancel', ['--reason', 'Closed early'], ['--reason', 'Closed early']],
  // The first one costs $6.47 with the tip.
  ['retry', ['--allow-duplicate-ref', '--max-cost', '50'], ['--allow-duplicate-ref', '--max-cost', '43.53']],
  [
    'retry',
    ['--preference', 'fastest', '--not', 'metrobike'],
    ['--preference', 'fastest', '--not', 'metrobike', '--max-cost', 'DOLLARS'],
  ],
])(
  '%s %j: the command that continues has the typed flags, and what is left of the limit',
  async (verb, flags, left) => {
    const create = async () =>
      verb === 'cancel'
        ? sent('--request-signature')
        : made('--initiate', '--simulate', 'payment_declined_once');
    const ids = [await create(), await create()];
    box.advance(180_000);
    const line = ['deliveries', verb, '--from', '-', ...flags, '--yes', '--json'];
    const { stderr } = await box.run(line, { stdin: ids.join('\n'), transport: losing() });
    expect(errorOf(stderr).next).toContainEqual(
      expect.objectContaining({ args: ['deliveries', verb, '--from', '-', ...left] }),
    );
  },
);

test('after an outage the same command continues: what was done before counts as done', async () => {
  const ids = [await sent(), await sent(), await sent()];
  const path = join(folder, 'ids.txt');
  writeFileSync(path, `${ids.join('\n')}\n`);
  const line = ['deliveries', 'cancel', '--from', path, '--yes', '--json'];
  const broken = await box.run(line, { transport: losing() });
  expect([broken.exit, rows(broken.stdout).length]).toEqual([10, 1]);
  const before = box.requests.length;
  const { stdout, exit } = await box.run(line);
  expect(exit).toBe(0);
  const [first, ...others] = rows(stdout);
  expect(first).toMatchObject({ result: 'canceled', reason: 'was canceled already' });
  expect(others).toMatchObject([
    { result: 'canceled', reason: null },
    { result: 'canceled', reason: null },
  ]);
  for (const again of [[], ['--idempotency-key', 'k'], ['--dry-run']])
    expect((await box.run([...line, ...again])).exit).toBe(0);
  const cancels = box.requests.slice(before).filter(({ method }) => method === 'POST');
  expect(cancels.map(({ path: sentTo }) => sentTo.split('/')[3])).toEqual(ids.slice(1));
  expect(readdirSync(folder)).toEqual(['ids.txt']);
});

test('a delivery that is scheduled for tomorrow is not stuck', async () => {
  const other = await sandbox();
  await newDelivery(other, '--initiate', '--dropoff-at', 'in 20 hours');
  other.advance(1_800_000);
  for (const line of [
    ['deliveries', 'cancel', '--where', 'stuck', '--yes'],
    ['deliveries', 'list', '--stuck', '20m'],
  ]) {
    const { stdout, exit } = await other.run([...line, '--json']);
    expect([exit, rows(stdout)]).toEqual([0, []]);
  }
});

test('one delivery and several exclude each other', async () => {
  const { exit, stderr } = await box.run(['deliveries', 'cancel', 'dlv_1', '--where', 'late', '--json']);
  expect([exit, errorOf(stderr).message]).toEqual([2, 'A delivery cannot be combined with --where.']);
  const both = await box.run(['deliveries', 'retry', '--from', '-', '--where', 'failed', '--json']);
  expect([both.exit, errorOf(both.stderr).message]).toEqual([2, 'Use only one of --from and --where.']);
});

test('a retry leaves out deliveries whose order was closed, with their number', async () => {
  const closed = await failed();
  await box.json([
    'orders',
    'cancel',
    String((await box.json(['deliveries', 'get', closed])).order_id),
    '--yes',
  ]);
  const other = await made('--initiate', '--simulate', 'payment_declined_once');
  const line = ['deliveries', 'retry', '--from', '-', '--yes', '--json'];
  const { stdout, stderr, exit } = await box.run(line, { stdin: `${closed}\n${other}\n` });
  expect(exit).toBe(0);
  expect(jsonOf(stderr.split('\n', 1).join())).toMatchObject({
    type: 'note',
    code: 'order_not_open',
    left_out: 1,
  });
  expect(rows(stdout)).toMatchObject([{ delivery_id: other, result: 'retried' }]);
  const alone = await box.run(['deliveries', 'retry', closed, '--json']);
  expect([alone.exit, errorOf(alone.stderr).code]).toEqual([6, 'order_not_open']);
  const { next, delivery } = await box.json(['deliveries', 'explain', closed]);
  expect([delivery, JSON.stringify(next)]).toEqual([
    expect.objectContaining({ status: 'failed' }),
    expect.not.stringContaining('retry'),
  ]);
  const { items } = await box.json(['today']);
  expect(JSON.stringify(items)).not.toContain(closed);
});

test('a delivery is not retried once another order has its reference, unless that is allowed', async () => {
  const first = await made('--initiate', '--simulate', 'payment_declined_once', '--ref', 'again-1');
  await sent('--ref', 'again-1');
  const refused = { code: 'duplicate_ref' };
  const alone = await box.run(['deliveries', 'retry', first, '--json']);
  expect([alone.exit, errorOf(alone.stderr)]).toMatchObject([6, refused]);
  const line = ['deliveries', 'retry', '--from', '-', '--yes', '--json'];
  const several = await box.run(line, { stdin: first });
  expect([several.exit, rows(several.stdout)]).toMatchObject([6, [{ result: 'refused', ...refused }]]);
  const allowed = await box.run([...line, '--allow-duplicate-ref'], { stdin: first });
  expect([allowed.exit, rows(allowed.stdout)]).toMatchObject([0, [{ result: 'retried' }]]);
});

const hours = 3_600_000;

test('a retry of what failed means today, and each is listed with its store and price before it is done', async () => {
  const other = await sandbox();
  const fails = (ref: string) =>
    newDelivery(other, '--initiate', '--simulate', 'payment_declined_once', '--ref', ref);
  const old = await fails('old');
  other.advance(24 * hours);
  const ids = [await fails('new-1'), await fails('new-2')];
  const line = ['deliveries', 'retry', '--where', 'failed'];
  const before = other.requests.length;
  const listed = async (...flags: string[]) => {
    const { stdout, exit } = await other.run([...line, ...flags, '--dry-run', '--json']);
    expect(exit).toBe(0);
    return rows(stdout);
  };
  const of = (id: string, ref: string) => ({ delivery_id: id, external_order_ref: ref, store: 'Grill' });
  const today = ids.map((id, index) => of(id, `new-${index + 1}`));
  expect(await listed()).toMatchObject(today);
  expect(await listed('--period', 'yesterday')).toMatchObject([of(old, 'old')]);
  expect(await listed('--since', '3d')).toMatchObject([of(old, 'old'), ...today]);
  const said = await other.run([...line, '--dry-run'], { tty: true });
  expect(said.stdout).toMatch(/new-1 +Grill +not_sent +\$\d+\.\d\d/);
  expect(said.stderr).toMatch(
    /Retry 2 deliveries for about \$[\s\S]*Nothing was changed: 2 deliveries would be retried\./,
  );
  const asked = await other.run(line, { tty: true, answers: ['n'] });
  expect([asked.exit, asked.stderr]).toEqual([3, expect.stringMatching(/new-2 +Grill +\$\d+\.\d\d$/m)]);
  expect(other.requests.slice(before).every(({ method }) => method === 'GET')).toBe(true);
  const { stdout } = await other.run([...line, '--json', '--yes', '--max-cost', '100']);
  expect(rows(stdout)).toMatchObject(today.map((each) => ({ ...each, result: 'retried' })));
  // Each keeps its own price, not what was left for all.
  const kept = await other.json(['explain', 'new-1']);
  expect(kept).toMatchObject({ delivery: { payment_amount: 647, details: { max_cost: 647 } } });
});

test.each([
  ['cancel', ['--where', 'in_transit', '--store', 'Nowhere'], /no store/i],
  ['cancel', ['dlv_1', '--period', 'today'], /--period belongs to --where/],
  ['retry', ['--from', '-', '--store', 'Grill'], /--store belongs to --where/],
  [
    'cancel',
    ['--price', '--where', 'not_picked_up'],
    /--price cannot be combined with --where. --dry-run lists/,
  ],
])('%s %j is refused', async (verb, flags, text) => {
  const { exit, stderr } = await box.run(['deliveries', verb, ...flags, '--json']);
  const { message, hint = '' } = errorOf(stderr);
  expect([exit === 2 || exit === 5, `${message} ${hint}`]).toEqual([true, expect.stringMatching(text)]);
});

test('a trial of what cannot be canceled is no failure', async () => {
  const id = await sent();
  await box.json(['sandbox', 'step', id, 'pickup_complete']);
  const line = ['deliveries', 'cancel', '--from', '-', '--dry-run'];
  const { stdout, stderr, exit } = await box.run(line, { stdin: id });
  expect([exit, stdout.split('\t')[3]]).toEqual([0, 'refused']);
  expect(stderr).toBe('Nothing was changed: 0 deliveries would be canceled.\n');
});

test('a trial above its limit lists the prices, and says so with its exit code', async () => {
  const other = await sandbox();
  const id = await newDelivery(other, '--initiate', '--simulate', 'payment_declined_once');
  const line = ['deliveries', 'retry', '--where', 'failed', '--max-cost', '1', '--dry-run', '--json'];
  const { stdout, stderr, exit } = await other.run(line);
  expect([exit, errorOf(stderr).code]).toEqual([6, 'above_max_cost']);
  expect(rows(stdout)).toMatchObject([{ delivery_id: id, result: 'not_sent', cost: 647 }]);
});
